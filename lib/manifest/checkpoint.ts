// C2SP checkpoints (c2sp.org/tlog-checkpoint) of the three trees of a lane: a signed note of exactly three lines, the
// tree's origin, its size and its root. Each version of a lane is a log of its own that is finished when it is sealed.
import type { Manifest, TreeName } from "../../schemas/index.js";
import { standardBase64 } from "../bytes/base64.js";
import { MerkleAccumulator } from "../bytes/merkle.js";
import { SealaneError } from "../finding.js";
import type { PublicKey, SigningKey } from "./keys.js";
import { type NoteVerifier, noteVerifier, signNote } from "./note.js";

/** What a checkpoint says of a manifest's tree depends on these. */
export type CheckpointedLane = Pick<Manifest, "lane_id" | "lane_version" | "trees">;

export interface Checkpoint {
  readonly origin: string;
  readonly size: bigint;
  /** 32 bytes. */
  readonly root: Uint8Array;
}

/** The name of a tree's log, and of the keys that sign its checkpoints. */
export function originOf({ lane_id, lane_version }: CheckpointedLane, tree: TreeName): string {
  return `sealane.dev/lane/${lane_id}/${lane_version}/${tree}`;
}

/** The one checkpoint that there can be of a manifest's tree. */
export function checkpointOf(lane: CheckpointedLane, tree: TreeName): Checkpoint {
  const { size, root } = lane.trees[tree];
  return { origin: originOf(lane, tree), size: BigInt(size), root: Buffer.from(root, "hex") };
}

/**
 * The checkpoint that a witness cosigns to say when a lane was signed: of a log whose leaves are the raw signatures of the
 * lane's envelope, in its order. Signatures are only ever added at the end, so a smaller checkpoint speaks of the first ones.
 * No tree of the lane would do: none of them says who signed the manifest, so another signature could be put under it later.
 */
export function signatureCheckpoint(
  { lane_id, lane_version }: Pick<Manifest, "lane_id" | "lane_version">,
  signatures: readonly Uint8Array[],
): Checkpoint {
  const tree = new MerkleAccumulator();
  for (const signature of signatures) tree.add(signature);
  return {
    origin: `sealane.dev/lane/${lane_id}/${lane_version}/signatures`,
    size: BigInt(signatures.length),
    root: tree.root(),
  };
}

/** The text that is signed. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${Buffer.from(root).toString("base64")}\n`;
}

/** The checkpoint of a manifest's tree as a note signed by `key`. */
export function signCheckpoint(lane: CheckpointedLane, tree: TreeName, key: SigningKey): string {
  return signNote(checkpointText(checkpointOf(lane, tree)), originOf(lane, tree), key);
}

/** A key as the signer of a tree's checkpoints; `key` is what it is to everyone else. */
export interface CheckpointSigner extends NoteVerifier {
  readonly key: PublicKey;
}

/** Keys as signers of the checkpoints of one tree. */
export function checkpointSigners(
  lane: CheckpointedLane,
  tree: TreeName,
  keys: readonly PublicKey[],
): CheckpointSigner[] {
  return keys.map((key) => ({ ...noteVerifier(originOf(lane, tree), key), key }));
}

/** Decimal without leading zeros, below 10^19: every size that a path of 63 hashes can reach. */
const SIZE = /^(?:0|[1-9][0-9]{0,18})$/;

/**
 * Reads the text of a checkpoint. Extension lines are refused: nobody audits them, so nothing may be said in one. Throws
 * E_CHECKPOINT.
 */
export function parseCheckpoint(text: string, at: string): Checkpoint {
  const wrong = (why: string): SealaneError =>
    new SealaneError("E_CHECKPOINT", `${at} is no checkpoint: ${why}`, { at });
  const lines = text.split("\n");
  if (lines.pop() !== "") throw wrong("its last line is not ended");
  const [origin, size, base64] = lines;
  if (!origin || size === undefined || base64 === undefined) throw wrong("it has fewer than three lines");
  if (lines.length > 3) throw wrong("it has extension lines");
  if (!SIZE.test(size)) throw wrong("its second line is no tree size");
  const root = standardBase64(base64);
  if (root?.length !== 32) throw wrong("its third line is no root hash");
  return { origin, size: BigInt(size), root };
}
