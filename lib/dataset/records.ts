// A dataset's questions and references as the records of a lane.
import type { PopulationRecord, ReferenceRecord } from "../../schemas/index.js";
import type { AskedQuestion, Reference } from "./types.js";

export function populationRecord(asked: AskedQuestion, ordinal: number): PopulationRecord {
  return {
    question_id: asked.questionId,
    ordinal,
    history_id: asked.historyId,
    category: asked.category,
    question: asked.question,
    ...(asked.questionDate === null ? {} : { question_date: asked.questionDate }),
    flags: [...asked.flags],
  };
}

export function referenceRecord(reference: Reference): ReferenceRecord {
  return {
    question_id: reference.questionId,
    reference: reference.reference,
    evidence: reference.evidence.map(([session, turn]) => [session, turn]),
    ...(reference.evidenceSessions === undefined ? {} : { evidence_sessions: [...reference.evidenceSessions] }),
    ...(reference.evidenceUnresolved.length === 0 ? {} : { evidence_unresolved: [...reference.evidenceUnresolved] }),
    ...(reference.rubric === undefined ? {} : { rubric: [...reference.rubric] }),
  };
}
