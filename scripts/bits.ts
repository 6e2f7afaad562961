// `npm run bits`: turns every single bit of the smallest lane, in its files and in each archive of it; minutes of work.
import { availableParallelism } from "node:os";
import { turnBits } from "../test/support/bits.js";

let survivors = 0;
for (const what of ["files", "tar", "zip", "tar.gz"] as const) {
  const { turned, survived, codes } = await turnBits({ what, stride: 1 }, availableParallelism());
  console.log(`${what}: ${turned} bits turned, ${survived.length} unnoticed; ${JSON.stringify(codes)}`);
  for (const bit of survived) console.log(`  ${bit}`);
  survivors += survived.length;
}
process.exitCode = survivors === 0 ? 0 : 1;
