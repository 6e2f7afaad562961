// Requests about one history are often the same up to the end of their evidence. What such a beginning comes to is remembered
// with its bytes: a line that begins with them is compared, which takes a tenth of the time of unescaping and hashing it.
import type { Hash } from "node:crypto";
import { sha256Hex, startSha256 } from "../lib/bytes/digest.js";
import type { AroundEvidence } from "../lib/reader/request.js";
import { type ScannedBody, scanBodyAfter } from "../lib/records/documents.js";
import type { DigestedBody } from "./body.js";

/** Bytes kept for as long as nothing longer comes. */
class Kept {
  #memory = Buffer.alloc(0);
  bytes = this.#memory;

  set(bytes: Buffer): void {
    if (this.#memory.length < bytes.length) this.#memory = Buffer.allocUnsafeSlow(bytes.length);
    this.bytes = this.#memory.subarray(0, bytes.length);
    this.bytes.set(bytes);
  }
}

/** The last line that was gone through, up to the end of its evidence. */
export class KnownBeginning {
  /** As it stands in the line, as it stands in the body, and the evidence itself. */
  readonly #line = new Kept();
  readonly #body = new Kept();
  readonly #evidence = new Kept();
  /** Of the body's beginning: its bytes before the evidence, the hash as it stands after all of it, and the evidence's digest. */
  #known: { readonly headBytes: number; readonly hash: Hash; readonly evidenceSha256: string } | undefined;

  /** What a line comes to that begins as the last one did; undefined for any other, which is then to be gone through as a whole. */
  digest(
    around: AroundEvidence | undefined,
    line: Buffer,
    out: { readonly body: Buffer; readonly evidence: Buffer },
  ): (ScannedBody & DigestedBody) | undefined {
    const known = this.#known;
    const beginning = { line: this.#line.bytes, body: this.#body.bytes };
    if (!known || !around || around.head.length !== known.headBytes) return undefined;
    if (!around.head.equals(beginning.body.subarray(0, known.headBytes))) return undefined;
    if (!beginning.line.equals(line.subarray(0, beginning.line.length))) return undefined;
    const scanned = scanBodyAfter(beginning, line, out.body);
    const rest = scanned?.body.subarray(beginning.body.length);
    if (!scanned || !rest?.equals(around.tail)) return undefined;
    const evidence = out.evidence.subarray(0, this.#evidence.bytes.length);
    evidence.set(this.#evidence.bytes);
    const bodySha256 = known.hash.copy().update(rest).digest("hex");
    return { ...scanned, bodySha256, evidence, evidenceSha256: known.evidenceSha256 };
  }

  /** Digests a line that was gone through, and remembers its beginning. */
  learn({ head, tail }: AroundEvidence, line: Buffer, { body, stopped }: ScannedBody, evidence: Buffer): DigestedBody {
    const beginning = body.subarray(0, body.length - tail.length);
    const hash = startSha256().update(beginning);
    const evidenceSha256 = sha256Hex(evidence);
    // The body is canonical in its line, so its tail stands there as JSON.stringify writes it, without the quotes.
    const tailBytes = Buffer.byteLength(JSON.stringify(tail.toString("utf8"))) - 2;
    this.#line.set(line.subarray(0, stopped - tailBytes));
    this.#body.set(beginning);
    this.#evidence.set(evidence);
    this.#known = { headBytes: head.length, hash, evidenceSha256 };
    return { bodySha256: hash.copy().update(tail).digest("hex"), evidence, evidenceSha256 };
  }
}
