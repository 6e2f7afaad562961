// MT19937 (Matsumoto and Nishimura 1998) with CPython's seeding by an integer and its choice of an index, so that intervals
// published from Python's `random` can be made again.

const SIZE = 624;
const MIDDLE = 397;

function tempered(word: number): number {
  let y = word;
  y ^= y >>> 11;
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  y ^= y >>> 18;
  return y >>> 0;
}

export class MersenneTwister {
  readonly #state = new Uint32Array(SIZE);
  #at = SIZE;

  /** @param seed a non-negative integer of any size, as in random.seed(int) */
  constructor(seed: bigint) {
    const key: number[] = [];
    for (let left = seed; left > 0n; left >>= 32n) key.push(Number(left & 0xffffffffn));
    if (key.length === 0) key.push(0);
    this.#seedByArray(key);
  }

  #seedBy(seed: number): void {
    const state = this.#state;
    state[0] = seed;
    for (let i = 1; i < SIZE; i += 1) {
      const before = state[i - 1]! ^ (state[i - 1]! >>> 30);
      state[i] = Math.imul(1812433253, before) + i;
    }
  }

  #seedByArray(key: readonly number[]): void {
    this.#seedBy(19650218);
    const state = this.#state;
    let i = 1;
    let j = 0;
    for (let k = Math.max(SIZE, key.length); k > 0; k -= 1) {
      state[i] = (state[i]! ^ Math.imul(state[i - 1]! ^ (state[i - 1]! >>> 30), 1664525)) + key[j]! + j;
      i += 1;
      j += 1;
      if (i >= SIZE) {
        state[0] = state[SIZE - 1]!;
        i = 1;
      }
      if (j >= key.length) j = 0;
    }
    for (let k = SIZE - 1; k > 0; k -= 1) {
      state[i] = (state[i]! ^ Math.imul(state[i - 1]! ^ (state[i - 1]! >>> 30), 1566083941)) - i;
      i += 1;
      if (i >= SIZE) {
        state[0] = state[SIZE - 1]!;
        i = 1;
      }
    }
    state[0] = 0x80000000;
  }

  #refill(): void {
    const state = this.#state;
    const twisted = (i: number, next: number, from: number): void => {
      const y = (state[i]! & 0x80000000) | (state[next]! & 0x7fffffff);
      state[i] = state[from]! ^ (y >>> 1) ^ (-(y & 1) & 0x9908b0df);
    };
    for (let i = 0; i < SIZE - MIDDLE; i += 1) twisted(i, i + 1, i + MIDDLE);
    for (let i = SIZE - MIDDLE; i < SIZE - 1; i += 1) twisted(i, i + 1, i + MIDDLE - SIZE);
    twisted(SIZE - 1, 0, MIDDLE - 1);
    this.#at = 0;
  }

  /** 32 random bits. */
  next32(): number {
    if (this.#at >= SIZE) this.#refill();
    const y = this.#state[this.#at]!;
    this.#at += 1;
    return tempered(y);
  }

  /** What CPython's random.choice indexes with: bits of the bound's length, drawn again until they are below it. bound < 2^32. */
  below(bound: number): number {
    const drawn = new Uint32Array(1);
    this.fillBelow(bound, drawn);
    return drawn[0]!;
  }

  /** As many of the same in a row as `out` has places. */
  fillBelow(bound: number, out: Uint32Array): void {
    const state = this.#state;
    const drop = Math.clz32(bound);
    let at = this.#at;
    for (let place = 0; place < out.length; ) {
      if (at >= SIZE) {
        this.#refill();
        at = 0;
      }
      const drawn = tempered(state[at]!) >>> drop;
      at += 1;
      // Written in any case and kept by moving on: a branch would be guessed wrong every third time.
      out[place] = drawn;
      place += drawn < bound ? 1 : 0;
    }
    this.#at = at;
  }
}
