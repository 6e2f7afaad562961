// The options of `sealane verify` by which others say when a lane was signed.
import { LIMITS } from "../lib/bytes/limits.js";
import { SealaneError } from "../lib/finding.js";
import { readFile } from "../lib/io/read-file.js";
import { type BitcoinHeader, parseBitcoinHeader } from "../lib/time/bitcoin-header.js";
import type { GivenAnchor } from "../verifiers/evidence.js";
import { list, type Repeated } from "./trust-options.js";

interface Given {
  readonly anchor?: Repeated;
  readonly "bitcoin-header"?: Repeated;
  readonly proof?: string | undefined;
}

/** Reads the files that were named. Throws E_USAGE, E_MISSING, E_LIMIT, E_IO. */
export function anchorsOf(given: Given): { anchors: GivenAnchor[]; bitcoinHeaders: BitcoinHeader[] } {
  const files = list(given.anchor);
  const headers = list(given["bitcoin-header"]);
  if (files.length > 0 && given.proof !== undefined) {
    throw new SealaneError("E_USAGE", "--anchor goes with a lane, not with --proof");
  }
  if (headers.length > 0 && files.length === 0)
    throw new SealaneError("E_USAGE", "--bitcoin-header goes with --anchor");
  if (files.length > LIMITS.anchorsMax) {
    throw new SealaneError("E_LIMIT", `more than ${LIMITS.anchorsMax} anchors are given`, {
      found: String(files.length),
    });
  }
  const bitcoinHeaders = headers.map(parseBitcoinHeader);
  const heights = bitcoinHeaders.map(({ height }) => height);
  const twice = heights.find((height, index) => heights.indexOf(height) !== index);
  if (twice !== undefined) {
    throw new SealaneError("E_USAGE", "two headers are given for one height", { found: String(twice) });
  }
  return { anchors: files.map((at) => ({ bytes: readFile(at, LIMITS.anchorBytesMax), at })), bitcoinHeaders };
}
