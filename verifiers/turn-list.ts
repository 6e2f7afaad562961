// The turns that a lane lists, of which there may be hundreds of thousands, in a few flat arrays.
import { turnKey } from "../lib/evidence/segment.js";
import type { TurnRecord } from "../schemas/index.js";

const DIGEST_BYTES = 32;

/** The records of turns.jsonl in order, and their places by history, session and turn. */
export class TurnList {
  length = 0;
  /** Session, turn and bytes of each record: whole numbers of any size that JSON holds. */
  #numbers = new Float64Array(3 * 1024);
  #digests = Buffer.alloc(DIGEST_BYTES * 1024);
  /** The records of one history mostly stand together: where each run of them begins. */
  readonly #runs: { readonly historyId: string; readonly start: number }[] = [];
  /** By history, then by turnKey: the first record of a turn. */
  readonly #places = new Map<string, Map<number | string, number>>();

  add({ history_id: historyId, session, turn, bytes, turn_sha256: sha256 }: TurnRecord): void {
    const index = this.length;
    if (3 * index === this.#numbers.length) {
      const numbers = new Float64Array(2 * this.#numbers.length);
      numbers.set(this.#numbers);
      this.#numbers = numbers;
      this.#digests = Buffer.concat([this.#digests], 2 * this.#digests.length);
    }
    this.#numbers.set([session, turn, bytes], 3 * index);
    this.#digests.write(sha256, DIGEST_BYTES * index, "hex");
    if (this.#runs.at(-1)?.historyId !== historyId) this.#runs.push({ historyId, start: index });
    const places = this.#places.get(historyId) ?? new Map<number | string, number>();
    this.#places.set(historyId, places);
    const key = turnKey({ session, turn });
    if (!places.has(key)) places.set(key, index);
    this.length += 1;
  }

  bytesAt(index: number): number {
    return this.#numbers[3 * index + 2]!;
  }

  /** Histories that turns are listed of, in order. */
  histories(): Iterable<string> {
    return this.#places.keys();
  }

  /** Indexes of one history's turns by turnKey. */
  placesOf(historyId: string): ReadonlyMap<number | string, number> | undefined {
    return this.#places.get(historyId);
  }

  /** Every record with its index; the line it stands in is one more. */
  *records(): Generator<TurnRecord & { readonly index: number }> {
    for (const [run, { historyId, start }] of this.#runs.entries()) {
      const end = this.#runs[run + 1]?.start ?? this.length;
      for (let index = start; index < end; index += 1) yield this.#record(historyId, index);
    }
  }

  #record(historyId: string, index: number): TurnRecord & { readonly index: number } {
    const [session, turn, bytes] = this.#numbers.subarray(3 * index, 3 * index + 3) as unknown as [
      number,
      number,
      number,
    ];
    const sha256 = this.#digests.toString("hex", DIGEST_BYTES * index, DIGEST_BYTES * (index + 1));
    return { history_id: historyId, session, turn, bytes, turn_sha256: sha256, index };
  }
}
