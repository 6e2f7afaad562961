// Requests made anew, as somebody makes them who tells the reader more than he should and keeps everything consistent.
import { evidenceOf, requestBody } from "../../../../lib/reader/request.js";
import { LANE_FILES } from "../../../../lib/records/documents.js";
import type { ReaderProtocol } from "../../../../schemas/index.js";
import type { Bench } from "../bench.js";
import { EDITS, op, optional, TEXT, VALUE, WHICH } from "../op.js";
import { putRows, rowsOf } from "../rows.js";

interface Asked {
  readonly question: string;
  readonly questionDate: string | null;
}

const protocolIn = (bench: Bench): ReaderProtocol => bench.document(LANE_FILES.reader) as unknown as ReaderProtocol;

const askedIn = (bench: Bench): Asked[] =>
  rowsOf(bench, LANE_FILES.population).map(({ question, question_date: questionDate = null }) => ({
    question,
    questionDate,
  }));

function evidences(bench: Bench): string[] {
  const protocol = protocolIn(bench);
  const asked = askedIn(bench);
  return rowsOf(bench, LANE_FILES.bodies).map(({ body }, index) => {
    const evidence = evidenceOf(protocol, asked[index]!, Buffer.from(body));
    if (!evidence) throw new Error(`the evidence of line ${index + 1} cannot be read out of its request`);
    return evidence.toString("utf8");
  });
}

function remake(bench: Bench, evidence: readonly string[]): void {
  const protocol = protocolIn(bench);
  const asked = askedIn(bench);
  const bodies = rowsOf(bench, LANE_FILES.bodies);
  putRows(
    bench,
    LANE_FILES.bodies,
    bodies.map((row, index) => ({ ...row, body: requestBody(protocol, asked[index]!, evidence[index]!) })),
  );
}

export const REQUEST_OPS = {
  /** Makes all bodies anew, with the evidence they have, of questions and reader protocol as the edits leave them. */
  "requests.remake": op({ edits: EDITS }, (bench, { edits }) => {
    const evidence = evidences(bench);
    bench.run(edits);
    remake(bench, evidence);
  }),
  /** Gives a request other evidence, and its packet the spans that this quotes. */
  "evidence.set": op({ which: WHICH, text: TEXT, spans: VALUE }, (bench, { which, text, spans }) => {
    const evidence = evidences(bench);
    for (const index of bench.places(LANE_FILES.bodies, which)) evidence[index] = text;
    remake(bench, evidence);
    const chosen = new Set(bench.places(LANE_FILES.packets, which));
    const packets = rowsOf(bench, LANE_FILES.packets);
    putRows(
      bench,
      LANE_FILES.packets,
      packets.map((packet, index) => (chosen.has(index) ? { ...packet, spans } : packet)),
    );
  }),
  /** Puts text at the end of a request's evidence, or before a text that is found in it. */
  "evidence.insert": op({ which: WHICH, text: TEXT, before: optional(TEXT) }, (bench, { which, text, before }) => {
    const evidence = evidences(bench);
    for (const index of bench.places(LANE_FILES.bodies, which)) {
      const at = before === undefined ? evidence[index]!.length : evidence[index]!.indexOf(before);
      if (at < 0) throw new Error(`the evidence does not hold ${before}`);
      evidence[index] = evidence[index]!.slice(0, at) + text + evidence[index]!.slice(at);
    }
    remake(bench, evidence);
  }),
} as const;
