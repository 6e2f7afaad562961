// A lane that is to be packed, signed or exported: exactly the files of its manifest, and an envelope about that manifest.
// Whether the signatures count is for `verify` to say.
import { join } from "node:path";
import type { Envelope, Manifest } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { parseCanonicalJson } from "../bytes/json.js";
import { LIMITS } from "../bytes/limits.js";
import { SealaneError } from "../finding.js";
import { FileWriter } from "../io/atomic.js";
import { type LaneSource, readWhole } from "../io/source.js";
import { openEnvelope, PAYLOAD_TYPE } from "../manifest/envelope.js";
import { checked, parseDocument } from "../records/documents.js";
import type { ArchivedFile } from "./archive-layout.js";
import { ENVELOPE, MANIFEST, readManifest } from "./archive-manifest.js";
import { checkedChunks } from "./archive-read.js";

/** A file of a lane: what its bytes must be. */
export interface LaneFile extends ArchivedFile {
  readonly sha256: string;
}

export interface ListedLane {
  readonly source: LaneSource;
  readonly manifest: Manifest;
  readonly manifestBytes: Buffer;
  readonly envelopeBytes: Buffer;
  /** Manifest and envelope first, then the files that the manifest names, in its order. */
  readonly files: readonly LaneFile[];
}

/**
 * What stands in a lane, after a look at the list alone; content is checked while it is read (`checkedChunks`).
 * Throws E_NOT_REGULAR, E_MANIFEST_MISSING, E_SIGNATURE_MISSING, E_FILE_MISSING, E_FILE_EXTRA and what a manifest can be
 * refused for.
 */
export function listLane(source: LaneSource): ListedLane {
  const there = new Set<string>();
  for (const { path, regular } of source.entries()) {
    if (!regular) throw new SealaneError("E_NOT_REGULAR", `${path} is not a regular file`, { at: path });
    there.add(path);
  }
  if (!there.has(MANIFEST)) throw new SealaneError("E_MANIFEST_MISSING", `there is no ${MANIFEST}`, { at: MANIFEST });
  if (!there.has(ENVELOPE)) throw new SealaneError("E_SIGNATURE_MISSING", `there is no ${ENVELOPE}`, { at: ENVELOPE });
  const whole = (path: string): [LaneFile, Buffer] => {
    const bytes = readWhole(source, path, LIMITS.documentBytesMax);
    return [{ path, size: bytes.length, sha256: sha256Hex(bytes) }, bytes];
  };
  const [manifestFile, manifestBytes] = whole(MANIFEST);
  const [envelopeFile, envelopeBytes] = whole(ENVELOPE);
  const manifest = readManifest(manifestBytes);
  const files: LaneFile[] = [manifestFile, envelopeFile, ...manifest.files];
  for (const { path } of files) {
    if (!there.delete(path)) throw new SealaneError("E_FILE_MISSING", `there is no ${path} in the lane`, { at: path });
  }
  const [extra] = there;
  if (extra !== undefined) {
    throw new SealaneError("E_FILE_EXTRA", `${extra} is not named by the manifest`, { at: extra });
  }
  return { source, manifest, manifestBytes, envelopeBytes, files };
}

export interface SignedLane extends ListedLane {
  readonly manifestSha256: string;
  readonly envelope: Envelope;
  /** The bytes that every signature of the envelope is over. */
  readonly payload: Buffer;
  /** In the envelope's order. */
  readonly signatures: readonly Buffer[];
}

/**
 * A lane whose envelope is about its manifest. Beside what `listLane` throws: E_SUBJECT for a statement about another
 * manifest, E_PREDICATE for one that calls it otherwise, and what an envelope can be refused for.
 */
export function openSignedLane(source: LaneSource): SignedLane {
  const listed = listLane(source);
  const manifestSha256 = sha256Hex(listed.manifestBytes);
  const envelope = parseDocument("envelope", listed.envelopeBytes, ENVELOPE);
  const opened = openEnvelope(envelope, ENVELOPE);
  const at = `${ENVELOPE}#/payload`;
  const { subject, predicate } = checked("statement", parseCanonicalJson(opened.payload, at), at);
  const found = subject[0]?.digest.sha256;
  if (found !== manifestSha256) {
    const more = { at, expected: manifestSha256, ...(found === undefined ? {} : { found }) };
    throw new SealaneError("E_SUBJECT", `the signed statement is about another manifest than ${MANIFEST}`, more);
  }
  if (envelope.payloadType !== PAYLOAD_TYPE) {
    throw new SealaneError("E_PREDICATE", "the signed payload is called something else than an in-toto statement", {
      at: `${ENVELOPE}#/payloadType`,
      expected: PAYLOAD_TYPE,
      found: envelope.payloadType,
    });
  }
  const { lane_id, lane_version } = listed.manifest;
  if (predicate.lane_id !== lane_id || predicate.lane_version !== lane_version) {
    throw new SealaneError("E_PREDICATE", "the signed statement names another lane or version than the manifest", {
      at,
      expected: `${lane_id}, version ${lane_version}`,
      found: `${predicate.lane_id}, version ${predicate.lane_version}`,
    });
  }
  return { ...listed, manifestSha256, envelope, ...opened };
}

/** Told after each chunk how many bytes of how many are done. */
export type OnBytes = (done: number, total: number) => void;

function* contentOf(
  { source, files }: Pick<ListedLane, "source" | "files">,
  onBytes: OnBytes,
): Generator<[LaneFile, Generator<Buffer>]> {
  const total = files.reduce((sum, file) => sum + file.size, 0);
  let done = 0;
  for (const file of files) {
    yield [
      file,
      (function* () {
        for (const chunk of checkedChunks(source, file, file.sha256)) {
          done += chunk.length;
          onBytes(done, total);
          yield chunk;
        }
      })(),
    ];
  }
}

/** Reads every file of a lane; throws E_SIZE or E_DIGEST at the first that is not the one sealed. */
export function checkContent(lane: ListedLane, onBytes: OnBytes = () => {}): void {
  for (const [, chunks] of contentOf(lane, onBytes)) for (const _ of chunks);
}

/** Writes every file of a lane below a folder, checked as it is read. Throws E_SIZE, E_DIGEST, E_IO. */
export function copyLane(lane: ListedLane, folder: string, onBytes: OnBytes = () => {}): void {
  copyFiles(lane, lane.files, folder, onBytes);
}

/** Writes some files of a lane below a folder, each checked as it is read. Throws E_SIZE, E_DIGEST, E_IO. */
export function copyFiles(
  { source }: Pick<ListedLane, "source">,
  files: readonly LaneFile[],
  folder: string,
  onBytes: OnBytes = () => {},
): void {
  for (const [{ path }, chunks] of contentOf({ source, files }, onBytes)) {
    const file = new FileWriter(join(folder, path));
    try {
      for (const chunk of chunks) file.write(chunk);
    } finally {
      file.close();
    }
  }
}
