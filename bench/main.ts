// `npm run bench -- lane --dataset locomo10.json`, `npm run bench -- verify --bytes 3GiB --work /mnt/large --seed 1`
import { parseArgs } from "node:util";
import { benchLane } from "./lane.js";
import { benchStatistics } from "./statistics.js";
import { benchVerify, VERIFY_DEFAULTS } from "./verify.js";

const USAGE = `usage: npm run bench -- lane --dataset FILE
       npm run bench -- statistics
       npm run bench -- verify [--bytes 64MiB|3GiB|...] [--work FOLDER] [--seed N]
`;

function bytesOf(text: string): number {
  const [, digits, unit] = /^(\d+)(MiB|GiB)$/.exec(text) ?? [];
  if (digits === undefined) throw new RangeError(`--bytes ${text}: not a number of MiB or GiB`);
  return Number(digits) * 2 ** (unit === "GiB" ? 30 : 20);
}

async function main([name, ...args]: string[]): Promise<void> {
  const options = { dataset: "string", bytes: "string", work: "string", seed: "string" } as const;
  const { values } = parseArgs({
    args,
    options: Object.fromEntries(Object.entries(options).map(([option, type]) => [option, { type }])),
  }) as { values: Partial<Record<keyof typeof options, string>> };
  if (name === "lane" && values.dataset !== undefined) benchLane(values.dataset);
  else if (name === "statistics") benchStatistics();
  else if (name === "verify") {
    await benchVerify({
      bytes: values.bytes === undefined ? VERIFY_DEFAULTS.bytes : bytesOf(values.bytes),
      work: values.work ?? VERIFY_DEFAULTS.work,
      seed: values.seed === undefined ? VERIFY_DEFAULTS.seed : Number(values.seed),
    });
  } else {
    process.stderr.write(USAGE);
    process.exitCode = 64;
  }
}

await main(process.argv.slice(2));
