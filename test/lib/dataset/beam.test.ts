import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import t from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { beam } from "../../../lib/dataset/beam.js";
import { beamTime } from "../../../lib/dataset/beam-chat.js";
import { type Dataset, identifyDataset, openDataset } from "../../../lib/dataset/index.js";
import { populationRecord, referenceRecord } from "../../../lib/dataset/records.js";
import { openInput } from "../../../lib/io/input.js";
import { isDocument } from "../../../schemas/index.js";
import { repositoryFile, shared } from "../../support/shared.js";
import { ARM_IDS, packetFaults, packetsOf } from "../evidence/packets.js";

const FOLDER = repositoryFile("fixtures/datasets/orchard-beam");
const open = (folder: string): Dataset => openDataset(beam, openInput(folder), false);
const orchard = open(FOLDER);

const work = mkdtempSync(join(tmpdir(), "sealane-test-"));
t.teardown(() => rmSync(work, { recursive: true }));
let copies = 0;
/** A copy of the fixture with changes made to it. */
function changed(change: (folder: string) => void): string {
  copies += 1;
  const folder = join(work, String(copies));
  cpSync(FOLDER, folder, { recursive: true });
  change(folder);
  return folder;
}
function edit(folder: string, path: string, change: (value: never) => unknown): void {
  const file = join(folder, path);
  const value = JSON.parse(readFileSync(file, "utf8")) as never;
  writeFileSync(file, JSON.stringify(change(value) ?? value));
}
const QUESTIONS = "100K/2/probing_questions/probing_questions.json";

t.test("conversations, in order of their folders' numbers", async (t) => {
  t.strictSame(orchard.histories.ids, ["100K/2", "100K/10", "10M/1"]);
  t.strictSame(
    [...orchard.histories].map(({ historyId, sessions }) => [
      historyId,
      sessions.map(({ date, time, turns }) => [date, time, turns.length]),
    ]),
    [
      [
        "100K/2",
        [
          ["March-15-2024", "2024-03-15T00:00", 6],
          ["April-05-2024", "2024-04-05T00:00", 4],
        ],
      ],
      ["100K/10", [[null, null, 2]]],
      [
        "10M/1",
        [
          ["July-01-2024", "2024-07-01T00:00", 2],
          ["July-20-2024", "2024-07-20T00:00", 2],
        ],
      ],
    ],
  );
  const [first] = orchard.histories.get("100K/2")!.sessions;
  t.strictSame(
    first!.turns[0],
    {
      speaker: "user",
      text: "I am planting an orchard this month. Where should the apple trees stand? ->-> 1,1",
      captions: [],
    },
    "artefacts are the dataset's words",
  );
  t.strictSame([orchard.histories.sessionsTotal, orchard.histories.turnsTotal], [5, 16]);
});

t.test("questions are named by folder, ability and number", async (t) => {
  t.strictSame(
    orchard.asked.map(({ questionId }) => questionId),
    [
      "100K/2/abstention/0",
      "100K/2/contradiction_resolution/0",
      "100K/2/event_ordering/0",
      "100K/2/information_extraction/0",
      "100K/2/information_extraction/1",
      "100K/2/instruction_following/0",
      "100K/2/knowledge_update/0",
      "100K/2/preference_following/0",
      "100K/2/summarization/0",
      "100K/2/temporal_reasoning/0",
      "100K/2/multi_session_reasoning/0",
      "100K/10/information_extraction/0",
      "10M/1/knowledge_update/0",
    ],
  );
  t.ok(
    orchard.asked.every(({ questionId, historyId, category }) => questionId.startsWith(`${historyId}/${category}/`)),
  );
  t.equal(orchard.asked[3]!.category, "information_extraction", "the ability, not the item's own question_type");
  t.equal(orchard.questionsTotal, 15);
  t.strictSame(orchard.excluded, [
    { reason: "no-history", category: "abstention", count: 1 },
    { reason: "no-history", category: "temporal_reasoning", count: 1 },
  ]);
  for (const [index, asked] of orchard.asked.entries()) {
    t.ok(isDocument("population-record", populationRecord(asked, index)), asked.questionId);
    t.ok(isDocument("reference-record", referenceRecord(orchard.references[index]!)), asked.questionId);
  }
});

t.test("labels of every shape", async (t) => {
  const labels = Object.fromEntries(
    orchard.references.map(({ questionId, evidence, evidenceUnresolved }) => [
      questionId,
      [evidence, ...evidenceUnresolved],
    ]),
  );
  t.strictSame(labels, {
    "10M/1/knowledge_update/0": [
      [
        [1, 2],
        [2, 1],
      ],
    ],
    "100K/2/abstention/0": [[]],
    "100K/2/contradiction_resolution/0": [
      [
        [1, 3],
        [2, 1],
      ],
    ],
    "100K/2/event_ordering/0": [
      [
        [1, 1],
        [1, 3],
        [1, 5],
      ],
      "--",
    ],
    "100K/2/information_extraction/0": [[[2, 1]]],
    "100K/2/information_extraction/1": [[[1, 2]]],
    "100K/2/instruction_following/0": [
      [
        [2, 3],
        [2, 4],
      ],
    ],
    "100K/2/knowledge_update/0": [[]],
    "100K/2/preference_following/0": [[[1, 6]]],
    "100K/2/summarization/0": [
      [
        [1, 1],
        [2, 1],
        [2, 3],
      ],
      "99",
    ],
    "100K/2/temporal_reasoning/0": [
      [
        [1, 1],
        [2, 1],
      ],
    ],
    "100K/2/multi_session_reasoning/0": [[]],
    "100K/10/information_extraction/0": [[[1, 1]]],
  });
  const golds = orchard.references.map(({ reference }) => reference);
  t.strictSame(golds.slice(0, 2), ["The chat does not speak of a hedge.", "You said both; which is right?"]);
  t.strictSame(golds.slice(5, 9), [
    "An answer in metres.",
    "Six.",
    "A knife.",
    "Apple trees on the slope, six grafted pears, rows 4 metres apart.",
  ]);
  t.strictSame(orchard.references[8]!.rubric, ["planting", "grafting", "rows"]);
  t.ok(orchard.references.every(({ rubric }) => rubric!.length > 0));
});

/** The paths that are the dataset, by hand. */
const PATHS = [
  "100K/10/chat.json",
  "100K/10/probing_questions/probing_questions.json",
  "100K/2/chat.json",
  "100K/2/probing_questions/probing_questions.json",
  "10M/1/chat.json",
  "10M/1/probing_questions/probing_questions.json",
  "1M/3/probing_questions/probing_questions.json",
];

t.test("its identity is the digest of what sha256sum prints", async (t) => {
  const hex = (data: Buffer | string): string => createHash("sha256").update(data).digest("hex");
  const listing = PATHS.map((path) => `${hex(readFileSync(join(FOLDER, path)))}  ${path}\n`).join("");
  const bytes = PATHS.reduce((sum, path) => sum + statSync(join(FOLDER, path)).size, 0);
  const { sha256, bytes: length, pinned, licence } = orchard.identity;
  t.strictSame([sha256, length, pinned, licence], [hex(listing), bytes, false, "CC BY-SA 4.0"]);
  t.strictSame(identifyDataset(beam, openInput(FOLDER)), { bytes, sha256 });
  const aside = changed((folder) => {
    writeFileSync(join(folder, ".DS_Store"), "x");
    writeFileSync(join(folder, "100K/2/user_messages.json"), "[]");
    writeFileSync(join(folder, "10M/1/plan-0/chat.json"), "not even JSON");
    mkdirSync(join(folder, "500K"));
  });
  t.equal(open(aside).identity.sha256, sha256, "what is no part of the dataset changes nothing");
  for (const path of PATHS) {
    const other = changed((folder) => writeFileSync(join(folder, path), `${readFileSync(join(folder, path))} `));
    t.not(open(other).identity.sha256, sha256, path);
  }
  const moved = changed((folder) => renameSync(join(folder, "100K/2"), join(folder, "100K/3")));
  t.not(open(moved).identity.sha256, sha256, "the name of a folder is a part of it");
});

t.test("packets", async (t) => {
  for (const arm of ARM_IDS) {
    const packets = packetsOf(orchard, arm, 200);
    t.strictSame(packetFaults(orchard, packets, 200, arm), [], arm);
  }
  t.notMatch(canonicalJson([orchard.asked, [...orchard.histories]]), /rubric|source_chat_ids|ideal_|difficulty/);
});

t.test("questions of all conversations in one file", async (t) => {
  const everyQuestion = (folder: string, sizes: readonly string[]): string =>
    sizes
      .flatMap((path) => {
        const [size, conversation] = path.split("/");
        const file = join(folder, path, "probing_questions/probing_questions.json");
        const byAbility = JSON.parse(readFileSync(file, "utf8")) as Record<string, object[]>;
        return Object.entries(byAbility).flatMap(([ability, probes]) =>
          probes.map((probe, index) => ({ size, conversation: Number(conversation), ability, index, ...probe })),
        );
      })
      .map((row) => `${JSON.stringify(row)}\n`)
      .join("");
  const name = "all_2000_probing_questions.jsonl";
  const shared = changed((folder) => {
    writeFileSync(join(folder, name), everyQuestion(folder, ["100K/2", "100K/10", "10M/1", "1M/3"]));
    for (const path of PATHS.filter((path) => path.includes("probing"))) rmSync(join(folder, path));
  });
  const { asked, references, excluded, questionsTotal, histories } = open(shared);
  t.strictSame([asked, references], [orchard.asked, orchard.references]);
  t.strictSame([excluded, questionsTotal], [orchard.excluded, 15]);
  t.strictSame([...histories], [...orchard.histories]);
  const both = changed((folder) => writeFileSync(join(folder, name), everyQuestion(folder, ["100K/2", "1M/3"])));
  t.strictSame(open(both).asked, orchard.asked, "a conversation's own file comes first, and nothing counts twice");
  t.equal(open(both).questionsTotal, 15);
  const broken = changed((folder) => writeFileSync(join(folder, name), '{"size":"1M"}\n'));
  t.throws(() => open(broken), { code: "E_SCHEMA", at: /jsonl:1/ });
  const doubled = changed((folder) => {
    const row = everyQuestion(folder, ["100K/10"]);
    writeFileSync(join(folder, name), row + row);
    rmSync(join(folder, "100K/10/probing_questions"), { recursive: true });
  });
  t.throws(() => open(doubled), { code: "E_DUPLICATE" });
});

t.test("dates within a batch, ids that are not unique, other nestings", async (t) => {
  const user = (id: number | undefined, content: string, more: object = {}) => ({
    role: "user",
    ...(id === undefined ? {} : { id }),
    content,
    ...more,
  });
  const made = changed((folder) => {
    writeFileSync(
      join(folder, "100K/10/chat.json"),
      JSON.stringify([
        {
          turns: [
            [user(0, "a"), user(1, "b", { time_anchor: "May-01-2024" }), user(1, "c")],
            [user(2, "d", { time_anchor: "May-01-2024" }), user(undefined, "e", { time_anchor: "Maytime" })],
          ],
        },
        { batch_number: 2, time_anchor: "May-02-2024", turns: [] },
      ]),
    );
    edit(
      folder,
      "100K/10/probing_questions/probing_questions.json",
      (value: Record<string, { source_chat_ids: unknown }[]>) => {
        value.information_extraction![0]!.source_chat_ids = { a: [0, 1], b: [[2, 2.5, "x", null, true]] };
      },
    );
  });
  const dataset = open(made);
  t.strictSame(
    dataset.histories
      .get("100K/10")!
      .sessions.map(({ date, time, turns }) => [date, time, turns.map(({ text }) => text).join("")]),
    [
      [null, null, "a"],
      ["May-01-2024", "2024-05-01T00:00", "bcd"],
      ["Maytime", null, "e"],
      ["May-02-2024", "2024-05-02T00:00", ""],
    ],
    "one date a session",
  );
  const last = dataset.references.find(({ questionId }) => questionId === "100K/10/information_extraction/0")!;
  t.strictSame(
    last.evidence,
    [
      [1, 1],
      [2, 3],
    ],
    "an id of two messages names neither",
  );
  t.strictSame(last.evidenceUnresolved, ["1", "2.5", "x", "true"]);
});

t.test("a folder with one fault", async (t) => {
  type Probes = Record<string, Record<string, unknown>[]>;
  const probes = (change: (value: Probes) => void) => changed((folder) => edit(folder, QUESTIONS, change));
  const chat = (text: string) => changed((folder) => writeFileSync(join(folder, "100K/2/chat.json"), text));
  const faults: [string, string, string][] = [
    ["a file", join(FOLDER, QUESTIONS), "E_IO"],
    ["no conversation", dirname(join(FOLDER, QUESTIONS)), "E_MISSING"],
    ["another ability", probes((value) => Object.assign(value, { poetry: value.abstention })), "E_SCHEMA"],
    ["no gold text", probes((value) => delete value.abstention![0]!.ideal_response), "E_SCHEMA"],
    ["two gold texts", probes((value) => Object.assign(value.abstention![0]!, { answer: "a" })), "E_SCHEMA"],
    [
      "a gold text that is none",
      probes((value) => Object.assign(value.abstention![0]!, { ideal_response: 4 })),
      "E_SCHEMA",
    ],
    ["no rubric", probes((value) => delete value.abstention![0]!.rubric), "E_SCHEMA"],
    ["a rubric that is a text", probes((value) => Object.assign(value.abstention![0]!, { rubric: "a" })), "E_SCHEMA"],
    ["no question", probes((value) => delete value.abstention![0]!.question), "E_SCHEMA"],
    ["a chat that is an object", chat("{}"), "E_SCHEMA"],
    ["a message without content", chat('[{"turns":[[{"role":"user","id":1}]]}]'), "E_SCHEMA"],
    ["an id that is a text", chat('[{"turns":[[{"role":"user","id":"1","content":"a"}]]}]'), "E_SCHEMA"],
    ["a group that is a message", chat('[{"turns":[{"role":"user","content":"a"}]}]'), "E_SCHEMA"],
    ["a chat cut short", chat('[{"turns":[['), "E_JSON"],
    [
      "a folder's name that is no id",
      changed((folder) => renameSync(join(folder, "100K/2"), join(folder, "100K/number 2"))),
      "E_SCHEMA",
    ],
    [
      "a chat behind a link",
      changed((folder) => {
        renameSync(join(folder, "100K/2/chat.json"), join(folder, "x"));
        symlinkSync(join(folder, "x"), join(folder, "100K/2/chat.json"));
      }),
      "E_IO",
    ],
  ];
  for (const [name, folder, code] of faults) t.throws(() => open(folder), { code }, name);
  const one = open(join(FOLDER, "100K/10"));
  t.strictSame(
    one.asked.map(({ questionId }) => questionId),
    ["chat/information_extraction/0"],
    "one conversation alone",
  );
  const later = changed(() => {});
  const dataset = open(later);
  edit(later, "100K/2/chat.json", (value: { turns: { content: string }[][] }[]) => {
    value[0]!.turns[0]![0]!.content = "Nothing of the kind.";
  });
  t.throws(() => dataset.histories.get("100K/2"), { code: "E_DATASET" }, "changed while in use");
});

t.test("beamTime", async (t) => {
  const known: [string, string | null][] = [
    ["January-10-2024", "2024-01-10T00:00"],
    ["December-31-1999", "1999-12-31T00:00"],
    ["january-10-2024", null],
    ["Jan-10-2024", null],
    ["January-1-2024", null],
    ["January-10-2024 ", null],
    ["constructor-10-2024", null],
    ["", null],
  ];
  for (const [anchor, time] of known) t.equal(beamTime(anchor), time, JSON.stringify(anchor));
});

const real = shared("data/beam");

t.test("the real conversations 100K/1 and 1M/9", { skip: real.skip }, async (t) => {
  const chats = open(join(real.path, "chats"));
  t.strictSame(chats.histories.ids, ["100K/1", "1M/9"]);
  t.strictSame(
    [...chats.histories].map(({ sessions }) => [
      sessions.length,
      sessions.reduce((sum, { turns }) => sum + turns.length, 0),
    ]),
    [
      [3, 188],
      [10, 1802],
    ],
  );
  t.ok([...chats.histories].every(({ sessions }) => sessions.every(({ time }) => time !== null)));
  t.strictSame([chats.asked.length, chats.questionsTotal], [40, 60], "the chat of 1M/1 is not there");
  t.ok(
    chats.references.every(({ evidenceUnresolved }) => evidenceUnresolved.length === 0),
    "every label resolves",
  );
  t.equal(new Set(chats.asked.map(({ category }) => category)).size, 10);
  const raw = JSON.parse(readFileSync(join(real.path, "chats/1M/9/chat.json"), "utf8")) as {
    turns: { content: string }[][];
  }[];
  t.strictSame(
    chats.histories.get("1M/9")!.sessions.flatMap(({ turns }) => turns.map(({ text }) => text)),
    raw.flatMap(({ turns }) => turns.flat().map(({ content }) => content)),
    "byte for byte",
  );
  const whole = open(real.path);
  t.equal(whole.questionsTotal, 2000, "with the questions of all conversations in one file");
  t.strictSame(
    whole.excluded.map(({ count }) => count),
    Array(10).fill(196),
  );
  t.strictSame(
    whole.asked.map(({ question }) => question),
    chats.asked.map(({ question }) => question),
  );
  t.ok(readdirSync(real.path).includes("all_2000_probing_questions.jsonl"));
});
