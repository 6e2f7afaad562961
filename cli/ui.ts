// How sealane speaks. Results go to stdout, talk and progress to stderr. With --json, stdout is one JSON document,
// failures included. Colour only on a terminal, and never against NO_COLOR. Every error says what, where, and what next.

import { canonicalJson } from "../lib/bytes/json.js";
import type { SealaneError } from "../lib/finding.js";
import { printable, shortened } from "../lib/report/printable.js";
import type { Marks } from "../lib/report/text.js";
import { TimeLeft } from "../lib/report/time-left.js";
import { wrap } from "../lib/report/wrap.js";
import type { ErrorDocument } from "../schemas/index.js";

const WIDTH_MAX = 100;

/** Columns to write in. */
export function width(stream: NodeJS.WriteStream = process.stdout): number {
  return Math.max(40, Math.min(WIDTH_MAX, stream.columns ?? 80));
}

/** https://no-color.org and https://force-color.org: a set, non-empty variable decides; else colour is for terminals. */
function hasColour(stream: NodeJS.WriteStream): boolean {
  if (process.env.NO_COLOR) return false;
  if (process.env.FORCE_COLOR) return process.env.FORCE_COLOR !== "0";
  return stream.isTTY === true && process.env.TERM !== "dumb";
}

export function marks(stream: NodeJS.WriteStream = process.stdout): Marks {
  const coloured = hasColour(stream);
  const mark = (code: number) => (text: string) => (coloured && text !== "" ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { good: mark(32), bad: mark(31), warn: mark(33), dim: mark(2), strong: mark(1) };
}

export function printLine(text = ""): void {
  process.stdout.write(`${text}\n`);
}

/** A result as the one JSON document on stdout. */
export function printJson(value: object): void {
  process.stdout.write(`${canonicalJson(value)}\n`);
}

/** Talk: for people, on stderr. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function errorDocument(error: SealaneError): ErrorDocument {
  const { code, message, at, expected, found, next, exitCode } = error;
  return {
    schema: "sealane-error/1",
    exit_code: exitCode,
    error: {
      code,
      message,
      ...(at === undefined ? {} : { at }),
      ...(expected === undefined ? {} : { expected }),
      ...(found === undefined ? {} : { found }),
      next,
    },
  };
}

/** An error for people, on stderr. */
export function sayError(error: SealaneError): void {
  const mark = marks(process.stderr);
  const columns = width(process.stderr);
  const labelled = (label: string, text: string): string[] =>
    wrap(printable(shortened(text, 600)), columns - 12).map(
      (line, index) => `${(index === 0 ? label : "").padEnd(12)}${line}`,
    );
  const lines = wrap(`${error.code}: ${printable(error.message)}`, columns).map(mark.bad);
  if (error.expected !== undefined) lines.push(...labelled("  expected", error.expected));
  if (error.found !== undefined) lines.push(...labelled("  found", error.found));
  lines.push(...labelled("  next", error.next));
  process.stderr.write(`${lines.join("\n")}\n`);
}

const SHOW_AFTER_MS = 2000;
const TERMINAL_EVERY_MS = 200;
const PLAIN_EVERY_MS = 10_000;

/** Progress on stderr for work that takes over two seconds: one line rewritten on a terminal, now and then a line elsewhere. */
export class Progress {
  readonly #what: string;
  readonly #unit: string;
  readonly #started = performance.now();
  #shown = 0;
  #drawn = false;
  readonly #timeLeft = new TimeLeft();

  constructor(what: string, unit: string) {
    this.#what = what;
    this.#unit = unit;
  }

  readonly update = (done: number, total: number): void => {
    const now = performance.now();
    const elapsedMs = now - this.#started;
    const left = this.#timeLeft.after(now, done, total);
    const terminal = process.stderr.isTTY === true;
    const everyMs = terminal ? TERMINAL_EVERY_MS : PLAIN_EVERY_MS;
    if (elapsedMs < SHOW_AFTER_MS || now - this.#shown < everyMs) return;
    this.#shown = now;
    const text = `${this.#what}: ${done} of ${total} ${this.#unit}${left === undefined ? "" : `, ${left} left`}`;
    process.stderr.write(terminal ? `\r\u001b[K${text}` : `${text}\n`);
    this.#drawn = terminal;
  };

  end(): void {
    if (this.#drawn) process.stderr.write("\r\u001b[K");
    this.#drawn = false;
  }
}

/** Signals as two requests: the first asks to stop when it is safe, the second to break off what is in flight. */
export function stopSignals(onFirst: string): { stop: AbortSignal; abort: AbortSignal; release: () => void } {
  const stop = new AbortController();
  const abort = new AbortController();
  const handle = (): void => {
    if (!stop.signal.aborted) {
      stop.abort();
      say(`\n${onFirst}`);
    } else {
      abort.abort();
    }
  };
  process.on("SIGINT", handle);
  process.on("SIGTERM", handle);
  const release = (): void => {
    process.off("SIGINT", handle);
    process.off("SIGTERM", handle);
  };
  return { stop: stop.signal, abort: abort.signal, release };
}
