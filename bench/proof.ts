// One question proved out of a lane and verified without it. Its own work is timed in this process, against one Ed25519
// verification by both implementations, which is most of it.
import { openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { signatureProblem } from "../lib/bytes/ed25519.js";
import { parseTrust } from "../lib/manifest/trust.js";
import type { Envelope } from "../schemas/index.js";
import { verifyProof } from "../verifiers/proof.js";
import { type Measured, median, sealane } from "./measure.js";

const TIMES = 51;

function milliseconds(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/** The id in the first line of a lane's population. */
function firstQuestion(lane: string): string {
  const head = Buffer.alloc(2 ** 16);
  readSync(openSync(join(lane, "population.jsonl"), "r"), head);
  return /"question_id":"([^"]+)"/.exec(head.toString("utf8"))![1]!;
}

/** @param line prints one measured command */
export function benchProof(lane: string, trustFile: string, line: (what: string, measured: Measured) => void): void {
  const question = firstQuestion(lane);
  const file = `${lane}.tlog-proof`;
  line("prove one question", sealane("prove", lane, "--question", question, "--out", file));
  const manifest = join(lane, "manifest.json");
  const asked = ["verify", "--question", question, "--proof", file, "--manifest", manifest, "--trust", trustFile];
  line("verify one question, the whole process", sealane(...asked));

  const trust = parseTrust(readFileSync(trustFile), trustFile);
  const envelope = readFileSync(join(lane, "manifest.dsse.json"));
  const given = {
    questionId: question,
    proof: { bytes: readFileSync(file), at: file },
    manifest: readFileSync(manifest),
    envelope,
  };
  const verify = (): void => {
    if (verifyProof(given, { trust }).exit_code !== 0) throw new Error("the proof does not verify");
  };
  const first = milliseconds(verify);
  const { sig } = (JSON.parse(envelope.toString("utf8")) as Envelope).signatures[0]!;
  const signature = Buffer.from(sig, "base64");
  const one = (): void => void signatureProblem(given.manifest, signature, trust.keys[0]!.bytes);
  const pairs = Array.from({ length: TIMES }, () => ({ ours: milliseconds(verify), theirs: milliseconds(one) }));
  const ours = median(pairs.map((pair) => pair.ours));
  const ratio = median(pairs.map((pair) => pair.ours / pair.theirs));
  process.stdout.write(
    `verify one question, its own work: ${ours.toFixed(1)} ms, ${ratio.toFixed(1)} signature checks (median of ${TIMES}); ` +
      `${first.toFixed(0)} ms the first time, when validators are compiled; ${given.proof.bytes.length} bytes\n`,
  );
}
