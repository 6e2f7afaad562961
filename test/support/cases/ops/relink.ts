// Making a lane hold together again after an edit, as somebody would who wants to pass: digests, trees and totals, each over
// the records as they then are. What a record says for itself (a score, an answer) stays, unless a part is named that changes it.
import { decodeBase64 } from "../../../../lib/bytes/base64.js";
import { idListSha256, sha256Hex } from "../../../../lib/bytes/digest.js";
import { canonicalJson } from "../../../../lib/bytes/json.js";
import { tokenizerOf } from "../../../../lib/evidence/tokens.js";
import { ENDPOINTS } from "../../../../lib/judge/index.js";
import { declaredResults, ResultsBuilder } from "../../../../lib/lane/results.js";
import { leavesOf, TreeBuilder } from "../../../../lib/manifest/trees.js";
import { readReply } from "../../../../lib/reader/reply.js";
import { evidenceOf } from "../../../../lib/reader/request.js";
import { endpointProtocolPath, gradesPath, LANE_FILES } from "../../../../lib/records/documents.js";
import type { LaneRow } from "../../../../lib/records/rows.js";
import type { Manifest, PreparationProtocol, ReaderProtocol, TokenF1Protocol } from "../../../../schemas/index.js";
import { type Bench, textOf } from "../bench.js";
import { oneOf, op, optional, several } from "../op.js";
import { putRows, type Rows, rowsOf } from "../rows.js";

const PARTS = [
  "population",
  "protocols",
  "requests",
  "packets",
  "responses",
  "receipts",
  "replies",
  "answers",
  "grades",
  "scores",
  "trees",
  "results",
] as const;
type Part = (typeof PARTS)[number];

/** What binds records to each other, and nothing that they say of themselves. */
const BINDINGS: readonly Part[] = ["protocols", "requests", "receipts", "answers", "grades", "trees", "results"];

const shaOf = (record: unknown): string => sha256Hex(textOf(record));

class Lane {
  readonly #bench: Bench;
  readonly manifest: Manifest;
  readonly #rows = new Map<string, Rows>();

  constructor(bench: Bench) {
    this.#bench = bench;
    this.manifest = bench.document(LANE_FILES.manifest) as unknown as Manifest;
  }

  readonly rows = (path: string): Rows => {
    const rows = this.#rows.get(path) ?? rowsOf(this.#bench, path);
    this.#rows.set(path, rows);
    return rows;
  };

  get endpoints(): string[] {
    return this.manifest.protocols.endpoints.map(({ endpoint }) => endpoint);
  }

  save(): void {
    for (const [path, rows] of this.#rows) if (this.#bench.files.has(path)) putRows(this.#bench, path, rows);
    this.#bench.put(LANE_FILES.manifest, this.manifest);
  }
}

const responseOf = (receipt: Rows[number]): Buffer | undefined =>
  receipt.response &&
  (receipt.response.encoding === "utf8"
    ? Buffer.from(receipt.response.data)
    : decodeBase64(receipt.response.data, "response"));

const WORK: Readonly<Record<Part, (lane: Lane, bench: Bench) => void>> = {
  /** Ordinals, and every count of questions. */
  population({ rows, manifest }, bench) {
    const questions = rows(LANE_FILES.population);
    for (const [index, question] of questions.entries()) question.ordinal = index;
    const ids = questions.map((question) => String(question.question_id));
    manifest.population = { count: ids.length, ids_sha256: idListSha256(ids) };
    const preparation = bench.document(LANE_FILES.preparation) as unknown as PreparationProtocol;
    const excluded = preparation.population.excluded.reduce((sum, { count }) => sum + count, 0);
    preparation.population.included = ids.length;
    preparation.population.questions = ids.length + excluded;
    bench.put(LANE_FILES.preparation, preparation);
  },
  protocols({ rows, manifest, endpoints }, bench) {
    const reader = sha256Hex(bench.bytes(LANE_FILES.reader));
    for (const request of rows(LANE_FILES.requests)) request.protocol_sha256 = reader;
    for (const endpoint of endpoints) {
      const sha256 = sha256Hex(bench.bytes(endpointProtocolPath(endpoint)));
      for (const entry of manifest.protocols.endpoints) if (entry.endpoint === endpoint) entry.sha256 = sha256;
      for (const grade of rows(gradesPath(endpoint))) grade.protocol_sha256 = sha256;
    }
  },
  requests({ rows }) {
    for (const [index, { body }] of rows(LANE_FILES.bodies).entries()) {
      Object.assign(rows(LANE_FILES.requests)[index] ?? {}, {
        body_sha256: sha256Hex(body),
        body_bytes: Buffer.byteLength(body),
      });
    }
  },
  /** Digest, length and tokens of the evidence that the request holds. */
  packets({ rows }, bench) {
    const protocol = bench.document(LANE_FILES.reader) as unknown as ReaderProtocol;
    const { tokenizer } = bench.document(LANE_FILES.preparation) as unknown as PreparationProtocol;
    for (const [index, { body }] of rows(LANE_FILES.bodies).entries()) {
      const { question, question_date: questionDate = null } = rows(LANE_FILES.population)[index];
      const evidence = evidenceOf(protocol, { question, questionDate }, Buffer.from(body));
      if (!evidence) continue;
      Object.assign(rows(LANE_FILES.packets)[index], {
        evidence_sha256: sha256Hex(evidence),
        evidence_bytes: evidence.length,
        tokens: tokenizerOf(tokenizer.id).count(evidence.toString("utf8")),
      });
    }
  },
  /** The raw response says the answer. */
  responses({ rows }) {
    for (const [index, { answer }] of rows(LANE_FILES.answers).entries()) {
      const receipt = rows(LANE_FILES.receipts)[index];
      const response = JSON.parse(responseOf(receipt)!.toString("utf8"));
      response.message.content = answer;
      receipt.response = { encoding: "utf8", data: canonicalJson(response) };
    }
  },
  receipts({ rows }) {
    for (const [index, receipt] of rows(LANE_FILES.receipts).entries()) {
      const response = responseOf(receipt);
      if (response) receipt.response_sha256 = sha256Hex(response);
      receipt.request_sha256 = rows(LANE_FILES.requests)[index]?.body_sha256 ?? receipt.request_sha256;
    }
  },
  /** Status of receipt and answer, and the answer, are what the response says. */
  replies({ rows }) {
    for (const [index, receipt] of rows(LANE_FILES.receipts).entries()) {
      const response = responseOf(receipt);
      const reply = response && readReply(receipt.http_status, response);
      if (!reply || "breach" in reply) continue;
      receipt.status = reply.status;
      const record = rows(LANE_FILES.answers)[index];
      record.status = reply.status;
      if (reply.answer === undefined) {
        delete record.answer;
        delete record.answer_sha256;
      } else record.answer = reply.answer;
    }
  },
  answers({ rows }) {
    for (const [index, record] of rows(LANE_FILES.answers).entries()) {
      const receipt = rows(LANE_FILES.receipts)[index];
      if (receipt) record.receipt_sha256 = shaOf(receipt);
      if (record.answer !== undefined) record.answer_sha256 = sha256Hex(record.answer);
    }
  },
  grades({ rows, endpoints }) {
    for (const endpoint of endpoints) {
      for (const [index, grade] of rows(gradesPath(endpoint)).entries()) {
        const reference = rows(LANE_FILES.references)[index];
        grade.answer_sha256 = rows(LANE_FILES.answers)[index]?.answer_sha256 ?? null;
        if (reference) grade.reference_sha256 = shaOf(reference);
      }
    }
  },
  /** Every grade computed again by its rule. */
  scores({ rows, endpoints }, bench) {
    for (const id of endpoints) {
      const endpoint = ENDPOINTS.find((known) => known.id === id)!;
      const protocol = bench.document(endpointProtocolPath(id)) as unknown as TokenF1Protocol;
      const list = rows(gradesPath(id));
      for (const [index, { category }] of rows(LANE_FILES.population).entries()) {
        const reference = rows(LANE_FILES.references)[index];
        list[index] = endpoint.grade(protocol, {
          category,
          answer: rows(LANE_FILES.answers)[index],
          reference,
          referenceSha256: shaOf(reference),
          protocolSha256: sha256Hex(bench.bytes(endpointProtocolPath(id))),
        });
      }
    }
  },
  trees({ rows, manifest, endpoints }) {
    const trees = new TreeBuilder();
    for (let index = 0; index < rows(LANE_FILES.population).length; index += 1) {
      trees.add(leavesOf(leafRow(rows, index, endpoints), endpoints));
    }
    manifest.trees = trees.trees();
  },
  results({ rows, manifest, endpoints }, bench) {
    const results = new ResultsBuilder(endpoints);
    for (const [index, question] of rows(LANE_FILES.population).entries()) {
      const grades = new Map(
        endpoints.flatMap((id) => (rows(gradesPath(id))[index] ? [[id, rows(gradesPath(id))[index]]] : [])),
      );
      const status = rows(LANE_FILES.answers)[index]?.status ?? "failed";
      results.add(question, rows(LANE_FILES.packets)[index], status, grades);
    }
    bench.put(LANE_FILES.results, results.results());
    manifest.results = declaredResults(results.results());
  },
};

function leafRow(rows: Lane["rows"], index: number, endpoints: readonly string[]): Parameters<typeof leavesOf>[0] {
  const of = (path: string) => {
    const value = rows(path)[index];
    return value && { value, line: index + 1, bytes: Buffer.from(textOf(value)) };
  };
  return {
    question: of(LANE_FILES.population),
    packet: of(LANE_FILES.packets),
    request: of(LANE_FILES.requests),
    answer: of(LANE_FILES.answers),
    reference: of(LANE_FILES.references),
    grades: new Map(endpoints.flatMap((id) => (of(gradesPath(id)) ? [[id, of(gradesPath(id))]] : []))),
  } as Pick<LaneRow, "question" | "packet" | "request" | "answer" | "reference" | "grades">;
}

export const RELINK_OPS = {
  /** The bindings, or the parts named, worked out anew; always in the order in which one rests on the other. */
  relink: op({ parts: optional(several(oneOf(...PARTS))) }, (bench, { parts = BINDINGS }) => {
    for (const part of PARTS.filter((name) => parts.includes(name))) {
      const lane = new Lane(bench);
      WORK[part](lane, bench);
      lane.save();
    }
  }),
} as const;
