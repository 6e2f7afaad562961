// Preloaded into a process (`node --import`): its clock stands still at the time that TEST_NOW names.
const now = Date.parse(process.env.TEST_NOW ?? "");
if (Number.isNaN(now)) throw new Error("TEST_NOW is no time");
const system = Date;

class OtherDate extends system {
  constructor(...args: readonly unknown[]) {
    super(...((args.length === 0 ? [now] : args) as [number]));
  }
  static override now(): number {
    return now;
  }
}

globalThis.Date = OtherDate as DateConstructor;
