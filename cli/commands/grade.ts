import { ENDPOINTS, endpointOf } from "../../lib/judge/index.js";
import { percent } from "../../lib/report/tables.js";
import { RunFolder } from "../../lib/run/folder.js";
import { gradeRun } from "../../lib/run/grade-run.js";
import { command } from "../command.js";
import { printJson, printLine } from "../ui.js";

export default command({
  positionals: "<run>",
  examples: [["$0 grade runs/locomo-bm25 --endpoint token-f1", "LoCoMo's official token F1"]],
  options: (yargs) =>
    yargs.positional("run", { type: "string", demandOption: true, describe: "the run folder" }).option("endpoint", {
      type: "string",
      demandOption: true,
      describe: ENDPOINTS.map(({ id, title }) => `${id}: ${title}`).join("; "),
    }),
  async run(options) {
    const endpoint = endpointOf(options.endpoint);
    const summary = gradeRun(new RunFolder(options.run), endpoint);
    if (options.json) {
      printJson({
        schema: "sealane-graded/1",
        run: options.run,
        endpoint: endpoint.id,
        questions: summary.questions,
        score_mean: summary.scoreMean,
        failure_zeros: summary.failureZeros,
      });
    } else {
      printLine(
        `${endpoint.id}: mean ${percent(summary.scoreMean)} % over ${summary.questions} questions (${summary.failureZeros} failure zeros)`,
      );
      printLine(`next: sealane seal ${options.run} --id <lane-id> --key author.pem --out lanes/<lane-id>`);
    }
    return 0;
  },
});
