import { compareLanes } from "../../lib/compare/compare.js";
import { readScored } from "../../lib/compare/scored.js";
import { SealaneError } from "../../lib/finding.js";
import { type OpenedRecords, openRecords } from "../../lib/lane/open.js";
import { LANE_FILES, readDocument } from "../../lib/records/documents.js";
import { comparisonText } from "../../lib/report/comparison.js";
import { command } from "../command.js";
import { printJson, width } from "../ui.js";

const DRAWS_MAX = 1_000_000;

/** The endpoint asked for, or the only one that both have. Throws E_USAGE where there is more than one to choose from. */
function endpointOf(first: OpenedRecords, second: OpenedRecords, asked: string | undefined): string {
  if (asked !== undefined) return asked;
  const common = first.endpoints.filter((endpoint) => second.endpoints.includes(endpoint));
  if (common.length === 1) return common[0]!;
  throw new SealaneError("E_USAGE", "compare needs --endpoint", {
    expected: common.length === 0 ? "an endpoint that both have grades of" : common.join(", "),
  });
}

export default command({
  positionals: "<a> <b>",
  examples: [
    ["$0 compare lanes/a lanes/b", "gains, losses, exact tests and intervals of a less b"],
    ["$0 compare lanes/a lanes/b --margin 3", "also whether a is not worse than b by 3 points or more"],
  ],
  options: (yargs) =>
    yargs
      .positional("a", { type: "string", demandOption: true, describe: "a lane or run" })
      .positional("b", { type: "string", demandOption: true, describe: "another one of the same questions" })
      .option("endpoint", { type: "string", describe: "whose grades; needed when both have several" })
      .option("cluster", {
        choices: ["history"] as const,
        default: "history" as const,
        describe: "what questions hang together by",
      })
      .option("seed", { type: "string", default: "0", describe: "seed of the bootstrap, a whole number" })
      .option("draws", { type: "number", default: 10_000, describe: "draws of the bootstrap" })
      .option("margin", { type: "number", describe: "non-inferiority margin in percentage points" }),
  async run({ a, b, endpoint, seed, draws, margin, json }) {
    if (!/^\d{1,40}$/.test(seed)) throw new SealaneError("E_USAGE", "--seed is no whole number", { found: seed });
    if (!Number.isInteger(draws) || draws < 1 || draws > DRAWS_MAX) {
      throw new SealaneError("E_USAGE", `--draws is none from 1 to ${DRAWS_MAX}`, { found: String(draws) });
    }
    if (margin !== undefined && !(margin > 0 && margin < 100)) {
      throw new SealaneError("E_USAGE", "--margin is not between 0 and 100 points", { found: String(margin) });
    }
    const first = await openRecords(a);
    try {
      const second = await openRecords(b);
      try {
        const asked = endpointOf(first, second, endpoint);
        const { value: preparation } = readDocument(first.source, "preparation-protocol", LANE_FILES.preparation);
        const comparison = compareLanes(readScored(first, asked), readScored(second, asked), {
          dataset: preparation.dataset.name,
          seed: BigInt(seed),
          draws,
          margin: margin === undefined ? undefined : margin / 100,
        });
        if (json) printJson(comparison);
        else process.stdout.write(comparisonText(comparison, width()));
        return 0;
      } finally {
        second.source.close();
      }
    } finally {
      first.source.close();
    }
  },
});
