import { sha256Hex } from "../../lib/bytes/digest.js";
import { Coverage } from "../../lib/evidence/admit.js";
import { HistoryRenderer } from "../../lib/evidence/render.js";
import { turnAt, turnKey, turnSha256 } from "../../lib/evidence/segment.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, type ExaminedRow, shown } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes } from "../outcome.js";

/**
 * Spans lie in the turns they name and no byte stands twice; the protected beginnings are those of the protocol, one within
 * the next; with the dataset, evidence and beginnings are rebuilt from it and are the same.
 */
export const packets: Check = {
  id: "packets",
  how: "spans against the turns they quote, each byte once; protected beginnings against the protocol; with the dataset: both rendered again",
  title: "Packets quote their turns, each byte once",
  emits: ["E_SPAN", "E_PREFIX"],
  needs: () => [LANE_FILES.population, LANE_FILES.packets, LANE_FILES.turns, LANE_FILES.preparation],
  start(evidence) {
    const notes = new Notes();
    const turns = new TurnTable(evidence, notes);
    const renderers = new Map<string, HistoryRenderer>();
    return {
      row(row) {
        if (row.packet) {
          notes.examined();
          if (row.question) turns.holdAgainstDataset(row.question.value.history_id);
          checkSpans(row, turns, notes);
          checkPrefixes(row, evidence, notes);
          if (turns.fromDataset) checkAgainstDataset(row, evidence, renderers, notes);
        }
      },
      finish() {
        turns.finish();
        return notes.outcome({ code: "E_SPAN", at: LANE_FILES.packets });
      },
    };
  },
};

interface ListedTurn {
  readonly session: number;
  readonly turn: number;
  readonly bytes: number;
  quoted: boolean;
}

/**
 * turns.jsonl by history, session and turn; held against the dataset when there is one, a history at a time as the rows come
 * to it, so that a dataset of any size is read once.
 */
class TurnTable {
  readonly fromDataset: boolean;
  /** By history, then by the turn's place in it. */
  readonly #turns = new Map<string, Map<number | string, ListedTurn>>();
  readonly #dataset: LaneEvidence["dataset"];
  readonly #notes: Notes;
  /** Turns by history, of histories that were not held against the dataset yet. */
  readonly #unheld = new Map<string, LaneEvidence["turns"][number][]>();

  constructor({ turns, dataset, manifest }: LaneEvidence, notes: Notes) {
    this.fromDataset = manifest.ok && dataset?.identity.sha256 === manifest.value.dataset.sha256;
    this.#dataset = dataset;
    this.#notes = notes;
    for (const record of turns) {
      const { history_id, session, turn, bytes } = record.value;
      const listed = this.#turns.get(history_id) ?? new Map<number | string, ListedTurn>();
      this.#turns.set(history_id, listed);
      const key = turnKey(record.value);
      notes.expect(!listed.has(key), () => ({
        code: "E_SPAN",
        at: `${LANE_FILES.turns}:${record.line}`,
        found: `${history_id} ${session}.${turn}`,
        message: "this turn stands twice",
      }));
      listed.set(key, { session, turn, bytes, quoted: false });
      if (!this.fromDataset) continue;
      const ofHistory = this.#unheld.get(history_id);
      if (ofHistory) ofHistory.push(record);
      else this.#unheld.set(history_id, [record]);
    }
  }

  holdAgainstDataset(historyId: string): void {
    const turns = this.#unheld.get(historyId);
    if (turns === undefined) return;
    this.#unheld.delete(historyId);
    const history = this.#dataset?.histories.get(historyId);
    for (const { value, line } of turns) {
      const source = history && turnAt(history, value);
      const expected = source && turnSha256(source);
      const same = expected === value.turn_sha256 && Buffer.byteLength(source?.text ?? "") === value.bytes;
      this.#notes.expect(same, () => ({
        code: "E_SPAN",
        at: `${LANE_FILES.turns}:${line}`,
        expected: shown(expected),
        found: value.turn_sha256,
        message: "the dataset holds another turn at this place",
      }));
    }
  }

  /** Bytes of a turn's text, which is now quoted; undefined when it is not listed. */
  bytesOf(historyId: string, session: number, turn: number): number | undefined {
    const listed = this.#turns.get(historyId)?.get(turnKey({ session, turn }));
    if (listed) listed.quoted = true;
    return listed?.bytes;
  }

  /** What no row came to. */
  finish(): void {
    for (const historyId of [...this.#unheld.keys()]) this.holdAgainstDataset(historyId);
    for (const [historyId, listed] of this.#turns) {
      for (const { session, turn, quoted } of listed.values()) {
        this.#notes.expect(quoted, () => ({
          code: "E_SPAN",
          at: LANE_FILES.turns,
          found: `${historyId} ${session}.${turn}`,
          message: "no packet quotes this turn",
        }));
      }
    }
  }
}

function checkSpans({ question, packet }: ExaminedRow, turns: TurnTable, notes: Notes): void {
  if (!packet) return;
  const { value, line } = packet;
  const at = `${LANE_FILES.packets}:${line}`;
  const questionId = value.question_id;
  notes.expect(question?.value.question_id === questionId, () => ({
    code: "E_SPAN",
    at,
    questionId,
    expected: shown(question?.value.question_id),
    found: questionId,
    message: "this packet is of another question than the population has at this place",
  }));
  const coverage = new Coverage();
  for (const [session, turn, start, end] of value.spans) {
    const bytes = question && turns.bytesOf(question.value.history_id, session, turn);
    const span = (): string => `session ${session}, turn ${turn}, bytes ${start} to ${end}`;
    notes.expect(bytes !== undefined && start < end && end <= bytes, () => ({
      code: "E_SPAN",
      at,
      questionId,
      expected: bytes === undefined ? "a turn listed in turns.jsonl" : `bytes within 0 to ${bytes}`,
      found: span(),
      message: "a span does not lie in its turn",
    }));
    notes.expect(coverage.cover({ session, turn, start, end }), () => ({
      code: "E_SPAN",
      at,
      questionId,
      found: span(),
      message: "a byte of the source stands twice in one packet",
    }));
  }
}

function checkPrefixes({ packet }: ExaminedRow, { preparation }: LaneEvidence, notes: Notes): void {
  if (!packet || !preparation.ok) return;
  const { question_id: questionId, evidence_bytes, spans, prefixes = [] } = packet.value;
  const at = `${LANE_FILES.packets}:${packet.line}`;
  const declared = JSON.stringify(preparation.value.protected ?? []);
  const found = JSON.stringify(prefixes.map(({ name }) => name));
  notes.expect(declared === found, () => ({
    code: "E_PREFIX",
    at,
    questionId,
    expected: declared,
    found,
    message: "the packet's protected beginnings are not those of the preparation protocol",
  }));
  for (const [index, prefix] of prefixes.entries()) {
    const least = prefixes[index - 1] ?? { spans: 0, bytes: 0 };
    const most = { spans: spans.length, bytes: evidence_bytes };
    const within = (size: "spans" | "bytes"): boolean => least[size] <= prefix[size] && prefix[size] <= most[size];
    notes.expect(within("spans") && within("bytes"), () => ({
      code: "E_PREFIX",
      at,
      questionId,
      expected: `${least.spans} to ${most.spans} spans, ${least.bytes} to ${most.bytes} bytes`,
      found: `${prefix.spans} spans, ${prefix.bytes} bytes`,
      message: "a protected beginning is longer than its packet, or shorter than the one within it",
    }));
  }
}

function checkAgainstDataset(
  { question, packet }: ExaminedRow,
  { dataset, preparation }: LaneEvidence,
  renderers: Map<string, HistoryRenderer>,
  notes: Notes,
): void {
  if (!question || !packet || !dataset || !preparation.ok) return;
  const { history_id: historyId } = question.value;
  let renderer = renderers.get(historyId);
  if (!renderer) {
    const history = dataset.histories.get(historyId);
    renderer = history && new HistoryRenderer(history, preparation.value.renderer);
    // Questions come history by history: one is kept at a time, so that memory does not grow with the dataset.
    renderers.clear();
    if (renderer) renderers.set(historyId, renderer);
  }
  const spans = packet.value.spans.map(([session, turn, start, end]) => ({ session, turn, start, end }));
  const rebuilt = renderer?.render(spans);
  const found = rebuilt === undefined ? undefined : sha256Hex(rebuilt);
  notes.expect(found === packet.value.evidence_sha256, () => ({
    code: "E_SPAN",
    at: `${LANE_FILES.packets}:${packet.line}`,
    questionId: packet.value.question_id,
    expected: packet.value.evidence_sha256,
    found: shown(found),
    message: "the spans, rendered from the dataset, do not give the packet's evidence",
  }));
  for (const prefix of packet.value.prefixes ?? []) {
    const alone = renderer?.render(spans.slice(0, prefix.spans));
    const expected = alone === undefined ? undefined : sha256Hex(alone);
    const same = expected === prefix.sha256 && alone?.length === prefix.bytes;
    notes.expect(same, () => ({
      code: "E_PREFIX",
      at: `${LANE_FILES.packets}:${packet.line}`,
      questionId: packet.value.question_id,
      expected: shown(expected),
      found: prefix.sha256,
      message: `the first spans, rendered from the dataset, do not give the packet's ${prefix.name}`,
    }));
  }
}
