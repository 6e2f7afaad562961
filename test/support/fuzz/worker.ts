// One target's inputs in a thread of its own, watched from outside: an input that takes too long or too much ends the thread.
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { emptyTally, type Fault, inputOf, tryInput } from "./fuzz.js";
import type { Target } from "./target.js";

/** What the thread is told, and where both sides see which input is under way: its number and one, 0 before the first. */
interface Work {
  /** Address of the module that has the TARGETS. */
  readonly module: string;
  readonly target: string;
  readonly seed: string;
  readonly first: number;
  /** How long, once the seeds are made. */
  readonly ms: number;
  readonly underWay: SharedArrayBuffer;
}

export interface Found {
  readonly target: string;
  readonly seed: string;
  readonly number: number;
  readonly from: string;
  readonly bytes: Uint8Array;
  readonly kind: string;
  readonly error: string;
}

interface Done {
  readonly inputs: number;
  readonly accepted: number;
  readonly codes: Readonly<Record<string, number>>;
  readonly found: readonly Found[];
  /** The input that took longest. */
  readonly slowest: { readonly ms: number; readonly number: number };
}

export interface Watched extends Done {
  /** From the first input on. */
  readonly seconds: number;
}

/** Far beyond what an input of two MiB may cost, on a machine that has other work as well. */
const HANG_MS = 20_000;
/** What a thread may keep on its heap. */
const HEAP_MIB = 1024;
/** Bytes of the whole process, sources and seeds included. */
const RESIDENT_BYTES_MAX = 1.5 * 2 ** 30;
const LOOK_EVERY_MS = 250;
/** Of one kind of fault, a few reproducers are enough; a target with more kinds than this is broken altogether. */
const PER_KIND_MAX = 2;
const KINDS_MAX = 20;

const shownError = (error: Error): string => (error.stack ?? `${error.name}: ${error.message}`).slice(0, 4000);

function found(fault: Fault, seed: string): Found {
  const { target, input, kind, error } = fault;
  return {
    target,
    seed,
    number: input.number,
    from: input.seed.name,
    bytes: input.bytes,
    kind,
    error: shownError(error),
  };
}

const ALL = new URL("./targets/index.js", import.meta.url).href;

export interface WatchOptions {
  readonly module: string;
  readonly hangMs: number;
  readonly heapMiB: number;
}

/** Fuzzes one target for some seconds. A hang or an overflow is a fault like others; then the next input goes on in a new thread. */
export async function fuzzWatched(
  target: string,
  seed: string,
  seconds: number,
  { module = ALL, hangMs = HANG_MS, heapMiB = HEAP_MIB }: Partial<WatchOptions> = {},
): Promise<Watched> {
  const sum = {
    seconds: 0,
    inputs: 0,
    accepted: 0,
    codes: {} as Record<string, number>,
    found: [] as Found[],
    slowest: { ms: 0, number: 0 } as Done["slowest"],
  };
  for (let first = 0; sum.seconds < seconds; ) {
    const ms = (seconds - sum.seconds) * 1000;
    const underWay = new SharedArrayBuffer(4);
    const { done, stoppedAt, why, begun } = await thread(
      { module, target, seed, first, ms, underWay },
      hangMs,
      heapMiB,
    );
    sum.seconds += (performance.now() - begun) / 1000;
    sum.inputs += done?.inputs ?? 0;
    sum.accepted += done?.accepted ?? 0;
    for (const [code, times] of Object.entries(done?.codes ?? {})) sum.codes[code] = (sum.codes[code] ?? 0) + times;
    sum.found.push(...(done?.found ?? []));
    if (done && done.slowest.ms > sum.slowest.ms) sum.slowest = done.slowest;
    if (stoppedAt === undefined) break;
    sum.inputs += stoppedAt - first + 1;
    const stopping = await targetOf(target, module);
    const input = inputOf(stopping, await stopping.seeds(), seed, stoppedAt);
    sum.found.push({
      target,
      seed,
      number: stoppedAt,
      from: input.seed.name,
      bytes: input.bytes,
      kind: why,
      error: why,
    });
    first = stoppedAt + 1;
  }
  return sum;
}

/** A target by its name. */
export async function targetOf(name: string, module = ALL): Promise<Target> {
  const { TARGETS } = (await import(module)) as { TARGETS: readonly Target[] };
  const target = TARGETS.find((candidate) => candidate.name === name);
  if (!target) throw new Error(`there is no target ${name}; there are ${TARGETS.map((each) => each.name).join(", ")}`);
  return target;
}

function thread(
  work: Work,
  hangMs: number,
  heapMiB: number,
): Promise<{ done?: Done; stoppedAt?: number; why: string; begun: number }> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
  });
  const underWay = new Int32Array(work.underWay);
  let [last, since] = [0, performance.now()];
  /** When the first input was given. */
  let begun = since;
  return new Promise((resolve, reject) => {
    const stopped = (why: string): void => {
      clearInterval(watch);
      const number = Atomics.load(underWay, 0) - 1;
      void worker.terminate();
      // Before the first input there is none to blame: the target's seeds cannot be made.
      if (number < work.first) reject(new Error(`${work.target}: ${why}`));
      else resolve({ stoppedAt: number, why, begun });
    };
    const watch = setInterval(() => {
      const now = Atomics.load(underWay, 0);
      if (last === 0) begun = performance.now();
      if (now !== last) [last, since] = [now, performance.now()];
      else if (now > 0 && performance.now() - since > hangMs) stopped(`no end after ${hangMs} ms`);
      if (process.memoryUsage.rss() > RESIDENT_BYTES_MAX) stopped(`more than ${RESIDENT_BYTES_MAX} bytes of memory`);
    }, LOOK_EVERY_MS);
    worker.once("message", (done: Done) => {
      clearInterval(watch);
      resolve({ done, why: "", begun });
    });
    worker.once("error", (error) => stopped(`the thread ended: ${shownError(error)}`));
  });
}

async function work({ module, target: name, seed, first, ms, underWay }: Work): Promise<Done> {
  const target = await targetOf(name, module);
  const tally = emptyTally();
  const seeds = await target.seeds();
  const kinds = new Map<string, number>();
  const kept: Found[] = [];
  const place = new Int32Array(underWay);
  const until = performance.now() + ms;
  for (let number = first; performance.now() < until || number < seeds.length; number += 1) {
    Atomics.store(place, 0, number + 1);
    const fault = await tryInput(target, inputOf(target, seeds, seed, number), tally);
    tally.faults.length = 0;
    if (!fault) continue;
    const times = (kinds.get(fault.kind) ?? 0) + 1;
    kinds.set(fault.kind, times);
    if (times <= PER_KIND_MAX) kept.push(found(fault, seed));
    if (kinds.size > KINDS_MAX) break;
  }
  const { inputs, accepted, codes, slowest } = tally;
  return { inputs, accepted, codes, slowest, found: kept };
}

if (!isMainThread && parentPort && (workerData as Partial<Work> | null)?.underWay) {
  parentPort.postMessage(await work(workerData as Work));
}
