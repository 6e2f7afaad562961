// The released detached lane holds no text of LoCoMo: looked for in every file, in the forms in which text can stand in one, by
// means that share nothing with those by which the lane was made.
import { readFileSync } from "node:fs";
import t from "tap";
import { filesIn } from "../support/lane.js";
import { repositoryFile, shared } from "../support/shared.js";

const LANE = repositoryFile("lanes/locomo-near-1500-v1");
const LOCOMO = shared("data/locomo/locomo10.json");
const files = new Map(filesIn(LANE));

/**
 * Runs that are text of somebody's and no accident. The protocols and notes of the lane are English prose of our own; of that, and
 * of the names of members, three words in a row and 13 letters across words are the most that LoCoMo has too ("here it is").
 */
const WORDS = 4;
const LETTERS = 14;

/** Every string of a dataset but its names of places: a conversation's, a turn's. */
function* stringsOf(value: unknown): Generator<string> {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const part of value) yield* stringsOf(part);
  else if (typeof value === "object" && value !== null) {
    for (const [name, part] of Object.entries(value)) if (!/^(sample|dia)_id$/.test(name)) yield* stringsOf(part);
  }
}

const wordsOf = (text: string): string[] =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .match(/[^\W_]+|\p{L}+/gu) ?? [];
const lettersOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

function* wordRuns(text: string): Generator<string> {
  const words = wordsOf(text);
  for (let at = 0; at + WORDS <= words.length; at += 1) yield words.slice(at, at + WORDS).join(" ");
}

function* letterRuns(text: string): Generator<string> {
  const letters = lettersOf(text);
  for (let at = 0; at + LETTERS <= letters.length; at += 1) yield letters.slice(at, at + LETTERS);
}

/** A file's text as it stands, with JSON's escapes resolved, and whatever in it could be base64 or hexadecimal, decoded. */
function* readingsOf(bytes: Buffer): Generator<string> {
  const text = bytes.toString();
  yield text;
  yield text
    .replace(/\\u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+[nrtbf]/g, " ")
    .replaceAll("\\", "");
  const decoded = (run: RegExp, encoding: "base64" | "hex", phases: number): string[] =>
    (text.match(run) ?? []).flatMap((found) =>
      Array.from({ length: phases }, (_, phase) => Buffer.from(found.slice(phase), encoding).toString()),
    );
  yield decoded(/[A-Za-z0-9+/_-]{12,}/g, "base64", 4).join("\n");
  yield decoded(/[0-9a-fA-F]{16,}/g, "hex", 2).join("\n");
}

interface Held {
  readonly words: ReadonlySet<string>;
  readonly letters: ReadonlySet<string>;
}

/** Runs of some files that a dataset holds too. */
function shareOf(given: Iterable<readonly [string, Buffer]>, { words, letters }: Held): Set<string> {
  const found = new Set<string>();
  for (const [path, bytes] of given) {
    for (const reading of readingsOf(bytes)) {
      for (const run of wordRuns(reading)) if (words.has(run)) found.add(`${path}: ${run}`);
      for (const run of letterRuns(reading)) if (letters.has(run)) found.add(`${path}: ${run}`);
    }
  }
  return found;
}

t.test("no run of words or letters", { skip: LOCOMO.skip, timeout: 300_000 }, async (t) => {
  const dataset = JSON.parse(readFileSync(LOCOMO.path, "utf8")) as { qa: { question: string }[] }[];
  const strings = new Set(stringsOf(dataset));
  t.ok(strings.size > 10_000, "turns, captions, questions, answers, summaries");
  const held: Held = {
    words: new Set([...strings].flatMap((text) => [...wordRuns(text)])),
    letters: new Set([...strings].flatMap((text) => [...letterRuns(text)])),
  };
  t.equal([...shareOf(files, held)].length, 0, "in any file of the lane");
  // The search finds a text in whatever form it is put there.
  const text = dataset[0]!.qa[0]!.question;
  const hidden: Record<string, string> = {
    plain: text,
    capitals: text.toUpperCase(),
    joined: text.replaceAll(" ", ""),
    escaped: JSON.stringify(JSON.stringify({ text: text.replaceAll(" ", "\n") })),
    "as code points": [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
    base64: `x${Buffer.from(text).toString("base64url")}`,
    hexadecimal: `0${Buffer.from(text).toString("hex")}`,
  };
  for (const [name, form] of Object.entries(hidden)) t.ok(shareOf([["x", Buffer.from(form)]], held).size > 0, name);
});

/** All that records say in words, beside ids, digests, times and places: enumerations, and the frame of the reader's response. */
const SAID = [
  "",
  "answered",
  "best-part-mean",
  "extractive-1",
  "first-clause",
  "multi-hop",
  "open-domain",
  "plain",
  "rule",
  "single-hop",
  "temporal",
  "utf8",
];
const FRAME =
  /^(?:\{"done":true,"done_reason":"stop","message":\{"content":"|\]?","role":"assistant"\},"model":"extractive-1"\}| )$/;
const NAMED = /^(?:[0-9a-f]{64}|conv-\d+(?:\/\d+)?|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;
const PLACE = /^(?:question|reference|\d+(?:\.\d+){0,2})$/;

t.test("not one word in the records: every answer is places alone", async (t) => {
  const records = [...files].filter(([path]) => path.endsWith(".jsonl"));
  t.equal(records.length, 8);
  for (const [path, bytes] of records) {
    const strange = new Set<string>();
    for (const line of bytes.toString().split("\n").filter(Boolean)) {
      for (const text of stringsOf(JSON.parse(line)))
        if (!SAID.includes(text) && ![FRAME, NAMED, PLACE].some((form) => form.test(text))) strange.add(text);
    }
    t.strictSame([...strange], [], path);
  }
});

t.test("whose the dataset is stands in both manifests", async (t) => {
  for (const path of ["manifest.json", "detached/manifest.json"]) {
    const { dataset, licence_notes } = JSON.parse(files.get(path)!.toString());
    const notes = (licence_notes as string[]).join(" ");
    for (const part of [dataset.sha256, "locomo10.json", "Maharana", "https://github.com/snap-research/locomo"])
      t.ok(notes.includes(part), `${path}: ${part}`);
    t.equal(dataset.licence, "CC BY-NC 4.0");
    t.ok(notes.includes("CC BY-NC 4.0"));
  }
});
