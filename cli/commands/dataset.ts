import { SealaneError } from "../../lib/finding.js";
import { makeFile } from "../../lib/io/atomic.js";
import { QUESTIONS_MAX } from "../../lib/synthetic/facts.js";
import { SYNTHETIC_FORMS, type SyntheticForm, type SyntheticSize } from "../../lib/synthetic/forms.js";
import { command } from "../command.js";
import { Progress, printJson, printLine } from "../ui.js";

/** Text is written in pieces of about this many UTF-16 units. */
const PIECE_UNITS = 1 << 20;

function wholeNumber(name: string, value: number, max: number): number {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return value;
  throw new SealaneError("E_USAGE", `--${name} must be a whole number from 1 to ${max}`, { found: String(value) });
}

async function write(form: SyntheticForm, size: SyntheticSize, out: string): Promise<number> {
  const progress = new Progress("writing", "MB");
  // A token of this text takes about 5.8 bytes of the file.
  const total = Math.round((size.tokens * size.histories * 5.8) / 1e6);
  let bytes = 0;
  try {
    await makeFile(out, async (writeBytes) => {
      let text = "";
      const flush = (): void => {
        const piece = Buffer.from(text);
        writeBytes(piece);
        bytes += piece.length;
        text = "";
        progress.update(Math.min(total, Math.round(bytes / 1e6)), total);
      };
      for (const piece of form.write(size)) {
        text += piece;
        if (text.length > PIECE_UNITS) flush();
      }
      flush();
    });
  } finally {
    progress.end();
  }
  return bytes;
}

export default command({
  positionals: "<action>",
  examples: [
    [
      "$0 dataset synth --seed 1 --tokens 100000 --questions 60 --out synthetic.json",
      "one history of about 100,000 tokens with 60 planted questions",
    ],
    [
      "$0 dataset synth --seed 1 --tokens 930000 --histories 500 --form longmemeval --out synthetic-m.json",
      "500 histories in the form of LongMemEval-M (2.7 GB)",
    ],
  ],
  options: (yargs) =>
    yargs
      .positional("action", {
        choices: ["synth"] as const,
        demandOption: true,
        describe: "synth: make a dataset of any length, with planted facts, updates, contradictions and order of time",
      })
      .option("out", { type: "string", demandOption: true, describe: "the file to write; it must not exist" })
      .option("seed", { type: "string", default: "1", describe: "the same seed gives the same bytes" })
      .option("tokens", { type: "number", default: 100_000, describe: "about how many tokens each history has" })
      .option("histories", { type: "number", default: 1, describe: "how many histories" })
      .option("questions", {
        type: "number",
        default: 30,
        describe: `questions over each history, at most ${QUESTIONS_MAX}; the form longmemeval has one`,
      })
      .option("form", {
        choices: SYNTHETIC_FORMS.map((form) => form.id),
        default: "own",
        describe: SYNTHETIC_FORMS.map((form) => `${form.id}: ${form.title}`).join("; "),
      }),
  async run(options) {
    const form = SYNTHETIC_FORMS.find((candidate) => candidate.id === options.form)!;
    const size: SyntheticSize = {
      seed: options.seed,
      tokens: wholeNumber("tokens", options.tokens, 100_000_000),
      histories: wholeNumber("histories", options.histories, 100_000),
      questions: wholeNumber("questions", options.questions, QUESTIONS_MAX),
    };
    const bytes = await write(form, size, options.out);
    if (options.json) printJson({ schema: "sealane-synth/1", out: options.out, form: form.id, ...size, bytes });
    else printLine(`${options.out}: ${bytes} bytes, ${size.histories} histories of about ${size.tokens} tokens`);
    return 0;
  },
});
