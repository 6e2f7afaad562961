import { basename } from "node:path";
import { adapterOf, openDataset } from "../../lib/dataset/index.js";
import { MODEL_EMBEDDERS, modelEmbedderOf } from "../../lib/embedding/index.js";
import { habitsOf } from "../../lib/embedding/models.js";
import { SealaneError } from "../../lib/finding.js";
import { systemClock } from "../../lib/io/clock.js";
import { openInput } from "../../lib/io/input.js";
import { embedDataset } from "../../lib/run/embed-run.js";
import { command } from "../command.js";
import { datasetOptions } from "../dataset-options.js";
import { Progress, printJson, printLine, stopSignals } from "../ui.js";

const BATCH_MAX = 2048;
const DEADLINE_S_MAX = Math.floor((2 ** 31 - 1) / 1000);

/** The secret in a variable that the user names, so that it stands in no file and on no command line. */
function keyIn(variable: string | undefined): string | undefined {
  if (variable === undefined) return undefined;
  const key = process.env[variable];
  if (!key) {
    throw new SealaneError("E_USAGE", `the environment has no variable ${variable}, or it is empty`, {
      at: "--key-env",
      next: `Set it first: read -rs ${variable} && export ${variable}`,
    });
  }
  return key;
}

export default command({
  positionals: "",
  examples: [
    [
      "$0 embed --dataset locomo10.json --adapter locomo --embedder ollama --out locomo-nomic.vectors",
      "nomic-embed-text of the Ollama on this machine",
    ],
    [
      "$0 embed --dataset d.json --adapter own --embedder openai --url https://host/v1 --model m --key-env EMBED_KEY --out d.vectors",
      "another server, its key in the variable EMBED_KEY",
    ],
    [
      "$0 embed --dataset d.json --adapter own --embedder llama-cpp --model nomic.gguf --out d.vectors",
      "a model file, run in this process",
    ],
  ],
  options: (yargs) =>
    datasetOptions(yargs)
      .option("embedder", {
        type: "string",
        demandOption: true,
        describe: MODEL_EMBEDDERS.map(({ id, title }) => `${id}: ${title}`).join("; "),
      })
      .option("model", { type: "string", describe: "the model's name on the server, or the path of its file" })
      .option("url", { type: "string", describe: "where the server listens" })
      .option("key-env", { type: "string", describe: "the environment variable that holds the server's key" })
      .option("runtime", { type: "string", describe: "folder of an installed node-llama-cpp, for llama-cpp" })
      .option("document-prefix", { type: "string", describe: "said before a segment (default: as the model wants it)" })
      .option("query-prefix", { type: "string", describe: "said before a question (default: as the model wants it)" })
      .option("batch", { type: "number", default: 64, describe: "texts of one request" })
      .option("deadline", { type: "number", default: 600, describe: "seconds that one request may take" })
      .option("out", { type: "string", demandOption: true, describe: "the new vector file" }),
  async run(options) {
    const embedder = modelEmbedderOf(options.embedder);
    const model = options.model ?? embedder.defaultModel;
    if (model === null) throw new SealaneError("E_USAGE", `${embedder.id} needs --model`, { at: "--model" });
    if (!Number.isSafeInteger(options.batch) || options.batch < 1 || options.batch > BATCH_MAX) {
      throw new SealaneError("E_USAGE", "--batch is not a number of texts", {
        at: "--batch",
        expected: `1 to ${BATCH_MAX}`,
        found: String(options.batch),
      });
    }
    if (!(options.deadline > 0 && options.deadline <= DEADLINE_S_MAX)) {
      throw new SealaneError("E_USAGE", "--deadline is not a number of seconds that a timer can wait", {
        at: "--deadline",
        expected: `above 0, at most ${DEADLINE_S_MAX}`,
        found: String(options.deadline),
      });
    }
    const url = options.url ?? embedder.defaultUrl;
    if (!URL.canParse(url)) throw new SealaneError("E_USAGE", "--url is not a URL", { at: "--url", found: url });
    const encoder = embedder.open({
      url,
      model,
      key: keyIn(options["key-env"]),
      deadlineMs: Math.ceil(options.deadline * 1000),
      runtime: options.runtime,
    });
    const adapter = adapterOf(options.adapter);
    const dataset = openDataset(adapter, openInput(options.dataset), options["other-dataset"]);
    const habits = habitsOf(basename(model));
    const signals = stopSignals("Stopping after the batch in flight; press again to break it off.");
    const progress = new Progress("embedding", "texts");
    try {
      const { header, sha256, made } = await embedDataset(
        dataset,
        encoder,
        {
          embedder: embedder.id,
          parameters: embedder.parameters,
          documentPrefix: options["document-prefix"] ?? habits.documentPrefix,
          queryPrefix: options["query-prefix"] ?? habits.queryPrefix,
          dimensions: habits.dimensions,
          batch: options.batch,
          out: options.out,
        },
        { clock: systemClock, stop: signals.stop, abort: signals.abort, onProgress: progress.update },
      );
      progress.end();
      const { embedding, compute, count } = header;
      if (options.json) {
        printJson({ schema: "sealane-embedded/1", out: options.out, sha256, embedding, compute, count, made });
      } else {
        const digest = embedding.digest === null ? "no digest told" : `sha256:${embedding.digest}`;
        printLine(`${count} vectors of ${embedding.dimensions} numbers, ${made} of them made now`);
        printLine(`model: ${embedding.model} (${digest})`);
        printLine(`prefixes: ${JSON.stringify(embedding.document_prefix)}, ${JSON.stringify(embedding.query_prefix)}`);
        for (const { software, device, vectors } of compute)
          printLine(`computed: ${vectors} by ${software} on ${device}`);
        printLine(`sha256:${sha256}  ${options.out}`);
        printLine(`next: sealane prepare … --arm <one that needs meaning> --vectors ${options.out}`);
      }
      return 0;
    } finally {
      progress.end();
      signals.release();
      await encoder.close();
    }
  },
});
