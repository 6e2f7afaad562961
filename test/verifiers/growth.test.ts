// What a hostile lane may have very many of costs time that grows with it, not with its square. The bounds are generous: with a
// quadratic rule each of these would take minutes.
import { performance } from "node:perf_hooks";
import t, { type Test } from "tap";
import { MemorySource } from "../../lib/io/memory-source.js";
import type { ExaminedRow } from "../../verifiers/check.js";
import { packets } from "../../verifiers/checks/packets.js";
import { population } from "../../verifiers/checks/population.js";
import { receipts } from "../../verifiers/checks/receipts.js";
import { times } from "../../verifiers/checks/times.js";
import type { LaneEvidence } from "../../verifiers/evidence.js";
import { gatherLane } from "../../verifiers/evidence.js";
import type { Outcome } from "../../verifiers/outcome.js";
import { TurnList } from "../../verifiers/turn-list.js";
import { codesOf, goodLane, verifyFiles } from "../support/lane.js";

t.setTimeout(180_000);

const BOUND_MS = 20_000;

/** Runs it; fails when it takes longer than any linear rule does. */
function timed<T>(t: Test, what: string, work: () => T): T {
  const start = performance.now();
  const result = work();
  t.ok(performance.now() - start < BOUND_MS, what);
  return result;
}

const codes = (outcome: Outcome): string[] =>
  outcome.kind === "failed" ? [...new Set(outcome.findings.map(({ code }) => code))] : [];
const located = <T>(value: T, line: number) => ({ value, line, bytes: Buffer.alloc(0) });

async function evidenceOfGood(): Promise<LaneEvidence> {
  return gatherLane(new MemorySource(await goodLane()), undefined);
}

t.test("a million spans of one turn, in whatever order", async (t) => {
  const evidence = await evidenceOfGood();
  const count = 500_000;
  const [listed] = evidence.turns.records();
  const { history_id, session, turn: number } = listed!;
  const turns = new TurnList();
  turns.add({ ...listed!, bytes: count });
  for (const order of ["falling", "rising"]) {
    const spans = Array.from({ length: count }, (_, index) => {
      const start = order === "rising" ? index : count - 1 - index;
      return [session, number, start, start + 1];
    });
    const value = { question_id: "q", spans, evidence_sha256: "", evidence_bytes: 0, tokens: 0 };
    const row = (more: number[][]): ExaminedRow =>
      ({
        question: located({ question_id: "q", history_id }, 1),
        packet: located({ ...value, spans: [...spans, ...more] }, 1),
      }) as unknown as ExaminedRow;
    const judge = (more: number[][]): Outcome => {
      const check = packets.start({ ...evidence, turns }, { trust: undefined });
      check.row?.(row(more));
      return check.finish(new Map());
    };
    t.strictSame(codes(timed(t, order, () => judge([]))), []);
    t.strictSame(codes(timed(t, order, () => judge([[session, number, 7, 9]]))), ["E_SPAN"]);
  }
});

t.test("spans that share a byte, as looking at each pair would find them", async (t) => {
  const { default: fc } = await import("fast-check");
  const evidence = await evidenceOfGood();
  const [listed] = evidence.turns.records();
  const { history_id } = listed!;
  const span = fc.tuple(
    fc.integer({ min: 1, max: 2 }),
    fc.integer({ min: 1, max: 2 }),
    fc.nat(20),
    fc.integer({ min: 1, max: 6 }),
  );
  const turns = new TurnList();
  for (const session of [1, 2]) for (const turn of [1, 2]) turns.add({ ...listed!, session, turn, bytes: 100 });
  fc.assert(
    fc.property(fc.array(span, { minLength: 1, maxLength: 8 }), (drawn) => {
      const spans = drawn.map(([session, turn, start, length]) => [session, turn, start, start + length]);
      const check = packets.start({ ...evidence, turns }, { trust: undefined });
      check.row?.({
        question: located({ question_id: "q", history_id }, 1),
        packet: located({ question_id: "q", spans }, 1),
      } as unknown as ExaminedRow);
      const outcome = check.finish(new Map());
      const told = outcome.kind === "failed" && outcome.findings.some(({ message }) => message.includes("twice"));
      const meets = spans.some((a, i) =>
        spans.some((b, j) => i < j && a[0] === b[0] && a[1] === b[1] && a[2]! < b[3]! && b[2]! < a[3]!),
      );
      return told === meets;
    }),
  );
  t.pass();
});

t.test("a hundred thousand questions, receipts and decisions", async (t) => {
  const evidence = await evidenceOfGood();
  const count = 100_000;
  const amendments = Array.from({ length: count }, (_, index) =>
    located(
      {
        number: index + 1,
        previous_sha256: null,
        time: "2026-01-01T00:00:00.000Z",
        reason: "x",
        decision: "retry-once",
        question_id: `q${index}`,
      },
      index + 1,
    ),
  );
  for (const check of [receipts, times, population]) {
    const outcome = timed(t, check.id, () => {
      const examination = check.start({ ...evidence, amendments }, { trust: undefined });
      for (let index = 0; index < count; index += 1) {
        examination.row?.({
          index,
          question: located({ question_id: `q${index}`, ordinal: index, question: "?", history_id: "h" }, index + 1),
          receipt: located(
            {
              question_id: `q${index}`,
              attempt: 2,
              started: "2026-01-01T00:00:00.000Z",
              status: "interrupted",
              model: { requested: "extractive-1" },
            },
            index + 1,
          ),
          grades: new Map(),
        } as unknown as ExaminedRow);
      }
      return examination.finish(new Map());
    });
    t.equal(outcome.kind, check === times ? "passed" : "failed");
  }
});

t.test("an envelope with a million signatures is not looked at", async (t) => {
  const files = await goodLane();
  const signature = '{"keyid":"x","sig":"AAAA"}';
  const { payload } = JSON.parse(files.get("manifest.dsse.json")!.toString("utf8")) as { payload: string };
  const signatures = `${`${signature},`.repeat(999_999)}${signature}`;
  files.set(
    "manifest.dsse.json",
    Buffer.from(`{"payload":"${payload}","payloadType":"application/vnd.in-toto+json","signatures":[${signatures}]}`),
  );
  const report = timed(t, "a million signatures", () => verifyFiles(files));
  t.strictSame(codesOf(report), ["E_LIMIT"]);
  t.equal(report.exit_code, 5);
});
