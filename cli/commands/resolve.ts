import { SealaneError } from "../../lib/finding.js";
import { systemClock } from "../../lib/io/clock.js";
import { printable } from "../../lib/report/printable.js";
import { RunFolder } from "../../lib/run/folder.js";
import type { Decision } from "../../lib/run/ledger.js";
import { resolveCalls } from "../../lib/run/resolve-run.js";
import { command } from "../command.js";
import { printJson, printLine } from "../ui.js";

export default command({
  positionals: "<run> [questions..]",
  repeatable: ["questions"],
  examples: [
    ['$0 resolve runs/x conv-26/17 --retry-once --reason "server restarted"', "send one broken-off call once more"],
    ['$0 resolve runs/x --all --count-as-failure --reason "deadline"', "count every broken-off call as a failure"],
  ],
  options: (yargs) =>
    yargs
      .positional("run", { type: "string", demandOption: true, describe: "the run folder" })
      .positional("questions", {
        type: "string",
        array: true,
        default: [],
        describe: "ids of the questions whose call broke off",
      })
      .option("all", { type: "boolean", default: false, describe: "every call that waits for a decision" })
      .option("retry-once", { type: "boolean", default: false, describe: "the call may be made once more" })
      .option("count-as-failure", { type: "boolean", default: false, describe: "the question counts as not answered" })
      .option("reason", { type: "string", demandOption: true, describe: "why, for the lane's amendments" }),
  async run(options) {
    if (options["retry-once"] === options["count-as-failure"]) {
      throw new SealaneError("E_USAGE", "one of --retry-once and --count-as-failure is needed", { at: "resolve" });
    }
    if (options.all === options.questions.length > 0) {
      throw new SealaneError("E_USAGE", "name the questions, or say --all", { at: "resolve" });
    }
    if (options.reason.trim() === "") throw new SealaneError("E_USAGE", "--reason says nothing", { at: "--reason" });
    // What a terminal would not show as it is has no place in a lane's amendments.
    if (printable(options.reason) !== options.reason || !options.reason.isWellFormed()) {
      throw new SealaneError("E_USAGE", "--reason is not one line of printable text", { at: "--reason" });
    }
    const decision: Decision = options["retry-once"] ? "retry-once" : "count-as-failure";
    const chosen = resolveCalls(
      new RunFolder(options.run),
      options.all ? undefined : options.questions,
      decision,
      options.reason,
      systemClock,
    );
    if (options.json) {
      const calls = chosen.map(({ questionId, attempt, error }) => ({ question_id: questionId, attempt, error }));
      printJson({ schema: "sealane-resolved/1", run: options.run, decision, calls });
    } else {
      for (const call of chosen) printLine(`${call.questionId}, attempt ${call.attempt}: ${decision}`);
      printLine(`${chosen.length} calls decided; next: run the same replay command again`);
    }
    return 0;
  },
});
