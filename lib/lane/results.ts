// Rows -> totals: the only place that counts. The denominator is the population's, whatever else is missing.
import type { AnswerStatus, GradeRecord, PacketRecord, PopulationRecord, Results } from "../../schemas/index.js";
import { byCodeUnit } from "../bytes/order.js";
import { median } from "../statistics/describe.js";
import { fsum } from "../statistics/fsum.js";

interface Tally {
  questions: number;
  readonly scores: number[];
}

interface EndpointTally {
  readonly overall: Tally;
  readonly categories: Map<string, Tally>;
}

const empty = (): Tally => ({ questions: 0, scores: [] });

function totals(tally: Tally): { questions: number; score_total: number; score_mean: number | null } {
  const score_total = fsum(tally.scores);
  return {
    questions: tally.questions,
    score_total,
    score_mean: tally.questions === 0 ? null : score_total / tally.questions,
  };
}

/** Counts a lane question by question. A question without a grade under an endpoint counts there with nothing. */
export class ResultsBuilder {
  readonly #endpoints: ReadonlyMap<string, EndpointTally>;
  readonly #answers: Record<AnswerStatus, number> = {
    answered: 0,
    empty: 0,
    "output-limit": 0,
    interrupted: 0,
    failed: 0,
  };
  readonly #tokens: number[] = [];
  #questions = 0;

  constructor(endpoints: readonly string[]) {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint, { overall: empty(), categories: new Map() }]));
  }

  add(
    question: Pick<PopulationRecord, "category">,
    packet: Pick<PacketRecord, "tokens"> | undefined,
    status: AnswerStatus,
    grades: ReadonlyMap<string, Pick<GradeRecord, "score">>,
  ): void {
    this.#questions += 1;
    this.#answers[status] += 1;
    if (packet) this.#tokens.push(packet.tokens);
    for (const [endpoint, { overall, categories }] of this.#endpoints) {
      const category = categories.get(question.category) ?? empty();
      categories.set(question.category, category);
      const grade = grades.get(endpoint);
      for (const tally of [overall, category]) {
        tally.questions += 1;
        if (grade) tally.scores.push(grade.score);
      }
    }
  }

  results(): Results {
    const total = this.#tokens.reduce((sum, tokens) => sum + tokens, 0);
    return {
      schema: "sealane-results/1",
      questions: this.#questions,
      answers: { ...this.#answers },
      evidence_tokens: {
        total,
        min: this.#tokens.reduce((least, tokens) => Math.min(least, tokens), this.#tokens[0] ?? 0),
        max: this.#tokens.reduce((most, tokens) => Math.max(most, tokens), 0),
        mean: this.#tokens.length === 0 ? 0 : total / this.#tokens.length,
        median: median(this.#tokens),
      },
      endpoints: [...this.#endpoints].map(([endpoint, { overall, categories }]) => ({
        endpoint,
        overall: totals(overall),
        by_category: [...categories]
          .sort(([a], [b]) => byCodeUnit(a, b))
          .map(([category, tally]) => ({ category, ...totals(tally) })),
      })),
    };
  }
}

/** The totals that a manifest declares. */
export function declaredResults(
  results: Results,
): { endpoint: string; questions: number; score_total: number; score_mean: number | null }[] {
  return results.endpoints.map(({ endpoint, overall }) => ({ endpoint, ...overall }));
}
