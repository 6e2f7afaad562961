// docs/reason-codes.md and `sealane explain` speak of every reason code, in the words of the registries.
import { readFileSync } from "node:fs";
import t from "tap";
import { EXIT, REASONS, type ReasonCode } from "../../lib/finding.js";
import { renderReasonCodes } from "../../scripts/gen-docs.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import { codeGroups, explain, explainCode } from "../../verifiers/explain.js";
import { repositoryFile } from "../support/shared.js";

const CODES = Object.keys(REASONS) as ReasonCode[];
const PAGE = readFileSync(repositoryFile("docs/reason-codes.md"), "utf8");

t.test("the page is that of the registries", async (t) => {
  t.equal(renderReasonCodes(), PAGE, "run `npm run gen` after changing a reason code or a check");
  for (const code of CODES) {
    t.equal(PAGE.match(new RegExp(`^### ${code}$`, "gm"))?.length, 1, code);
    t.match(PAGE, REASONS[code].meaning);
    t.match(PAGE, REASONS[code].next);
  }
  for (const { how } of CHECKS) t.match(PAGE, how);
});

t.test("every code stands in one group, and that of a check is the check's", async (t) => {
  const groups = codeGroups();
  t.strictSame(groups.flatMap(({ codes }) => codes).sort(), [...CODES].sort());
  for (const { id, emits } of CHECKS) t.strictSame(groups.find((group) => group.id === id)?.codes, emits, id);
});

t.test("every code is explained", async (t) => {
  for (const code of CODES) {
    const explained = explainCode(code);
    const check = CHECKS.find(({ emits }) => emits.includes(code));
    t.strictSame(explain(code), explained);
    t.strictSame(explain(code.toLowerCase()), explained);
    t.equal(explained.check?.id, check?.id, code);
    t.equal(explained.exit_code, EXIT[REASONS[code].severity], code);
    t.match(explained.example, code);
    t.not(explained.number, "", code);
  }
});

t.test("every check is explained", async (t) => {
  for (const { id, title, how, emits } of CHECKS) t.match(explain(id), { id, title, how, codes: emits });
});

t.test("what is neither", async (t) => {
  for (const name of ["", "E_NOTHING", "toString", "E_GRADE ", "grade"])
    t.throws(() => explain(name), { code: "E_UNKNOWN" }, name);
});
