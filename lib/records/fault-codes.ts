// What a document that breaks its schema is refused for: the code that says most.
import type { DocumentKind, Fault } from "../../schemas/index.js";
import type { ReasonCode } from "../finding.js";

/** By the definition in common.schema.json that a value breaks. */
const BY_DEFINITION: Readonly<Record<string, ReasonCode>> = {
  sha256: "E_DIGEST_FORMAT",
  count: "E_INT",
  ordinal: "E_INT",
  score: "E_SCORE",
  id: "E_ID",
  laneId: "E_ID",
  path: "E_PATH",
  note: "E_NAME",
};

/** Documents of a lane; others (trust files, states, datasets) are refused for their shape as a whole. */
const NOT_OF_A_LANE: ReadonlySet<DocumentKind> = new Set([
  "trust",
  "state",
  "dataset",
  "report",
  "error",
  "run",
  "proof",
  "proof-report",
]);

/** Names under which other formats give digests (in-toto DigestSet, and the spellings beside it). */
const DIGEST_NAMES =
  /^(?:md5|sha-?1|sha-?(?:224|256|384|512)|sha3-?\d+|blake[23][bs]?\d*|gitCommit|gitTree|gitBlob|dirHash)$/i;
/** Members by which an envelope or a signature would choose how it is checked. */
const ALGORITHM_NAMES = /^(?:alg|algorithm|scheme|keytype|kty|crv|hash)$/i;
/** Controls, and what turns the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u;

/** More items than any document needs, or more questions than are read; a tuple with an item too many is of a wrong shape. */
const OVER_LIMIT = /must NOT have more than \d{2,} items$|^\/population\/count must be <= /;

/** The code for the first fault of a document. E_SCHEMA when nothing says more. */
export function codeOfFault(kind: DocumentKind, fault: Fault, value: unknown): ReasonCode {
  if (kind === "trust") return /\/threshold |'threshold'/.test(fault.problem) ? "E_THRESHOLD_CFG" : "E_SCHEMA";
  // A run's paths are opened as a lane's are.
  if (NOT_OF_A_LANE.has(kind)) return kind === "run" && fault.definition === "path" ? "E_PATH" : "E_SCHEMA";
  if (OVER_LIMIT.test(fault.problem)) return "E_LIMIT";
  const { member, definition, pointer } = fault;
  if (kind === "statement" && /^\/predicate/.test(pointer) && definition === undefined) return "E_PREDICATE";
  const place = at(value, pointer);
  if (member !== undefined) {
    if (Object.hasOwn(Object.prototype, member)) return "E_NAME";
    if (kind === "envelope" && ALGORITHM_NAMES.test(member)) return "E_ALG_SOURCE";
    const digests = Object.keys(place ?? {}).filter((name) => DIGEST_NAMES.test(name));
    if (digests.some((name) => name !== "sha256")) return "E_ALG";
    return "E_SCHEMA";
  }
  if (definition === "id" || definition === "laneId") {
    return typeof place === "string" && UNPRINTABLE.test(place) ? "E_NAME" : "E_ID";
  }
  if (definition === "path") return isMergedByUnicode(value) ? "E_PATH_UNICODE" : "E_PATH";
  return (definition !== undefined && BY_DEFINITION[definition]) || "E_SCHEMA";
}

/** What stands at a JSON pointer that a validator gave. */
function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const step of pointer.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

/** Whether a file system that normalises Unicode or folds case would make one file of two that a manifest names. */
function isMergedByUnicode(manifest: unknown): boolean {
  const { files } = manifest as { files?: unknown };
  if (!Array.isArray(files)) return false;
  const paths = files.map((file) => String((file as { path?: unknown } | null)?.path));
  // In capitals first: only there does \u00df become two letters.
  const folded = paths.map((path) => path.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC"));
  return new Set(folded).size < new Set(paths).size;
}
