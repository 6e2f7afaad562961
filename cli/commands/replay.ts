import { EXIT, SealaneError } from "../../lib/finding.js";
import { systemClock } from "../../lib/io/clock.js";
import { READERS, readerOf, readerProtocol } from "../../lib/reader/index.js";
import { RunFolder } from "../../lib/run/folder.js";
import { replayRun } from "../../lib/run/replay-run.js";
import { command } from "../command.js";
import { Progress, printJson, printLine, say, stopSignals } from "../ui.js";

/** Timers that are to wait for longer go off at once. */
const DEADLINE_MS_MAX = 2 ** 31 - 1;

/** "seed=7" as a sampling option; throws E_USAGE for anything that is not a name and a number. */
function optionsOf(settings: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, name, text] = /^([a-z_]+)=(.+)$/.exec(setting) ?? [];
      const value = Number(text);
      if (name === undefined || text?.trim() === "" || !Number.isFinite(value)) {
        throw new SealaneError("E_USAGE", "--option is not name=number", {
          found: setting,
          next: "Example: --option temperature=0",
        });
      }
      return [name, value];
    }),
  );
}

function thinkOf(text: string | undefined): boolean | string | undefined {
  return text === "true" ? true : text === "false" ? false : text;
}

export default command({
  positionals: "<run>",
  repeatable: ["option"],
  examples: [
    ["$0 replay runs/locomo-bm25 --reader extractive", "the embedded baseline: no model, no network"],
    [
      "$0 replay runs/locomo-bm25 --reader ollama --url http://127.0.0.1:11434 --model qwen3.8:27b",
      "a model served by Ollama",
    ],
    [
      "$0 replay runs/x --reader ollama --model m --option seed=7 --option temperature=0 --think false",
      "other options",
    ],
  ],
  options: (yargs) =>
    yargs
      .positional("run", { type: "string", demandOption: true, describe: "the run folder" })
      .option("reader", {
        type: "string",
        demandOption: true,
        describe: READERS.map(({ id, title }) => `${id}: ${title}`).join("; "),
      })
      .option("url", {
        type: "string",
        default: "http://127.0.0.1:11434",
        describe: "where the reader's server listens",
      })
      .option("model", { type: "string", describe: "the model's name on the server" })
      .option("option", {
        type: "string",
        array: true,
        nargs: 1,
        default: [],
        describe: "a sampling option, name=number; may be given again",
      })
      .option("think", { type: "string", describe: "true, false, or a level such as high" })
      .option("temperature-per-question", {
        type: "boolean",
        default: false,
        describe: "send each request with the temperature that its packet names",
      })
      .option("deadline", { type: "number", default: 3600, describe: "seconds that one call may take" }),
  async run(options) {
    const run = new RunFolder(options.run);
    const kind = readerOf(options.reader);
    const modelName = options.model ?? kind.defaultModel;
    if (modelName === null) throw new SealaneError("E_USAGE", `the reader ${kind.id} needs --model`, { at: "--model" });
    const deadlineMs = Math.ceil(options.deadline * 1000);
    if (!(deadlineMs > 0 && deadlineMs <= DEADLINE_MS_MAX)) {
      throw new SealaneError("E_USAGE", "--deadline is not a number of seconds that a timer can wait", {
        at: "--deadline",
        expected: `above 0, at most ${Math.floor(DEADLINE_MS_MAX / 1000)}`,
        found: String(options.deadline),
      });
    }
    if (!URL.canParse(options.url)) {
      throw new SealaneError("E_USAGE", "--url is not a URL", { at: "--url", found: options.url });
    }
    const reader = kind.open({ url: options.url, deadlineMs });
    const think = thinkOf(options.think);
    const sampling = optionsOf(options.option);
    const perQuestion = options["temperature-per-question"];
    if (perQuestion && sampling.temperature !== undefined) {
      throw new SealaneError("E_USAGE", "the temperature is either one for all or each question's own", {
        next: "Leave out --option temperature or --temperature-per-question.",
      });
    }
    const protocol = readerProtocol(kind, await reader.identify(modelName), {
      options: sampling,
      temperaturePerQuestion: perQuestion,
      ...(think === undefined ? {} : { think }),
    });
    const signals = stopSignals("Stopping after the call in flight; press again to break it off.");
    const progress = new Progress("answering", "questions");
    try {
      const outcome = await replayRun(run, protocol, reader, {
        clock: systemClock,
        stop: signals.stop,
        abort: signals.abort,
        onProgress: progress.update,
      });
      progress.end();
      const exitCode = outcome.stopped ? EXIT.interrupted : outcome.undecided > 0 ? EXIT.inconclusive : EXIT.ok;
      if (options.json) {
        printJson({
          schema: "sealane-replayed/1",
          run: options.run,
          model: protocol.model,
          questions: outcome.questions,
          calls_made: outcome.completed,
          undecided: outcome.undecided,
          stopped: outcome.stopped,
          statuses: outcome.statuses ?? null,
          exit_code: exitCode,
        });
      } else {
        printOutcome(options.run, outcome);
      }
      return exitCode;
    } finally {
      progress.end();
      signals.release();
    }
  },
});

function printOutcome(run: string, outcome: Awaited<ReturnType<typeof replayRun>>): void {
  if (outcome.statuses) {
    const counts = Object.entries(outcome.statuses).map(([status, count]) => `${count} ${status}`);
    printLine(`${outcome.questions} questions: ${counts.join(", ")} (${outcome.completed} calls made now)`);
    printLine(`next: sealane grade ${run} --endpoint token-f1`);
    return;
  }
  if (outcome.undecided > 0) {
    say(`E_UNDECIDED: ${outcome.undecided} interrupted calls wait for a decision; nothing else is lost`);
    say(
      `next: sealane resolve ${run} --all --retry-once --reason "…"   (or --count-as-failure), then the same command again`,
    );
  }
  if (outcome.stopped) {
    say(`E_CANCELLED: stopped after ${outcome.completed} calls; nothing is lost`);
    say("next: run the same command again to go on");
  }
}
