// A lane whose requests are each sent with the temperature that its packet names.
import t from "tap";
import type { PacketRecord, PreparationProtocol, ReaderProtocol } from "../../schemas/index.js";
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

const lane = (): Promise<LaneFiles> => goodLane(300, "bm25", true);

t.test("it is verified, and its requests differ in nothing else", async (t) => {
  const files = await lane();
  t.equal(verifyFiles(files, authorTrust(), harbourBytes()).exit_code, 0);
  t.equal(parsed<PreparationProtocol>(files, "protocols/preparation.json").temperature?.rule, "best-passage-1");
  t.equal(parsed<ReaderProtocol>(files, "protocols/reader.json").temperature, "per-question");
  const bodies = (of: LaneFiles) => of.get("bodies/requests.jsonl")!.toString().split("\n");
  const usual = bodies(await goodLane());
  const found = bodies(files).map((line) => /"temperature\\":([0-9.]+)/.exec(line)?.[1]);
  t.ok(found.slice(0, -1).every((value) => value !== undefined && ["0.6", "0.8", "1"].includes(value)));
  t.ok(new Set(found.slice(0, -1)).size > 1);
  t.strictSame(
    bodies(files).map((line) => line.replace(/,?\\"temperature\\":[0-9.]+/, "")),
    usual.map((line) => line.replace(/,?\\"temperature\\":[0-9.]+/, "")),
  );
});

t.test("a packet's temperature changed, or left out, is not its request's", async (t) => {
  for (const edit of [
    (packet: PacketRecord) => {
      packet.temperature = packet.temperature === 0.6 ? 0.8 : 0.6;
    },
    (packet: PacketRecord) => {
      delete packet.temperature;
    },
  ]) {
    const files = await lane();
    editRecords<PacketRecord>(files, "packets.jsonl", (packets) => edit(packets[5]!));
    reseal(files);
    t.strictSame(codesOf(verifyFiles(files)), ["E_REQUEST"]);
  }
});

t.test("a protocol that no longer says so fits no request", async (t) => {
  const files = await lane();
  editDocument<ReaderProtocol>(files, "protocols/reader.json", (protocol) => delete protocol.temperature);
  reseal(files);
  t.ok(codesOf(verifyFiles(files)).includes("E_REQUEST"));
});
