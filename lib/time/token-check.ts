// Whether a time-stamp token holds. Every check is made on the one certificate whose key verified the signature: a verifier
// that looks at another one, because it stands first, believes a forged certificate under a good signature (CVE-2026-39984).
import { createHash, type KeyObject, verify as nodeVerify } from "node:crypto";
import { SealaneError } from "../finding.js";
import { algorithmOf } from "./algorithms.js";
import { authorityProblem, type Certificate, chainProblem, subjectKeyIdOf } from "./certificate.js";
import { context, DerError, type DerValue, Fields, members, oidOf, TAG } from "./der.js";
import type { Imprint, TimeStampRequest, TimeStampToken } from "./token.js";

const CONTENT_TYPE = "1.2.840.113549.1.9.3";
const MESSAGE_DIGEST = "1.2.840.113549.1.9.4";
const SIGNING_CERTIFICATE = "1.2.840.113549.1.9.16.2.12";
const SIGNING_CERTIFICATE_V2 = "1.2.840.113549.1.9.16.2.47";
const TST_INFO = "1.2.840.113549.1.9.16.1.4";
const RSA_BITS_MIN = 2048;
const CURVES = new Set(["prime256v1", "secp384r1", "secp521r1"]);

const ESS_HASHES: Readonly<Record<string, string>> = {
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
};

/** Whether an imprint is of these bytes. */
export function isImprintOf({ hash, digest }: Imprint, bytes: Uint8Array): boolean {
  return createHash(hash).update(bytes).digest().equals(digest);
}

/** How the signed attributes bind the signer's certificate (RFC 5035 section 3, RFC 2634 section 5.4). */
interface Binding {
  readonly hash: string;
  readonly digest: Buffer;
  readonly issuerSerial: DerValue | undefined;
}

function bindingsOf(attributes: ReadonlyMap<string, DerValue>): Binding[] {
  const bindings: Binding[] = [];
  for (const oid of [SIGNING_CERTIFICATE, SIGNING_CERTIFICATE_V2]) {
    const attribute = attributes.get(oid);
    if (attribute === undefined) continue;
    // The first one is the signer's; those after it may stand for its chain.
    const [first] = members(members(attribute)[0]);
    const fields = new Fields(members(first));
    const algorithm = oid === SIGNING_CERTIFICATE_V2 ? fields.maybe(TAG.sequence) : undefined;
    const named = algorithm === undefined ? undefined : ESS_HASHES[algorithmOf(algorithm)];
    if (algorithm !== undefined && named === undefined)
      throw new DerError("the signer's certificate is bound by another hash");
    const hash = oid === SIGNING_CERTIFICATE ? "sha1" : (named ?? "sha256");
    bindings.push({ hash, digest: fields.take(TAG.octetString).content, issuerSerial: fields.maybe(TAG.sequence) });
    fields.end();
  }
  return bindings;
}

function isBound(certificate: Certificate, { hash, digest, issuerSerial }: Binding): boolean {
  if (!createHash(hash).update(certificate.der).digest().equals(digest)) return false;
  if (issuerSerial === undefined) return true;
  const [names, serial] = members(issuerSerial);
  const named = members(names).some(({ tag, content }) => tag === context(4) && content.equals(certificate.issuer));
  return named && serial?.tag === TAG.integer && serial.content.equals(certificate.serial);
}

function isNamed(certificate: Certificate, name: TimeStampToken["signer"]["name"]): boolean {
  if ("keyId" in name) return subjectKeyIdOf(certificate)?.equals(name.keyId) === true;
  return certificate.issuer.equals(name.issuer) && certificate.serial.equals(name.serial);
}

/** Another kind of key than the signature's algorithm, or one too weak to prove anything. */
function keyProblem(key: KeyObject, keyType: "rsa" | "ec"): string | undefined {
  if (key.asymmetricKeyType !== keyType) return "the signature is of another kind than the signer's key";
  const { modulusLength = 0, namedCurve = "" } = key.asymmetricKeyDetails ?? {};
  const strong = keyType === "rsa" ? modulusLength >= RSA_BITS_MIN : CURVES.has(namedCurve);
  return strong ? undefined : "the signer's key is too weak, or of a curve that is not used here";
}

/** The one certificate that the signature names, wherever it is found. */
function signerIn(token: TimeStampToken, trusted: readonly Certificate[]): Certificate | string {
  const named = new Map(
    [...trusted, ...token.certificates]
      .filter((certificate) => isNamed(certificate, token.signer.name))
      .map((certificate) => [certificate.sha256, certificate]),
  );
  const [only, ...more] = named.values();
  if (only === undefined) return "the signer's certificate is neither in the token nor in the trust file";
  if (more.length > 0) return "more than one certificate has the name and number of the signer's";
  return only;
}

function problemOf(token: TimeStampToken, trusted: readonly Certificate[]): string | Certificate {
  const { signer, certificates, content } = token;
  const certificate = signerIn(token, trusted);
  if (typeof certificate === "string") return certificate;
  const key = certificate.x509.publicKey;
  const { attributes } = signer;
  const type = attributes.get(CONTENT_TYPE);
  if (type === undefined || oidOf(type) !== TST_INFO) return "the signed attributes name no TSTInfo";
  const digest = attributes.get(MESSAGE_DIGEST);
  if (
    digest?.tag !== TAG.octetString ||
    !createHash(signer.digestHash).update(content).digest().equals(digest.content)
  ) {
    return "the signed digest is not that of the token's content";
  }
  const bindings = bindingsOf(attributes);
  if (bindings.length === 0 || !bindings.every((binding) => isBound(certificate, binding))) {
    return "the signature is not bound to the signer's certificate";
  }
  const weak = keyProblem(key, signer.keyType);
  if (weak !== undefined) return weak;
  if (!nodeVerify(signer.signatureHash, signer.signed, key, signer.signature)) return "the signature does not hold";
  return (
    authorityProblem(certificate) ??
    chainProblem(certificate, { trusted, others: certificates, atMs: token.timeMs }) ??
    certificate
  );
}

/**
 * Checks a token over `bytes` under trusted certificates, each of an authority itself or of one that issues such certificates.
 * Throws E_TSA.
 * @returns the certificate of the authority that signed it
 */
export function checkToken(token: TimeStampToken, trusted: readonly Certificate[], at: string): Certificate {
  let found: string | Certificate;
  try {
    found = problemOf(token, trusted);
  } catch (cause) {
    if (!(cause instanceof DerError)) throw cause;
    found = cause.message;
  }
  if (typeof found !== "string") return found;
  throw new SealaneError("E_TSA", `${at}: ${found}`, { at });
}

/** Whether a token answers a request: the same imprint, and the request's nonce where it has one. */
export function answers(
  { imprint, nonce }: Pick<TimeStampToken, "imprint" | "nonce">,
  request: TimeStampRequest,
): boolean {
  const { imprint: asked, nonce: sent } = request;
  return (
    asked.hash === imprint.hash &&
    asked.digest.equals(imprint.digest) &&
    (sent === undefined ? nonce === undefined : nonce?.equals(sent) === true)
  );
}
