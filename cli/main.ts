#!/usr/bin/env node
import yargs, { type Argv } from "yargs";
import { hideBin } from "yargs/helpers";
import { EXIT, SealaneError } from "../lib/finding.js";
import { ioError } from "../lib/io/errors.js";
import { TOOL } from "../lib/tool.js";
import type { Command, CommonOptions } from "./command.js";
import { errorDocument, printJson, sayError } from "./ui.js";

interface Verb {
  readonly name: string;
  readonly summary: string;
  /** Loaded only when it is asked for, so that --version and --help do not wait for tokenizers. */
  readonly load: () => Promise<{ default: Command<never> }>;
}

const verb = <T>(name: string, summary: string, load: () => Promise<{ default: Command<T> }>): Verb => ({
  name,
  summary,
  load: load as unknown as Verb["load"],
});

/** Every verb, in the order in which a lane is made and checked. To add one: one file, one line here. */
const VERBS: readonly Verb[] = [
  verb("dataset", "make a synthetic dataset of any length", () => import("./commands/dataset.js")),
  verb(
    "embed",
    "make the vectors of a dataset's texts with a model; goes on where it was stopped",
    () => import("./commands/embed.js"),
  ),
  verb("prepare", "make the evidence packets of a dataset's questions", () => import("./commands/prepare.js")),
  verb("replay", "send the requests to a reader; goes on where it was stopped", () => import("./commands/replay.js")),
  verb("resolve", "decide about calls that were broken off", () => import("./commands/resolve.js")),
  verb("grade", "grade the answers under one endpoint", () => import("./commands/grade.js")),
  verb("seal", "make a signed lane of a finished run", () => import("./commands/seal.js")),
  verb("detach", "make a lane without its dataset's text", () => import("./commands/detach.js")),
  verb("hydrate", "make a detached lane whole, with your copy of the dataset", () => import("./commands/hydrate.js")),
  verb("verify", "check a lane, or the proof of one question, offline", () => import("./commands/verify.js")),
  verb("why", "follow a printed number down, layer by layer", () => import("./commands/why.js")),
  verb("explain", "say what a reason code or a check means", () => import("./commands/explain.js")),
  verb("tables", "count a lane's scores again and print them", () => import("./commands/tables.js")),
  verb("compare", "compare two lanes question by question, with exact tests", () => import("./commands/compare.js")),
  verb("claims", "recompute the figures that a paper prints", () => import("./commands/claims.js")),
  verb("show", "show all that is recorded of one question", () => import("./commands/show.js")),
  verb("prove", "prove one question, for someone without the lane", () => import("./commands/prove.js")),
  verb("diff", "say in which layer two lanes part", () => import("./commands/diff.js")),
  verb(
    "fidelity",
    "hold packets that another implementation made against a lane's",
    () => import("./commands/fidelity.js"),
  ),
  verb("pack", "write a lane as one archive", () => import("./commands/pack.js")),
  verb("unpack", "take a lane out of an archive", () => import("./commands/unpack.js")),
  verb("sign", "add a signature to a lane, or write one for another tool", () => import("./commands/sign.js")),
  verb("export", "write a lane in the forms of other people's tools", () => import("./commands/export.js")),
  verb("keys", "make, show or export signing keys", () => import("./commands/keys.js")),
  verb("trust", "say whose signatures count", () => import("./commands/trust.js")),
];

const EXIT_CODES =
  "Exit codes: 0 fine, 1 proved wrong, 2 malformed, 3 policy not met, 4 unsupported version, 5 limit exceeded, 6 inconclusive, 7 another experiment, 64 usage, 69 service unreachable, 70 a fault of sealane's own, 74 I/O, 130 stopped.";

/** Of an option that stands twice, yargs makes an array: neither the first nor the last is what was surely meant. */
function refuseTwice(options: object, repeatable: readonly string[]): void {
  const allowed = ["_", ...repeatable];
  for (const [name, value] of Object.entries(options)) {
    // yargs gives each option under its name in camel case too.
    const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    if (Array.isArray(value) && !allowed.includes(option)) {
      throw new SealaneError("E_USAGE", `--${option} stands twice`, { found: String(value) });
    }
  }
}

/** A fault of ours: told apart from a verdict by its exit code, and shown whole, because only its place helps to mend it. */
function internalError(cause: unknown): SealaneError {
  process.stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`);
  return new SealaneError("E_INTERNAL", cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Known before the arguments are parsed, because what cannot be parsed is told as JSON too. */
function wantsJson(args: readonly string[]): boolean {
  if (["--json", "--json=true", "--format=json"].some((word) => args.includes(word))) return true;
  return args.some((word, index) => word === "--format" && args[index + 1] === "json");
}

/** Parses the arguments and runs the command they name; its exit code. Throws whatever the command does not bear. */
async function runCommand(args: string[]): Promise<number> {
  const asked = VERBS.find((candidate) => candidate.name === args.find((arg) => !arg.startsWith("-")));
  let exitCode: number = EXIT.ok;
  let parser: Argv<CommonOptions> = yargs(args)
    .scriptName("sealane")
    .locale("en")
    .usage("$0 <command>: seal, verify, replay and re-judge memory-evaluation results")
    .parserConfiguration({ "parse-positional-numbers": false })
    .option("json", {
      type: "boolean",
      default: false,
      describe: "print one JSON document on stdout, failures included",
    })
    .version(TOOL.version)
    .alias("help", "h")
    .wrap(Math.min(100, process.stdout.columns ?? 80))
    .strict()
    .demandCommand(1, 1, "a command is missing", "there is no such command")
    .epilogue(EXIT_CODES)
    .exitProcess(false)
    .fail((message, error) => {
      if (error && error.name !== "YError") throw error;
      throw new SealaneError("E_USAGE", message ?? error?.message, {
        next: `See: sealane ${asked ? `${asked.name} ` : ""}--help`,
      });
    });
  for (const { name, summary, load } of VERBS) {
    if (name !== asked?.name) {
      parser = parser.command(name, summary);
      continue;
    }
    const { default: loaded } = (await load()) as { default: Command<object> };
    parser = parser.command(
      `${name} ${loaded.positionals}`.trim(),
      summary,
      (builder) => loaded.options(builder.example(loaded.examples as [string, string][])),
      async (options) => {
        refuseTwice(options, loaded.repeatable ?? []);
        exitCode = await loaded.run(options as unknown as CommonOptions);
      },
    );
  }
  await parser.parseAsync();
  return exitCode;
}

async function main(args: string[]): Promise<number> {
  try {
    return await runCommand(args);
  } catch (cause) {
    const known = ioError(cause, "the file system");
    const error = known instanceof SealaneError ? known : internalError(known);
    if (wantsJson(args)) printJson(errorDocument(error));
    else sayError(error);
    return error.exitCode;
  }
}

// A reader that closes the pipe early (head, less) has seen enough.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.io);
  throw error;
});

process.exitCode = await main(hideBin(process.argv));
