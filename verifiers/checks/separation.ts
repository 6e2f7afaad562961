import { sha256Hex } from "../../lib/bytes/digest.js";
import { LIMITS } from "../../lib/bytes/limits.js";
import { publishedRecords } from "../../lib/dataset/index.js";
import type { AskedQuestion } from "../../lib/dataset/types.js";
import { LANE_FILES } from "../../lib/records/documents.js";
import type { FileSeen } from "../../lib/records/rows.js";
import type { ReferenceRecord } from "../../schemas/index.js";
import type { Check, ExaminedRow } from "../check.js";
import type { LaneEvidence } from "../evidence.js";
import { Notes, type Outcome } from "../outcome.js";
import {
  folded,
  formIn,
  formOf,
  NEEDLE_LETTERS_MIN,
  type Needle,
  needleOf,
  type Readings,
  readingsOf,
} from "../readings.js";
import { renderedFromDataset } from "../rendered.js";
import { difference, strangeParts, strangeWording } from "../surface.js";

/**
 * No gold answer, and nothing else of the evaluator's side, stands in a request where the source did not put it. Requests are
 * rebuilt byte for byte by another check; what is left to look at is what they are rebuilt of: wording that is not this
 * release's, the question, and evidence that is not the dataset's. In evidence that is, and in a question as the dataset asks
 * it, a gold answer may stand.
 */
export const separation: Check = {
  id: "separation",
  how: "every gold answer, in seven forms (plain, joined, spelled out, reversed, rot13, base64, hex), support label and digest of the evaluator's against what of a request is neither source text nor this release's wording",
  title: "No reference stands in a request but where the source has it",
  emits: ["E_LEAK"],
  needs: () => [
    LANE_FILES.population,
    LANE_FILES.references,
    LANE_FILES.packets,
    LANE_FILES.bodies,
    LANE_FILES.reader,
    LANE_FILES.preparation,
  ],
  start(evidence) {
    if (!evidence.reader.ok || !evidence.preparation.ok) {
      return { finish: () => ({ kind: "not-run", why: "a protocol could not be read" }) };
    }
    const search = new Search(evidence, strangeWording(evidence.reader.value, evidence.preparation.value));
    return { row: (row) => search.row(row), finish: (seen) => search.finish(seen) };
  },
};

/** So many letters in two words or more do not come together in a protocol's wording by chance; less may. */
const PHRASE_LETTERS_MIN = 8;
/** So many different shorter references in one wording are no chance either. */
const SHORT_REFERENCES_MIN = 3;

/** One text, where it stands, and what may stand in it. */
interface Place {
  readonly at: string;
  readonly questionId: string;
  readonly where: string;
}

class Search {
  readonly #notes = new Notes();
  readonly #evidence: LaneEvidence;
  readonly #sameFile: boolean;
  /** Questions as the dataset asks them, by id. */
  readonly #asked: ReadonlyMap<string, AskedQuestion>;
  readonly #wording: string;
  readonly #readings: Readings | undefined;
  /** Digests in the wording: those of the evaluator's records have no business there. */
  readonly #digests: ReadonlySet<string>;
  /** Short references that the wording holds, by their words. */
  readonly #short = new Map<string, string>();
  #tooShort = 0;
  #inQuestion = 0;
  #strange = 0;

  constructor(evidence: LaneEvidence, wording: string) {
    const { manifest, dataset, endpoints } = evidence;
    this.#evidence = evidence;
    this.#sameFile = manifest.ok && dataset?.identity.sha256 === manifest.value.dataset.sha256;
    this.#asked = new Map(this.#sameFile ? dataset?.asked.map((asked) => [asked.questionId, asked]) : []);
    this.#wording = wording;
    this.#readings = folded(wording) === "" ? undefined : readingsOf(wording);
    this.#digests = digestsIn(wording);
    for (const [id, protocol] of endpoints) {
      const labels = protocol.ok
        ? protocol.value.rules.map(({ rule }) => rule).filter((rule) => rule.includes("-"))
        : [];
      for (const mark of [id, ...labels, ...(protocol.ok ? [protocol.sha256] : [])]) {
        if (wording.includes(mark)) this.#leak(this.#inWording(undefined), `${mark}, of the evaluator's protocol`);
      }
    }
  }

  row(row: ExaminedRow): void {
    const { question, reference } = row;
    // Which reference is whose is for the check of references to say.
    if (!question || !reference || question.value.question_id !== reference.value.question_id) return;
    this.#notes.examined();
    const needle = needleOf(reference.value.reference);
    if (reference.value.reference !== null && !needle) this.#tooShort += 1;
    if (this.#readings) this.#searchWording(needle, row, this.#readings);
    this.#searchQuestion(needle, row);
    this.#searchStrange(needle, row);
  }

  #searchWording(needle: Needle | undefined, { question, reference }: ExaminedRow, readings: Readings): void {
    const place = this.#inWording(question?.value.question_id);
    const form = needle && formOf(needle, readings);
    if (form !== undefined && needle) {
      const phrase = needle.words.includes(" ") && needle.letters.length >= PHRASE_LETTERS_MIN;
      if (form === "plain" && !phrase) this.#short.set(needle.words, place.questionId);
      else this.#leak(place, `${shownReference(reference)}, ${form}`);
    }
    if (reference) this.#searchLabels(this.#wording, this.#digests, reference, place);
  }

  /** The question as the dataset asks it is the dataset's own, whatever stands in it. */
  #searchQuestion(needle: Needle | undefined, { question, reference }: ExaminedRow): void {
    if (!question || !reference) return;
    const { question_id: questionId, question: text, question_date: date } = question.value;
    const asked = this.#asked.get(questionId);
    if (asked && asked.question === text && (asked.questionDate ?? undefined) === date) return;
    const place = { at: `${LANE_FILES.population}:${question.line}`, questionId, where: "the question" };
    const whole = date === undefined ? text : `${text}\n${date}`;
    this.#searchLabels(whole, digestsIn(whole), reference, place);
    const form = needle && formIn(needle, whole);
    if (form === undefined || !needle) return;
    const own = asked === undefined ? undefined : ` ${folded(asked.question)} `.includes(` ${needle.words} `);
    if (form !== "plain" || own === false) this.#leak(place, `${shownReference(reference)}, ${form}`);
    else if (own === undefined) this.#inQuestion += 1;
  }

  /** Where a request is not what it should be, the checks of requests and packets say so; whether it gives the answer away is said here. */
  #searchStrange(needle: Needle | undefined, row: ExaminedRow): void {
    const { question, body, reference, evidence, packet } = row;
    const ofOne = body?.value.question_id === question?.value.question_id;
    if (!needle || !question || !body || !packet || !ofOne || this.#strange >= LIMITS.findingsMax) return;
    const questionId = question.value.question_id;
    const place = (where: string): Place => ({ at: `${LANE_FILES.bodies}:${body.line}`, questionId, where });
    const { reader } = this.#evidence;
    if (evidence === undefined) {
      if (!reader.ok) return;
      this.#strange += 1;
      const asked = { question: question.value.question, questionDate: question.value.question_date ?? null };
      const form = formIn(needle, strangeParts(reader.value, asked, body.value.body));
      if (form)
        this.#leak(place("what the request holds beside its evidence"), `${shownReference(reference)}, ${form}`);
      return;
    }
    const source = this.#sameFile ? renderedFromDataset(row, this.#evidence) : undefined;
    if (!source) return;
    const same = source.sha256 === packet.value.evidence_sha256 && source.bytes.length === evidence.length;
    if (same) return;
    this.#strange += 1;
    const { mine, others } = difference(evidence, source.bytes);
    const form = formIn(needle, mine.toString("utf8"));
    const there = form === "plain" && ` ${folded(others.toString("utf8"))} `.includes(` ${needle.words} `);
    if (form && !there)
      this.#leak(place("the evidence, where the source has other text"), `${shownReference(reference)}, ${form}`);
  }

  /** Labels that say where the answer stands, and digests by which the evaluator's records are named. */
  #searchLabels(
    text: string,
    digests: ReadonlySet<string>,
    reference: NonNullable<ExaminedRow["reference"]>,
    place: Place,
  ): void {
    for (const label of supportLabels(reference.value)) {
      if (text.includes(label)) this.#leak(place, `${label}, which says where the answer stands`);
    }
    if (digests.size > 0 && digests.has(sha256Hex(reference.bytes))) this.#leak(place, "the digest of the reference");
  }

  #inWording(questionId: string | undefined): Place {
    const at = this.#evidence.reader.ok ? LANE_FILES.reader : LANE_FILES.preparation;
    return { at, questionId: questionId ?? "", where: "the protocols' wording, which every request holds" };
  }

  #leak({ at, questionId, where }: Place, found: string): void {
    this.#notes.add({
      code: "E_LEAK",
      at,
      ...(questionId === "" ? {} : { questionId }),
      expected: "nothing of the evaluator's side",
      found,
      message: `${where} gives the evaluator's side away`,
    });
  }

  finish(seen: ReadonlyMap<string, FileSeen>): Outcome {
    const { manifest } = this.#evidence;
    const published = manifest.ok ? publishedRecords(manifest.value.dataset) : undefined;
    const asPublished =
      published !== undefined && published.populationSha256 === seen.get(LANE_FILES.population)?.sha256;
    const short = [...this.#short];
    if (short.length >= SHORT_REFERENCES_MIN) {
      for (const [words, questionId] of short) this.#leak(this.#inWording(questionId), `${words}, plain`);
    } else if (short.length > 0) {
      this.#notes.limit(
        `The protocols' wording holds ${short.length} short references (${short.map(([words]) => words).join(", ")}): too few to be told from chance.`,
      );
    }
    if (this.#inQuestion > 0 && !asPublished) {
      this.#notes.limit(
        `In ${this.#inQuestion} questions the reference stands in the question itself: without the dataset it cannot be told whether the dataset asks so.`,
      );
    }
    if (this.#tooShort > 0 && (this.#readings || !(this.#sameFile || asPublished))) {
      this.#notes.limit(
        `${this.#tooShort} references have fewer than ${NEEDLE_LETTERS_MIN} letters and digits: whether a request gives them away was not judged.`,
      );
    }
    return this.#notes.outcome({ code: "E_LEAK", at: LANE_FILES.references });
  }
}

const shownReference = (reference: ExaminedRow["reference"]): string =>
  `the reference ${JSON.stringify(reference?.value.reference)}`;

const digestsIn = (text: string): ReadonlySet<string> =>
  new Set(text.length < 64 ? [] : (text.match(/[0-9a-f]{64}/g) ?? []));

/** Where the answer stands, as datasets and provenance lines write it. */
function supportLabels({ evidence, evidence_unresolved: unresolved = [] }: ReferenceRecord): string[] {
  const pairs = evidence.flatMap(([session, turn]) => [`D${session}:${turn}`, `(${session}.${turn})`]);
  return [...pairs, ...unresolved.filter((label) => /\d/.test(label) && label.length >= 4)];
}
