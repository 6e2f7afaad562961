// A finished run of any size, the same for the same seed: histories of made-up words, and questions that are each given the
// whole of one. It is written record by record, because preparing and answering gigabytes takes the better part of an hour, out of
// the same functions that those commands use; sealing, packing and verifying are the commands' own.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { idListSha256, sha256Hex } from "../lib/bytes/digest.js";
import { canonicalJson } from "../lib/bytes/json.js";
import { adapterOf, type Dataset, readDataset } from "../lib/dataset/index.js";
import { populationRecord, referenceRecord } from "../lib/dataset/records.js";
import { preparationProtocol, preparePackets, QuotedTurns } from "../lib/evidence/prepare.js";
import type { Packet } from "../lib/evidence/prepared-history.js";
import { writeNewFile } from "../lib/io/atomic.js";
import { tokenF1 } from "../lib/judge/endpoint.js";
import { extractive } from "../lib/reader/extractive.js";
import { readerProtocol } from "../lib/reader/index.js";
import { requestBody } from "../lib/reader/request.js";
import { LANE_FILES } from "../lib/records/documents.js";
import { RUN_FILE, RunFolder } from "../lib/run/folder.js";
import { gradeRun } from "../lib/run/grade-run.js";
import { RecordFiles } from "../lib/run/prepare-run.js";
import { receiptAndAnswer } from "../lib/run/replay-run.js";
import { TOOL } from "../lib/tool.js";
import type { Run } from "../schemas/index.js";

/** As many questions a history as in LoCoMo, over as much text as a context of 100,000 tokens holds. */
const QUESTIONS_A_HISTORY = 154;
const SESSIONS = 40;
const TURNS = 40;
/** What one question takes in a lane, roughly: nearly all of it is its request body. */
const QUESTION_BYTES = 371_000;
const AT = "2026-01-01T00:00:00.000Z";

/** The generator "mulberry32" of T. Ettinger: 32 bits of state, numbers in [0, 1). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function datasetText(histories: number, questions: number, seed: number): string {
  const random = numbers(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const syllables =
    "an ber cor dal eth fen gor hal ith kar lom mar nor oth par qui ran sel tor und ver wil yar zé ö".split(" ");
  const words = Array.from({ length: 5000 }, () =>
    Array.from({ length: 1 + random() * 3 }, () => pick(syllables)).join(""),
  );
  const sentence = (length: number): string => Array.from({ length }, () => pick(words)).join(" ");
  const turn = (speaker: string) => {
    const said = Array.from({ length: 2 + random() * 3 }, () => `${sentence(4 + random() * 12)}.`).join(" ");
    return { speaker, text: random() < 0.1 ? `"${said}"\n${sentence(5)}` : said };
  };
  const made = Array.from({ length: histories }, (_, index) => ({
    history_id: `h${index + 1}`,
    sessions: Array.from({ length: SESSIONS }, (_, session) => ({
      date: `${1 + (session % 28)} May, 20${10 + Math.floor(session / 28)}`,
      turns: Array.from({ length: TURNS }, (_, at) => turn(at % 2 === 0 ? "Ann" : "Bo")),
    })),
  }));
  return canonicalJson({
    schema: "sealane-dataset/1",
    name: "made-up words",
    licence: "CC0-1.0",
    histories: made,
    questions: Array.from({ length: questions }, (_, index) => ({
      question_id: `q${index + 1}`,
      history_id: `h${1 + Math.floor(index / QUESTIONS_A_HISTORY)}`,
      category: `c${index % 4}`,
      question: `What of ${sentence(3)}?`,
      reference: sentence(2),
      evidence: [[1 + Math.floor(random() * SESSIONS), 1 + Math.floor(random() * TURNS)]],
    })),
  });
}

/** The packet of the first question over each history; the others' are the same but for the id. */
function* packets(dataset: Dataset, protocol: ReturnType<typeof preparationProtocol>): Generator<Packet> {
  const firsts = dataset.asked.filter((asked, index) => asked.historyId !== dataset.asked[index - 1]?.historyId);
  for (const packet of preparePackets({ ...dataset, asked: firsts }, protocol)) {
    const { historyId } = firsts.find((asked) => asked.questionId === packet.record.question_id)!;
    for (const asked of dataset.asked) {
      if (asked.historyId === historyId)
        yield { ...packet, record: { ...packet.record, question_id: asked.questionId } };
    }
  }
}

/**
 * Writes a run, graded and ready to be sealed, whose lane has about so many bytes.
 * @param folder must not be there yet
 */
export async function generateRun(folder: string, bytes: number, seed: number): Promise<RunFolder> {
  const questions = Math.max(8, Math.round(bytes / QUESTION_BYTES));
  const text = datasetText(Math.ceil(questions / QUESTIONS_A_HISTORY), questions, seed);
  const dataset = readDataset(adapterOf("own"), Buffer.from(text), "generated.json", false);
  const protocol = preparationProtocol(dataset, { arm: "full", tokenizer: "o200k_base", ceilingTokens: 200_000 });
  const model = await extractive.open({ url: "", deadlineMs: 1000 }).identify(extractive.defaultModel ?? "");
  const reader = readerProtocol(extractive, model, { options: {} });
  const readerSha256 = sha256Hex(canonicalJson(reader));
  const files = new RecordFiles(folder);
  files.writeAll(LANE_FILES.population, dataset.asked.map(populationRecord));
  files.writeAll(LANE_FILES.references, dataset.references.map(referenceRecord));
  const packetFile = files.open(LANE_FILES.packets);
  // What prepare does not write is not among the files that the run names.
  const later = new RecordFiles(folder);
  const requests = later.open(LANE_FILES.requests);
  const bodies = later.open(LANE_FILES.bodies);
  const receipts = later.open(LANE_FILES.receipts);
  const answers = later.open(LANE_FILES.answers);
  const quoted = new QuotedTurns();
  let index = 0;
  for (const { record, evidence } of packets(dataset, protocol)) {
    const asked = dataset.asked[index]!;
    const body = requestBody(reader, asked, evidence);
    const bodySha256 = sha256Hex(body);
    const answer = index % 3 === 0 ? String(dataset.references[index]!.reference) : "No information available.";
    const response = canonicalJson({ done: true, message: { content: answer, role: "assistant" }, model: model.name });
    const call = { questionId: asked.questionId, attempt: 1, requestSha256: bodySha256, state: "completed" as const };
    const made = receiptAndAnswer(
      { ...call, started: AT, ended: AT, httpStatus: 200, error: null },
      Buffer.from(response),
      model.name,
    );
    quoted.add(dataset.histories.get(asked.historyId)!, record.spans);
    packetFile.write(record);
    bodies.write({ question_id: asked.questionId, body });
    requests.write({
      question_id: asked.questionId,
      body_sha256: bodySha256,
      body_bytes: Buffer.byteLength(body),
      protocol_sha256: readerSha256,
    });
    receipts.write(made.receipt);
    answers.write(made.answer);
    index += 1;
  }
  for (const file of [packetFile, requests, bodies, receipts, answers]) file.close();
  files.writeAll(LANE_FILES.turns, quoted.records(dataset.histories.ids));
  later.writeAll(LANE_FILES.amendments, []);
  const preparation = canonicalJson(protocol);
  const preparationFile = {
    path: LANE_FILES.preparation,
    size: Buffer.byteLength(preparation),
    sha256: sha256Hex(preparation),
  };
  mkdirSync(join(folder, "protocols"));
  writeNewFile(join(folder, LANE_FILES.preparation), preparation);
  writeNewFile(join(folder, LANE_FILES.reader), canonicalJson(reader));
  const run: Run = {
    schema: "sealane-run/1",
    tool: TOOL,
    created: AT,
    preparation_sha256: sha256Hex(preparation),
    population: { count: questions, ids_sha256: idListSha256(dataset.asked.map((asked) => asked.questionId)) },
    files: [...files.entries, preparationFile],
  };
  writeNewFile(join(folder, RUN_FILE), canonicalJson(run));
  const made = new RunFolder(folder);
  gradeRun(made, tokenF1);
  return made;
}
