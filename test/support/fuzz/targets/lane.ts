// A lane with one file mutated: as it is, and signed again by an author who cheats.
import { isDeepStrictEqual } from "node:util";
import { sha256Hex } from "../../../../lib/bytes/digest.js";
import { canonicalJson, parseCanonicalJson } from "../../../../lib/bytes/json.js";
import { SealaneError } from "../../../../lib/finding.js";
import { MemorySource } from "../../../../lib/io/memory-source.js";
import { countResults } from "../../../../lib/lane/open.js";
import { proveQuestion } from "../../../../lib/lane/prove.js";
import { measureRetrieval } from "../../../../lib/lane/retrieval.js";
import { PAYLOAD_TYPE, payloadSignature, signStatement, statementOf } from "../../../../lib/manifest/envelope.js";
import { LANE_FILES } from "../../../../lib/records/documents.js";
import { sarifLog } from "../../../../lib/report/sarif.js";
import { type Marks, reportText } from "../../../../lib/report/text.js";
import { whyText } from "../../../../lib/report/why.js";
import { isDocument, type Manifest, type Report } from "../../../../schemas/index.js";
import { gatherLane } from "../../../../verifiers/evidence.js";
import { withNumbers } from "../../../../verifiers/numbers.js";
import { verifyLane } from "../../../../verifiers/verify.js";
import { verifyOnTwoThreads } from "../../../../verifiers/verify-on-two-threads.js";
import { whyNumber } from "../../../../verifiers/why.js";
import { BASES } from "../../cases/bases.js";
import { authorTrust, type LaneFiles, reseal } from "../../lane.js";
import { testKey } from "../../test-key.js";
import { withinBase64 } from "../mutators/base64.js";
import { mutateJson } from "../mutators/json.js";
import { mutateLines, mutateRecords } from "../mutators/lines.js";
import { must, type Seed, type Target } from "../target.js";

const PLAIN: Marks = { good: String, bad: String, warn: String, dim: String, strong: String };
const trust = authorTrust();
const { envelope: ENVELOPE, manifest: MANIFEST } = LANE_FILES;

/** The raw signatures and the payload of an envelope, in whatever base64; undefined when it is none. */
function opened(bytes: Buffer): { payload: Buffer; signatures: string[] } | undefined {
  try {
    const { payload, signatures } = JSON.parse(bytes.toString("utf8")) as {
      payload: string;
      signatures: { sig: string }[];
    };
    const hexes = signatures.map(({ sig }) => Buffer.from(sig, "base64").toString("hex"));
    return { payload: Buffer.from(payload, "base64"), signatures: hexes };
  } catch {
    return undefined;
  }
}

/**
 * Whether a lane is the one signed: every file is as it was, but for what an envelope leaves free (the spelling of its base64,
 * the order and number of signatures, those of strangers), as the controls of the tamper corpus say.
 */
export function isTheLaneSigned(files: ReadonlyMap<string, Buffer>, signed: LaneFiles): boolean {
  if (files.size !== signed.size) return false;
  for (const [path, bytes] of signed) {
    if (path !== ENVELOPE && !files.get(path)?.equals(bytes)) return false;
  }
  const found = files.get(ENVELOPE);
  const [now, before] = [found && opened(found), opened(signed.get(ENVELOPE)!)];
  return (
    now !== undefined &&
    before !== undefined &&
    now.payload.equals(before.payload) &&
    before.signatures.some((signature) => now.signatures.includes(signature))
  );
}

/** What anyone may be shown of a report can be shown. */
export function mustBeShown(report: Report): void {
  must(isDocument("report", report), "a report is of its schema");
  for (const width of [40, 80]) {
    const text = reportText(report, PLAIN, width);
    must(!/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(text), "a report moves no cursor");
  }
  JSON.stringify(sarifLog(report, {}));
}

const seedsOf = async (base: string, wanted: (path: string) => boolean = () => true): Promise<Seed[]> =>
  [...(await BASES[base]!.lane())]
    .filter(([path]) => wanted(path))
    .map(([path, bytes]) => ({ name: `${base}:${path}`, bytes }));

/** Files that the smallest lane has no interesting ones of. */
const MANIFOLD: readonly string[] = [LANE_FILES.receipts, LANE_FILES.answers, LANE_FILES.amendments, LANE_FILES.bodies];
const manySeeds = (): Promise<Seed[]> => seedsOf("replies", (path) => MANIFOLD.includes(path));

/** The lane of a seed, with the input as the file that the seed was. */
async function laneWith(seed: Seed, input: Buffer): Promise<{ files: LaneFiles; signed: LaneFiles; path: string }> {
  const [base = "", path = ""] = seed.name.split(":");
  const signed = await BASES[base]!.lane();
  return { files: new Map([...signed, [path, input]]), signed, path };
}

const raw: Target = {
  name: "lane",
  seeds: async () => [...(await seedsOf("one")), ...(await manySeeds())],
  mutators: [mutateJson, mutateRecords, mutateLines, withinBase64(mutateJson)],
  quickInputs: 50,
  weight: 8,
  async run(input, seed) {
    const { files, signed } = await laneWith(seed, input);
    const source = new MemorySource(files);
    const report = verifyLane(gatherLane(source, undefined), { trust });
    mustBeShown(withNumbers(report, source));
    const same = isTheLaneSigned(files, signed);
    must(report.exit_code !== 0 || same, "exit 0 is for the lane that was signed");
    must(report.verdict.integrity !== "verified" || same, "so is the word");
    return report.exit_code === 0;
  },
};

/** The envelope alone, and the statement in it: where a lane's freedoms are. */
const envelope: Target = {
  ...raw,
  name: "envelope",
  seeds: () => seedsOf("one", (path) => path === ENVELOPE),
  quickInputs: 100,
  weight: 4,
};

/** The statement, signed by the author as he likes. */
const statement: Target = {
  name: "statement",
  async seeds() {
    const { payload } = JSON.parse((await BASES.one!.lane()).get(ENVELOPE)!.toString("utf8")) as { payload: string };
    return [{ name: `one:${ENVELOPE}`, bytes: Buffer.from(payload, "base64") }];
  },
  mutators: [mutateJson],
  quickInputs: 100,
  weight: 2,
  async run(input, seed) {
    const { signed } = await laneWith(seed, input);
    const key = testKey("author");
    const made = {
      payload: input.toString("base64"),
      payloadType: PAYLOAD_TYPE,
      signatures: [payloadSignature(input, key)],
    };
    const files = new Map([...signed, [ENVELOPE, Buffer.from(canonicalJson(made))]]);
    const report = verifyLane(gatherLane(new MemorySource(files), undefined), { trust });
    mustBeShown(report);
    if (report.exit_code !== 0) return false;
    const said = parseCanonicalJson(input, "statement") as { subject?: { digest?: { sha256?: string } }[] };
    must(said.subject?.[0]?.digest?.sha256 === sha256Hex(signed.get(MANIFEST)!), "the subject is the manifest");
    return true;
  },
};

/** Signs what the lane now is: the manifest when it was mutated itself, else all files listed and signed anew. */
function signAgain(files: LaneFiles, path: string): void {
  if (path !== MANIFEST) {
    reseal(files);
    return;
  }
  const bytes = files.get(MANIFEST)!;
  const manifest = JSON.parse(bytes.toString("utf8")) as Manifest;
  files.set(
    ENVELOPE,
    Buffer.from(canonicalJson(signStatement(statementOf(manifest, sha256Hex(bytes)), testKey("author")))),
  );
}

/** Whatever reads a lane reads this one to its end, or refuses it with a code. */
function mustBeRead(source: MemorySource, files: LaneFiles): void {
  const reads: readonly (() => unknown)[] = [
    () => whyText(whyNumber(source, undefined, { number: undefined, dataset: undefined }), PLAIN, 80),
    () => countResults({ source, name: "lane", endpoints: ["token-f1"] }),
    () => measureRetrieval({ source, name: "lane", endpoints: ["token-f1"] }),
    ...(["reader", "evaluator", "item"] as const).map((tree) => () => proveQuestion(source, tree, firstId(files))),
  ];
  for (const read of reads) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
    }
  }
}

const firstId = (files: LaneFiles): string =>
  /"question_id":"([^"]*)"/.exec(files.get(LANE_FILES.population)!.toString("utf8"))?.[1] ?? "";

const signedAgain: Target = {
  name: "lane-signed",
  seeds: async () => [...(await seedsOf("one", (path) => path !== ENVELOPE)), ...(await manySeeds())],
  mutators: [mutateJson, mutateRecords, mutateRecords],
  quickInputs: 50,
  weight: 10,
  async run(input, seed) {
    const { files, path } = await laneWith(seed, input);
    try {
      signAgain(files, path);
    } catch {
      return false; // Nothing that could be signed.
    }
    const source = new MemorySource(files);
    const gather = () => gatherLane(source, undefined);
    const report = verifyLane(gather(), { trust });
    mustBeShown(withNumbers(report, source));
    mustBeRead(source, files);
    if (path === LANE_FILES.bodies || path === LANE_FILES.requests) {
      const other = await verifyOnTwoThreads(gather(), { trust }, undefined, undefined, { fromBytes: 0 });
      must(isDeepStrictEqual(other, report), "two threads report what one does");
    }
    if (report.exit_code !== 0) return false;
    for (const [name, bytes] of files) {
      const lines = name.endsWith(".jsonl") ? bytes.toString("latin1").split("\n").slice(0, -1) : [];
      for (const line of lines) parseCanonicalJson(Buffer.from(line, "latin1"), name);
      if (name.endsWith(".json") && name !== ENVELOPE) parseCanonicalJson(bytes, name);
    }
    return true;
  },
};

export const LANE_TARGETS: readonly Target[] = [raw, envelope, statement, signedAgain];
