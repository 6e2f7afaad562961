import { turnAt, turnSha256 } from "../../lib/evidence/segment.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { PacketRecord } from "../../schemas/index.js";
import { type Check, type ExaminedRow, shown } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes } from "../outcome.js";
import { renderedFromDataset } from "../rendered.js";

/** Spans lie in the turns they name and no byte stands twice; with the dataset, the evidence is rebuilt from it and is the same. */
export const packets: Check = {
  id: "packets",
  title: "Packets quote their turns, each byte once",
  emits: ["E_SPAN"],
  needs: () => [LANE_FILES.population, LANE_FILES.packets, LANE_FILES.turns, LANE_FILES.preparation],
  start(evidence) {
    const notes = new Notes();
    const turns = new TurnTable(evidence, notes);
    return {
      row(row) {
        if (row.packet) {
          notes.examined();
          checkSpans(row, turns, notes);
          if (turns.fromDataset) checkAgainstDataset(row, evidence, notes);
        }
      },
      finish() {
        turns.refuseUnquoted(notes);
        return notes.outcome({ code: "E_SPAN", at: LANE_FILES.packets });
      },
    };
  },
};

const keyOf = (historyId: string, session: number, turn: number): string => `${historyId} ${session}.${turn}`;

/** turns.jsonl by history, session and turn; held against the dataset when there is one. */
class TurnTable {
  readonly fromDataset: boolean;
  readonly #bytes = new Map<string, number>();
  readonly #quoted = new Set<string>();

  constructor({ turns, dataset, manifest }: LaneEvidence, notes: Notes) {
    this.fromDataset = manifest.ok && dataset?.identity.sha256 === manifest.value.dataset.sha256;
    const histories = new Map(dataset?.histories.map((history) => [history.historyId, history]));
    for (const { value, line } of turns) {
      const { history_id, session, turn, bytes, turn_sha256 } = value;
      const at = `${LANE_FILES.turns}:${line}`;
      const key = keyOf(history_id, session, turn);
      notes.expect(!this.#bytes.has(key), () => ({
        code: "E_SPAN",
        at,
        found: key,
        message: "this turn stands twice",
      }));
      this.#bytes.set(key, bytes);
      if (!this.fromDataset) continue;
      const history = histories.get(history_id);
      const source = history && turnAt(history, { session, turn });
      const expected = source && turnSha256(source);
      notes.expect(expected === turn_sha256 && Buffer.byteLength(source?.text ?? "") === bytes, () => ({
        code: "E_SPAN",
        at,
        expected: shown(expected),
        found: turn_sha256,
        message: "the dataset holds another turn at this place",
      }));
    }
  }

  bytesOf(historyId: string, session: number, turn: number): number | undefined {
    const key = keyOf(historyId, session, turn);
    this.#quoted.add(key);
    return this.#bytes.get(key);
  }

  refuseUnquoted(notes: Notes): void {
    for (const key of this.#bytes.keys()) {
      notes.expect(this.#quoted.has(key), () => ({
        code: "E_SPAN",
        at: LANE_FILES.turns,
        found: key,
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
  const doubled = overlapping(value.spans);
  for (const [index, [session, turn, start, end]] of value.spans.entries()) {
    const bytes = question && turns.bytesOf(question.value.history_id, session, turn);
    const span = `session ${session}, turn ${turn}, bytes ${start} to ${end}`;
    notes.expect(bytes !== undefined && start < end && end <= bytes, () => ({
      code: "E_SPAN",
      at,
      questionId,
      expected: bytes === undefined ? "a turn listed in turns.jsonl" : `bytes within 0 to ${bytes}`,
      found: span,
      message: "a span does not lie in its turn",
    }));
    notes.expect(!doubled.has(index), () => ({
      code: "E_SPAN",
      at,
      questionId,
      found: span,
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
}
