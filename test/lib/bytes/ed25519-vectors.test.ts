// Third-party vectors; apart from ed25519.test.ts because tweetnacl takes its time with so many.
import { readFileSync } from "node:fs";
import t from "tap";
import nacl from "tweetnacl";
import { publicKeyProblem, signatureProblem } from "../../../lib/bytes/ed25519.js";
import { shared } from "../../support/shared.js";

const hex = (text: string) => Buffer.from(text, "hex");

interface WycheproofFile {
  readonly numberOfTests: number;
  readonly testGroups: readonly {
    readonly publicKey: { readonly pk: string };
    readonly tests: readonly {
      readonly tcId: number;
      readonly msg: string;
      readonly sig: string;
      readonly result: "valid" | "invalid";
    }[];
  }[];
}

const wycheproof = shared("vectors/wycheproof/testvectors_v1/ed25519_test.json");

t.test("Wycheproof", { skip: wycheproof.skip }, async (t) => {
  const file = JSON.parse(readFileSync(wycheproof.path, "utf8")) as WycheproofFile;
  const problems: Record<string, number> = {};
  const foolsTweetnacl: number[] = [];
  for (const group of file.testGroups) {
    const publicKey = hex(group.publicKey.pk);
    t.equal(publicKeyProblem(publicKey), undefined, `key ${group.publicKey.pk} is honest`);
    for (const { tcId, msg, sig, result } of group.tests) {
      const problem = signatureProblem(hex(msg), hex(sig), publicKey);
      t.equal(problem === undefined, result === "valid", `${tcId}: ${result}, ${problem}`);
      problems[problem ?? "none"] = (problems[problem ?? "none"] ?? 0) + 1;
      // In all others both implementations were asked and did not disagree.
      const refusedBefore = problem === "scalar" || problem === "point";
      if (refusedBefore && nacl.sign.detached.verify(hex(msg), hex(sig), publicKey)) foolsTweetnacl.push(tcId);
    }
  }
  t.equal(file.numberOfTests, 151);
  t.same(problems, { none: 88, length: 12, scalar: 17, point: 12, false: 22 }, "every case, never 'backends'");
  t.same(foolsTweetnacl, [63, 64, 65, 66, 85], "tweetnacl alone would be wrong in five");
});

const speccheck = shared("vectors/ed25519-speccheck/cases.json");

t.test("ed25519-speccheck", { skip: speccheck.skip }, async (t) => {
  const cases = JSON.parse(readFileSync(speccheck.path, "utf8")) as {
    readonly message: string;
    readonly pub_key: string;
    readonly signature: string;
  }[];
  const problems = cases.map((one) => signatureProblem(hex(one.message), hex(one.signature), hex(one.pub_key)));
  t.equal(problems.map((problem) => (problem ? "X" : "V")).join(""), "XXXVXXXXXXXX");
  t.same(
    problems.map((problem) => problem ?? "none"),
    ["point", "point", "point", "none", "false", "false", "scalar", "scalar", "point", "point", "point", "point"],
  );
  const admitted = cases.flatMap((one, index) => (publicKeyProblem(hex(one.pub_key)) ? [] : [index]));
  t.same(admitted, [6, 7], "the key of case 3 is of mixed order: no trust file may hold it");
});

const cctv = shared("vectors/cctv-ed25519/ed25519/ed25519vectors.json");

t.test("CCTV", { skip: cctv.skip }, async (t) => {
  const vectors = JSON.parse(readFileSync(cctv.path, "utf8")) as {
    readonly number: number;
    readonly key: string;
    readonly sig: string;
    readonly msg: string;
    readonly flags: readonly string[] | null;
  }[];
  const problems: Record<string, number> = {};
  const ofMixedOrder: number[] = [];
  for (const { number, key, sig, msg, flags } of vectors) {
    const publicKey = hex(key);
    const problem = signatureProblem(Buffer.from(msg), hex(sig), publicKey);
    problems[problem ?? "none"] = (problems[problem ?? "none"] ?? 0) + 1;
    const bad = ["low_order_A", "low_order_R", "non_canonical_A", "non_canonical_R"].some((flag) =>
      flags?.includes(flag),
    );
    if (bad && problem !== "point") t.fail(`${number}: ${problem}`, { flags });
    if (!bad && flags?.includes("low_order_residue") && problem !== "false") t.fail(`${number}: ${problem}`, { flags });
    const mixed = flags?.includes("low_order_component_A") ?? false;
    if (mixed && !publicKeyProblem(publicKey)) t.fail(`${number}: the key is admitted`, { flags });
    if (mixed && problem === undefined) ofMixedOrder.push(number);
  }
  t.same(problems, { none: 43, point: 808, false: 63 }, "43 of 914, never 'backends'");
  t.equal(ofMixedOrder.length, 42, "of those 43, 42 are under keys that admission refuses");
});
