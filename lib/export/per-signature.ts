import { join } from "node:path";
import { SealaneError } from "../finding.js";
import { makeFolder, writeNewFile } from "../io/atomic.js";
import { LANE_FILES } from "../records/documents.js";
import type { ExportTask } from "./types.js";

/**
 * Writes a new folder with one file for each signature of the envelope, named by its key id. Throws E_KEYTYPE for a signature
 * under no key id of sealane, E_DUPLICATE for two under one, E_EXISTS, E_IO.
 * @param content what a file holds; the place of its signature in the envelope, and the key id, are given
 */
export async function writePerSignature(
  { lane, out }: ExportTask,
  ending: string,
  content: (index: number, keyid: string) => Uint8Array | string,
): Promise<readonly string[]> {
  const files = new Map<string, Uint8Array | string>();
  for (const [index, { keyid }] of lane.envelope.signatures.entries()) {
    const at = `${LANE_FILES.envelope}#/signatures/${index}/keyid`;
    // The id becomes a file's name, and whoever can write an envelope can write any text there.
    if (!/^[0-9a-f]{64}$/.test(keyid)) {
      throw new SealaneError("E_KEYTYPE", "a signature is under no key id of sealane", { at, found: keyid });
    }
    const name = `${keyid}${ending}`;
    if (files.has(name)) {
      throw new SealaneError("E_DUPLICATE", "two signatures are under one key id", { at, found: keyid });
    }
    files.set(name, content(index, keyid));
  }
  await makeFolder(out, async (folder) => {
    for (const [name, bytes] of files) writeNewFile(join(folder, name), bytes);
  });
  return [...files.keys()];
}
