// One number in two lanes: in which layer the two part, question by question.
import type { Why } from "../../schemas/index.js";
import { fsum } from "../statistics/fsum.js";
import { type ComparedLane, diffCompared } from "./diff.js";
import type { NumberName } from "./why.js";

type Against = NonNullable<Why["against"]>;

/** Ids given of each cause. */
const QUESTIONS_SHOWN = 5;

/** Layers of one question that a score rests on, the furthest upstream first. */
const upstream = (endpoint: string): readonly string[] => [
  "question",
  "references",
  "packets",
  "requests",
  "answers",
  `grades ${endpoint}`,
];

/** Documents that a number rests on, as `diff` names them. */
const documentsOf = (endpoint: string): readonly string[] => [
  "dataset",
  "preparation protocol",
  "reader protocol",
  `${endpoint} protocol`,
];

/** Where the number of lane `a` parts from that of lane `b`: each question under the furthest upstream layer in which it differs. */
export function partings(
  a: ComparedLane,
  b: ComparedLane,
  number: NumberName,
): Omit<Against, "walk" | "mean_difference"> {
  const { endpoint, category } = number;
  const within = (lane: ComparedLane): string[] =>
    [...lane.questions].flatMap(([id, question]) => (category === null || question.category === category ? [id] : []));
  const [here, there] = [new Set(within(a)), new Set(within(b))];
  const score = (lane: ComparedLane, id: string): number => lane.questions.get(id)?.scores.get(endpoint) ?? 0;
  const causes = new Map<string, string[]>();
  let same_score = 0;
  for (const id of here) {
    if (!there.has(id)) continue;
    if (score(a, id) === score(b, id)) {
      same_score += 1;
      continue;
    }
    const [left, right] = [a.questions.get(id)!.digests, b.questions.get(id)!.digests];
    const layer = upstream(endpoint).find((name) => left.get(name) !== right.get(name))!;
    causes.set(layer, [...(causes.get(layer) ?? []), id]);
  }
  const diff = diffCompared(a, b);
  const terms = [...[...here].map((id) => score(a, id)), ...[...there].map((id) => -score(b, id))];
  return {
    same_experiment: diff.same_experiment,
    documents: diff.layers
      .filter(({ layer, equal }) => !equal && documentsOf(endpoint).includes(layer))
      .map(({ layer }) => layer),
    only_here: [...here].filter((id) => !there.has(id)).length,
    only_there: [...there].filter((id) => !here.has(id)).length,
    same_score,
    score_difference: fsum(terms),
    causes: upstream(endpoint).flatMap((layer) => {
      const ids = causes.get(layer);
      if (!ids) return [];
      return [
        {
          layer,
          questions_total: ids.length,
          higher: ids.filter((id) => score(a, id) > score(b, id)).length,
          lower: ids.filter((id) => score(a, id) < score(b, id)).length,
          score_difference: fsum(ids.flatMap((id) => [score(a, id), -score(b, id)])),
          questions: ids.slice(0, QUESTIONS_SHOWN),
        },
      ];
    }),
  };
}
