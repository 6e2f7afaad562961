import { sha256Hex } from "../../lib/bytes/digest.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import { type Check, shown } from "../check.js";
import { Notes } from "../outcome.js";

/** Each request is, byte for byte, what the reader protocol makes of the question and its packet's evidence, and nothing more. */
export const requests: Check = {
  id: "requests",
  how: "each request against protocol, question and evidence; its evidence begins with what the packet protects",
  title: "Requests are what protocol, question and packet make",
  emits: ["E_REQUEST", "E_EVIDENCE"],
  needs: () => [LANE_FILES.population, LANE_FILES.packets, LANE_FILES.requests, LANE_FILES.bodies, LANE_FILES.reader],
  start({ reader }) {
    const notes = new Notes();
    return {
      row({ question, packet, request, body, bodySha256, evidence, evidenceSha256 }) {
        const questionId = question?.value.question_id;
        const of = questionId === undefined ? {} : { questionId };
        if (!request || !body || !question || !packet) {
          notes.expect(!question && !request && !body, () => ({
            code: "E_REQUEST",
            at: LANE_FILES.requests,
            ...of,
            message: "the requests do not run beside the population to its end",
          }));
          return;
        }
        notes.examined();
        const at = `${LANE_FILES.requests}:${request.line}`;
        notes.expect(request.value.question_id === questionId && body.value.question_id === questionId, () => ({
          code: "E_REQUEST",
          at,
          ...of,
          expected: shown(questionId),
          found: `${request.value.question_id}, body of ${body.value.question_id}`,
          message: "this request is of another question than the population has at this place",
        }));
        const bodyBytes = body.value.body.length;
        notes.expect(bodySha256 === request.value.body_sha256 && bodyBytes === request.value.body_bytes, () => ({
          code: "E_REQUEST",
          at,
          ...of,
          expected: `${shown(bodySha256)}, ${bodyBytes} bytes`,
          found: `${request.value.body_sha256}, ${request.value.body_bytes} bytes`,
          message: "the request's digest or length is not that of its body",
        }));
        notes.expect(reader.ok && request.value.protocol_sha256 === reader.sha256, () => ({
          code: "E_REQUEST",
          at,
          ...of,
          expected: reader.ok ? reader.sha256 : "a readable protocol",
          found: request.value.protocol_sha256,
          message: "the request names another reader protocol than the lane's",
        }));
        if (evidence === undefined) {
          notes.add({
            code: "E_REQUEST",
            at: `${LANE_FILES.bodies}:${body.line}`,
            ...of,
            message: "the body is not what the reader protocol makes of this question and some evidence",
          });
          return;
        }
        const same = evidenceSha256 === packet.value.evidence_sha256 && evidence.length === packet.value.evidence_bytes;
        notes.expect(same, () => ({
          code: "E_EVIDENCE",
          at: `${LANE_FILES.bodies}:${body.line}`,
          ...of,
          expected: packet.value.evidence_sha256,
          found: shown(evidenceSha256),
          message: "the request holds other evidence than its packet",
        }));
        for (const { name, bytes, sha256 } of packet.value.prefixes ?? []) {
          const beginning = sha256Hex(evidence.subarray(0, bytes));
          notes.expect(beginning === sha256, () => ({
            code: "E_EVIDENCE",
            at: `${LANE_FILES.bodies}:${body.line}`,
            ...of,
            expected: sha256,
            found: beginning,
            message: `the evidence does not begin with the packet's ${name}`,
          }));
        }
      },
      finish: () => notes.outcome({ code: "E_REQUEST", at: LANE_FILES.requests }),
    };
  },
};
