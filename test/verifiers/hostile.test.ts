// Lanes made to break the verifier rather than to pass it: each must end in a finding, in bounded time, never in a crash.
import t from "tap";
import type { PreparationProtocol, ReaderProtocol } from "../../schemas/index.js";
import {
  authorTrust,
  codesOf,
  editDocument,
  editRecords,
  goodLane,
  harbourBytes,
  type LaneFiles,
  reseal,
  verifyFiles,
} from "../support/lane.js";

async function sealed(fault: (files: LaneFiles) => void): Promise<LaneFiles> {
  const files = await goodLane();
  fault(files);
  reseal(files);
  return files;
}

t.test("a renderer with a slot that nothing fills", async (t) => {
  const files = await sealed((files) =>
    editDocument<PreparationProtocol>(files, "protocols/preparation.json", (protocol) => {
      protocol.renderer.turn_line.push({ slot: "surprise" });
    }),
  );
  t.strictSame(codesOf(verifyFiles(files, authorTrust(), harbourBytes())), ["E_SPAN"]);
});

t.test("a reader protocol with a slot that nothing fills, or without one for the evidence", async (t) => {
  for (const slot of ["surprise", "constructor"]) {
    const files = await sealed((files) =>
      editDocument<ReaderProtocol>(files, "protocols/reader.json", (protocol) => {
        protocol.user.push({ slot });
      }),
    );
    t.ok(codesOf(verifyFiles(files)).includes("E_REQUEST"), slot);
  }
  const without = await sealed((files) =>
    editDocument<ReaderProtocol>(files, "protocols/reader.json", (protocol) => {
      protocol.user = protocol.user.filter((part) => typeof part === "string" || part.slot !== "evidence");
    }),
  );
  t.ok(codesOf(verifyFiles(without)).includes("E_REQUEST"));
});

t.test("an endpoint, a tokenizer and an adapter this release does not have are not judged", async (t) => {
  const files = await sealed((files) =>
    editDocument<PreparationProtocol>(files, "protocols/preparation.json", (protocol) => {
      protocol.tokenizer.id = "constructor";
    }),
  );
  const report = verifyFiles(files);
  t.equal(report.checks.find((check) => check.id === "tokens")?.outcome, "not-run");
});

t.test("question ids that are names of built-in properties", async (t) => {
  for (const id of ["constructor", "toString", "hasOwnProperty"]) {
    const files = await sealed((files) => {
      for (const path of [...files.keys()].filter((name) => name.endsWith(".jsonl"))) {
        editRecords<{ question_id?: string }>(files, path, (records) => {
          for (const record of records) if (record.question_id === "boatyard-01") record.question_id = id;
        });
      }
    });
    t.ok(codesOf(verifyFiles(files)).includes("E_POPULATION"), id);
  }
});
