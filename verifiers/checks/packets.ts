import { turnAt, turnKey, turnSha256 } from "../../lib/evidence/segment.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { PacketRecord } from "../../schemas/index.js";
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
  const doubled = overlapping(value.spans);
  for (const [index, [session, turn, start, end]] of value.spans.entries()) {
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
    notes.expect(!doubled.has(index), () => ({
      code: "E_SPAN",
      at,
      questionId,
      found: span(),
      message: "a byte of the source stands twice in one packet",
    }));
  }
}

/** Places of the spans that share a byte with one before them. By sorting: a packet may have been made to have a million. */
function overlapping(spans: PacketRecord["spans"]): ReadonlySet<number> {
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
