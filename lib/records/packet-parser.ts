// Lines of packets.jsonl. Packets of one history may quote the same thousands of spans; these are parsed once, and known again by
// their bytes.
import type { PacketRecord } from "../../schemas/index.js";
import { parseCanonicalJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { checked, type LineParser, recordParser } from "./documents.js";

const SPANS = Buffer.from(',"spans":[[');
const SPANS_END = Buffer.from("]]");
const NO_SPANS = Buffer.from("[]");
/** Shorter lists are parsed again as fast. */
const SPANS_BYTES_MIN = 1024;

/** What stands in a line as its spans, brackets included; undefined when nothing long does. */
function spansIn(line: Buffer): { readonly start: number; readonly end: number } | undefined {
  const at = line.indexOf(SPANS);
  const start = at + SPANS.length - 2;
  const end = at < 0 ? -1 : line.indexOf(SPANS_END, start) + SPANS_END.length;
  return end - start < SPANS_BYTES_MIN ? undefined : { start, end };
}

/** What recordParser("packet-record") makes of each line; packets with the same spans share them. */
export function packetParser(): LineParser<PacketRecord> {
  const parse = recordParser("packet-record");
  let text = Buffer.alloc(0);
  let spans: PacketRecord["spans"] = [];

  /** A line whose spans are the last one's: it is canonical and of its schema if it is so without them. Undefined when it is not. */
  function parseWithout(line: Buffer, start: number, end: number, at: string): PacketRecord | undefined {
    try {
      const rest = parseCanonicalJson(Buffer.concat([line.subarray(0, start), NO_SPANS, line.subarray(end)]), at);
      return checked("packet-record", { ...checked("packet-record", rest, at), spans }, at);
    } catch (error) {
      if (error instanceof SealaneError) return undefined;
      throw error;
    }
  }

  return (bytes, at) => {
    const line = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const place = spansIn(line);
    if (!place) return parse(bytes, at);
    const { start, end } = place;
    if (text.equals(line.subarray(start, end))) {
      const known = parseWithout(line, start, end, at);
      if (known) return known;
    }
    const value = parse(bytes, at);
    text = Buffer.from(line.subarray(start, end));
    spans = value.spans;
    return value;
  };
}
