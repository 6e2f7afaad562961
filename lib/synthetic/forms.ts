// A synthetic dataset as the text of a file, in pieces, so that one of gigabytes is never in memory whole.
import { Chance } from "./chance.js";
import { type PlannedQuestion, planQuestions, SPEAKERS } from "./facts.js";
import { type SyntheticSession, syntheticSessions } from "./history.js";

export interface SyntheticSize {
  readonly seed: string;
  /** About so many tokens of o200k_base each history has. */
  readonly tokens: number;
  readonly histories: number;
  /** Of each history. */
  readonly questions: number;
}

/** One form of file. Text in pieces; the same size gives the same bytes on every machine. */
export interface SyntheticForm {
  readonly id: string;
  readonly title: string;
  write(size: SyntheticSize): Generator<string>;
}

interface Drawn {
  readonly id: string;
  readonly speaker: string;
  readonly plan: readonly PlannedQuestion[];
  sessions(): Generator<SyntheticSession>;
}

/** Each history from a seed of its own: what one holds does not depend on how many there are. */
function drawn({ seed, tokens, questions }: SyntheticSize, index: number): Drawn {
  const chance = new Chance(`${seed}/${index}`);
  const [speaker, other] = chance.shuffled(SPEAKERS) as [string, string];
  const plan = planQuestions(chance, speaker, questions);
  return {
    id: `synthetic-${index + 1}`,
    speaker,
    plan,
    sessions: () => syntheticSessions(new Chance(`${seed}/${index}/sessions`), [speaker, other], plan, tokens),
  };
}

const own: SyntheticForm = {
  id: "own",
  title: "sealane's own dataset format; several questions a history",
  *write(size) {
    const name = `synthetic, seed ${size.seed}, ${size.histories} x ${size.tokens} tokens`;
    yield `{"schema":"sealane-dataset/1","name":${JSON.stringify(name)},"licence":"CC0-1.0","histories":[`;
    const evidence: [number, number][][][] = [];
    for (let index = 0; index < size.histories; index += 1) {
      const { id, plan, sessions } = drawn(size, index);
      const support = plan.map((): [number, number][] => []);
      evidence.push(support);
      yield `${index === 0 ? "" : ","}\n{"history_id":"${id}","sessions":[`;
      let number = 0;
      for (const { moment, turns } of sessions()) {
        number += 1;
        for (const [place, { supports }] of turns.entries()) {
          for (const question of supports) support[question]!.push([number, place + 1]);
        }
        const session = {
          date: `${moment.year}-${moment.month}-${moment.day} ${moment.time}`,
          turns: turns.map(({ speaker, text }) => ({ speaker, text })),
        };
        yield `${number === 1 ? "" : ","}\n${JSON.stringify(session)}`;
      }
      yield "]}";
    }
    yield '],\n"questions":[';
    for (const [index, support] of evidence.entries()) {
      const { id, plan } = drawn(size, index);
      for (const [place, { kind, question, reference }] of plan.entries()) {
        const record = {
          question_id: `${id}/${place + 1}`,
          history_id: id,
          category: kind,
          question,
          reference,
          evidence: support[place],
        };
        yield `${index + place === 0 ? "" : ","}\n${JSON.stringify(record)}`;
      }
    }
    yield "]}\n";
  },
};

/** The types that LongMemEval has for what is asked here; there is none for a contradiction. */
const LONGMEMEVAL_TYPES = {
  "single-hop": "single-session-user",
  "multi-hop": "multi-session",
  "knowledge-update": "knowledge-update",
  temporal: "temporal-reasoning",
  contradiction: "knowledge-update",
  unanswerable: "multi-session",
} as const;

const longmemeval: SyntheticForm = {
  id: "longmemeval",
  title: "the form of LongMemEval's files: one question over each history",
  *write(size) {
    yield "[";
    for (let index = 0; index < size.histories; index += 1) {
      // The kinds take turns over the histories: of as many as are needed, the last one is asked.
      const { id, plan, sessions } = drawn({ ...size, questions: (index % 6) + 1 }, index);
      const { kind, question, reference } = plan.at(-1)!;
      const asked = plan.length - 1;
      const dates: string[] = [];
      const ids: string[] = [];
      const answers: string[] = [];
      let first = true;
      const opened = {
        question_id: `${id}${kind === "unanswerable" ? "_abs" : ""}`,
        question_type: LONGMEMEVAL_TYPES[kind],
        question,
        answer: reference ?? "This was never mentioned.",
        question_date: "2026/01/05 (Mon) 09:00",
      };
      yield `${index === 0 ? "" : ","}\n${JSON.stringify(opened).slice(0, -1)},"haystack_sessions":[`;
      for (const { moment, turns } of sessions()) {
        const session = `${id}-session-${ids.length + 1}`;
        dates.push(`${moment.year}/${moment.month}/${moment.day} (${moment.weekday}) ${moment.time}`);
        ids.push(session);
        if (turns.some(({ supports }) => supports.includes(asked))) answers.push(session);
        const records = turns.map(({ text, supports }, place) => ({
          role: place % 2 === 0 ? "user" : "assistant",
          content: text,
          ...(supports.includes(asked) ? { has_answer: true } : {}),
        }));
        yield `${first ? "" : ","}\n${JSON.stringify(records)}`;
        first = false;
      }
      yield `],"haystack_dates":${JSON.stringify(dates)},"haystack_session_ids":${JSON.stringify(ids)},`;
      yield `"answer_session_ids":${JSON.stringify(answers)}}`;
    }
    yield "\n]\n";
  },
};

/** Every form. To add one: one entry here. */
export const SYNTHETIC_FORMS: readonly SyntheticForm[] = [own, longmemeval];
