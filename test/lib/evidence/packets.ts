// Packets held against what they say of themselves, by other means than they were made with; and their digests.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { sha256Hex, startSha256 } from "../../../lib/bytes/digest.js";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { type Dataset, readDataset } from "../../../lib/dataset/index.js";
import { own } from "../../../lib/dataset/own.js";
import type { History } from "../../../lib/dataset/types.js";
import { ARMS } from "../../../lib/evidence/arms/index.js";
import { preparationProtocol, preparePackets } from "../../../lib/evidence/prepare.js";
import type { Packet } from "../../../lib/evidence/prepared-history.js";
import { tokenizerOf } from "../../../lib/evidence/tokens.js";
import { isDocument, type PreparationProtocol } from "../../../schemas/index.js";
import { repositoryFile } from "../../support/shared.js";
import { smallWorld } from "./small-world.js";

/** Arms that make a packet under any ceiling; full-untrimmed refuses what does not fit. */
export const ARM_IDS = ARMS.map(({ id }) => id).filter((id) => id !== "full-untrimmed");

export function protocolOf(dataset: Dataset, arm: string, ceilingTokens: number): PreparationProtocol {
  return preparationProtocol(dataset, { arm, tokenizer: "o200k_base", ceilingTokens });
}

export function packetsOf(dataset: Dataset, arm: string, ceilingTokens: number): Packet[] {
  return [...preparePackets(dataset, protocolOf(dataset, arm, ceilingTokens))];
}

export function harbour(): Dataset {
  const path = repositoryFile("fixtures/datasets/harbour.json");
  return readDataset(own, readFileSync(path), "harbour.json", false);
}

/** Arms that write a session's header once. */
const ONCE: readonly string[] = ["cs1", "r", "near"];
/** Arms whose lines leave the session to the header, and whose spans stand in order of the history. */
const IN_ORDER: readonly string[] = ["near"];
/** Arms with a protected beginning. */
const PROTECTED: readonly string[] = ["cl1", "cs1", "r", "breadth"];

/** The evidence that spans quote, cut out of the bytes of the turns and put together by hand. */
function evidenceOf({ sessions }: History, spans: Packet["record"]["spans"], arm: string): string {
  let evidence = "";
  let last = 0;
  const headed = new Set<number>();
  for (const [session, turn, start, end] of spans) {
    const { date, turns } = sessions[session - 1]!;
    const { speaker, text, captions } = turns[turn - 1]!;
    const bytes = Buffer.from(text);
    if (ONCE.includes(arm) ? !headed.has(session) : session !== last)
      evidence += `[${IN_ORDER.includes(arm) ? "" : "Session "}${session} | ${date ?? "date not recorded"}]\n`;
    last = session;
    headed.add(session);
    const range = end - start === bytes.length ? "" : `:${start}-${end}`;
    const place = IN_ORDER.includes(arm) ? turn : `${session}.${turn}`;
    evidence += `(${place}${range}) ${speaker}: ${bytes.subarray(start, end).toString("utf8")}\n`;
    if (start === 0) evidence += captions.map((caption) => `(${place}) [image: ${caption}]\n`).join("");
  }
  return evidence;
}

/** What is wrong with the packets that an arm made of a dataset, each with its question. */
export function packetFaults(
  dataset: Dataset,
  packets: readonly Packet[],
  ceilingTokens: number,
  arm: string,
): string[] {
  const { count } = tokenizerOf("o200k_base");
  const found: string[] = [];
  if (packets.length !== dataset.asked.length) found.push("not a packet for every question");
  for (const [index, { record, evidence }] of packets.entries()) {
    const asked = dataset.asked[index]!;
    const expect = (holds: boolean, what: string) => holds || found.push(`${asked.questionId}: ${what}`);
    const history = dataset.histories.get(asked.historyId)!;
    expect(isDocument("packet-record", record), "not a packet record");
    expect(record.question_id === asked.questionId, "of another question");
    const bytes = new Set<string>();
    let length = 0;
    for (const [session, turn, start, end] of record.spans) {
      const text = Buffer.from(history.sessions[session - 1]?.turns[turn - 1]?.text ?? "");
      expect(start < end && end <= text.length, "a span outside its turn");
      const slice = text.subarray(start, end);
      expect(Buffer.from(slice.toString("utf8")).equals(slice), "a span that cuts a character");
      for (let at = start; at < end; at += 1) bytes.add(`${session}.${turn}.${at}`);
      length += end - start;
    }
    expect(bytes.size === length, "a byte twice");
    const inOrder = record.spans.toSorted(([a, b, c], [d, e, f]) => a - d || b - e || c - f);
    expect(!IN_ORDER.includes(arm) || canonicalJson(inOrder) === canonicalJson(record.spans), "out of order");
    expect(evidence === evidenceOf(history, record.spans, arm), "the evidence is not what the spans quote");
    expect(record.evidence_sha256 === sha256Hex(evidence), "its digest");
    expect(record.evidence_bytes === Buffer.byteLength(evidence), "its length");
    expect(record.tokens === count(evidence), "its tokens");
    expect(record.tokens <= ceilingTokens, "over the ceiling");
    const { prefixes = [] } = record;
    const names = prefixes.map(({ name }) => name).join();
    expect(names === (PROTECTED.includes(arm) ? "baseline,backbone" : ""), "its protected beginnings");
    for (const { spans, bytes, sha256 } of prefixes) {
      const beginning = Buffer.from(evidence).subarray(0, bytes).toString("utf8");
      expect(beginning === evidenceOf(history, record.spans.slice(0, spans), arm), "a beginning that is no prefix");
      expect(sha256 === sha256Hex(beginning), "a beginning's digest");
    }
    expect((prefixes[0]?.spans ?? 0) <= (prefixes[1]?.spans ?? 0), "a baseline that is no part of its backbone");
    expect(record.skipped <= record.candidates, "more skipped than offered");
  }
  return found;
}

/** SHA-256 over records and evidence of packets, in order. */
export function packetsSha256(packets: Iterable<Packet>): string {
  const hash = startSha256();
  for (const packet of packets) hash.update(`${canonicalJson(packet)}\n`);
  return hash.digest("hex");
}

/** One digest over harbour's packets and one over those of the small world's smaller part. */
export function digests(): { harbour: string; smallWorld: string } {
  const dataset = harbour();
  const made = ARM_IDS.flatMap((arm) => [300, 1500].flatMap((ceiling) => packetsOf(dataset, arm, ceiling)));
  return { harbour: packetsSha256(made), smallWorld: packetsSha256(smallWorld(2, ARM_IDS)) };
}

// Run by determinism.test.ts under another locale and time zone.
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { locale, timeZone } = Intl.DateTimeFormat().resolvedOptions();
  process.stdout.write(JSON.stringify({ locale, timeZone, ...digests() }));
}
