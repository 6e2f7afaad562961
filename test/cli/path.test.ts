// The whole way of a lane through the built command line: from the dataset to an archive that a stranger checks.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import type { Report } from "../../schemas/index.js";
import { CLI, type Ended, fewAtATime, oneDocument, sealane, sealaneBatch } from "../support/cli.js";
import { HARBOUR_FILE } from "../support/runs.js";

t.setTimeout(120_000);
const dir = t.testdir();
const inDir = { cwd: dir };

/** Runs a command that must succeed, and returns its one document. */
async function json<T = Record<string, unknown>>(...args: string[]): Promise<T> {
  const ended = await sealane([...args, "--json"], inDir);
  if (ended.code !== 0) throw new Error(`${args.join(" ")}: exit ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
  if (ended.stderr !== "") throw new Error(`${args.join(" ")} talks: ${ended.stderr}`);
  return oneDocument(ended) as T;
}

/** Every file below a folder, with its digest. */
function filesBelow(folder: string): Record<string, string> {
  const paths = readdirSync(join(dir, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.sort().map((path) => [relative(join(dir, folder), path), sha256Hex(readFileSync(path))]),
  );
}

t.test("from the dataset to the lane", async (t) => {
  const dataset = sha256Hex(readFileSync(HARBOUR_FILE));
  const prepare = ["prepare", "--dataset", HARBOUR_FILE, "--adapter", "own", "--arm", "bm25", "--ceiling", "300"];
  t.match(await json(...prepare, "--out", "run"), {
    schema: "sealane-prepared/1",
    run: "run",
    dataset_sha256: dataset,
    population: { questions: 36, included: 36, histories: 3, sessions: 18, turns: 199, excluded: [] },
    tokens_max: 300,
  });
  const replayed = await json("replay", "run", "--reader", "extractive");
  t.match(replayed, {
    schema: "sealane-replayed/1",
    run: "run",
    model: { name: "extractive-1" },
    questions: 36,
    calls_made: 36,
    undecided: 0,
    stopped: false,
    statuses: { answered: 36 },
    exit_code: 0,
  });
  const graded = await json("grade", "run", "--endpoint", "token-f1");
  t.match(graded, { schema: "sealane-graded/1", run: "run", endpoint: "token-f1", questions: 36, failure_zeros: 0 });
  t.ok((graded.score_mean as number) > 0 && (graded.score_mean as number) < 1);

  const key = await json("keys", "new", "--out", "author.pem");
  t.match(key, { schema: "sealane-key/1", private_file: "author.pem", public_file: "author.pub.pem" });
  t.equal(statSync(join(dir, "author.pem")).mode & 0o777, 0o600, "nobody else may read the private key");
  t.match(await json("keys", "show", "author.pub.pem"), { keyid: key.keyid, public: key.public });
  const trust = ["trust", "init", "--key", "author.pem", "--owner", "Zoë", "--out", "trust.json"];
  t.match(await json(...trust), { schema: "sealane-trust-written/1", version: 1, signed_by: [key.keyid] });

  const sealed = await json("seal", "run", "--id", "harbour-bm25", "--key", "author.pem", "--out", "lanes/harbour");
  t.match(sealed, {
    schema: "sealane-sealed/1",
    lane: "lanes/harbour",
    lane_id: "harbour-bm25",
    lane_version: 1,
    manifest_sha256: sha256Hex(readFileSync(join(dir, "lanes/harbour/manifest.json"))),
    keyid: key.keyid,
    results: [{ endpoint: "token-f1", questions: 36, score_mean: graded.score_mean }],
  });
  const report = await json<Report>("verify", "lanes/harbour", "--trust", "trust.json", "--dataset", HARBOUR_FILE);
  t.match(report, {
    schema: "sealane-report/1",
    exit_code: 0,
    lane: { lane_id: "harbour-bm25", lane_version: 1, manifest_sha256: sealed.manifest_sha256 },
    verdict: { integrity: "verified", policy: "met" },
  });
  t.strictSame(
    report.checks.filter((check) => check.outcome === "failed" || check.outcome === "not-run"),
    [],
    "with the dataset at hand, nothing is left unexamined",
  );

  const tables = await json<{ lanes: { name: string; results: unknown }[] }>("tables", "lanes/harbour", "run");
  t.strictSame(
    tables.lanes.map((lane) => lane.name),
    ["harbour-bm25", "run"],
  );
  t.strictSame(tables.lanes[0]?.results, tables.lanes[1]?.results, "a run and its lane count the same");
  t.strictSame(tables.lanes[0]?.results, JSON.parse(readFileSync(join(dir, "lanes/harbour/results.json"), "utf8")));

  const shown = await json("show", "lanes/harbour", "--question", "kitchen-03");
  t.match(shown, {
    schema: "sealane-question/1",
    question: { question_id: "kitchen-03" },
    packet: { question_id: "kitchen-03" },
    answer: { question_id: "kitchen-03", status: "answered" },
    reference: { question_id: "kitchen-03" },
    grades: { "token-f1": { question_id: "kitchen-03" } },
  });
  t.equal(sha256Hex(shown.body as string), (shown.request as { body_sha256: string }).body_sha256);
});

t.test("archives of every kind come back as the same lane", async (t) => {
  const kinds = [
    ["lane.tar", "tar"],
    ["lane.tar.gz", "tar.gz"],
    ["lane.zip", "zip"],
  ] as const;
  const verified = await json<Report>("verify", "lanes/harbour", "--trust", "trust.json");
  await fewAtATime(kinds, async ([name, format]) => {
    const packed = await json("pack", "lanes/harbour", name);
    const bytes = readFileSync(join(dir, name));
    t.match(packed, {
      schema: "sealane-packed/1",
      archive: name,
      format,
      bytes: bytes.length,
      sha256: sha256Hex(bytes),
    });
    if (format === "tar") return;
    t.strictSame(await json("verify", name, "--trust", "trust.json"), verified, `${name} is verified as it is`);
    const files = filesBelow("lanes/harbour");
    const out = `unpacked/${name}`;
    const unpacked = { schema: "sealane-unpacked/1", lane: out, files: Object.keys(files).length };
    t.match(await json("unpack", name, out), unpacked);
    t.strictSame(filesBelow(out), files, "and is the same lane unpacked");
  });
  await json("pack", "unpacked/lane.tar.gz", "again.tar.gz");
  t.strictSame(
    readFileSync(join(dir, "again.tar.gz")),
    readFileSync(join(dir, "lane.tar.gz")),
    "packed again, to the byte",
  );
});

/** A dataset whose every text tries to move the cursor, set the title or turn the direction of writing. */
function hostileDataset(): string {
  const codes = "\u001b]0;owned\u0007\u001b[2J\u202e";
  const dataset = JSON.parse(readFileSync(HARBOUR_FILE, "utf8")) as {
    histories: { sessions: { turns: { speaker: string; text: string }[] }[] }[];
    questions: { question: string; reference: unknown; question_date?: string }[];
  };
  for (const turn of dataset.histories.flatMap(({ sessions }) => sessions.flatMap(({ turns }) => turns))) {
    turn.text = `${codes}${turn.text}\r\u009b31m`;
  }
  for (const question of dataset.questions) {
    question.question = `${codes}${question.question}`;
    question.reference = `${codes}x`;
    question.question_date = codes;
  }
  return JSON.stringify(dataset);
}

t.test("the text for people, of a dataset that is hostile to their terminal", async (t) => {
  writeFileSync(join(dir, "hostile.json"), hostileDataset());
  const commands = [
    ["prepare", "--dataset", "hostile.json", "--adapter", "own", "--arm", "full", "--ceiling", "500", "--out", "t"],
    ["replay", "t", "--reader", "extractive"],
    ["grade", "t", "--endpoint", "token-f1"],
    ["keys", "new", "--out", "b.pem"],
    ["keys", "show", "b.pub.pem"],
    ["trust", "init", "--key", "b.pem", "--owner", "Zoë", "--out", "b.json"],
    ["seal", "t", "--id", "t", "--key", "b.pem", "--out", "l"],
    ["pack", "l", "l.zip"],
    ["unpack", "l.zip", "u"],
    ["show", "u", "--question", "choir-01"],
    ["verify", "l.zip", "--trust", "b.json"],
    ["tables", "l", "t"],
  ];
  const said = await sealaneBatch(commands, dir);
  for (const [index, { code, stdout, stderr }] of said.entries()) {
    const command = commands[index]!.slice(0, 2).join(" ");
    t.strictSame([code, stderr], [0, ""], command);
    t.notMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/, `${command}: no control characters`);
    t.ok(stdout.endsWith("\n") && !stdout.endsWith("\n\n"), `${command}: ends with one line feed`);
  }
  const [shown, report, table] = said.slice(-3).map(({ stdout }) => stdout) as [string, string, string];
  t.match(shown, "owned", "the text is there");
  t.match(report, /^INTEGRITY {2}verified/m);
  t.match(table, /^all +36 +\d+\.\d\d +\d+\.\d\d$/m, "the whole population is the denominator");
  for (const out of [report, table]) {
    const tooLong = out.split("\n").filter((line) => [...line].length > 80);
    t.strictSame(tooLong, [], "fits on 80 columns");
  }
});

t.test("a reader that closes the pipe has seen enough", async (t) => {
  const ended = await new Promise<Ended>((resolve) => {
    const script = `"${process.execPath}" "${CLI}" show lanes/harbour --question choir-01 | head -c 1`;
    execFile("sh", ["-c", script], { cwd: dir }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, signal: null, stdout, stderr }),
    );
  });
  t.equal(ended.stdout.length, 1);
  t.equal(ended.stderr, "");
});

t.test("nothing is left beside what was asked for", async (t) => {
  t.strictSame(
    (readdirSync(dir, { recursive: true }) as string[]).filter((path) => /partial|-wal|-shm|tmp/.test(path)),
    [],
  );
  t.notOk(existsSync(join(dir, "lanes/harbour/run.json")));
});
