// `npm test`: the whole suite, and one closing line that says how it went.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../lib/io/package-root.js";

const root = packageRoot();
const results = join(root, ".tap", "results.tap");
mkdirSync(join(root, ".tap"), { recursive: true });
const tap = join(root, "node_modules", "tap", "dist", "esm", "run.mjs");
const { status } = spawnSync(process.execPath, [tap, "run", `--output-file=${results}`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
const summary =
  readFileSync(results, "utf8")
    .match(/^# \{ total: .*\}$/gm)
    ?.at(-1) ?? "";
const count = (name: string): number => Number(new RegExp(`\\b${name}: (\\d+)`).exec(summary)?.[1] ?? 0);
process.stdout.write(
  `${count("pass")} passed, ${count("fail")} failed${count("skip") > 0 ? `, ${count("skip")} skipped` : ""}\n`,
);
// A runner that ended well without a test has shown nothing.
process.exitCode = status === 0 && count("pass") === 0 ? 1 : (status ?? 1);
