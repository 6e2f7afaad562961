// `npm run bench -- lane --dataset locomo10.json`
import { benchLane } from "./lane.js";

const BENCHES: Readonly<Record<string, (dataset: string) => void>> = { lane: benchLane };

const [name = "", flag, dataset] = process.argv.slice(2);
const bench = Object.hasOwn(BENCHES, name) ? BENCHES[name] : undefined;
if (!bench || flag !== "--dataset" || dataset === undefined) {
  process.stderr.write(`usage: npm run bench -- ${Object.keys(BENCHES).join("|")} --dataset FILE\n`);
  process.exitCode = 64;
} else {
  bench(dataset);
}
