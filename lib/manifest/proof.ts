// A proof of one question, in the form c2sp.org/tlog-proof@v1: its leaf as extra data, its index and audit path in one of
// the lane's trees (RFC 6962 section 2.1.1), and the checkpoint of that tree. Nothing in it is believed for standing there.
import type { Proof } from "../../schemas/index.js";
import { standardBase64 } from "../bytes/base64.js";
import { canonicalJson, parseCanonicalJson } from "../bytes/json.js";
import { utf8 } from "../bytes/text.js";
import { SealaneError } from "../finding.js";
import { checked } from "../records/documents.js";
import { type Note, parseNote } from "./note.js";

const FIRST_LINE = "c2sp.org/tlog-proof@v1";
/** Decimal without leading zeros, below 10^19: more than any index that a path of 63 hashes can lead to. */
const INDEX = /^index (0|[1-9][0-9]{0,18})$/;
/** A tree of 2^63 leaves is the largest whose size the RFC's 64 bits hold. */
const PATH_MAX = 63;

export interface ProofParts {
  /** The leaf, and the leaves that it names. */
  readonly document: Proof;
  /** Zero-based. */
  readonly index: bigint;
  /** Sibling hashes from the leaf upwards, 32 bytes each. */
  readonly path: readonly Uint8Array[];
}

/** The proof as text; `checkpoint` is the signed note as it stands in the lane. */
export function buildProof({ document, index, path }: ProofParts, checkpoint: string): string {
  const lines = [
    FIRST_LINE,
    `extra ${Buffer.from(canonicalJson(document)).toString("base64")}`,
    `index ${index}`,
    ...path.map((hash) => Buffer.from(hash).toString("base64")),
  ];
  return `${lines.join("\n")}\n\n${checkpoint}`;
}

/**
 * Takes a proof apart. Throws E_PROOF for anything but the one form that such a proof has, E_VERSION for another version
 * of it, E_LIMIT.
 */
export function parseProof(bytes: Uint8Array, at: string): ProofParts & { readonly checkpoint: Note } {
  const text = malformedAsProof(at, () => utf8(bytes, at));
  // No line of the head is empty, so that the first blank line ends it.
  const end = text.indexOf("\n\n");
  const [first = "", extra = "", index = "", ...path] = text.slice(0, Math.max(0, end)).split("\n");
  if (first !== FIRST_LINE && /^c2sp\.org\/tlog-proof@v[0-9]+$/.test(first)) {
    throw new SealaneError("E_VERSION", `${at} is a proof of another version`, {
      at,
      expected: FIRST_LINE,
      found: first,
    });
  }
  if (first !== FIRST_LINE) throw notAProof(at, `its first line is not ${FIRST_LINE}, or nothing follows the path`);
  const document = extra.startsWith("extra ") ? standardBase64(extra.slice("extra ".length)) : undefined;
  if (!document) throw notAProof(at, "its second line is not 'extra' and strict base64");
  const [, position] = INDEX.exec(index) ?? [];
  if (position === undefined) throw notAProof(at, "its third line is not 'index' and a number");
  if (path.length > PATH_MAX) throw notAProof(at, `its path has more than ${PATH_MAX} hashes`);
  const checkpoint = malformedAsProof(at, () => parseNote(Buffer.from(text.slice(end + 2)), `${at}#checkpoint`));
  // A checkpoint's lines are not empty: what follows one is no part of it.
  if (checkpoint.text.includes("\n\n")) throw notAProof(at, "something follows its checkpoint");
  return {
    document: malformedAsProof(at, () => checked("proof", parseCanonicalJson(document, `${at}#extra`), `${at}#extra`)),
    index: BigInt(position),
    path: path.map((line, level) => {
      const hash = standardBase64(line);
      if (hash?.length !== 32) throw notAProof(at, `hash ${level + 1} of its path is not 32 bytes in base64`);
      return hash;
    }),
    checkpoint,
  };
}

function notAProof(at: string, why: string, cause?: unknown): SealaneError {
  return new SealaneError("E_PROOF", `${at} is no proof of a question: ${why}`, { at, cause });
}

/** What is wrong with a part's form is wrong with the proof's; a version or a bound is told apart. */
function malformedAsProof<T>(at: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof SealaneError) || error.code === "E_VERSION" || error.code === "E_LIMIT") throw error;
    throw notAProof(at, error.message, error);
  }
}
