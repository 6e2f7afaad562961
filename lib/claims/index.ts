import type { ClaimKind } from "./kind.js";
import { AGREEMENT_KINDS } from "./kinds/agreement.js";
import { COUNT_KINDS } from "./kinds/counts.js";
import { INTERVAL_KINDS } from "./kinds/intervals.js";
import { TEST_KINDS } from "./kinds/tests.js";

/** Every kind of claim, in the order in which docs/statistics.md has them. */
export const CLAIM_KINDS: readonly ClaimKind[] = [...COUNT_KINDS, ...TEST_KINDS, ...INTERVAL_KINDS, ...AGREEMENT_KINDS];
