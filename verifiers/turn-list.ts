// The turns that a lane lists, of which there may be hundreds of thousands, in a few flat arrays.
import { turnKey } from "../lib/evidence/segment.js";
import type { TurnRecord } from "../schemas/index.js";

const DIGEST_BYTES = 32;
/** Records of one block: arrays that grow by doubling stand in memory one and a half times while they do. */
const BLOCK_RECORDS = 4096;

interface Block {
  /** Session, turn and bytes of each record: whole numbers of any size that JSON holds. */
  readonly numbers: Float64Array;
  readonly digests: Buffer;
}

/** Where a turn stands: a packet's span does as well. */
type TurnPlace = Pick<TurnRecord, "session" | "turn">;

/**
 * The records of one history. A lane lists them one after another, by session and turn, and then they are found by halving; any that
 * stand otherwise are found by their keys.
 */
interface OfHistory {
  readonly start: number;
  end: number;
  /** By turnKey: the first record of a turn; undefined while the records stand in order. */
  places: Map<number | string, number> | undefined;
}

/** The records of turns.jsonl in order, and their places by history, session and turn. */
export class TurnList {
  length = 0;
  readonly #blocks: Block[] = [];
  /** Where each run of records of one history begins. */
  readonly #runs: { readonly historyId: string; readonly start: number }[] = [];
  readonly #histories = new Map<string, OfHistory>();

  add({ history_id: historyId, session, turn, bytes, turn_sha256: sha256 }: TurnRecord): void {
    const index = this.length;
    const at = index % BLOCK_RECORDS;
    if (at === 0) {
      this.#blocks.push({
        numbers: new Float64Array(3 * BLOCK_RECORDS),
        digests: Buffer.alloc(DIGEST_BYTES * BLOCK_RECORDS),
      });
    }
    const { numbers, digests } = this.#blocks.at(-1)!;
    numbers[3 * at] = session;
    numbers[3 * at + 1] = turn;
    numbers[3 * at + 2] = bytes;
    digests.write(sha256, DIGEST_BYTES * at, "hex");
    if (this.#runs.at(-1)?.historyId !== historyId) this.#runs.push({ historyId, start: index });
    this.length += 1;
    const known = this.#histories.get(historyId);
    if (known === undefined) this.#histories.set(historyId, { start: index, end: index + 1, places: undefined });
    else this.#addTo(known, index, { session, turn });
  }

  #addTo(history: OfHistory, index: number, place: TurnPlace): void {
    const inOrder = history.end === index && this.#compare(index - 1, place) < 0;
    if (history.places === undefined && !inOrder) {
      history.places = new Map();
      for (let known = history.start; known < history.end; known += 1) {
        history.places.set(turnKey({ session: this.#number(known, 0), turn: this.#number(known, 1) }), known);
      }
    }
    history.end = index + 1;
    const key = turnKey(place);
    if (history.places && !history.places.has(key)) history.places.set(key, index);
  }

  #number(index: number, which: 0 | 1 | 2): number {
    return this.#blocks[Math.floor(index / BLOCK_RECORDS)]!.numbers[3 * (index % BLOCK_RECORDS) + which]!;
  }

  #compare(index: number, { session, turn }: TurnPlace): number {
    return this.#number(index, 0) - session || this.#number(index, 1) - turn;
  }

  bytesAt(index: number): number {
    return this.#number(index, 2);
  }

  /**
   * The first record of a turn; undefined when none is listed.
   * @param hint where it may well stand, such as after the one that was found last
   */
  find(historyId: string, place: TurnPlace, hint = 0): number | undefined {
    const history = this.#histories.get(historyId);
    if (history === undefined) return undefined;
    if (history.places) return history.places.get(turnKey(place));
    let { start: low, end: high } = history;
    if (hint >= low && hint < high && this.#compare(hint, place) === 0) return hint;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const compared = this.#compare(middle, place);
      if (compared === 0) return middle;
      if (compared < 0) low = middle + 1;
      else high = middle;
    }
    return undefined;
  }

  /** Every record with its index; the line it stands in is one more. */
  *records(): Generator<TurnRecord & { readonly index: number }> {
    for (const [run, { historyId, start }] of this.#runs.entries()) {
      const end = this.#runs[run + 1]?.start ?? this.length;
      for (let index = start; index < end; index += 1) yield this.#record(historyId, index);
    }
  }

  #record(historyId: string, index: number): TurnRecord & { readonly index: number } {
    const at = DIGEST_BYTES * (index % BLOCK_RECORDS);
    return {
      history_id: historyId,
      session: this.#number(index, 0),
      turn: this.#number(index, 1),
      bytes: this.#number(index, 2),
      turn_sha256: this.#blocks[Math.floor(index / BLOCK_RECORDS)]!.digests.toString("hex", at, at + DIGEST_BYTES),
      index,
    };
  }
}
