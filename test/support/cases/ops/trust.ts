// Edits of a trust file, beside those of any document.
import { signRoot } from "../../../../lib/manifest/trust-change.js";
import type { TrustFile } from "../../../../schemas/index.js";
import { testKey } from "../../test-key.js";
import { BESIDE } from "../bench.js";
import { INTEGER, op, TEXTS } from "../op.js";

export const TRUST_OPS = {
  /** Signs a version, counted from one, anew, by exactly these keys. */
  "root.sign": op({ version: INTEGER, by: TEXTS }, (bench, { version, by }) => {
    const file = bench.document(BESIDE.trust) as unknown as TrustFile;
    const root = file.roots[version - 1];
    if (!root) throw new Error(`the trust file has no version ${version}`);
    file.roots[version - 1] = signRoot(root.signed, by.map(testKey));
    bench.put(BESIDE.trust, file);
  }),
} as const;
