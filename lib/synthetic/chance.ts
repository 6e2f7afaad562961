import seedrandom from "seedrandom";

/** Choices drawn from a seed: the same seed gives the same choices on every machine (seedrandom's ARC4). */
export class Chance {
  readonly #next: () => number;

  constructor(seed: string) {
    this.#next = seedrandom(seed);
  }

  /** An integer from 0 up to, but not including, `bound`. */
  below(bound: number): number {
    return Math.floor(this.#next() * bound);
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  /** All values in a drawn order (Fisher and Yates). */
  shuffled<T>(values: readonly T[]): T[] {
    const order = [...values];
    for (let last = order.length - 1; last > 0; last -= 1) {
      const other = this.below(last + 1);
      [order[last], order[other]] = [order[other]!, order[last]!];
    }
    return order;
  }
}
