// No single bit of a lane can be turned unnoticed: every bit of every listed file and of the manifest, and a part of those of the
// envelope, the checkpoints and the archives. `npm run bits` turns all of them.
import t from "tap";
import { LANE_FILES } from "../../lib/records/documents.js";
import { turnBits } from "../support/bits.js";
import { BASES } from "../support/cases/bases.js";

t.setTimeout(900_000);

const WORKERS = 2;
const lane = await BASES.one!.lane();
const bitsOf = (names: readonly string[]): number => names.reduce((sum, name) => sum + 8 * lane.get(name)!.length, 0);

t.test("every bit of every file that the manifest lists", async (t) => {
  const apart: readonly string[] = [LANE_FILES.envelope, LANE_FILES.manifest];
  const files = [...lane.keys()].filter((name) => !apart.includes(name));
  const { turned, survived, codes } = await turnBits({ what: "files", files, stride: 1 }, WORKERS);
  t.equal(turned, bitsOf(files), "all of them");
  t.strictSame(survived, []);
  t.strictSame(
    Object.keys(codes),
    ["E_DIGEST"],
    "a bit changes no length, and nothing is said but that the file is another",
  );
});

t.test("every bit of the manifest", async (t) => {
  const { turned, survived, codes } = await turnBits(
    { what: "files", files: [LANE_FILES.manifest], stride: 1 },
    WORKERS,
  );
  t.equal(turned, bitsOf([LANE_FILES.manifest]));
  t.strictSame(survived, []);
  t.equal(codes.E_DIGEST, turned, "whatever else it says then, it is not the one signed");
});

t.test("every third bit of the envelope", async (t) => {
  const { turned, survived, codes } = await turnBits(
    { what: "files", files: [LANE_FILES.envelope], stride: 3 },
    WORKERS,
  );
  t.equal(turned, Math.ceil(bitsOf([LANE_FILES.envelope]) / 3));
  t.strictSame(survived, []);
  for (const code of ["E_SIG", "E_SIG_S_RANGE", "E_BASE64", "E_JSON"]) t.ok((codes[code] ?? 0) > 0, code);
});

t.test("bits of the lane as an archive", async (t) => {
  for (const [what, stride] of [
    ["tar", 401],
    ["tar.gz", 101],
    ["zip", 401],
  ] as const) {
    const { turned, survived, codes } = await turnBits({ what, stride }, WORKERS);
    t.ok(turned > 200, `${what}: ${turned} bits`);
    t.strictSame(survived, [], what);
    t.ok((codes["same tar"] ?? 0) <= 2, "what gzip itself leaves free is little");
  }
});
