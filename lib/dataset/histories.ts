import type { History } from "./types.js";

/** The histories of a dataset, in its order. They may be read from disk as they are asked for: hold on to one at a time. */
export interface Histories extends Iterable<History> {
  readonly ids: readonly string[];
  readonly sessionsTotal: number;
  readonly turnsTotal: number;
  /** The history of an id; undefined when there is none. Throws E_DATASET when its file was changed meanwhile. */
  get(historyId: string): History | undefined;
}

const turnsIn = ({ sessions }: History): number => sessions.reduce((sum, { turns }) => sum + turns.length, 0);

/** Histories that are in memory. */
export function historiesOf(list: readonly History[]): Histories {
  const byId = new Map(list.map((history) => [history.historyId, history]));
  return {
    ids: list.map(({ historyId }) => historyId),
    sessionsTotal: list.reduce((sum, { sessions }) => sum + sessions.length, 0),
    turnsTotal: list.reduce((sum, history) => sum + turnsIn(history), 0),
    get: (historyId) => byId.get(historyId),
    [Symbol.iterator]: () => list[Symbol.iterator](),
  };
}

/** Histories that are read when they are asked for; the last one is kept, because questions over it follow each other. */
export class HistoriesOnDisk implements Histories {
  sessionsTotal = 0;
  turnsTotal = 0;
  readonly #loaders = new Map<string, () => History>();
  #last: History | undefined;

  get ids(): string[] {
    return [...this.#loaders.keys()];
  }

  /** Counts a history that was just read, and notes how to read it again. Its id must be new. */
  add(history: History, load: () => History): void {
    this.#loaders.set(history.historyId, load);
    this.sessionsTotal += history.sessions.length;
    this.turnsTotal += turnsIn(history);
  }

  get(historyId: string): History | undefined {
    if (this.#last?.historyId !== historyId) {
      // Let go of the one before first, so that two of them never stand in memory.
      this.#last = undefined;
      this.#last = this.#loaders.get(historyId)?.();
    }
    return this.#last;
  }

  *[Symbol.iterator](): Generator<History> {
    for (const historyId of this.#loaders.keys()) yield this.get(historyId)!;
  }
}
