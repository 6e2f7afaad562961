import { canonicalJson } from "../../lib/bytes/json.js";
import { diffLanes, type LaneDiff, type LayerDifference } from "../../lib/compare/diff.js";
import { EXIT } from "../../lib/finding.js";
import { openLane } from "../../lib/lane/open.js";
import { printable, shortened } from "../../lib/report/printable.js";
import { command } from "../command.js";
import { marks, printJson, printLine } from "../ui.js";

export default command({
  positionals: "<a> <b>",
  examples: [
    [
      "$0 diff lanes/first lanes/second",
      "in which layer two lanes part; exit code 7 when they are different experiments",
    ],
  ],
  options: (yargs) =>
    yargs
      .positional("a", { type: "string", demandOption: true, describe: "a lane's folder or archive" })
      .positional("b", { type: "string", demandOption: true, describe: "another one" }),
  async run(options) {
    const sourceA = await openLane(options.a);
    try {
      const sourceB = await openLane(options.b);
      try {
        const diff = diffLanes(sourceA, sourceB);
        if (options.json) printJson(diff);
        else printDiff(diff);
        return diff.same_experiment ? EXIT.ok : EXIT.differs;
      } finally {
        sourceB.close();
      }
    } finally {
      sourceA.close();
    }
  },
});

const QUESTIONS_PRINTED = 5;
const VALUE_LENGTH_MAX = 60;

function printDiff(diff: LaneDiff): void {
  const { good, warn, strong, dim } = marks();
  for (const [name, lane] of [["a", diff.a] as const, ["b", diff.b] as const]) {
    printLine(`${name}  ${strong(lane.lane_id)}, version ${lane.lane_version}  ${dim(lane.manifest_sha256)}`);
  }
  printLine();
  for (const layer of diff.layers) printLayer(layer);
  printLine();
  if (diff.identical) printLine(good("One lane: the manifests are the same."));
  else if (diff.layers.every((layer) => layer.equal)) {
    printLine(good("The same experiment with the same outcome: only names, times or signatures differ."));
  } else if (diff.same_experiment) printLine(good("The same experiment: only outcomes differ."));
  else printLine(warn("Different experiments: what they ask, quote or send is not the same."));
}

function printLayer({ layer, equal, fields, questions, questions_total }: LayerDifference): void {
  const { good, warn, dim } = marks();
  const count = questions_total > 0 ? `${questions_total} questions differ` : `${fields.length} fields differ`;
  printLine(equal ? `  ${good("equal  ")}  ${layer}` : `  ${warn("differs")}  ${layer.padEnd(22)}${count}`);
  const value = (side: unknown): string => shortened(printable(canonicalJson(side)), VALUE_LENGTH_MAX);
  for (const field of fields.slice(0, QUESTIONS_PRINTED)) {
    printLine(`           ${dim(field.at)}`);
    printLine(`             a ${value(field.a)}`);
    printLine(`             b ${value(field.b)}`);
  }
  if (questions.length > 0) {
    const more = questions_total > QUESTIONS_PRINTED ? ", …" : "";
    printLine(`           ${dim(questions.slice(0, QUESTIONS_PRINTED).join(", ") + more)}`);
  }
}
