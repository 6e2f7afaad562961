// What others say of a lane: rows J08 to J10 of the threat list, each with its reason code.
import fc from "fast-check";
import t from "tap";
import { MemorySource } from "../../lib/io/memory-source.js";
import { judgeAnchors } from "../../verifiers/anchors.js";
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

t.test("however an anchor is damaged, it is judged, and nothing is thrown", async (t) => {
  const files = await goodLane();
  const evidence = gatherLane(new MemorySource(files), undefined);
  const given = ANCHOR_CASES.filter(({ codes, fault }) => codes.length === 0 && !fault).map(({ policy }) =>
    policy(files),
  );
  const whole = given.filter(({ anchors }) => anchors?.length === 1);
  t.ok(whole.length >= 5);
  const damage = fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom("change", "cut", "insert"));
  fc.assert(
    fc.property(fc.constantFrom(...whole), fc.array(damage, { minLength: 1, maxLength: 3 }), (policy, damages) => {
      let bytes = Buffer.from(policy.anchors![0]!.bytes);
      for (const [where, byte, how] of damages) {
        const at = where % (bytes.length + 1);
        const rest = bytes.subarray(how === "insert" ? at : at + 1);
        bytes = Buffer.concat([bytes.subarray(0, at), how === "cut" ? Buffer.alloc(0) : Buffer.of(byte), rest]);
      }
      const { findings, judged } = judgeAnchors(evidence, { ...policy, anchors: [{ bytes, at: "anchor" }] });
      return findings.length <= 1 && judged <= 1;
    }),
    { numRuns: 400 },
  );
});
