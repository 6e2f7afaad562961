// What witnesses have cosigned of a lane, counted over all notes that are given: of the log of the envelope's signatures, which
// says when each of them was there, or of one of the lane's trees, which says when that tree was.
import { type Finding, SealaneError } from "../lib/finding.js";
import { utcText } from "../lib/io/clock.js";
import {
  checkpointOf,
  checkpointSigners,
  checkpointText,
  originOf,
  parseCheckpoint,
  signatureCheckpoint,
} from "../lib/manifest/checkpoint.js";
import { cosigners } from "../lib/manifest/cosignature.js";
import { noteSigners, parseNote } from "../lib/manifest/note.js";
import { TREE_NAMES } from "../lib/manifest/trees.js";
import { signersOf, type Trust, type TrustedKey } from "../lib/manifest/trust.js";
import { printable, shortened } from "../lib/report/printable.js";
import type { Manifest, TreeName } from "../schemas/index.js";
import type { GivenAnchor } from "./evidence.js";

/** By when something was there at the latest, and by whose word. */
export interface AnchoredTime {
  readonly ms: number;
  readonly by: string;
}

/** Witnesses by the earliest time at which each saw one thing, and the first note that says so. */
interface Sightings {
  readonly at: string;
  readonly by: Map<TrustedKey, number>;
}

export class Witnesses {
  readonly #lane: Manifest;
  readonly #signatures: readonly Buffer[];
  readonly #trust: Trust | undefined;
  readonly #known: readonly TrustedKey[];
  readonly #ofSignatures = new Map<number, Sightings>();
  readonly #ofTrees = new Map<TreeName, Sightings>();

  /** @param signatures the envelope's, in its order */
  constructor(lane: Manifest, signatures: readonly Buffer[], trust: Trust | undefined) {
    this.#lane = lane;
    this.#signatures = signatures;
    this.#trust = trust;
    this.#known = trust?.keys.filter(({ keyId }) => trust.witnesses?.keyIds.includes(keyId)) ?? [];
  }

  /** Takes a note in. Throws E_CHECKPOINT when it is of another tree, or a line of a key that is known here does not hold. */
  add({ bytes, at }: GivenAnchor): void {
    const note = parseNote(bytes, at);
    const { origin, size } = parseCheckpoint(note.text, at);
    const tree = TREE_NAMES.find((name) => originOf(this.#lane, name) === origin);
    const count = Math.max(1, Math.min(Number(size), this.#signatures.length));
    const expected =
      tree === undefined
        ? signatureCheckpoint(this.#lane, this.#signatures.slice(0, count))
        : checkpointOf(this.#lane, tree);
    if (checkpointText(expected) !== note.text) {
      const lines = (text: string): string => text.trimEnd().replaceAll("\n", " ");
      throw new SealaneError("E_CHECKPOINT", `${at} is of another tree than this lane's`, {
        at,
        expected: lines(checkpointText(expected)),
        found: shortened(printable(lines(note.text)), 300),
      });
    }
    if (tree !== undefined) {
      // As in the lane's own checkpoints, a line of a key that may sign the lane is held to what it is.
      const allowed = (this.#trust && signersOf(this.#trust, this.#lane.lane_id)?.keys) ?? [];
      noteSigners(note, checkpointSigners(this.#lane, tree, allowed), at);
    }
    const by = cosigners(note, this.#known, at);
    if (tree !== undefined) sighted(this.#ofTrees, tree, at, by);
    else for (let index = 0; index < count; index += 1) sighted(this.#ofSignatures, index, at, by);
  }

  /** Signatures that enough witnesses saw, by their places in the envelope. */
  signatureTimes(): [index: number, time: AnchoredTime][] {
    return [...this.#ofSignatures].flatMap(([index, { by }]) => {
      const time = this.#quorum(by);
      return time === undefined ? [] : [[index, time]];
    });
  }

  /** What witnesses say of trees. */
  limits(): string[] {
    return [...this.#ofTrees].flatMap(([tree, { by }]) => {
      const time = this.#quorum(by);
      if (time === undefined) return [];
      return [
        `The ${tree} tree was there by ${utcText(time.ms)}, which says nothing of who had signed it: ${time.by}.`,
      ];
    });
  }

  /**
   * What was cosigned by too few. All notes on the signatures speak of the first one, so that one decides: notes about further
   * signatures may be fewer.
   */
  findings(): Finding[] {
    const first = this.#ofSignatures.get(0);
    const all = [...this.#ofTrees.values(), ...(first === undefined ? [] : [first])];
    const threshold = this.#trust?.witnesses?.threshold;
    return all
      .filter(({ by }) => this.#quorum(by) === undefined)
      .map(({ at, by }) => ({
        code: "E_WITNESS",
        at,
        expected:
          threshold === undefined ? "a trust file that names witnesses" : `${threshold} distinct witnesses' keys`,
        found: String(by.size),
        message: "fewer witnesses than the trust file asks for cosigned it",
      }));
  }

  /** When the last of as many witnesses as are needed had seen a thing. */
  #quorum(by: ReadonlyMap<TrustedKey, number>): AnchoredTime | undefined {
    const threshold = this.#trust?.witnesses?.threshold ?? Number.POSITIVE_INFINITY;
    const earliest = [...by].sort(([, one], [, other]) => one - other).slice(0, threshold);
    if (earliest.length < threshold) return undefined;
    const who = earliest.map(([{ keyId, owner }]) => `${owner} (${keyId.slice(0, 8)})`).join(", ");
    return { ms: Math.max(...earliest.map(([, ms]) => ms)), by: `witnessed by ${who}` };
  }
}

function sighted<K>(things: Map<K, Sightings>, thing: K, at: string, by: ReadonlyMap<TrustedKey, number>): void {
  const seen = things.get(thing) ?? { at, by: new Map<TrustedKey, number>() };
  things.set(thing, seen);
  for (const [witness, ms] of by) seen.by.set(witness, Math.min(seen.by.get(witness) ?? ms, ms));
}
