// The good lanes that cases are made from. Each is made once a process, and is the same bytes every time.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { adapterOf, readDataset } from "../../../lib/dataset/index.js";
import { preparationProtocol } from "../../../lib/evidence/prepare.js";
import { tokenF1 } from "../../../lib/judge/endpoint.js";
import { sealRun } from "../../../lib/lane/seal.js";
import { extractive } from "../../../lib/reader/extractive.js";
import { readerProtocol } from "../../../lib/reader/index.js";
import type { RawReply, Reader } from "../../../lib/reader/types.js";
import { RunFolder } from "../../../lib/run/folder.js";
import { gradeRun } from "../../../lib/run/grade-run.js";
import { prepareRun } from "../../../lib/run/prepare-run.js";
import { replayRun } from "../../../lib/run/replay-run.js";
import { resolveCalls } from "../../../lib/run/resolve-run.js";
import type { OwnDataset, ReaderProtocol } from "../../../schemas/index.js";
import { callsLane } from "../calls-lane.js";
import { filesIn, goodLane, type LaneFiles, steppingClock } from "../lane.js";
import { chatResponse } from "../ollama-server.js";
import { goodReply, readerProtocolOf, reply, ScriptedReader } from "../runs.js";
import { repositoryFile } from "../shared.js";
import { testKey } from "../test-key.js";

export interface Base {
  /** What it is, for people. */
  readonly title: string;
  lane(): Promise<LaneFiles>;
  /** The bytes of its dataset's file. */
  dataset(): Buffer;
}

const NEVER = new AbortController().signal;

/** A lane of a dataset: prepared, answered by a reader, graded and sealed by the author. */
async function laneOf(
  bytes: Uint8Array,
  { arm, ceilingTokens }: { arm: string; ceilingTokens: number },
  open: () => Promise<{ reader: Reader; protocol: ReaderProtocol }>,
): Promise<LaneFiles> {
  const work = mkdtempSync(join(tmpdir(), "sealane-base-"));
  try {
    const clock = steppingClock();
    const dataset = readDataset(adapterOf("own"), bytes, "dataset.json", false);
    const preparation = preparationProtocol(dataset, { arm, tokenizer: "o200k_base", ceilingTokens });
    const quiet = { clock, stop: NEVER, onProgress: () => {} };
    await prepareRun(dataset, preparation, join(work, "run"), quiet);
    const run = new RunFolder(join(work, "run"));
    const { reader, protocol } = await open();
    // A reply that breaks the contract waits for a decision; it is counted as a failure, which is an amendment.
    while ((await replayRun(run, protocol, reader, { ...quiet, abort: NEVER })).statuses === undefined) {
      resolveCalls(run, undefined, "count-as-failure", "the server broke off", clock);
    }
    gradeRun(run, tokenF1);
    await sealRun(run, {
      laneId: "harbour-test",
      laneVersion: 1,
      previousManifestSha256: null,
      sealed: "2026-01-02T00:00:00.000Z",
      key: testKey("author"),
      out: join(work, "lane"),
      stop: NEVER,
      onProgress: () => {},
    });
    return new Map(filesIn(join(work, "lane")));
  } finally {
    rmSync(work, { recursive: true });
  }
}

async function quoting(): Promise<{ reader: Reader; protocol: ReaderProtocol }> {
  const reader = extractive.open({ url: "", deadlineMs: 1000 });
  const model = await reader.identify(extractive.defaultModel ?? "");
  return { reader, protocol: readerProtocol(extractive, model, { options: {} }) };
}

/** Keeps what was made, and hands out copies. */
function once(title: string, dataset: () => Uint8Array, make: (bytes: Uint8Array) => Promise<LaneFiles>): Base {
  let made: Promise<LaneFiles> | undefined;
  return {
    title,
    dataset: () => Buffer.from(dataset()),
    async lane() {
      made ??= make(dataset());
      return new Map([...(await made)].map(([path, bytes]) => [path, Buffer.from(bytes)]));
    },
  };
}

/** As little as a lane can be about. */
const ONE: OwnDataset = {
  schema: "sealane-dataset/1",
  name: "one",
  licence: "CC0-1.0",
  histories: [{ history_id: "h", sessions: [{ turns: [{ speaker: "A", text: "It is blue." }] }] }],
  questions: [
    { question_id: "q", history_id: "h", category: "c", question: "Blue?", reference: "blue", evidence: [[1, 1]] },
  ],
};

/** What a server may answer, in order of the questions of `fixtures/datasets/harbour.json`; the rest are answered well. */
const REPLIES: readonly ((body: string) => RawReply)[] = [
  () => reply(chatResponse("", { eval_count: 1 })),
  () => reply(chatResponse("   \n")),
  () => reply(chatResponse("", { thinking: "The answer must be Petrel." })),
  () => reply(chatResponse("It began when", { done_reason: "length" })),
  () => reply({ error: "llama runner process has terminated: signal: killed" }, 500),
  () => ({ httpStatus: 200, body: Buffer.from(JSON.stringify(chatResponse("caf\u00e9")), "latin1") }),
  () => reply(chatResponse("Petrel \u{1f6f6} \u{1d4b3} \u{10ffff}, e\u0301 and \u00e9, \u05d0\u05d1")),
  () => reply(chatResponse("Petrel ".repeat(30_000))),
  () => reply(chatResponse("No information available.")),
];

const harbourFile = (): Buffer => readFileSync(repositoryFile("fixtures/datasets/harbour.json"));

export const BASES: Readonly<Record<string, Base>> = {
  harbour: { title: "36 questions of harbour, answered by quoting", lane: goodLane, dataset: harbourFile },
  one: once(
    "one question about one turn",
    () => Buffer.from(canonicalJson(ONE)),
    (bytes) => laneOf(bytes, { arm: "full", ceilingTokens: 100 }, quoting),
  ),
  replies: once("harbour, answered in every way that a server answers", harbourFile, (bytes) =>
    laneOf(bytes, { arm: "bm25", ceilingTokens: 300 }, async () => ({
      reader: new ScriptedReader((body, number) => (REPLIES[number - 1] ?? goodReply)(body)),
      protocol: readerProtocolOf({ num_ctx: 4096, seed: 7, temperature: 0.1 }),
    })),
  ),
  "harbour-calls": {
    title: "harbour, asked of a server that fails, thinks, says nothing and is asked again",
    lane: callsLane,
    dataset: harbourFile,
  },
  full: once("harbour, each question with as much of its history as fits", harbourFile, (bytes) =>
    laneOf(bytes, { arm: "full", ceilingTokens: 8000 }, quoting),
  ),
};
