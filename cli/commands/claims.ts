import { canonicalJson } from "../../lib/bytes/json.js";
import { LIMITS } from "../../lib/bytes/limits.js";
import { checkClaims, type LaneLookup, parseClaims } from "../../lib/claims/check.js";
import { NotCheckable } from "../../lib/claims/not-checkable.js";
import { claimsTemplate } from "../../lib/claims/template.js";
import { readScored, type ScoredLane } from "../../lib/compare/scored.js";
import { SealaneError } from "../../lib/finding.js";
import { openInput } from "../../lib/io/input.js";
import { readWhole } from "../../lib/io/source.js";
import { type OpenedRecords, openRecords } from "../../lib/lane/open.js";
import { claimsText } from "../../lib/report/claims.js";
import { command } from "../command.js";
import { marks, printJson, printLine, width } from "../ui.js";

/** Rows of the lanes named on the command line, by the name that they have; each endpoint is read once. */
function lookupIn(lanes: readonly OpenedRecords[]): LaneLookup {
  const read = new Map<string, ScoredLane>();
  return (lane, endpoint) => {
    const opened = lanes.find(({ name }) => name === lane);
    if (!opened) throw new NotCheckable("lane-missing", `lane '${lane}' was not named with --lane`);
    if (!opened.endpoints.includes(endpoint))
      throw new NotCheckable("rows-missing", `lane '${lane}' has no endpoint '${endpoint}'`);
    const key = canonicalJson([lane, endpoint]);
    const scored = read.get(key) ?? readScored(opened, endpoint);
    read.set(key, scored);
    return scored;
  };
}

async function withLanes<T>(paths: readonly string[], work: (lanes: OpenedRecords[]) => T): Promise<T> {
  const lanes: OpenedRecords[] = [];
  try {
    for (const path of paths) {
      const opened = await openRecords(path);
      lanes.push(opened);
      const twice = lanes.filter(({ name }) => name === opened.name).length > 1;
      if (twice) throw new SealaneError("E_USAGE", `two lanes are named '${opened.name}'`, { at: path });
    }
    return work(lanes);
  } finally {
    for (const { source } of lanes) source.close();
  }
}

export default command({
  positionals: "<action> <file>",
  repeatable: ["lane"],
  examples: [
    ["$0 claims check paper.json", "recompute every printed figure from the counts that the paper gives"],
    ["$0 claims check paper.json --lane lanes/a --lane lanes/b", "also those that point at rows of lanes"],
    ["$0 claims template lanes/a", "the claims that a lane supports, to edit and to check"],
  ],
  options: (yargs) =>
    yargs
      .positional("action", {
        choices: ["check", "template"] as const,
        demandOption: true,
        describe: "recompute the figures of a claims file, or write the claims that a lane supports",
      })
      .positional("file", {
        type: "string",
        demandOption: true,
        describe: "check: the claims file; template: a lane or run",
      })
      .option("lane", {
        type: "string",
        array: true,
        nargs: 1,
        default: [] as string[],
        describe: "check: a lane or run that claims point at",
      })
      .option("all", { type: "boolean", default: false, describe: "check: print confirmed claims one by one too" }),
  async run({ action, file, lane, all, json }) {
    if (action === "template") {
      if (lane.length > 0) throw new SealaneError("E_USAGE", "claims template takes its lane without --lane");
      return withLanes([file], ([opened]) => {
        const { name, endpoints } = opened!;
        const scored = endpoints.map((endpoint) => readScored(opened!, endpoint));
        const template = claimsTemplate(name, scored);
        if (template.claims.length === 0) {
          throw new SealaneError("E_RUN_STAGE", `${file} has no grades to make claims of`, { at: file });
        }
        if (json) printJson(template);
        else printLine(JSON.stringify(template, null, 2));
        return 0;
      });
    }
    const claims = parseClaims(readWhole(openInput(file).source, file, LIMITS.documentBytesMax), file);
    return withLanes(lane, (lanes) => {
      const report = checkClaims(claims, lookupIn(lanes));
      if (json) printJson(report);
      else process.stdout.write(claimsText(report, marks(), width(), all));
      return report.exit_code;
    });
  },
});
