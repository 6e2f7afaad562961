import { existsSync } from "node:fs";
import { adapterOf, openDataset } from "../../lib/dataset/index.js";
import { ARMS, armOf } from "../../lib/evidence/arms/index.js";
import { preparationProtocol } from "../../lib/evidence/prepare.js";
import { TOKENIZERS } from "../../lib/evidence/tokens.js";
import { SealaneError } from "../../lib/finding.js";
import { systemClock } from "../../lib/io/clock.js";
import { openInput } from "../../lib/io/input.js";
import { prepareRun } from "../../lib/run/prepare-run.js";
import { VectorStore } from "../../lib/run/vector-store.js";
import { command } from "../command.js";
import { datasetOptions } from "../dataset-options.js";
import { chosenTokenizer } from "../tokenizer-option.js";
import { Progress, printJson, printLine, stopSignals } from "../ui.js";

export default command({
  positionals: "",
  examples: [
    [
      "$0 prepare --dataset locomo10.json --adapter locomo --arm bm25 --ceiling 24000 --out runs/locomo-bm25",
      "packets of all 1,540 LoCoMo questions",
    ],
  ],
  options: (yargs) =>
    datasetOptions(yargs)
      .option("arm", {
        type: "string",
        demandOption: true,
        describe: ARMS.map(({ id, title }) => `${id}: ${title}`).join("; "),
      })
      .option("ceiling", {
        type: "number",
        demandOption: true,
        describe: "tokens of a whole packet, provenance included",
      })
      .option("tokenizer", {
        type: "string",
        default: "o200k_base",
        describe: `${Object.keys(TOKENIZERS).join(", ")}, or the path of a Hugging Face tokenizer.json`,
      })
      .option("vectors", {
        type: "string",
        describe:
          "vectors that `sealane embed` made, for an arm that needs meaning (default: latent semantic analysis)",
      })
      .option("temperature-per-question", {
        type: "boolean",
        default: false,
        describe:
          "let each packet name a reader temperature of 0.6, 0.8 or 1.0, by how much of the question one passage holds",
      })
      .option("out", { type: "string", demandOption: true, describe: "the new run folder" }),
  async run(options) {
    const adapter = adapterOf(options.adapter);
    armOf(options.arm);
    if (!Number.isSafeInteger(options.ceiling) || options.ceiling < 1) {
      throw new SealaneError("E_USAGE", "--ceiling is not a positive whole number", { found: String(options.ceiling) });
    }
    if (existsSync(options.out))
      throw new SealaneError("E_EXISTS", `${options.out} is there already`, { at: options.out });
    const tokenizer = await chosenTokenizer(options.tokenizer);
    const dataset = openDataset(adapter, openInput(options.dataset), options["other-dataset"]);
    const vectors = options.vectors === undefined ? null : new VectorStore(options.vectors);
    const protocol = preparationProtocol(dataset, {
      arm: options.arm,
      tokenizer,
      ceilingTokens: options.ceiling,
      temperature: options["temperature-per-question"],
      ...(vectors ? { embedding: vectors.identity } : {}),
    });
    const { stop, release } = stopSignals("Stopping; nothing is kept of an unfinished preparation.");
    const progress = new Progress("preparing", "packets");
    try {
      const summary = await prepareRun(dataset, protocol, options.out, {
        clock: systemClock,
        tokenizer,
        stop,
        onProgress: progress.update,
        vectors,
      });
      progress.end();
      if (options.json) {
        printJson({
          schema: "sealane-prepared/1",
          run: options.out,
          dataset_sha256: dataset.identity.sha256,
          population: protocol.population,
          tokens_total: summary.tokensTotal,
          tokens_max: summary.tokensMax,
          groups_skipped: summary.skipped,
        });
      } else {
        const { questions, included, excluded } = protocol.population;
        const byReason = new Map<string, number>();
        for (const { count, reason } of excluded) byReason.set(reason, (byReason.get(reason) ?? 0) + count);
        const left = [...byReason].map(([reason, count]) => `${count} ${reason}`).join(", ") || "none";
        printLine(`${included} of ${questions} questions prepared (left out: ${left})`);
        printLine(
          `evidence: mean ${(summary.tokensTotal / summary.questions).toFixed(1)} tokens, maximum ${summary.tokensMax}, ceiling ${options.ceiling}`,
        );
        printLine(`next: sealane replay ${options.out} --reader extractive`);
      }
      return 0;
    } finally {
      progress.end();
      release();
      vectors?.close();
    }
  },
});
