import { REASONS } from "../../lib/finding.js";
import { explanationText, listText } from "../../lib/report/explain.js";
import { codeGroups, type ExplainedCheck, type ExplainedCode, explain } from "../../verifiers/explain.js";
import { command } from "../command.js";
import { marks, printJson, width } from "../ui.js";

export default command({
  positionals: "[name]",
  examples: [
    ["$0 explain E_GRADE", "what a reason code means, how it is checked, what to do, what is left of a number"],
    ["$0 explain packets", "what a check holds against what"],
    ["$0 explain", "every reason code, by the check that raises it"],
  ],
  options: (yargs) =>
    yargs.positional("name", { type: "string", describe: "a reason code or a check; without it, all are listed" }),
  async run({ name, json }) {
    if (name === undefined) {
      const groups = codeGroups();
      if (json) printJson({ schema: "sealane-reason-codes/1", groups });
      else process.stdout.write(allText(groups));
      return 0;
    }
    const explained = explain(name);
    if (json) printJson({ schema: "sealane-explanation/1", ...explained });
    else process.stdout.write("code" in explained ? codeText(explained) : checkText(explained));
    return 0;
  },
});

function allText(groups: ReturnType<typeof codeGroups>): string {
  const listed = groups.map(({ id, title, codes }) => ({
    title: `${id}: ${title}`,
    entries: codes.map((code) => [code, REASONS[code].meaning] as const),
  }));
  return listText(listed, marks(), width());
}

function codeText({ code, meaning, next, severity, exit_code, check, number, example }: ExplainedCode): string {
  const paragraphs: [string, string][] = [
    ["means", meaning],
    ...(check
      ? ([
          ["check", `${check.id}: ${check.title}`],
          ["how", check.how],
        ] as [string, string][])
      : []),
    ["verdict", `${severity}, exit code ${exit_code}`],
    ["number", number],
    ["next", next],
    ["example", example],
  ];
  return explanationText(code, paragraphs, marks(), width());
}

function checkText({ id, title, how, number, codes }: ExplainedCheck): string {
  const paragraphs: [string, string][] = [
    ["how", how],
    ["number", `When it fails: ${number}`],
    ["codes", codes.join(", ")],
  ];
  return explanationText(`${id}: ${title}`, paragraphs, marks(), width());
}
