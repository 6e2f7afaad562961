// What a verification report says, for the two attestations that say it in few words. Whoever signs them is the one who
// verified: a consumer must trust that key, and knows no more of the lane than the summary.
import type { Report } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson, parseStrictJson } from "../bytes/json.js";
import { SealaneError } from "../finding.js";
import { writeNewFile } from "../io/atomic.js";
import { signStatement } from "../manifest/envelope.js";
import { readSigningKey } from "../manifest/keys.js";
import { checked, LANE_FILES } from "../records/documents.js";
import type { ExportTask, GivenFile } from "./types.js";

/** Reads a report. Throws E_UTF8, E_JSON, E_SCHEMA, E_VERSION, E_LIMIT, and E_SUBJECT when it is of another lane than the one at hand. */
export function readReport({ lane, report }: ExportTask): Report {
  const { bytes, at } = report!;
  const value = checked("report", parseStrictJson(bytes, at), at);
  if (value.lane?.manifest_sha256 !== lane.manifestSha256) {
    throw new SealaneError("E_SUBJECT", `${at} is not a report on this lane`, {
      at,
      expected: lane.manifestSha256,
      found: value.lane?.manifest_sha256 ?? "no lane",
      next: "Make one with: sealane verify <lane> --json",
    });
  }
  return value;
}

/** The rules that were applied, as an in-toto resource descriptor; the trust file is named by digest where it is given. */
export function policyOf({ mode }: Report, trust: GivenFile | undefined): object {
  return {
    uri: `https://sealane.dev/policy/${mode}/v1`,
    ...(trust === undefined ? {} : { annotations: { trust_sha256: sha256Hex(trust.bytes) } }),
  };
}

/** Who verified: a URI of his, or the program's, by version, as its rules may change with it. */
export function verifierId({ tool }: Report, verifier: string | undefined): string {
  return verifier ?? `https://sealane.dev/verifier/${tool.version}`;
}

/** What the report found to hold, as names of our own scope. What is not among them was not shown. */
export function passedProperties({ verdict, checks }: Report): string[] {
  return [
    ...(verdict.integrity === "verified" ? ["SEALANE_INTEGRITY_VERIFIED"] : []),
    ...(verdict.policy === "met" ? ["SEALANE_POLICY_MET"] : []),
    ...checks
      .filter(({ outcome }) => outcome === "passed")
      .map(({ id }) => `SEALANE_CHECK_${id.replaceAll("-", "_").toUpperCase()}_PASSED`),
  ];
}

/** The report itself, by digest: a member whose name is a URI, as in-toto's parsing rules want of an extension. */
export function reportReference(task: ExportTask, { exit_code, verdict }: Report): Record<string, object> {
  return {
    "https://sealane.dev/report/v1": {
      digest: { sha256: sha256Hex(task.report!.bytes) },
      exit_code,
      integrity: verdict.integrity,
      policy: verdict.policy,
    },
  };
}

/** Writes a signed statement about the lane's manifest. Throws E_KEY, E_KEY_WEAK, E_PASSPHRASE, E_EXISTS, E_IO. */
export function writeStatement({ lane, key, out }: ExportTask, predicateType: string, predicate: object): void {
  const statement = {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: LANE_FILES.manifest, digest: { sha256: lane.manifestSha256 } }],
    predicateType,
    predicate,
  };
  const { pem, at, passphrase } = key!;
  writeNewFile(out, `${canonicalJson(signStatement(statement, readSigningKey(pem, at, passphrase)))}\n`);
}
