// What a dataset is, on both sides of the wall: what may be asked with, and what may only be graded with.
import type { Input } from "../io/input.js";
import type { Histories } from "./histories.js";
import type { DatasetReader } from "./reader.js";

/** One turn of a recorded session. Its digest covers all three fields; spans are byte ranges of `text`. */
export interface Turn {
  readonly speaker: string;
  readonly text: string;
  /** Descriptions of images shared in the turn, as the dataset gives them. */
  readonly captions: readonly string[];
}

export interface Session {
  /** When it took place, in the dataset's own words; null when the dataset does not say. */
  readonly date: string | null;
  /** The same moment as sortable local time (YYYY-MM-DDTHH:MM); null when `date` is missing or of no known form. */
  readonly time: string | null;
  readonly turns: readonly Turn[];
}

/** The recorded sessions one or more questions are asked over. Session and turn numbers are one-based positions. */
export interface History {
  readonly historyId: string;
  readonly sessions: readonly Session[];
}

/** What an arm or a reader may see of a question. It holds no reference, so neither can see one. */
export interface AskedQuestion {
  readonly questionId: string;
  readonly historyId: string;
  readonly category: string;
  readonly question: string;
  readonly questionDate: string | null;
  readonly flags: readonly string[];
}

/** The evaluator's side of a question. */
export interface Reference {
  readonly questionId: string;
  readonly reference: string | number | null;
  /** [session, turn] pairs that the dataset labels as support. */
  readonly evidence: readonly (readonly [number, number])[];
  /** Sessions that the dataset labels as support, beside turns. */
  readonly evidenceSessions?: readonly number[];
  /** Support labels that name no turn, verbatim. */
  readonly evidenceUnresolved: readonly string[];
  /** What an answer is scored on, point by point, where the dataset gives it. */
  readonly rubric?: readonly string[];
}

/** Questions that the declared policy leaves out of the population. */
export interface Exclusion {
  readonly reason: string;
  readonly category: string;
  readonly count: number;
}

/** What an adapter reads out of a dataset. `asked` and `references` stand in one order: the population's. */
export interface ParsedDataset {
  readonly name: string;
  readonly licence: string;
  readonly histories: Histories;
  readonly asked: readonly AskedQuestion[];
  readonly references: readonly Reference[];
  /** Questions in the dataset, excluded ones included. */
  readonly questionsTotal: number;
  readonly excluded: readonly Exclusion[];
}

/** A published file that an adapter was written for. */
export interface PublishedDataset {
  readonly name: string;
  readonly sha256: string;
  /** Absent where nobody has published the length. */
  readonly bytes?: number;
  /** What the dataset in this file is called, where an adapter reads several. */
  readonly dataset?: string;
  /** What every lane of the whole of it holds, so that it can be told without the file. */
  readonly records?: {
    readonly questions: number;
    /** SHA-256 of population.jsonl and of evaluator/references.jsonl. */
    readonly populationSha256: string;
    readonly referencesSha256: string;
  };
}

/** One benchmark's format: bytes in, histories, questions and references out; nothing is filled in or repaired. */
export interface DatasetAdapter {
  readonly id: string;
  readonly title: string;
  /** Whose the benchmark is and where it is published, as whoever passes on its text or places in it should say; absent for the user's own. */
  readonly origin?: { readonly citation: string; readonly url: string };
  /** The files it knows by digest; another file is refused unless the user says it is another dataset. Empty: any file is the user's own. */
  readonly published: readonly PublishedDataset[];
  /** Why it leaves questions out of the population, every reason there is; a lane with another one is of less than the dataset. */
  readonly exclusions: readonly string[];
  /** The files of an input that make up the dataset, in the order in which they are hashed. Throws E_IO when the input is a folder where a file belongs, or the other way round, and E_MISSING when a folder holds none of them. */
  files(input: Input): readonly string[];
  /** Reads each of these files once. Throws E_UTF8, E_JSON, E_SCHEMA, E_DUPLICATE, E_POPULATION, E_LIMIT with the place in the file. */
  read(reader: DatasetReader): ParsedDataset;
}
