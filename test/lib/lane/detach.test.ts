// A lane, detached and made whole again, is the same lane; and nothing else than what was detached is made whole.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import t, { type Test as Tap } from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { adapterOf, openDataset } from "../../../lib/dataset/index.js";
import { bytesInput, type Input, openInput } from "../../../lib/io/input.js";
import { FORMS } from "../../../lib/text/pieces.js";
import { words } from "../../../lib/text/words.js";
import { callsLane } from "../../support/calls-lane.js";
import { copyOf, detachedFiles, hydrated, interrupted, manifestIn, resealDetached } from "../../support/detached.js";
import {
  editRecords,
  filesIn,
  goodLane,
  HARBOUR,
  harbourBytes,
  type LaneFiles,
  reseal,
  runOf,
  sealedFrom,
} from "../../support/lane.js";
import { repositoryFile, shared } from "../../support/shared.js";

const work = mkdtempSync(join(tmpdir(), "sealane-test-"));
t.teardown(() => rmSync(work, { recursive: true }));
let folders = 0;
const fresh = (): string => join(work, `folder-${folders++}`);
const RECEIPTS = "detached/receipts.jsonl";

/** Runs of words that a lane's files and a dataset's strings share, looked for in the crudest way. */
function sharedRuns(files: LaneFiles, dataset: string, length: number): string[] {
  const strings = (value: unknown): string[] =>
    typeof value === "string"
      ? [value]
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(strings)
        : [];
  const runsOf = (text: string): string[] => {
    const found = words(text);
    return found
      .slice(0, Math.max(0, found.length - length + 1))
      .map((_, at) => found.slice(at, at + length).join(" "));
  };
  const held = new Set(strings(JSON.parse(dataset)).flatMap(runsOf));
  const found: string[] = [];
  for (const [path, bytes] of files) {
    if (!/\.jsonl?$/.test(path)) continue;
    for (const line of bytes
      .toString()
      .split("\n")
      .filter((text) => text !== ""))
      for (const text of strings(JSON.parse(line))) found.push(...runsOf(text).filter((run) => held.has(run)));
  }
  return found;
}

async function roundTrip(t: Pick<Tap, "ok" | "strictSame">, files: LaneFiles, given: Input): Promise<LaneFiles> {
  const detached = await detachedFiles(files, given, fresh());
  const out = fresh();
  await hydrated(detached, given, out);
  const whole = new Map(filesIn(out));
  t.strictSame([...whole.keys()].sort(), [...files.keys()].sort());
  for (const [path, bytes] of files) t.ok(whole.get(path)!.equals(bytes), path);
  return detached;
}

t.test("harbour, byte for byte, and none of its words in between", async (t) => {
  const detached = await roundTrip(t, await goodLane(1500), harbourBytes());
  t.strictSame(sharedRuns(detached, readFileSync(HARBOUR, "utf8"), 4), []);
  t.not(sharedRuns(await goodLane(1500), readFileSync(HARBOUR, "utf8"), 4).length, 0, "the search finds what is there");
  const again = await detachedFiles(await goodLane(1500), harbourBytes(), fresh());
  for (const [path, bytes] of detached) t.ok(again.get(path)!.equals(bytes), `${path} is the same again`);
});

t.test("an answer that stands in a text is one copy, however short; another is literal", async (t) => {
  const files = await goodLane(1500);
  // No run of so many words is looked for, so that only what is an answer as a whole can be found.
  const detached = await detachedFiles(files, harbourBytes(), fresh(), 100);
  const answers = files.get("answers.jsonl")!.toString().trimEnd().split("\n");
  const texts = readFileSync(HARBOUR, "utf8");
  let copies = 0;
  for (const [index, line] of detached.get(RECEIPTS)!.toString().trimEnd().split("\n").entries()) {
    const { answer } = JSON.parse(answers[index]!) as { answer: string };
    const data = (JSON.parse(line) as Line).data;
    const literal = data.filter((piece): piece is string => typeof piece === "string").join("");
    const expected = texts.includes(JSON.stringify(answer).slice(1, -1)) ? "" : answer;
    t.equal((/"content":"(.*)","role"/.exec(literal) ?? [])[1], expected);
    if (expected === "") copies += 1;
  }
  t.ok(copies > 20, `${copies} copies`);
});

t.test("lanes in which everything happens to calls, or temperatures go by question", async (t) => {
  await roundTrip(t, await callsLane(), harbourBytes());
  await roundTrip(t, await goodLane(300, "cl1", true), harbourBytes());
});

const OTHERS = {
  longmemeval: { name: "lanterns-longmemeval.json", whose: "in the form of LongMemEval by Wu et al." },
  beam: { name: "orchard-beam", whose: "in the form of BEAM by Tavakoli et al." },
};
const saysWhose = (files: LaneFiles, whose: string): boolean => {
  const { dataset, licence_notes } = manifestIn(files);
  return licence_notes.some(
    (note) => note.includes(whose) && note.includes(dataset.sha256) && note.includes("https://"),
  );
};
for (const [id, { name, whose }] of Object.entries(OTHERS)) {
  t.test(`a lane of ${id}`, async (t) => {
    const path = repositoryFile(`fixtures/datasets/${name}`);
    const dataset = openDataset(adapterOf(id), openInput(path), true);
    const files = await sealedFrom((folder) => runOf(dataset, folder, 120), "small");
    const detached = await roundTrip(t, files, openInput(path));
    for (const lane of [files, detached]) t.ok(saysWhose(lane, whose));
  });
}

const LOCOMO = shared("data/locomo/locomo10.json");
t.test("LoCoMo: the whole of it, and no five of its words", { skip: LOCOMO.skip, timeout: 120_000 }, async (t) => {
  const dataset = openDataset(adapterOf("locomo"), openInput(LOCOMO.path), false);
  const files = await sealedFrom((folder) => runOf(dataset, folder, 400), "locomo-small");
  const detached = await roundTrip(t, files, openInput(LOCOMO.path));
  t.strictSame(sharedRuns(detached, readFileSync(LOCOMO.path, "utf8"), 5), []);
  for (const lane of [files, detached]) t.ok(saysWhose(lane, "locomo10.json of LoCoMo by Maharana et al."));
});

/** What is edited in the lines of detached files. */
interface Line {
  question_id: string;
  ordinal: number;
  status: string;
  answer_sha256: string;
  record_sha256: string;
  data: unknown[];
}

t.test("recipes that were tampered with, by whoever can sign", async (t) => {
  const good = await detachedFiles(await goodLane(), harbourBytes(), fresh());
  const copyAt = (line: Line): (string | number)[] =>
    line.data.find((piece) => Array.isArray(piece)) as (string | number)[];
  const cases: Record<string, [path: string, edit: (lines: Line[]) => void, code: string]> = {
    "a wrong range": [
      RECEIPTS,
      (lines) => {
        copyAt(lines[3]!)[2] = Number(copyAt(lines[3]!)[2]) - 1;
      },
      "E_RECIPE",
    ],
    "a range beyond the text": [
      RECEIPTS,
      (lines) => {
        copyAt(lines[3]!)[2] = 100_000;
      },
      "E_RECIPE",
    ],
    "another turn": [
      RECEIPTS,
      (lines) => {
        copyAt(lines[3]!)[0] = "1.2";
      },
      "E_RECIPE",
    ],
    "a turn that is not there": [
      RECEIPTS,
      (lines) => {
        copyAt(lines[3]!)[0] = "99.1";
      },
      "E_RECIPE",
    ],
    "a name of no text": [
      RECEIPTS,
      (lines) => {
        copyAt(lines[3]!)[0] = "../../etc/passwd";
      },
      "E_SCHEMA",
    ],
    "another form": [
      RECEIPTS,
      (lines) => {
        copyAt(lines[3]!).push(Object.keys(FORMS)[1]!);
      },
      "E_RECIPE",
    ],
    "a literal changed": [
      RECEIPTS,
      (lines) => {
        lines[3]!.data[0] = `${lines[3]!.data[0]} `;
      },
      "E_RECIPE",
    ],
    "a missing piece": [
      RECEIPTS,
      (lines) => {
        lines[3]!.data.pop();
      },
      "E_RECIPE",
    ],
    "no recipe": [
      RECEIPTS,
      (lines) => {
        Reflect.deleteProperty(lines[3]!, "data");
      },
      "E_RECIPE",
    ],
    "the recipe of another question": [
      RECEIPTS,
      (lines) => {
        lines[3]!.data = lines[4]!.data;
      },
      "E_RECIPE",
    ],
    "a line of another question": [
      RECEIPTS,
      (lines) => {
        lines[3] = lines[4]!;
      },
      "E_RECIPE",
    ],
    "a line missing": [
      RECEIPTS,
      (lines) => {
        lines.pop();
      },
      "E_RECIPE",
    ],
    "another status": [
      "detached/answers.jsonl",
      (lines) => {
        lines[3]!.status = "empty";
      },
      "E_RECIPE",
    ],
    "another digest of the answer": [
      "detached/answers.jsonl",
      (lines) => {
        lines[3]!.answer_sha256 = lines[4]!.answer_sha256;
      },
      "E_RECIPE",
    ],
    "another ordinal": [
      "detached/population.jsonl",
      (lines) => {
        lines[3]!.ordinal = 9;
      },
      "E_RECIPE",
    ],
    "another digest of the question": [
      "detached/population.jsonl",
      (lines) => {
        lines[3]!.record_sha256 = lines[4]!.record_sha256;
      },
      "E_RECIPE",
    ],
    "a question the dataset has not": [
      "detached/population.jsonl",
      (lines) => {
        lines[3]!.question_id = "nobody-01";
      },
      "E_RECIPE",
    ],
  };
  for (const [name, [path, edit, code]] of Object.entries(cases)) {
    const files = copyOf(good);
    editRecords<Line>(files, path, edit);
    const out = fresh();
    await t.rejects(hydrated(files, harbourBytes(), out), { code: /^E_(DIGEST|SIZE)$/ }, `${name}, not signed`);
    resealDetached(files);
    await t.rejects(hydrated(files, harbourBytes(), out), { code }, name);
    t.notOk(
      readdirSync(work).some((entry) => entry.includes(out.split("/").at(-1)!)),
      `${name}: nothing is left`,
    );
  }
});

t.test("manifests that do not speak of one lane", async (t) => {
  const good = await detachedFiles(await goodLane(), harbourBytes(), fresh());
  const other = await detachedFiles(await goodLane(500), harbourBytes(), fresh());
  const tries: [name: string, edit: (files: LaneFiles) => void, code: string][] = [
    [
      "another whole manifest",
      (files) => {
        files.set("detached/manifest.json", other.get("detached/manifest.json")!);
        resealDetached(files);
      },
      "E_RECIPE",
    ],
    [
      "another whole lane",
      (files) => {
        for (const path of ["detached/manifest.json", "detached/manifest.dsse.json"]) files.set(path, other.get(path)!);
        resealDetached(files, (manifest) => {
          manifest.detached = manifestIn(other).detached!;
        });
      },
      "E_RECIPE",
    ],
    [
      "other results",
      (files) =>
        resealDetached(files, (manifest) => {
          manifest.results[0]!.score_mean = 1;
        }),
      "E_RECIPE",
    ],
    [
      "a file left out fewer",
      (files) =>
        resealDetached(files, (manifest) => {
          manifest.detached!.files.pop();
        }),
      "E_RECIPE",
    ],
    [
      "a path out of the lane",
      (files) =>
        resealDetached(files, (manifest) => {
          manifest.detached!.files[0]!.path = "../answers.jsonl";
        }),
      "E_PATH",
    ],
    [
      "no detached lane at all",
      (files) =>
        resealDetached(files, (manifest) => {
          delete manifest.detached;
        }),
      "E_USAGE",
    ],
  ];
  for (const [name, edit, code] of tries) {
    const files = copyOf(good);
    edit(files);
    await t.rejects(hydrated(files, harbourBytes(), fresh()), { code }, name);
  }
});

t.test("what cannot be made or must not be touched", async (t) => {
  const lane = await goodLane();
  const detached = await detachedFiles(lane, harbourBytes(), fresh());
  const there = fresh();
  mkdirSync(there);
  await t.rejects(hydrated(detached, harbourBytes(), there), { code: "E_EXISTS" });
  t.strictSame(readdirSync(there), []);
  const text = readFileSync(HARBOUR, "utf8");
  const another = bytesInput(Buffer.from(text.replace("Petrel", "Petral")), "another.json");
  await t.rejects(hydrated(detached, another, fresh()), { code: "E_DATASET" });
  await t.rejects(detachedFiles(lane, another, fresh()), { code: "E_DATASET" });
  await t.rejects(detachedFiles(detached, harbourBytes(), fresh()), { code: "E_DETACHED" });

  for (const name of ["n".repeat(250), "é".repeat(127)]) {
    await hydrated(detached, harbourBytes(), join(work, name));
    t.ok(existsSync(join(work, name)), "a name as long as a file system takes");
  }
  const beyond = join(work, "n".repeat(256));
  await t.rejects(hydrated(detached, harbourBytes(), beyond), { code: "E_IO", at: beyond });
  await t.rejects(hydrated(detached, harbourBytes(), join(HARBOUR, "x")), { code: "E_IO" });

  const stopped = fresh();
  await t.rejects(interrupted(detached, harbourBytes(), stopped), { code: "E_CANCELLED" });
  t.notOk(
    readdirSync(work).some((entry) => entry.includes(stopped.split("/").at(-1)!)),
    "nothing is left",
  );
});

t.test("a lane that is not what its dataset makes, or that quotes it where nothing may be left out", async (t) => {
  const other = await goodLane();
  editRecords<{ question: string }>(other, "population.jsonl", (records) => {
    records[2]!.question += "!";
  });
  reseal(other);
  await t.rejects(detachedFiles(other, harbourBytes(), fresh()), { code: "E_DETACH" });

  const quoting = await goodLane();
  const protocol = JSON.parse(quoting.get("protocols/token-f1.json")!.toString());
  protocol.abstention_phrases.push("two anchors is a good sign");
  quoting.set("protocols/token-f1.json", Buffer.from(canonicalJson(protocol)));
  reseal(quoting);
  await t.rejects(detachedFiles(quoting, harbourBytes(), fresh()), { code: "E_DETACH_TEXT" });
});
