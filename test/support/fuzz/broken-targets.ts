// Targets that are wrong on purpose: what the fuzzer must find.
import { SealaneError } from "../../../lib/finding.js";
import { must, type Target } from "./target.js";

const broken = (name: string, run: (input: Buffer) => boolean): Target => ({
  name,
  seeds: async () => [{ name: "letters", bytes: Buffer.from("abcdefghij") }],
  mutators: [],
  quickInputs: 200,
  run,
});
const changed = (input: Buffer): boolean => input.toString("latin1") !== "abcdefghij";

export const TARGETS: readonly Target[] = [
  broken("sound", (input) => {
    if (changed(input)) throw new SealaneError("E_SCHEMA", "other letters");
    return true;
  }),
  broken("crashes", (input) => {
    if (input.length < 5) throw new TypeError("too short");
    return true;
  }),
  broken("accepts", (input) => {
    must(!input.includes(0xff), "there is no 0xff");
    return true;
  }),
  broken("refuses-its-seed", () => false),
  broken("hangs", (input) => {
    while (changed(input));
    return true;
  }),
  broken("overflows", (input) => {
    const kept: number[][] = [];
    while (changed(input)) kept.push(Array.from({ length: 100_000 }, (_, index) => index + 0.5));
    return true;
  }),
];
