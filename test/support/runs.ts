// Runs of harbour in temporary folders, and a reader that answers as a script says, for the tests of lib/run.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../lib/bytes/json.js";
import { type Dataset, readDataset } from "../../lib/dataset/index.js";
import { own } from "../../lib/dataset/own.js";
import { preparationProtocol } from "../../lib/evidence/prepare.js";
import type { Clock } from "../../lib/io/clock.js";
import { readerProtocol } from "../../lib/reader/index.js";
import { ollama } from "../../lib/reader/ollama.js";
import type { RawReply, Reader } from "../../lib/reader/types.js";
import { RunFolder } from "../../lib/run/folder.js";
import { prepareRun } from "../../lib/run/prepare-run.js";
import { type ReplaySummary, replayRun } from "../../lib/run/replay-run.js";
import type { ScheduleOptions } from "../../lib/run/schedule.js";
import type { PreparationProtocol, ReaderProtocol } from "../../schemas/index.js";
import { answerTo, chatResponse, MODEL, MODEL_DIGEST } from "./ollama-server.js";
import { repositoryFile } from "./shared.js";

export const HARBOUR_FILE = repositoryFile("fixtures/datasets/harbour.json");
export const HARBOUR_QUESTIONS = 36;

export const NEVER = new AbortController().signal;

/** A clock that is one second later each time it is looked at. */
export function steppingClock(): Clock {
  let ms = Date.UTC(2026, 0, 1);
  return {
    now: () => {
      ms += 1000;
      return new Date(ms).toISOString();
    },
  };
}

export function harbour(): Dataset {
  return readDataset(own, readFileSync(HARBOUR_FILE), "harbour.json", false);
}

/** Prepares harbour into a new folder; the same bytes each time. `changes` replace members of the protocol. */
export async function prepareHarbour(folder: string, changes: Partial<PreparationProtocol> = {}): Promise<RunFolder> {
  const dataset = harbour();
  const made = preparationProtocol(dataset, { arm: "bm25", tokenizer: "o200k_base", ceilingTokens: 300 });
  const protocol = { ...made, ...changes };
  await prepareRun(dataset, protocol, folder, { clock: steppingClock(), stop: NEVER, onProgress: () => {} });
  return new RunFolder(folder);
}

export function readerProtocolOf(options: Record<string, number> = {}): ReaderProtocol {
  return readerProtocol(ollama, { name: MODEL, digest: MODEL_DIGEST }, { options });
}

export function reply(value: unknown, httpStatus = 200): RawReply {
  return { httpStatus, body: Buffer.from(JSON.stringify(value)) };
}

/** The response of a model that works, as the test server gives it. */
export function goodReply(body: string): RawReply {
  return reply(chatResponse(answerTo(body)));
}

/** A reader without a server: `answer` says what comes back, or throws. */
export class ScriptedReader implements Reader {
  readonly id = "ollama";
  readonly sent: string[] = [];
  answer: (body: string, number: number, signal: AbortSignal) => RawReply | Promise<RawReply>;

  constructor(answer: ScriptedReader["answer"] = goodReply) {
    this.answer = answer;
  }

  async identify(): Promise<ReaderProtocol["model"]> {
    return { name: MODEL, digest: MODEL_DIGEST };
  }

  async send(body: string, signal: AbortSignal): Promise<RawReply> {
    this.sent.push(body);
    return this.answer(body, this.sent.length, signal);
  }
}

export function quietly(changes: Partial<ScheduleOptions> = {}): ScheduleOptions {
  return { clock: steppingClock(), stop: NEVER, abort: NEVER, onProgress: () => {}, ...changes };
}

export function replayWith(
  run: RunFolder,
  reader: Reader,
  protocol: ReaderProtocol = readerProtocolOf(),
  options: Partial<ScheduleOptions> = {},
): Promise<ReplaySummary> {
  return replayRun(run, protocol, reader, quietly(options));
}

/** The records of one file of a run or lane, in order. */
export function recordsIn<T>(folder: string, path: string): T[] {
  return readFileSync(join(folder, path), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as T);
}

/** Lines of records as they stand in a file. */
export function linesOf(records: readonly object[]): string {
  return records.map((record) => `${canonicalJson(record)}\n`).join("");
}

/** The code of the error that work ends with, or what else came of it. */
export async function codeOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return "no error";
  } catch (error) {
    return (error as { code?: unknown }).code ?? error;
  }
}
