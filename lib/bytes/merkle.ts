// RFC 6962 Merkle trees over SHA-256 (section 2.1), and the verification algorithms of RFC 9162 (sections 2.1.3.2, 2.1.4.2).
import { startSha256 } from "./digest.js";

/** Hash of one leaf: SHA-256(0x00 || leaf). The prefix keeps a leaf from being taken for a node. */
export function leafHash(leaf: Uint8Array | string): Buffer {
  return startSha256().update("\x00").update(leaf).digest();
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return startSha256().update("\x01").update(left).update(right).digest();
}

/** A tree that is told its leaves one by one and keeps only the hashes on its right edge: O(log n) memory. */
export class MerkleAccumulator {
  #size = 0;
  /** Roots of the complete subtrees that make up the tree so far, largest first; one for each bit set in the size. */
  readonly #peaks: Buffer[] = [];

  get size(): number {
    return this.#size;
  }

  add(leaf: Uint8Array | string): void {
    let hash = leafHash(leaf);
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2) hash = nodeHash(this.#peaks.pop()!, hash);
    this.#peaks.push(hash);
    this.#size += 1;
  }

  /** The root, 32 bytes; of no leaves, SHA-256 of nothing. */
  root(): Buffer {
    if (this.#peaks.length === 0) return startSha256().digest();
    return this.#peaks.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** The largest power of two smaller than `size` (RFC 6962 section 2.1). */
function split(size: number): number {
  return 2 ** Math.ceil(Math.log2(size) - 1);
}

function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  if (hashes.length === 1) return hashes[0]!;
  const k = split(hashes.length);
  return nodeHash(rootOf(hashes.slice(0, k)), rootOf(hashes.slice(k)));
}

/** The audit path of leaf `index` among `leafHashes` (RFC 6962 section 2.1.1), from the leaf upwards. */
export function inclusionPath(leafHashes: readonly Uint8Array[], index: number): Uint8Array[] {
  if (index < 0 || index >= leafHashes.length) throw new RangeError(`no leaf ${index} among ${leafHashes.length}`);
  if (leafHashes.length === 1) return [];
  const k = split(leafHashes.length);
  return index < k
    ? [...inclusionPath(leafHashes.slice(0, k), index), rootOf(leafHashes.slice(k))]
    : [...inclusionPath(leafHashes.slice(k), index - k), rootOf(leafHashes.slice(0, k))];
}

/** Whether `path` proves that the leaf with hash `leaf` stands at `index` in the tree of `size` leaves with `root` (RFC 9162 section 2.1.3.2). */
export function verifyInclusion(
  leaf: Uint8Array,
  index: bigint,
  size: bigint,
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (leaf.length !== 32 || root.length !== 32 || path.some((hash) => hash.length !== 32)) return false;
  if (index < 0n || index >= size) return false;
  let fn = index;
  let sn = size - 1n;
  let hash = leaf;
  for (const sibling of path) {
    if (sn === 0n) return false;
    if (fn % 2n === 1n || fn === sn) {
      hash = nodeHash(sibling, hash);
      while (fn % 2n === 0n && fn !== 0n) {
        fn /= 2n;
        sn /= 2n;
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    fn /= 2n;
    sn /= 2n;
  }
  return sn === 0n && Buffer.compare(hash, root) === 0;
}

/**
 * Whether `path` proves that the tree of `size1` leaves with `root1` is a prefix of the tree of `size2` leaves with
 * `root2` (RFC 9162 section 2.1.4.2). An empty first tree proves nothing and is refused.
 */
export function verifyConsistency(
  size1: bigint,
  size2: bigint,
  root1: Uint8Array,
  root2: Uint8Array,
  path: readonly Uint8Array[],
): boolean {
  if (root1.length !== 32 || root2.length !== 32 || path.some((hash) => hash.length !== 32)) return false;
  if (size1 <= 0n || size1 > size2) return false;
  if (size1 === size2) return path.length === 0 && Buffer.compare(root1, root2) === 0;
  if (path.length === 0) return false;
  const isPowerOfTwo = (size1 & (size1 - 1n)) === 0n;
  const [first, ...rest] = isPowerOfTwo ? [root1, ...path] : path;
  let fn = size1 - 1n;
  let sn = size2 - 1n;
  while (fn % 2n === 1n) {
    fn /= 2n;
    sn /= 2n;
  }
  let hash1 = first!;
  let hash2 = first!;
  for (const sibling of rest) {
    if (sn === 0n) return false;
    if (fn % 2n === 1n || fn === sn) {
      hash1 = nodeHash(sibling, hash1);
      hash2 = nodeHash(sibling, hash2);
      while (fn % 2n === 0n && fn !== 0n) {
        fn /= 2n;
        sn /= 2n;
      }
    } else {
      hash2 = nodeHash(hash2, sibling);
    }
    fn /= 2n;
    sn /= 2n;
  }
  return sn === 0n && Buffer.compare(hash1, root1) === 0 && Buffer.compare(hash2, root2) === 0;
}
