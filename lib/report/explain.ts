// Explanations of reason codes and checks, for a terminal.
import { printable } from "./printable.js";
import type { Marks } from "./text.js";
import { wrap } from "./wrap.js";

const LABEL_WIDTH = 12;

/** Labelled paragraphs below a heading. */
export function explanationText(
  heading: string,
  paragraphs: readonly (readonly [label: string, text: string])[],
  marks: Marks,
  width: number,
): string {
  const lines = wrap(printable(heading), width).map(marks.strong);
  for (const [label, text] of paragraphs) {
    for (const [index, line] of wrap(text, width - LABEL_WIDTH).entries())
      lines.push(marks.dim((index === 0 ? label : "").padEnd(LABEL_WIDTH)) + line);
  }
  return `${lines.join("\n")}\n`;
}

/** Names with what each means, under the title of their group. */
export function listText(
  groups: readonly { readonly title: string; readonly entries: readonly (readonly [name: string, what: string])[] }[],
  marks: Marks,
  width: number,
): string {
  const longest = Math.max(...groups.flatMap(({ entries }) => entries.map(([name]) => name.length)));
  const blocks = groups
    .filter(({ entries }) => entries.length > 0)
    .map(({ title, entries }) =>
      [
        ...wrap(title, width).map(marks.strong),
        ...entries.flatMap(([name, what]) =>
          wrap(what, width - longest - 4).map(
            (line, index) => `  ${(index === 0 ? name : "").padEnd(longest)}  ${line}`,
          ),
        ),
      ].join("\n"),
    );
  return `${blocks.join("\n\n")}\n`;
}
