// The forms in which tables are printed.
import { printable } from "./printable.js";
import { type PrintedTable, textTable } from "./tables.js";
import { wrap } from "./wrap.js";

export interface TableFormat {
  readonly id: string;
  /** Text that ends with a line feed. */
  render(tables: readonly PrintedTable[]): string;
}

/** The same on every terminal, so that tables can be compared as texts. */
const CAPTION_COLUMNS = 80;

const text: TableFormat = {
  id: "text",
  render: (tables) =>
    tables
      .map(({ caption, head, rows }) => {
        const safe = rows.map((row) => row.map(printable));
        return `${wrap(printable(caption), CAPTION_COLUMNS).join("\n")}\n${textTable(head.map(printable), safe)}\n`;
      })
      .join("\n"),
};

/** Cells hold no bar and no line end of their own. */
const markdownCell = (cell: string): string => printable(cell).replace(/[\\|`*_<>[\]]/g, "\\$&");

const markdown: TableFormat = {
  id: "md",
  render: (tables) =>
    tables
      .map(({ caption, head, rows }) => {
        const line = (cells: readonly string[]): string => `| ${cells.map(markdownCell).join(" | ")} |\n`;
        const rule = `| ${head.map((_, index) => (index === 0 ? ":---" : "---:")).join(" | ")} |\n`;
        return `${markdownCell(caption)}\n\n${line(head)}${rule}${rows.map(line).join("")}`;
      })
      .join("\n"),
};

/** RFC 4180, but for the line feed. */
const csvField = (field: string): string => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

/** A line a figure, so that tables of any shape make one rectangle; what is undefined is empty. */
const csv: TableFormat = {
  id: "csv",
  render(tables) {
    const lines = tables.flatMap(({ id, caption, head, rows }) =>
      rows.flatMap(([name = "", ...cells]) =>
        cells.map((cell, index) => [id, caption, name, head[index + 1]!, cell === "-" ? "" : cell]),
      ),
    );
    return [["table", "caption", "row", "column", "value"], ...lines]
      .map((fields) => `${fields.map(csvField).join(",")}\n`)
      .join("");
  },
};

const LATEX: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
};
const latexText = (cell: string): string =>
  printable(cell).replace(/[\\~^<>&%$#_{}]/g, (character) => LATEX[character] ?? `\\${character}`);

/** Needs no package. */
const latex: TableFormat = {
  id: "latex",
  render: (tables) =>
    tables
      .map(({ id, caption, head, rows }) => {
        const line = (cells: readonly string[]): string => `${cells.map(latexText).join(" & ")} \\\\\n`;
        return [
          "\\begin{table}\n\\centering\n",
          `\\caption{${latexText(caption)}}\n\\label{tab:${id.replace(/[^A-Za-z0-9]+/g, "-")}}\n`,
          `\\begin{tabular}{l${"r".repeat(head.length - 1)}}\n\\hline\n`,
          line(head),
          "\\hline\n",
          ...rows.map(line),
          "\\hline\n\\end{tabular}\n\\end{table}\n",
        ].join("");
      })
      .join("\n"),
};

/** To add one: an entry. JSON is printed by the command, as every command's is. */
export const TABLE_FORMATS: readonly TableFormat[] = [text, markdown, csv, latex];
