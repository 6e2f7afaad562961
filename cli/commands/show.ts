import { SealaneError } from "../../lib/finding.js";
import { openRecords } from "../../lib/lane/open.js";
import { type LaneRow, LaneRows } from "../../lib/records/rows.js";
import { printable, printableLines } from "../../lib/report/printable.js";
import { percent } from "../../lib/report/tables.js";
import { command } from "../command.js";
import { marks, printJson, printLine } from "../ui.js";

function findRow(rows: LaneRows, questionId: string): LaneRow | undefined {
  for (const row of rows) if (row.question?.value.question_id === questionId) return row;
  for (const { error } of rows.seen) if (error) throw error;
  return undefined;
}

export default command({
  positionals: "<lane>",
  examples: [["$0 show lanes/bm25-locomo1540-24k-v1 --question conv-26/0", "all that is recorded of one question"]],
  options: (yargs) =>
    yargs
      .positional("lane", { type: "string", demandOption: true, describe: "a lane or a run" })
      .option("question", { type: "string", demandOption: true, describe: "the question's id" }),
  async run(options) {
    const { source, endpoints } = await openRecords(options.lane);
    try {
      const row = findRow(new LaneRows(source, endpoints), options.question);
      if (!row) {
        throw new SealaneError("E_UNKNOWN", `there is no question ${options.question} in ${options.lane}`, {
          at: options.lane,
          found: options.question,
          next: "The ids stand in population.jsonl.",
        });
      }
      if (options.json) printJson(rowJson(row));
      else printRow(row);
      return 0;
    } finally {
      source.close();
    }
  },
});

function rowJson({ question, packet, request, body, receipt, answer, reference, grades }: LaneRow): object {
  return {
    schema: "sealane-question/1",
    question: question?.value ?? null,
    packet: packet?.value ?? null,
    request: request?.value ?? null,
    body: body?.value.body.toString("utf8") ?? null,
    receipt: receipt?.value ?? null,
    answer: answer?.value ?? null,
    reference: reference?.value ?? null,
    grades: Object.fromEntries([...grades].map(([endpoint, grade]) => [endpoint, grade.value])),
  };
}

function printRow({ question, packet, request, body, receipt, answer, reference, grades }: LaneRow): void {
  const { strong, dim } = marks();
  const section = (title: string, detail: string): void => printLine(`\n${strong(title)}  ${dim(detail)}`);
  if (!question) return;
  const { question_id, ordinal, history_id, category, question_date } = question.value;
  printLine(
    `${strong(question_id)}  ${dim(`number ${ordinal} of the population, history ${history_id}, ${category}`)}`,
  );
  printLine(printable(question.value.question));
  if (question_date !== undefined) printLine(`asked on ${printable(question_date)}`);
  if (packet) {
    const { tokens, spans, candidates, skipped, evidence_sha256 } = packet.value;
    section(
      "packet",
      `${tokens} tokens, ${spans.length} spans, ${candidates} candidate groups, ${skipped} skipped, evidence ${evidence_sha256}`,
    );
    for (const [session, turn, start, end] of spans)
      printLine(`  session ${session}, turn ${turn}, bytes ${start}-${end}`);
  }
  if (request && body) {
    section("request", `${request.value.body_bytes} bytes, ${request.value.body_sha256}`);
    for (const { role, content } of messagesOf(body.value.body.toString("utf8"))) {
      printLine(dim(`--- ${printable(role)}`));
      printLine(printableLines(content));
    }
  }
  if (receipt) {
    const { status, attempt, started, ended, model } = receipt.value;
    section(
      "receipt",
      `${status}, attempt ${attempt}, ${started} to ${ended ?? "?"}, model ${printable(model.requested)}`,
    );
  }
  if (answer) {
    section("answer", answer.value.status);
    printLine(printableLines(answer.value.answer ?? "(none)"));
  }
  if (reference) {
    const evidence = reference.value.evidence.map(([session, turn]) => `${session}.${turn}`).join(", ") || "none";
    section("reference", `labelled evidence: ${evidence}`);
    printLine(printable(String(reference.value.reference ?? "(none: the history does not say)")));
  }
  for (const [endpoint, { value }] of grades) {
    section(`grade ${endpoint}`, `rule ${value.rule}, ${value.basis}`);
    printLine(`${percent(value.score)} %`);
  }
}

/** The messages of a request; one that is of another form is shown as it stands. */
function messagesOf(body: string): { role: string; content: string }[] {
  try {
    const { messages } = JSON.parse(body) as { messages: { role: unknown; content: unknown }[] };
    return messages.map(({ role, content }) => ({ role: String(role), content: String(content) }));
  } catch {
    return [{ role: "not a chat request", content: body }];
  }
}
