import { isDeepStrictEqual } from "node:util";
import { PacketReplay } from "../../lib/evidence/replay.js";
import { SealaneError } from "../../lib/finding.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { PacketRecord } from "../../schemas/index.js";
import type { Check } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { lacksTokenizer } from "../limits.js";
import { Notes, type Outcome } from "../outcome.js";

/** Fields of a packet in the order in which one follows from the other. */
const FIELDS: readonly (keyof PacketRecord)[] = [
  "question_id",
  "candidates",
  "skipped",
  "spans",
  "tokens",
  "prefixes",
  "temperature",
  "evidence_bytes",
  "evidence_sha256",
];

/** With the dataset: the lane's arm, run again under its sealed protocol, makes the very packets that were sealed. */
export const preparation: Check = {
  id: "preparation",
  how: "with the dataset: every packet made again by the lane's arm under its sealed protocol, and compared field by field",
  title: "Packets are those that the arm makes",
  emits: ["E_PREPARATION"],
  optional: true,
  needs: () => [LANE_FILES.population, LANE_FILES.packets, LANE_FILES.preparation],
  start(evidence) {
    const replay = replayOf(evidence);
    if (!(replay instanceof PacketReplay)) return { finish: () => replay };
    const notes = new Notes();
    let notMade = 0;
    return {
      row({ question, packet }) {
        if (!question || !packet) return;
        const { value: found, line } = packet;
        const at = `${LANE_FILES.packets}:${line}`;
        const questionId = question.value.question_id;
        const made = replay.packet(questionId);
        if (made === undefined) {
          notMade += 1;
          return;
        }
        notes.examined();
        if (made instanceof SealaneError) {
          const message = "under its protocol the arm makes no packet of this question";
          notes.add({ code: "E_PREPARATION", at, questionId, expected: made.message, found: "a packet", message });
          return;
        }
        const differing = FIELDS.filter((field) => !isDeepStrictEqual(made[field], found[field]));
        const [first] = differing;
        if (first === undefined) return;
        notes.add({
          code: "E_PREPARATION",
          at,
          questionId,
          ...sides(first, made, found),
          message: `the arm makes another packet of this question: ${differing.join(", ")}`,
        });
      },
      finish(): Outcome {
        const outcome = notes.outcome({ code: "E_PREPARATION", at: LANE_FILES.packets });
        if (notMade === 0 || (outcome.kind === "failed" && outcome.examined > 0)) return outcome;
        return notRun(`${notMade} questions are not the dataset's, or stand in another order`);
      },
    };
  },
};

/** What is not shown, said among the limits: the verdict rests on other checks. */
function notRun(why: string): Outcome {
  const limits = [`That packets are those the arm makes was not checked: ${why}.`];
  return { kind: "not-run", why, stands: true, limits };
}

/** Ready to make packets, or why none are made. */
function replayOf(evidence: LaneEvidence): PacketReplay | Outcome {
  const { manifest, dataset, preparation: read, vectors, tokenizer } = evidence;
  if (!dataset) return { kind: "not-applicable", why: "no dataset was given" };
  if (!manifest.ok || dataset.identity.sha256 !== manifest.value.dataset.sha256) {
    return { kind: "not-applicable", why: "the dataset given is not the lane's" };
  }
  if (!read.ok) return notRun("the preparation protocol could not be read");
  if (lacksTokenizer(evidence))
    return notRun("the lane's tokenizer is a tokenizer.json; name your copy with --tokenizer");
  try {
    return new PacketReplay(dataset, read.value, vectors ?? null, tokenizer);
  } catch (error) {
    if (error instanceof SealaneError) return notRun(error.message);
    throw error;
  }
}

/** A field's value, of spans the first that differs. */
function sides(
  field: keyof PacketRecord,
  made: PacketRecord,
  found: PacketRecord,
): { readonly expected: string; readonly found: string } {
  const text = (value: unknown): string => `${field} ${value === undefined ? "none" : JSON.stringify(value)}`;
  if (field !== "spans") return { expected: text(made[field]), found: text(found[field]) };
  const length = Math.max(made.spans.length, found.spans.length);
  const first = Array.from({ length }, (_, index) => index).find(
    (index) => !isDeepStrictEqual(made.spans[index], found.spans[index]),
  )!;
  const span = ({ spans }: PacketRecord): string =>
    `span ${first + 1} of ${spans.length}: ${spans[first] ? JSON.stringify(spans[first]) : "none"}`;
  return { expected: span(made), found: span(found) };
}
