// Mutations of what stands in base64 in a text: payloads, signatures, keys.
import { mutateBytes } from "./bytes.js";
import type { Mutator } from "./mutator.js";
import { spliced } from "./mutator.js";

/** Changes the bytes of one run of base64 by another mutator, or spells them in another way. */
export const withinBase64 =
  (inner: Mutator): Mutator =>
  (bytes, chance, other) => {
    const runs = [
      ...bytes.toString("latin1").matchAll(/[A-Za-z0-9+/](?:[A-Za-z0-9+/]|\r?\n(?=[A-Za-z0-9+/])){14,}={0,2}/g),
    ];
    if (runs.length === 0) return mutateBytes(bytes, chance, other);
    const { 0: run, index } = chance.pick(runs);
    const [end, raw] = [index + run.length, Buffer.from(run, "base64")];
    if (chance.below(4) > 0) {
      const wrapped = inner(raw, chance, raw).toString("base64");
      return spliced(
        bytes,
        index,
        end,
        Buffer.from(run.includes("\n") ? wrapped.replace(/(.{64})/g, "$1\n") : wrapped),
      );
    }
    const spelling = chance.pick([
      raw.toString("base64url"),
      run.replace(/=+$/, ""),
      `${run}=`,
      `${run}\n`,
      run.replaceAll("+", "-"),
      `${run.slice(0, 4)} ${run.slice(4)}`,
      run.replace(/.(=*)$/, "B$1"),
      "",
    ]);
    return spliced(bytes, index, end, Buffer.from(spelling));
  };
