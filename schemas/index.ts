// The door from JSON values to typed documents: validators compiled from the same schema files that the types are made from.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { ErrorObject, ValidateFunction } from "ajv";
import type { Ajv2020 } from "ajv/dist/2020.js";
import amendmentRecord from "./amendment-record.schema.json" with { type: "json" };
import answerRecord from "./answer-record.schema.json" with { type: "json" };
import bodyRecord from "./body-record.schema.json" with { type: "json" };
import claims from "./claims.schema.json" with { type: "json" };
import claimsReport from "./claims-report.schema.json" with { type: "json" };
import common from "./common.schema.json" with { type: "json" };
import comparison from "./comparison.schema.json" with { type: "json" };
import dataset from "./dataset.schema.json" with { type: "json" };
import detachedQuestion from "./detached-question.schema.json" with { type: "json" };
import detachedReceipt from "./detached-receipt.schema.json" with { type: "json" };
import envelope from "./envelope.schema.json" with { type: "json" };
import error from "./error.schema.json" with { type: "json" };
import fidelity from "./fidelity.schema.json" with { type: "json" };
import gradeRecord from "./grade-record.schema.json" with { type: "json" };
import manifest from "./manifest.schema.json" with { type: "json" };
import offeredPacket from "./offered-packet.schema.json" with { type: "json" };
import packetRecord from "./packet-record.schema.json" with { type: "json" };
import populationRecord from "./population-record.schema.json" with { type: "json" };
import preparationProtocol from "./preparation-protocol.schema.json" with { type: "json" };
import proof from "./proof.schema.json" with { type: "json" };
import proofReport from "./proof-report.schema.json" with { type: "json" };
import readerProtocol from "./reader-protocol.schema.json" with { type: "json" };
import receiptRecord from "./receipt-record.schema.json" with { type: "json" };
import referenceRecord from "./reference-record.schema.json" with { type: "json" };
import report from "./report.schema.json" with { type: "json" };
import requestRecord from "./request-record.schema.json" with { type: "json" };
import results from "./results.schema.json" with { type: "json" };
import retrieval from "./retrieval.schema.json" with { type: "json" };
import run from "./run.schema.json" with { type: "json" };
import state from "./state.schema.json" with { type: "json" };
import statement from "./statement.schema.json" with { type: "json" };
import tokenF1Protocol from "./token-f1-protocol.schema.json" with { type: "json" };
import trust from "./trust.schema.json" with { type: "json" };
import turnRecord from "./turn-record.schema.json" with { type: "json" };
import type { Documents } from "./types.gen.js";
import vectors from "./vectors.schema.json" with { type: "json" };
import why from "./why.schema.json" with { type: "json" };

export type * from "./types.gen.js";

/** The kinds of documents, each described by schemas/<kind>.schema.json. */
export type DocumentKind = keyof Documents;

const SCHEMAS: Readonly<Record<DocumentKind, object>> = {
  "amendment-record": amendmentRecord,
  "answer-record": answerRecord,
  "body-record": bodyRecord,
  claims: claims,
  "claims-report": claimsReport,
  comparison: comparison,
  dataset: dataset,
  "detached-question": detachedQuestion,
  "detached-receipt": detachedReceipt,
  envelope: envelope,
  error: error,
  fidelity: fidelity,
  "grade-record": gradeRecord,
  manifest: manifest,
  "offered-packet": offeredPacket,
  "packet-record": packetRecord,
  "population-record": populationRecord,
  "preparation-protocol": preparationProtocol,
  proof: proof,
  "proof-report": proofReport,
  "reader-protocol": readerProtocol,
  "receipt-record": receiptRecord,
  "reference-record": referenceRecord,
  report: report,
  "request-record": requestRecord,
  results: results,
  retrieval: retrieval,
  run: run,
  state: state,
  statement: statement,
  "token-f1-protocol": tokenF1Protocol,
  trust: trust,
  "turn-record": turnRecord,
  vectors: vectors,
  why: why,
};

export const DOCUMENT_KINDS = Object.keys(SCHEMAS) as DocumentKind[];

/**
 * Nothing is coerced, filled in or removed: a validator only looks, because what it looks at has already been hashed. It stops at
 * the first fault of a document, so that a hostile document cannot make it work without bound.
 */
const RULES = { strict: true, strictTuples: false } as const;

const require = createRequire(import.meta.url);

/** A compiler of these schemas; loaded when one is needed, because compiling takes longer than all else in a short command. */
export function schemaCompiler(code?: { readonly source: true }): Ajv2020 {
  const { Ajv2020 } = require("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  return new Ajv2020({ ...RULES, schemas: [common, ...Object.values(SCHEMAS)], ...(code ? { code } : {}) });
}

/** What validators are compiled from. */
export function schemasSha256(): string {
  return createHash("sha256")
    .update(JSON.stringify([RULES, common, SCHEMAS]))
    .digest("hex");
}

/** The `$id` of a kind's schema. */
export const schemaId = (kind: DocumentKind): string => (SCHEMAS[kind] as { $id: string }).$id;

type Compiled = Readonly<Record<DocumentKind, ValidateFunction>>;

/** What the build compiled (scripts/gen-validators.ts); undefined when it did not, or from other schemas than these. */
function compiledBefore(): Compiled | undefined {
  try {
    const { sha256, validators } = require("./validators.cjs") as { sha256: string; validators: Compiled };
    return sha256 === schemasSha256() ? validators : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

let compiled: Compiled | undefined;
let compiler: Ajv2020 | undefined;

function validator(kind: DocumentKind): ValidateFunction {
  compiled ??= compiler ? undefined : compiledBefore();
  if (compiled) return compiled[kind];
  compiler ??= schemaCompiler();
  return compiler.getSchema(schemaId(kind))!;
}

/** Whether `value` is a document of `kind`. */
export function isDocument<K extends DocumentKind>(kind: K, value: unknown): value is Documents[K] {
  return validator(kind)(value);
}

/** The first fault of a document, as a validator names it. */
export interface Fault {
  /** One clause: "/tokens must be integer". */
  readonly problem: string;
  /** JSON pointer to the value at fault, or to the object that holds it. */
  readonly pointer: string;
  /** Which definition of common.schema.json is broken ("sha256"), when one is. */
  readonly definition: string | undefined;
  /** A member that should not be there, or one that is not. */
  readonly member: string | undefined;
}

/** The first way in which `value` is not a document of `kind`; undefined when it is one. */
export function documentFault(kind: DocumentKind, value: unknown): Fault | undefined {
  const validate = validator(kind);
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  const named = error?.params as { additionalProperty?: string; missingProperty?: string } | undefined;
  return {
    problem: describe(error),
    pointer: error?.instancePath ?? "",
    definition: /^common\.schema\.json#\/\$defs\/([A-Za-z0-9]+)/.exec(error?.schemaPath ?? "")?.[1],
    member: named?.additionalProperty ?? named?.missingProperty,
  };
}

/** The version that documents of a kind carry in `schema` ("sealane-manifest/1"); undefined for records, which carry none. */
export function documentVersion(kind: DocumentKind): string | undefined {
  const { properties } = SCHEMAS[kind] as { properties?: { schema?: { const?: string } } };
  return properties?.schema?.const;
}

function describe(error: ErrorObject | undefined): string {
  if (!error) return "the document does not match its schema";
  const where = error.instancePath === "" ? "the document" : error.instancePath;
  const named = error.params as { additionalProperty?: string };
  return `${where} ${error.message ?? error.keyword}${named.additionalProperty === undefined ? "" : ` ('${named.additionalProperty}')`}`;
}
