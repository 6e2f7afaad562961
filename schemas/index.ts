// The door from JSON values to typed documents: validators compiled from the same schema files that the types are made from.
import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import amendmentRecord from "./amendment-record.schema.json" with { type: "json" };
import answerRecord from "./answer-record.schema.json" with { type: "json" };
import bodyRecord from "./body-record.schema.json" with { type: "json" };
import common from "./common.schema.json" with { type: "json" };
import dataset from "./dataset.schema.json" with { type: "json" };
import envelope from "./envelope.schema.json" with { type: "json" };
import error from "./error.schema.json" with { type: "json" };
import gradeRecord from "./grade-record.schema.json" with { type: "json" };
import manifest from "./manifest.schema.json" with { type: "json" };
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
import run from "./run.schema.json" with { type: "json" };
import state from "./state.schema.json" with { type: "json" };
import statement from "./statement.schema.json" with { type: "json" };
import tokenF1Protocol from "./token-f1-protocol.schema.json" with { type: "json" };
import trust from "./trust.schema.json" with { type: "json" };
import turnRecord from "./turn-record.schema.json" with { type: "json" };
import type { Documents } from "./types.gen.js";

export type * from "./types.gen.js";

/** The kinds of documents, each described by schemas/<kind>.schema.json. */
export type DocumentKind = keyof Documents;

const SCHEMAS: Readonly<Record<DocumentKind, object>> = {
  "amendment-record": amendmentRecord,
  "answer-record": answerRecord,
  "body-record": bodyRecord,
  dataset: dataset,
  envelope: envelope,
  error: error,
  "grade-record": gradeRecord,
  manifest: manifest,
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
  run: run,
  state: state,
  statement: statement,
  "token-f1-protocol": tokenF1Protocol,
  trust: trust,
  "turn-record": turnRecord,
};

export const DOCUMENT_KINDS = Object.keys(SCHEMAS) as DocumentKind[];

let ajv: Ajv2020 | undefined;
const compiled = new Map<DocumentKind, ValidateFunction>();

function validator(kind: DocumentKind): ValidateFunction {
  let validate = compiled.get(kind);
  if (!validate) {
    // Nothing is coerced, filled in or removed: a validator only looks, because what it looks at has already been hashed.
    // It stops at the first fault of a document, so that a hostile document cannot make it work without bound.
    ajv ??= new Ajv2020({ strict: true, strictTuples: false, schemas: [common] });
    validate = ajv.compile(SCHEMAS[kind]);
    compiled.set(kind, validate);
  }
  return validate;
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
