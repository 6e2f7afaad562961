import type { AnswerRecord, GradeRecord } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { replaceFileWith } from "../io/atomic.js";
import type { Endpoint } from "../judge/endpoint.js";
import { endpointProtocolPath, gradesPath, LANE_FILES, recordSha256 } from "../records/documents.js";
import { fsum } from "../statistics/fsum.js";
import { type RunFolder, recordLine } from "./folder.js";

export interface GradeSummary {
  readonly questions: number;
  readonly scoreMean: number;
  readonly failureZeros: number;
}

/** Grades every answer of a run under one endpoint. Every question of the population gets a grade. */
export function gradeRun(run: RunFolder, endpoint: Endpoint): GradeSummary {
  run.require([LANE_FILES.answers], `sealane replay ${run.folder}`);
  run.require([LANE_FILES.references], "sealane prepare, which writes the evaluator's side");
  run.checkPrepared([LANE_FILES.population, LANE_FILES.references]);
  const protocolText = canonicalJson(endpoint.protocol);
  const protocolSha256 = sha256Hex(protocolText);
  const scores: number[] = [];
  let failureZeros = 0;
  replaceFileWith(run.path(endpointProtocolPath(endpoint.id)), (write) => write(protocolText));
  replaceFileWith(run.path(gradesPath(endpoint.id)), (write) => {
    const answers = run.records("answer-record", LANE_FILES.answers);
    const references = run.records("reference-record", LANE_FILES.references);
    for (const question of run.records("population-record", LANE_FILES.population)) {
      const answer: AnswerRecord | undefined = answers.next().value;
      const reference = references.next().value;
      if (answer?.question_id !== question.question_id || reference?.question_id !== question.question_id) {
        throw new SealaneError(
          "E_RUN_CHANGED",
          `answers or references do not follow the population at ${question.question_id}`,
          {
            at: run.folder,
          },
        );
      }
      const grade: GradeRecord = endpoint.grade(endpoint.protocol, {
        category: question.category,
        answer,
        reference,
        referenceSha256: recordSha256(reference),
        protocolSha256,
      });
      scores.push(grade.score);
      if (grade.basis === "failure-zero") failureZeros += 1;
      write(recordLine(grade));
    }
    answers.return(undefined);
    references.return(undefined);
  });
  return { questions: scores.length, scoreMean: fsum(scores) / scores.length, failureZeros };
}
