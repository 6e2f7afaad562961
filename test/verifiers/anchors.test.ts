// What others say of a lane: rows J08 to J10 of the threat list, each with its reason code.
import t from "tap";
import { MemorySource } from "../../lib/io/memory-source.js";
import { gatherLane } from "../../verifiers/evidence.js";
import { verifyLane } from "../../verifiers/verify.js";
import { codesOf, goodLane } from "../support/lane.js";
import { ANCHOR_CASES } from "./anchor-cases.js";

t.setTimeout(240_000);

for (const { id, why, fault, policy, codes, exit, named = [] } of ANCHOR_CASES) {
  t.test(`${id}: ${why}`, async (t) => {
    const files = await goodLane();
    fault?.(files);
    const given = policy(files);
    const report = verifyLane(gatherLane(new MemorySource(files), undefined), given);
    t.strictSame(codesOf(report), codes);
    t.equal(report.exit_code, exit);
    const limits = report.verdict.limits.join("\n");
    for (const name of named) t.ok(limits.includes(name), `the limits name ${name}`);
    const check = report.checks.find((one) => one.id === "anchors");
    if (exit === 6) t.equal(check?.outcome, "not-run");
    t.equal(limits.includes("No trusted time"), check?.outcome === "not-applicable");
  });
}
