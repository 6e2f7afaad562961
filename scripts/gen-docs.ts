// Writes docs/reason-codes.md from the registries, which are the one source of its words.
// renderReasonCodes is also called by test/repository/reason-codes.test.ts, which fails when the committed file has drifted.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../lib/io/package-root.js";
import { CHECKS } from "../verifiers/checks/index.js";
import { codeGroups, explainCode } from "../verifiers/explain.js";

const HEAD = `# Reason codes

Every finding and every error of sealane carries one of these codes. \`sealane explain CODE\` prints the same on a terminal,
\`sealane explain\` lists them, and SARIF reports have a rule for each that a verdict can rest on. This page is written by
\`npm run gen\`.
`;

export function renderReasonCodes(): string {
  const sections = codeGroups().map(({ id, title, codes }) => {
    const check = CHECKS.find((candidate) => candidate.id === id);
    const intro = check ? `Check \`${id}\`: ${check.how}.\n\n` : "";
    return `## ${title}\n\n${intro}${codes.map(entry).join("\n")}`;
  });
  return `${HEAD}\n${sections.join("\n")}`;
}

function entry(code: Parameters<typeof explainCode>[0]): string {
  const { meaning, next, severity, exit_code, number, example } = explainCode(code);
  return `### ${code}\n\n${meaning}\n\n- Verdict: ${severity}, exit code ${exit_code}.\n- For a printed number: ${number}\n- What to do: ${next}\n- Example: \`${example}\`\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(packageRoot(), "docs", "reason-codes.md"), renderReasonCodes());
}
