// `sealane fidelity` through the built command line.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { type Fidelity, isDocument } from "../../schemas/index.js";
import { type Ended, oneDocument, reasonOf, sealaneBatch } from "../support/cli.js";
import { HARBOUR_FILE } from "../support/runs.js";
import { repositoryFile } from "../support/shared.js";

t.setTimeout(120_000);
const LANE = repositoryFile("lanes/harbour-bm25-1500-v1");
const dir = t.testdir();
const at = (name: string): string => join(dir, name);

const lines = readFileSync(join(LANE, "packets.jsonl"), "utf8");
const [first] = lines.split("\n");
const dropped = JSON.parse(first!) as { spans: unknown[]; evidence_sha256: string };
dropped.spans.pop();
dropped.evidence_sha256 = "0".repeat(64);
writeFileSync(at("same.jsonl"), lines);
writeFileSync(at("other.jsonl"), lines.replace(first!, JSON.stringify(dropped)));
writeFileSync(at("hostile.jsonl"), `{"question_id":"boatyard-01","evidence":"\\u001b[31mred"}`);
writeFileSync(at("broken.jsonl"), "{");

const COMMANDS: Readonly<Record<string, string[]>> = {
  packed: ["pack", LANE, "lane.zip"],
  same: ["fidelity", LANE, "same.jsonl", "--json"],
  "same, of an archive": ["fidelity", "lane.zip", "same.jsonl", "--dataset", HARBOUR_FILE, "--json"],
  "same, as text": ["fidelity", LANE, "same.jsonl"],
  other: ["fidelity", LANE, "other.jsonl", "--json"],
  "other, as text": ["fidelity", LANE, "other.jsonl", "--dataset", HARBOUR_FILE],
  hostile: ["fidelity", "lane.zip", "hostile.jsonl"],
  broken: ["fidelity", LANE, "broken.jsonl", "--json"],
  missing: ["fidelity", LANE, "nowhere.jsonl", "--json"],
  "another dataset": ["fidelity", LANE, "same.jsonl", "--dataset", "same.jsonl", "--json"],
};
const ended = await sealaneBatch(Object.values(COMMANDS), dir);
const of = (name: keyof typeof COMMANDS): Ended => ended[Object.keys(COMMANDS).indexOf(name)]!;

t.test("0 when every packet is the lane's, 7 when one is not, 2 for what is no packets", async (t) => {
  const codes = Object.fromEntries(Object.keys(COMMANDS).map((name) => [name, of(name).code]));
  t.strictSame(codes, {
    packed: 0,
    same: 0,
    "same, of an archive": 0,
    "same, as text": 0,
    other: 7,
    "other, as text": 7,
    hostile: 7,
    broken: 2,
    missing: of("missing").code,
    "another dataset": 1,
  });
  t.equal(reasonOf(of("broken")), "E_JSON");
  t.equal(reasonOf(of("missing")), "E_MISSING");
  t.equal(reasonOf(of("another dataset")), "E_DATASET");
});

t.test("one document, of its schema", async (t) => {
  for (const name of ["same", "same, of an archive", "other"]) {
    const document = oneDocument(of(name));
    t.ok(isDocument("fidelity", document), name);
    t.equal((document as unknown as Fidelity).exit_code, of(name).code);
  }
  t.match(oneDocument(of("other")), {
    equal: 35,
    different_total: 1,
    different: [{ line: 1, spans: { only_there_total: 0 } }],
  });
});

t.test("for people: counts and places, and nothing of a stranger's file that moves a terminal", async (t) => {
  t.match(of("same, as text").stdout, "36 of 36");
  t.match(of("other, as text").stdout, "first apart at");
  t.match(of("hostile").stdout, "first apart at byte 0");
  t.notMatch(of("hostile").stdout, "\u001b[31m");
});
