import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Work between two collections: each takes some ten milliseconds, and what is given free between them leaves holes in the heap. */
const COLLECT_BYTES = 64 * 2 ** 20;

/**
 * Asks the engine to free memory sooner rather than later: for work over files of any size, whose own memory is bounded. What was made
 * while a program started is collected at once, because the engine lets its heap grow from there: the space for new objects, which has
 * grown to its largest by then, shrinks, and the others are measured by what is left in them.
 * @returns to be told of how many bytes were worked through so far; collects now and then
 */
export function keepMemorySmall(): (bytesDone: number) => void {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  let next = COLLECT_BYTES;
  return (bytesDone) => {
    if (bytesDone < next) return;
    collect();
    next = bytesDone + COLLECT_BYTES;
  };
}
