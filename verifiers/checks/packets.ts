import { sha256Hex } from "../../lib/bytes/digest.js";
import { Coverage } from "../../lib/evidence/admit.js";
import { HistoryRenderer } from "../../lib/evidence/render.js";
import { turnAt, turnKey, turnSha256 } from "../../lib/evidence/segment.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, type ExaminedRow, shown } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes } from "../outcome.js";

/** Spans lie in the turns they name and no byte stands twice; with the dataset, the evidence is rebuilt from it and is the same. */
export const packets: Check = {
  id: "packets",
  title: "Packets quote their turns, each byte once",
  emits: ["E_SPAN"],
  needs: () => [LANE_FILES.population, LANE_FILES.packets, LANE_FILES.turns, LANE_FILES.preparation],
  start(evidence) {
    const notes = new Notes();
    const turns = new TurnTable(evidence, notes);
    const renderers = new Map<string, HistoryRenderer>();
    return {
      row(row) {
        if (row.packet) {
          notes.examined();
          checkSpans(row, turns, notes);
          if (turns.fromDataset) checkAgainstDataset(row, evidence, renderers, notes);
        }
      },
      finish() {
        turns.refuseUnquoted(notes);
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

/** turns.jsonl by history, session and turn; held against the dataset when there is one. */
class TurnTable {
  readonly fromDataset: boolean;
  /** By history, then by the turn's place in it. */
  readonly #turns = new Map<string, Map<number | string, ListedTurn>>();

  constructor({ turns, dataset, manifest }: LaneEvidence, notes: Notes) {
    this.fromDataset = manifest.ok && dataset?.identity.sha256 === manifest.value.dataset.sha256;
    const histories = new Map(dataset?.histories.map((history) => [history.historyId, history]));
    for (const { value, line } of turns) {
      const { history_id, session, turn, bytes, turn_sha256 } = value;
      const at = `${LANE_FILES.turns}:${line}`;
      const listed = this.#turns.get(history_id) ?? new Map<number | string, ListedTurn>();
      this.#turns.set(history_id, listed);
      const key = turnKey(value);
      notes.expect(!listed.has(key), () => ({
        code: "E_SPAN",
        at,
        found: `${history_id} ${session}.${turn}`,
        message: "this turn stands twice",
      }));
      listed.set(key, { session, turn, bytes, quoted: false });
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

  /** Bytes of a turn's text, which is now quoted; undefined when it is not listed. */
  bytesOf(historyId: string, session: number, turn: number): number | undefined {
    const listed = this.#turns.get(historyId)?.get(turnKey({ session, turn }));
    if (listed) listed.quoted = true;
    return listed?.bytes;
  }

  refuseUnquoted(notes: Notes): void {
    for (const [historyId, listed] of this.#turns) {
      for (const { session, turn, quoted } of listed.values()) {
        notes.expect(quoted, () => ({
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
    const history = dataset.histories.find((candidate) => candidate.historyId === historyId);
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
}
