// What was seen before: what is remembered, and which files of it are refused. What it refuses of lanes is in fixtures/cases/.
import t from "tap";
import { emptyState, parseState, remembered, seenOf, stateText } from "../../lib/manifest/state.js";
import { codeOf } from "../lib/bytes/codes.js";
import { authorTrust, editDocument, goodLane, verifyFiles } from "../support/lane.js";

t.test("a manifest that is not the one signed is not held against what was seen", async (t) => {
  const files = await goodLane();
  editDocument<{ lane_version: number }>(files, "manifest.json", (manifest) => {
    manifest.lane_version = 7;
  });
  const report = verifyFiles(files, authorTrust(), undefined, emptyState());
  t.equal(report.checks.find((check) => check.id === "history")?.outcome, "not-run");
  t.equal(report.exit_code, 1);
});

const lane = (lane_id: string, lane_version: number, digit: string): Parameters<typeof remembered>[1] => ({
  lane_id,
  lane_version,
  manifest_sha256: digit.repeat(64),
});
const AT = "2026-01-01T00:00:00.000Z";
const LATER = "2027-01-01T00:00:00.000Z";

t.test("what is remembered", async (t) => {
  const one = remembered(emptyState(), lane("a", 1, "1"), AT);
  t.strictSame(seenOf(one, "a"), { version: 1, manifest_sha256: "1".repeat(64), first_seen: AT });
  t.equal(seenOf(one, "b"), undefined);
  t.equal(remembered(one, lane("a", 1, "1"), LATER), one, "when it was first seen stays");
  t.equal(remembered(one, lane("a", 1, "2"), LATER), one, "another lane of the version does not take its place");
  const two = remembered(one, lane("a", 2, "2"), LATER);
  t.strictSame(seenOf(two, "a"), { version: 2, manifest_sha256: "2".repeat(64), first_seen: LATER });
  t.equal(remembered(two, lane("a", 1, "1"), LATER), two, "an older version does not either");
  t.strictSame(seenOf(one, "a")?.version, 1, "a state is a value");
  for (const name of ["constructor", "valueof", "tostring"]) {
    t.equal(seenOf(two, name), undefined, `${name} is a lane's id like any other`);
    t.equal(seenOf(remembered(two, lane(name, 1, "3"), AT), name)?.version, 1);
  }
  const several = ["b", "c", "constructor"].reduce((state, id) => remembered(state, lane(id, 1, "4"), AT), two);
  t.equal(stateText(parseState(Buffer.from(stateText(several)), "seen.json")), stateText(several));
  const reversed = { ...several, lanes: Object.fromEntries(Object.entries(several.lanes).toReversed()) };
  t.equal(stateText(reversed), stateText(several), "the same state, the same bytes");
});

t.test("state files that are refused", async (t) => {
  const entry = { version: 1, manifest_sha256: "1".repeat(64), first_seen: AT };
  const text = stateText({ ...emptyState(), lanes: { a: entry } });
  for (const [why, bytes, code] of [
    ["a good one", text, "accepted"],
    ["an empty one", stateText(emptyState()), "accepted"],
    ["a newer version", text.replace("state/1", "state/2"), "E_VERSION"],
    ["another document", text.replace("state/1", "trust/1"), "E_SCHEMA"],
    ["a lane twice", text.replace('"lanes": {', '"lanes": {"a": 1,'), "E_JSON"],
    ["a lane id that is none", text.replace('"a"', '"A"'), "E_SCHEMA"],
    ["a prototype for a lane", text.replace('"a"', '"__proto__"'), "E_SCHEMA"],
    ["version 0", text.replace('"version": 1', '"version": 0'), "E_SCHEMA"],
    ["a time without milliseconds", text.replace(".000Z", "Z"), "E_SCHEMA"],
    ["something more", text.replace('"version"', '"note": "", "version"'), "E_SCHEMA"],
    ["nothing", "", "E_JSON"],
  ] as const) {
    t.equal(
      codeOf(() => parseState(Buffer.from(bytes), "seen.json")),
      code,
      why,
    );
  }
});
