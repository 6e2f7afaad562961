// A Bitcoin block header: 80 bytes, of which the Merkle root and the time matter here. Whoever gives one vouches for it: that
// it is the block of that height in the chain that counts is not to be seen in it. What can be seen is that it is whole, because
// its double SHA-256 must lie below the target that it names.
import { createHash } from "node:crypto";
import { SealaneError } from "../finding.js";

export interface BitcoinHeader {
  readonly height: number;
  /** 32 bytes, as they are hashed; people are shown them reversed. */
  readonly merkleRoot: Buffer;
  /** The block's hash as people are shown it: reversed, in hexadecimal. */
  readonly hash: string;
  /** When its miner says it was made: true to some hours. */
  readonly timeMs: number;
}

const FORM = /^([0-9]{1,10}):([0-9a-f]{160})$/;

export const shownHash = (bytes: Uint8Array): string => Buffer.from(bytes).reverse().toString("hex");

/** The target that a header names in four bytes: a mantissa of 23 bits and an exponent in bytes. */
function targetOf(bits: number): bigint {
  const mantissa = BigInt(bits & 0x7fffff);
  const exponent = bits >>> 24;
  return exponent >= 3 ? mantissa << BigInt(8 * (exponent - 3)) : mantissa >> BigInt(8 * (3 - exponent));
}

/** Reads "height:header", the header as 160 hexadecimal digits. Throws E_USAGE. */
export function parseBitcoinHeader(text: string): BitcoinHeader {
  const at = "--bitcoin-header";
  const [, height, hex] = FORM.exec(text) ?? [];
  if (height === undefined || hex === undefined) {
    const expected = "a height, a colon and the 80 bytes of the header in hexadecimal";
    throw new SealaneError("E_USAGE", `${at} is not of its form`, { at, expected, found: text });
  }
  const header = Buffer.from(hex, "hex");
  const once = createHash("sha256").update(header).digest();
  const hash = shownHash(createHash("sha256").update(once).digest());
  if (BigInt(`0x${hash}`) > targetOf(header.readUInt32LE(72))) {
    throw new SealaneError("E_USAGE", `${at} ${height}: no work was done for this header, so it is not whole`, {
      at,
      found: hash,
    });
  }
  return {
    height: Number(height),
    merkleRoot: header.subarray(36, 68),
    hash,
    timeMs: header.readUInt32LE(68) * 1000,
  };
}
