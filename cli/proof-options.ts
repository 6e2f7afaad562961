// The options of `sealane verify` that say of which question a proof is, and what it is held against.
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { LIMITS } from "../lib/bytes/limits.js";
import { SealaneError } from "../lib/finding.js";
import { readFile } from "../lib/io/read-file.js";
import { LANE_FILES } from "../lib/records/documents.js";
import type { GivenProof } from "../verifiers/proof.js";

/** Options that go with --proof and with nothing else. */
const PROOF_OPTIONS = ["question", "manifest", "envelope", "request", "answer"] as const;

type ProofOption = (typeof PROOF_OPTIONS)[number];

/** What the command line names: a lane, or a proof and what goes with it. */
export type Named = { readonly [K in "lane" | "proof" | "dataset" | ProofOption]?: string | undefined } & {
  readonly only?: readonly string[] | undefined;
};

export interface NamedProof extends Named {
  readonly proof: string;
  readonly question: string;
  readonly manifest: string;
}

/** Which of the two is to be verified. Throws E_USAGE when it is neither, or both, or when they are mixed. */
export function subjectOf(named: Named): { lane: string } | { proof: NamedProof } {
  const { lane, proof, question, manifest, dataset, only } = named;
  if (lane !== undefined && proof === undefined) {
    const stray = PROOF_OPTIONS.find((name) => named[name] !== undefined);
    if (stray !== undefined) throw new SealaneError("E_USAGE", `--${stray} goes with --proof`);
    return { lane };
  }
  if (proof === undefined || lane !== undefined) {
    throw new SealaneError("E_USAGE", "name either a lane or, with --proof, the proof of one question");
  }
  if (dataset !== undefined) throw new SealaneError("E_USAGE", "--dataset goes with a lane, not with --proof");
  if (only !== undefined) throw new SealaneError("E_USAGE", "--only goes with a lane, not with --proof");
  if (question === undefined || manifest === undefined) {
    throw new SealaneError("E_USAGE", "--proof goes with --question and --manifest");
  }
  return { proof: { ...named, proof, question, manifest } };
}

/** Reads the files that were named. Throws E_MISSING, E_LIMIT, E_IO. */
export function readProof({ proof, question, manifest, envelope, request, answer }: NamedProof): GivenProof {
  const given = (path: string, bytesMax: number) => ({ bytes: readFile(path, bytesMax), at: path });
  const maybe = (path: string | undefined) => (path === undefined ? undefined : given(path, LIMITS.lineBytesMax));
  const beside = join(dirname(manifest), LANE_FILES.envelope);
  // An envelope that is named has to be there; that none lies beside the manifest is a finding.
  const unsigned = envelope === undefined && !existsSync(beside);
  return {
    questionId: question,
    proof: given(proof, LIMITS.noteBytesMax),
    manifest: readFile(manifest, LIMITS.documentBytesMax),
    envelope: unsigned ? undefined : readFile(envelope ?? beside, LIMITS.documentBytesMax),
    request: maybe(request),
    answer: maybe(answer),
  };
}
