// RFC 3161 time-stamp tokens: what one says, taken apart and not believed. A token is CMS SignedData (RFC 5652) of one signer
// over a TSTInfo; it comes bare or in the response of a time-stamping server.
import { SealaneError } from "../finding.js";
import { algorithmOf, HASHES, type HashName, SIGNATURES } from "./algorithms.js";
import { type Certificate, readCertificate } from "./certificate.js";
import { context, DerError, type DerValue, derOne, Fields, members, numberOf, oidOf, TAG, timeMsOf } from "./der.js";

const SIGNED_DATA = "1.2.840.113549.1.7.2";
const TST_INFO = "1.2.840.113549.1.9.16.1.4";

/** The end of the year 9999: no later time can be written as all times are. */
const LATEST_MS = 253402300799999;
/** Far more than a chain has. */
const CERTIFICATES_MAX = 16;

export interface Imprint {
  readonly hash: HashName;
  readonly digest: Buffer;
}

export interface TimeStampToken {
  readonly imprint: Imprint;
  /** The latest moment that the token admits: its time and its accuracy, in milliseconds since 1970. */
  readonly latestMs: number;
  readonly timeMs: number;
  /** INTEGER content. */
  readonly nonce: Buffer | undefined;
  /** The TSTInfo as it was digested. */
  readonly content: Buffer;
  readonly certificates: readonly Certificate[];
  readonly signer: {
    /** Which certificate the signature names: its issuer and serial number, or its subject key identifier. */
    readonly name: { readonly issuer: Buffer; readonly serial: Buffer } | { readonly keyId: Buffer };
    readonly digestHash: HashName;
    readonly keyType: "rsa" | "ec";
    readonly signatureHash: HashName;
    /** Signed attributes by object identifier: the one value of each. */
    readonly attributes: ReadonlyMap<string, DerValue>;
    /** What the signature is over: the attributes as a SET OF. */
    readonly signed: Buffer;
    readonly signature: Buffer;
  };
}

class Unsupported extends Error {}

function hashOf(algorithm: DerValue): HashName {
  const oid = algorithmOf(algorithm);
  const hash = HASHES[oid];
  if (hash === undefined) throw new Unsupported(`digest algorithm ${oid}`);
  return hash;
}

function imprintOf(value: DerValue): Imprint {
  const fields = new Fields(members(value));
  const hash = hashOf(fields.take(TAG.sequence));
  const digest = fields.take(TAG.octetString).content;
  fields.end();
  return { hash, digest };
}

/** Seconds, milliseconds and microseconds, each optional (RFC 3161 section 2.4.2); as milliseconds, rounded up. */
function accuracyMs(value: DerValue | undefined): number {
  if (value === undefined) return 0;
  const fields = new Fields(members(value));
  const part = (tag: number): number => {
    const found = fields.maybe(tag);
    return found === undefined ? 0 : numberOf(found);
  };
  const ms = part(TAG.integer) * 1000 + part(context(0, "primitive")) + Math.ceil(part(context(1, "primitive")) / 1000);
  fields.end();
  return ms;
}

const extensionsIn = (set: DerValue | undefined): DerValue[][] =>
  set === undefined ? [] : members(set, context(1)).map((extension) => members(extension));

function infoOf(content: Buffer): Pick<TimeStampToken, "imprint" | "timeMs" | "latestMs" | "nonce"> {
  const fields = new Fields(members(derOne(content, TAG.sequence)));
  if (numberOf(fields.take(TAG.integer)) !== 1) throw new Unsupported("TSTInfo of another version");
  oidOf(fields.any());
  const imprint = imprintOf(fields.take(TAG.sequence));
  fields.take(TAG.integer);
  const time = fields.take(TAG.generalizedTime);
  const accuracy = accuracyMs(fields.maybe(TAG.sequence));
  fields.maybe(TAG.boolean);
  const nonce = fields.maybe(TAG.integer)?.content;
  fields.maybe(context(0));
  // One that is critical would say something that nobody here understands.
  for (const extension of extensionsIn(fields.maybe(context(1)))) {
    if (extension[1]?.tag === TAG.boolean) throw new Unsupported("a critical extension of TSTInfo");
  }
  fields.end();
  const timeMs = timeMsOf(time);
  const latestMs = timeMs + accuracy;
  if (latestMs > LATEST_MS) throw new DerError("its time is out of range");
  return { imprint, timeMs, latestMs, nonce };
}

function signerOf(info: DerValue): TimeStampToken["signer"] {
  const fields = new Fields(members(info));
  fields.take(TAG.integer);
  const sid = fields.any();
  const digestHash = hashOf(fields.take(TAG.sequence));
  const set = fields.take(context(0));
  const algorithm = algorithmOf(fields.take(TAG.sequence));
  const signature = fields.take(TAG.octetString).content;
  fields.maybe(context(1));
  fields.end();
  const [keyType, hash] = SIGNATURES[algorithm] ?? [];
  if (keyType === undefined) throw new Unsupported(`signature algorithm ${algorithm}`);
  const attributes = new Map<string, DerValue>();
  for (const attribute of members(set, context(0))) {
    const pair = new Fields(members(attribute));
    const oid = oidOf(pair.any());
    const [value, ...more] = members(pair.any(), TAG.set);
    pair.end();
    if (value === undefined || more.length > 0 || attributes.has(oid)) {
      throw new DerError("a signed attribute has not exactly one value");
    }
    attributes.set(oid, value);
  }
  // The tag that stands there says "implicit"; what is signed is the SET OF (RFC 5652 section 5.4).
  const signed = Buffer.from(set.whole);
  signed[0] = TAG.set;
  return {
    name: signerName(sid),
    digestHash,
    keyType,
    signatureHash: hash ?? digestHash,
    attributes,
    signed,
    signature,
  };
}

function signerName(sid: DerValue): TimeStampToken["signer"]["name"] {
  if (sid.tag === context(0, "primitive")) return { keyId: sid.content };
  const fields = new Fields(members(sid));
  const issuer = fields.take(TAG.sequence).whole;
  const serial = fields.take(TAG.integer).content;
  fields.end();
  return { issuer, serial };
}

function certificatesIn(set: DerValue | undefined): Certificate[] {
  const values = set === undefined ? [] : members(set, context(0)).filter(({ tag }) => tag === TAG.sequence);
  if (values.length > CERTIFICATES_MAX) throw new DerError(`it holds more than ${CERTIFICATES_MAX} certificates`);
  return values.map(({ whole }) => readCertificate(whole));
}

function tokenIn(contentInfo: readonly DerValue[]): TimeStampToken {
  const outer = new Fields(contentInfo);
  if (oidOf(outer.any()) !== SIGNED_DATA) throw new DerError("it is no signed data");
  const data = new Fields(members(derOne(outer.take(context(0)).content, TAG.sequence)));
  outer.end();
  const version = numberOf(data.take(TAG.integer));
  const digests = members(data.take(TAG.set), TAG.set).map(algorithmOf);
  const encapsulated = new Fields(members(data.take(TAG.sequence)));
  if (oidOf(encapsulated.any()) !== TST_INFO) throw new DerError("what is signed is no TSTInfo");
  const content = derOne(encapsulated.take(context(0)).content, TAG.octetString).content;
  encapsulated.end();
  const certificates = certificatesIn(data.maybe(context(0)));
  data.maybe(context(1));
  const [signer, ...more] = members(data.take(TAG.set), TAG.set);
  data.end();
  if (signer === undefined || more.length > 0) throw new DerError("it is not signed by exactly one signer");
  // What no signature is over is held to the one thing that it can say (RFC 5652 sections 5.1, 5.3).
  const [signerVersion, sid, digest] = members(signer);
  const right = sid?.tag === TAG.sequence ? 1 : 3;
  if (version !== 3 || signerVersion?.tag !== TAG.integer || numberOf(signerVersion) !== right) {
    throw new DerError("it names another version than its own");
  }
  if (!digests.includes(algorithmOf(digest))) throw new DerError("its digest algorithms are others than its signer's");
  return { ...infoOf(content), content, certificates, signer: signerOf(signer) };
}

/** A token that bytes are: bare (its first member is an object identifier), or in a response (PKIStatusInfo first). */
function tokenOf(bytes: Buffer): TimeStampToken {
  const values = members(derOne(bytes, TAG.sequence));
  if (values[0]?.tag !== TAG.sequence) return tokenIn(values);
  const status = members(values[0])[0];
  // 0 is granted, 1 is granted with modifications.
  if (status?.tag !== TAG.integer || numberOf(status) > 1) throw new DerError("the authority refused to give a token");
  if (values.length !== 2) throw new DerError("it is a response without one token");
  return tokenIn(members(values[1]));
}

/** A request for a token (TimeStampReq): what was asked for, and under which nonce. */
export interface TimeStampRequest {
  readonly imprint: Imprint;
  readonly nonce: Buffer | undefined;
}

function requestOf(bytes: Buffer): TimeStampRequest {
  const fields = new Fields(members(derOne(bytes, TAG.sequence)));
  if (numberOf(fields.take(TAG.integer)) !== 1) throw new Unsupported("a request of another version");
  const imprint = imprintOf(fields.take(TAG.sequence));
  fields.maybe(TAG.oid);
  const nonce = fields.maybe(TAG.integer)?.content;
  fields.maybe(TAG.boolean);
  fields.maybe(context(0));
  fields.end();
  return { imprint, nonce };
}

function read<T>(parse: (bytes: Buffer) => T, bytes: Uint8Array, at: string, what: string): T {
  try {
    return parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch (cause) {
    if (cause instanceof Unsupported) {
      throw new SealaneError("E_KEYTYPE", `${at}: ${cause.message} is not used by this release`, { at, cause });
    }
    if (!(cause instanceof DerError)) throw cause;
    throw new SealaneError("E_TSA", `${at} is no ${what}: ${cause.message}`, { at, cause });
  }
}

/** Reads a token, bare or in a response. Throws E_TSA, and E_KEYTYPE for algorithms that are not used here. */
export function parseToken(bytes: Uint8Array, at: string): TimeStampToken {
  return read(tokenOf, bytes, at, "time-stamp token");
}

/** Whether DER bytes are of a request: its first member is a number, a token's never is. */
export function isRequest(bytes: Uint8Array): boolean {
  try {
    return members(derOne(Buffer.from(bytes), TAG.sequence))[0]?.tag === TAG.integer;
  } catch {
    return false;
  }
}

/** Reads a request. Throws E_TSA, E_KEYTYPE. */
export function parseRequest(bytes: Uint8Array, at: string): TimeStampRequest {
  return read(requestOf, bytes, at, "time-stamp request");
}
