// A lane whose packets have a protected beginning: what verification says of it, and of one that was tampered with.
import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import type { PacketRecord, PreparationProtocol } from "../../schemas/index.js";
import {
  authorTrust,
  codesOf,
  editDocument,
  editRecords,
  goodLane,
  harbourBytes,
  type LaneFiles,
  parsed,
  reseal,
  verifyFiles,
} from "../support/lane.js";

/** So that a whole session fits into a quarter of it. */
const CEILING = 3000;
const PACKETS = "packets.jsonl";
const PREPARATION = "protocols/preparation.json";

type Prefixed = PacketRecord & Required<Pick<PacketRecord, "prefixes">>;

/** The codes of a lane of this arm after an edit of its packets or protocol, signed again by its signer. */
async function codesAfter(edit: (files: LaneFiles) => void, withDataset: boolean, arm = "cl1"): Promise<string[]> {
  const files = await goodLane(CEILING, arm);
  edit(files);
  reseal(files);
  return codesOf(verifyFiles(files, authorTrust(), withDataset ? harbourBytes() : undefined));
}

const edited = (edit: (packet: Prefixed, all: Prefixed[]) => unknown) => (files: LaneFiles) =>
  editRecords<Prefixed>(files, PACKETS, (packets) => {
    edit(packets.find(({ prefixes }) => prefixes[0]!.spans < prefixes[1]!.spans && prefixes[0]!.spans > 0)!, packets);
  });

for (const arm of ["cl1", "cs1"]) {
  t.test(`a lane of ${arm} is verified, with and without the dataset`, async (t) => {
    const files = await goodLane(CEILING, arm);
    for (const dataset of [undefined, harbourBytes()]) {
      t.equal(verifyFiles(files, authorTrust(), dataset).exit_code, 0);
    }
    const protocol = parsed<PreparationProtocol>(files, PREPARATION);
    t.strictSame(protocol.protected, ["baseline", "backbone"]);
    t.equal(protocol.renderer.id, arm === "cl1" ? "session-lines-1" : "session-lines-once-1");
  });
}

t.test("a lane of bm25 says nothing of protected beginnings", async (t) => {
  const files = await goodLane();
  t.notMatch(files.get(PACKETS)!.toString(), "prefixes");
  t.notMatch(files.get(PREPARATION)!.toString(), "protected");
});

t.test("faults of a protected beginning that show without the dataset", async (t) => {
  const cases: [why: string, edit: (files: LaneFiles) => void, codes: string[]][] = [
    ["another digest", edited((packet) => (packet.prefixes[0]!.sha256 = "0".repeat(64))), ["E_EVIDENCE"]],
    ["a byte less", edited((packet) => (packet.prefixes[1]!.bytes -= 1)), ["E_EVIDENCE"]],
    ["a beginning left out", edited((packet) => packet.prefixes.pop()), ["E_PREFIX"]],
    ["another name", edited((packet) => (packet.prefixes[0]!.name = "base")), ["E_PREFIX"]],
    ["the two exchanged", edited((packet) => packet.prefixes.reverse()), ["E_PREFIX"]],
    ["more spans than there are", edited((packet) => (packet.prefixes[1]!.spans = 99)), ["E_PREFIX"]],
    ["fewer spans than the baseline has", edited((packet) => (packet.prefixes[1]!.spans = 0)), ["E_PREFIX"]],
    ["more bytes than there are", edited((packet) => (packet.prefixes[1]!.bytes = 99_999)), ["E_EVIDENCE", "E_PREFIX"]],
    [
      "a protocol that protects nothing",
      (files) => editDocument<PreparationProtocol>(files, PREPARATION, (protocol) => delete protocol.protected),
      ["E_PREFIX"],
    ],
    [
      "no packet says anything",
      edited((_, all) => all.map((packet) => delete (packet as PacketRecord).prefixes)),
      ["E_PREFIX"],
    ],
  ];
  for (const [why, edit, codes] of cases) t.strictSame(await codesAfter(edit, false), codes, why);
  t.strictSame(
    await codesAfter(cases[0]![1], true),
    ["E_EVIDENCE", "E_PREFIX", "E_PREPARATION"],
    "twice with the dataset",
  );
});

t.test("a beginning shortened by a span and a line, digest and all, shows with the dataset", async (t) => {
  const oneSpanLess = edited((packet) => {
    packet.prefixes[0]!.spans -= 1;
  });
  t.strictSame(await codesAfter(oneSpanLess, false), [], "the bytes are still the evidence's");
  t.strictSame(await codesAfter(oneSpanLess, true), ["E_PREFIX", "E_PREPARATION"]);
  const nothing = edited((packet) => {
    packet.prefixes[0] = { name: "baseline", spans: 1, bytes: 0, sha256: sha256Hex("") };
  });
  t.strictSame(await codesAfter(nothing, false), []);
  t.strictSame(await codesAfter(nothing, true), ["E_PREFIX", "E_PREPARATION"]);
});
