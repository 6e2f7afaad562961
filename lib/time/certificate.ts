// X.509 certificates (RFC 5280) of time-stamping authorities, and the way from one to a certificate that is trusted. Signatures
// are node's to check; what a certificate says is read here from the same bytes, because node does not tell which extensions
// are critical, nor two names apart that only look the same.
import { X509Certificate } from "node:crypto";
import { sha256Hex } from "../bytes/digest.js";
import { SealaneError } from "../finding.js";
import {
  bitsOf,
  booleanOf,
  context,
  DerError,
  type DerValue,
  derOne,
  Fields,
  members,
  numberOf,
  oidOf,
  TAG,
  timeMsOf,
} from "./der.js";

interface Extension {
  readonly critical: boolean;
  readonly value: Buffer;
}

export interface Certificate {
  readonly der: Buffer;
  /** SHA-256 of the whole certificate, in hexadecimal: its name here. */
  readonly sha256: string;
  readonly x509: X509Certificate;
  /** INTEGER content. */
  readonly serial: Buffer;
  /** Names in DER. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly signatureAlgorithm: string;
  readonly extensions: ReadonlyMap<string, Extension>;
}

const KEY_USAGE = "2.5.29.15";
const SUBJECT_KEY_ID = "2.5.29.14";
const BASIC_CONSTRAINTS = "2.5.29.19";
const EXTENDED_KEY_USAGE = "2.5.29.37";
const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
/** What is read of a certificate; another critical extension forbids its use (RFC 5280 section 4.2). */
const UNDERSTOOD = new Set([KEY_USAGE, BASIC_CONSTRAINTS, EXTENDED_KEY_USAGE]);

/** Signatures on certificates: RSA (PKCS #1 v1.5) and ECDSA with SHA-256, SHA-384 and SHA-512, and Ed25519. */
const SIGNATURE_ALGORITHMS = new Set([
  "1.2.840.113549.1.1.11",
  "1.2.840.113549.1.1.12",
  "1.2.840.113549.1.1.13",
  "1.2.840.10045.4.3.2",
  "1.2.840.10045.4.3.3",
  "1.2.840.10045.4.3.4",
  "1.3.101.112",
]);

/** How many certificates may stand between a token's signer and one that is trusted. */
const CHAIN_MAX = 6;

function extensionsOf(explicit: DerValue | undefined): Map<string, Extension> {
  const extensions = new Map<string, Extension>();
  if (explicit === undefined) return extensions;
  for (const extension of members(derOne(explicit.content, TAG.sequence))) {
    const fields = new Fields(members(extension));
    const oid = oidOf(fields.any());
    const critical = fields.maybe(TAG.boolean);
    const value = fields.take(TAG.octetString).content;
    fields.end();
    if (extensions.has(oid)) throw new DerError("an extension stands twice");
    extensions.set(oid, { critical: critical !== undefined && booleanOf(critical), value });
  }
  return extensions;
}

/** Reads a certificate in DER. Throws DerError. */
export function readCertificate(der: Buffer): Certificate {
  const outer = new Fields(members(derOne(der, TAG.sequence)));
  const body = new Fields(members(outer.any()));
  const algorithm = outer.take(TAG.sequence);
  outer.take(TAG.bitString);
  outer.end();
  body.maybe(context(0));
  const serial = body.take(TAG.integer).content;
  if (!body.take(TAG.sequence).whole.equals(algorithm.whole)) throw new DerError("it names two signature algorithms");
  const issuer = body.take(TAG.sequence).whole;
  const [notBefore, notAfter] = members(body.any());
  const subject = body.take(TAG.sequence).whole;
  body.take(TAG.sequence);
  body.maybe(context(1, "primitive"));
  body.maybe(context(2, "primitive"));
  const extensions = extensionsOf(body.maybe(context(3)));
  body.end();
  let x509: X509Certificate;
  try {
    x509 = new X509Certificate(der);
    void x509.publicKey;
  } catch {
    throw new DerError("node reads no certificate in it");
  }
  return {
    der,
    sha256: sha256Hex(der),
    x509,
    serial,
    issuer,
    subject,
    notBeforeMs: timeMsOf(notBefore),
    notAfterMs: timeMsOf(notAfter),
    signatureAlgorithm: oidOf(members(algorithm)[0]),
    extensions,
  };
}

const NEXT = "Name the X.509 certificate of a time-stamping authority, in PEM.";

/** A certificate that a user trusts, in DER. Throws E_KEY. */
export function admitCertificate(der: Buffer, at: string): Certificate {
  try {
    return readCertificate(der);
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    throw new SealaneError("E_KEY", `${at} is no certificate: ${cause.message}`, { at, cause, next: NEXT });
  }
}

const PEM = /-----BEGIN CERTIFICATE-----\r?\n([A-Za-z0-9+/=\r\n]+)-----END CERTIFICATE-----/g;

/** The one certificate of a PEM file. Throws E_KEY. */
export function certificateInPem(text: string, at: string): Certificate {
  const [only, ...more] = [...text.matchAll(PEM)];
  if (only === undefined || more.length > 0) {
    const found = String(only === undefined ? 0 : more.length + 1);
    throw new SealaneError("E_KEY", `${at} does not hold one certificate in PEM form`, {
      at,
      expected: "1",
      found,
      next: NEXT,
    });
  }
  return admitCertificate(Buffer.from(only[1]!, "base64"), at);
}

/** The identifier that a certificate gives its key. Throws DerError. */
export function subjectKeyIdOf({ extensions }: Certificate): Buffer | undefined {
  const extension = extensions.get(SUBJECT_KEY_ID);
  return extension && derOne(extension.value, TAG.octetString).content;
}

function keyUsageOf({ extensions }: Certificate): boolean[] | undefined {
  const extension = extensions.get(KEY_USAGE);
  return extension && bitsOf(derOne(extension.value, TAG.bitString));
}

/** What of every certificate on the way forbids its use at a time. */
function useProblem({ extensions, notBeforeMs, notAfterMs }: Certificate, atMs: number): string | undefined {
  if (atMs < notBeforeMs || atMs > notAfterMs) return "a certificate is not valid at the token's time";
  const unknown = [...extensions].find(([oid, { critical }]) => critical && !UNDERSTOOD.has(oid));
  return unknown && `a certificate has the critical extension ${unknown[0]}, which is not known here`;
}

/** Why a certificate may not sign time-stamp tokens, or undefined (RFC 3161 section 2.3). Throws DerError. */
export function authorityProblem(certificate: Certificate): string | undefined {
  const usage = certificate.extensions.get(EXTENDED_KEY_USAGE);
  const purposes = usage === undefined ? [] : members(derOne(usage.value, TAG.sequence)).map(oidOf);
  if (!usage?.critical || purposes.length !== 1 || purposes[0] !== TIME_STAMPING) {
    return "the signer's certificate is not for time stamping alone, or does not say so critically";
  }
  // Bits 0 and 1 are digitalSignature and nonRepudiation; a key for other uses too is no authority's own.
  const bits = keyUsageOf(certificate);
  if (bits !== undefined && (!bits.slice(0, 2).includes(true) || bits.slice(2).includes(true))) {
    return "the key usage of the signer's certificate is another";
  }
  return undefined;
}

/** Whether a certificate may be the issuer of others, `below` of which stand between it and the signer. Throws DerError. */
function mayIssue(certificate: Certificate, below: number): boolean {
  const constraints = certificate.extensions.get(BASIC_CONSTRAINTS);
  if (constraints === undefined) return false;
  const fields = new Fields(members(derOne(constraints.value, TAG.sequence)));
  const authority = fields.maybe(TAG.boolean);
  const length = fields.maybe(TAG.integer);
  if (authority === undefined || !booleanOf(authority)) return false;
  if (length !== undefined && numberOf(length) < below) return false;
  const usage = keyUsageOf(certificate);
  return usage === undefined || usage[5] === true;
}

function issued(certificate: Certificate, issuer: Certificate): boolean {
  return (
    certificate.issuer.equals(issuer.subject) &&
    SIGNATURE_ALGORITHMS.has(certificate.signatureAlgorithm) &&
    certificate.x509.verify(issuer.x509.publicKey)
  );
}

/** Where a way may lead and when it must hold. */
export interface Ground {
  readonly trusted: readonly Certificate[];
  /** Certificates that came with the token: nothing is believed of them. */
  readonly others: readonly Certificate[];
  readonly atMs: number;
}

/**
 * Why no way leads from a certificate to a trusted one at a time, or undefined. Every certificate on the way, the trusted one
 * included, must be valid then; revocation lists are not looked at. Each certificate is tried once, so that no set of
 * certificates can make the search long. Throws DerError.
 */
export function chainProblem(certificate: Certificate, ground: Ground): string | undefined {
  return wayProblem(certificate, ground, 0, new Set());
}

function wayProblem(certificate: Certificate, ground: Ground, below: number, tried: Set<string>): string | undefined {
  tried.add(certificate.sha256);
  const problem = useProblem(certificate, ground.atMs);
  if (problem !== undefined) return problem;
  if (ground.trusted.some(({ der }) => der.equals(certificate.der))) return undefined;
  let nearest = "no trusted authority issued the signer's certificate";
  if (below >= CHAIN_MAX) return nearest;
  for (const issuer of [...ground.trusted, ...ground.others]) {
    if (tried.has(issuer.sha256) || !mayIssue(issuer, below) || !issued(certificate, issuer)) continue;
    const further = wayProblem(issuer, ground, below + 1, tried);
    if (further === undefined) return undefined;
    nearest = further;
  }
  return nearest;
}
