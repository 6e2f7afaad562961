// Loaded with --import into a measured process: writes its peak memory, when it ends, to the file that the bench named.
import { appendFileSync } from "node:fs";

const file = process.env.SEALANE_BENCH_USAGE;
if (file !== undefined) {
  process.on("exit", () => appendFileSync(file, `${process.resourceUsage().maxRSS}\n`));
}
