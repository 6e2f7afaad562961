import { turnAt, turnSha256 } from "../../lib/evidence/segment.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { PacketRecord, TurnRecord } from "../../schemas/index.js";
import { type Check, type ExaminedRow, shown } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes } from "../outcome.js";
import { beginningFromDataset, renderedFromDataset } from "../rendered.js";

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
    return {
      row(row) {
        if (row.packet) {
          notes.examined();
          if (row.question) turns.holdAgainstDataset(row.question.value.history_id);
          checkSpans(row, turns, notes);
          checkPrefixes(row, evidence, notes);
          if (turns.fromDataset) checkAgainstDataset(row, evidence, notes);
        }
      },
      finish() {
        turns.finish();
        return notes.outcome({ code: "E_SPAN", at: LANE_FILES.packets });
      },
    };
  },
};

/**
 * turns.jsonl by history, session and turn; held against the dataset when there is one, a history at a time as the rows come
 * to it, so that a dataset of any size is read once.
 */
class TurnTable {
  readonly fromDataset: boolean;
  readonly #turns: LaneEvidence["turns"];
  /** By index: whether some packet quotes the turn. */
  readonly #quoted: Uint8Array;
  readonly #dataset: LaneEvidence["dataset"];
  readonly #notes: Notes;
  /** Turns by history, of histories that were not held against the dataset yet. */
  readonly #unheld = new Map<string, (TurnRecord & { readonly index: number })[]>();

  constructor({ turns, dataset, manifest }: LaneEvidence, notes: Notes) {
    this.fromDataset = manifest.ok && dataset?.identity.sha256 === manifest.value.dataset.sha256;
    this.#turns = turns;
    this.#quoted = new Uint8Array(turns.length);
    this.#dataset = dataset;
    this.#notes = notes;
    for (const record of turns.records()) {
      const { history_id: historyId, session, turn, index } = record;
      notes.expect(turns.find(historyId, record, index) === index, () => ({
        code: "E_SPAN",
        at: `${LANE_FILES.turns}:${index + 1}`,
        found: `${historyId} ${session}.${turn}`,
        message: "this turn stands twice",
      }));
      if (!this.fromDataset) continue;
      const ofHistory = this.#unheld.get(historyId);
      if (ofHistory) ofHistory.push(record);
      else this.#unheld.set(historyId, [record]);
    }
  }

  holdAgainstDataset(historyId: string): void {
    const turns = this.#unheld.get(historyId);
    if (turns === undefined) return;
    this.#unheld.delete(historyId);
    const history = this.#dataset?.histories.get(historyId);
    for (const record of turns) {
      const source = history && turnAt(history, record);
      const expected = source && turnSha256(source);
      const same = expected === record.turn_sha256 && Buffer.byteLength(source?.text ?? "") === record.bytes;
      this.#notes.expect(same, () => ({
        code: "E_SPAN",
        at: `${LANE_FILES.turns}:${record.index + 1}`,
        expected: shown(expected),
        found: record.turn_sha256,
        message: "the dataset holds another turn at this place",
      }));
    }
  }

  /** Index of a turn; undefined when it is not listed. */
  find(historyId: string | undefined, place: { session: number; turn: number }, hint: number): number | undefined {
    return historyId === undefined ? undefined : this.#turns.find(historyId, place, hint);
  }

  /** Bytes of a turn's text, which is now quoted. */
  quote(index: number): number {
    this.#quoted[index] = 1;
    return this.#turns.bytesAt(index);
  }

  /** What no row came to. */
  finish(): void {
    for (const historyId of [...this.#unheld.keys()]) this.holdAgainstDataset(historyId);
    for (const record of this.#turns.records()) {
      const { history_id: historyId, session, turn, index } = record;
      // One that stands twice is found at its first place, and was told of already.
      if (this.#turns.find(historyId, record, index) !== index) continue;
      this.#notes.expect(this.#quoted[index] === 1, () => ({
        code: "E_SPAN",
        at: LANE_FILES.turns,
        found: `${historyId} ${session}.${turn}`,
        message: "no packet quotes this turn",
      }));
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
  const { spans } = value;
  const doubled = overlapping(spans);
  const historyId = question?.value.history_id;
  let listed: number | undefined;
  for (let index = 0; index < spans.length; index += 1) {
    const [session, turn, start, end] = spans[index]!;
    // A packet mostly quotes a turn after the one before it, or the same.
    listed = turns.find(historyId, { session, turn }, listed === undefined ? 0 : listed + 1);
    const bytes = listed === undefined ? undefined : turns.quote(listed);
    const lies = bytes !== undefined && start < end && end <= bytes;
    // There may be millions of spans, and nothing is made of one that is in order.
    if (lies && !doubled.has(index)) continue;
    const found = `session ${session}, turn ${turn}, bytes ${start} to ${end}`;
    notes.expect(lies, () => ({
      code: "E_SPAN",
      at,
      questionId,
      expected: bytes === undefined ? "a turn listed in turns.jsonl" : `bytes within 0 to ${bytes}`,
      found,
      message: "a span does not lie in its turn",
    }));
    notes.expect(!doubled.has(index), () => ({
      code: "E_SPAN",
      at,
      questionId,
      found,
      message: "a byte of the source stands twice in one packet",
    }));
  }
}

/** Whether each span begins no earlier than the one before it begins and ends: then none shares a byte with another. */
function runForward(spans: PacketRecord["spans"]): boolean {
  for (let index = 1; index < spans.length; index += 1) {
    const [before, span] = [spans[index - 1]!, spans[index]!];
    const later = span[0] - before[0] || span[1] - before[1];
    if (later < 0 || (later === 0 && (span[2] < before[2] || span[2] < before[3]))) return false;
  }
  return true;
}

const NONE: ReadonlySet<number> = new Set();

/** Places of the spans that share a byte with one before them. By sorting: a packet may have been made to have a million. */
function overlapping(spans: PacketRecord["spans"]): ReadonlySet<number> {
  if (runForward(spans)) return NONE;
  const order = [...spans.keys()].sort((one, other) => {
    const [a, b] = [spans[one]!, spans[other]!];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || one - other;
  });
  const found = new Set<number>();
  // The span that reaches furthest of those that begin no later in the same turn.
  let widest: number | undefined;
  for (const index of order) {
    const [session, turn, start, end] = spans[index]!;
    const before = widest === undefined ? undefined : spans[widest]!;
    const sameTurn = before?.[0] === session && before[1] === turn;
    if (sameTurn && before[3] > start) found.add(Math.max(index, widest!));
    if (!sameTurn || end > before[3]) widest = index;
  }
  return found;
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

function checkAgainstDataset(row: ExaminedRow, evidence: LaneEvidence, notes: Notes): void {
  const { question, packet } = row;
  if (!question || !packet || !evidence.preparation.ok) return;
  const found = renderedFromDataset(row, evidence)?.sha256;
  notes.expect(found === packet.value.evidence_sha256, () => ({
    code: "E_SPAN",
    at: `${LANE_FILES.packets}:${packet.line}`,
    questionId: packet.value.question_id,
    expected: packet.value.evidence_sha256,
    found: shown(found),
    message: "the spans, rendered from the dataset, do not give the packet's evidence",
  }));
  for (const prefix of packet.value.prefixes ?? []) {
    const alone = beginningFromDataset(row, evidence, prefix.spans);
    const expected = alone?.sha256;
    const same = expected === prefix.sha256 && alone?.bytes.length === prefix.bytes;
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
