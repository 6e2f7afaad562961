// Time-stamping authorities for tests: certificates and RFC 3161 tokens under any names and times, made in every way that a
// forger might. That an honest one is what other programs take for a token, test/foreign/timestamps.test.ts shows.
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { bits, boolean, explicit, generalizedTime, integer, octets, oid, sequence, set, tlv } from "./der-writer.js";

const EC_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const RSA_SHA256 = sequence(oid("1.2.840.113549.1.1.11"), tlv(0x05));
const SHA256 = sequence(oid("2.16.840.1.101.3.4.2.1"));
export const TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
export const CODE_SIGNING = "1.3.6.1.5.5.7.3.3";

const algorithmOf = (key: KeyObject): Buffer => (key.asymmetricKeyType === "rsa" ? RSA_SHA256 : EC_SHA256);
const signed = (key: KeyObject, bytes: Uint8Array): Buffer => sign("sha256", bytes, key);

export const nameOf = (text: string): Buffer => sequence(set(sequence(oid("2.5.4.3"), tlv(0x0c, Buffer.from(text)))));

export const newKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

export interface Issued {
  readonly key: KeyObject;
  readonly name: string;
  readonly serial: bigint;
  readonly der: Buffer;
  readonly issuer: string;
}

export interface CertificateOptions {
  readonly name: string;
  readonly serial?: bigint;
  readonly key?: KeyObject;
  /** Who signs; itself, if not said. */
  readonly issuer?: Issued;
  readonly from?: string;
  readonly until?: string;
  /** `[oid, critical, value]`. */
  readonly extensions: readonly (readonly [oid: string, critical: boolean, value: Uint8Array])[];
}

export const isAuthority = (pathLength?: number): CertificateOptions["extensions"][number] => [
  "2.5.29.19",
  true,
  pathLength === undefined ? sequence(boolean(true)) : sequence(boolean(true), integer(pathLength)),
];
export const forPurposes = (
  critical: boolean,
  ...purposes: readonly string[]
): CertificateOptions["extensions"][number] => ["2.5.29.37", critical, sequence(...purposes.map(oid))];
/** Key usage of the bits with these numbers. */
export const forUses = (...uses: readonly number[]): CertificateOptions["extensions"][number] => [
  "2.5.29.15",
  true,
  bits(Buffer.of(uses.reduce((byte, use) => byte | (0x80 >> use), 0))),
];

export function certificate(options: CertificateOptions): Issued {
  const { name, serial = 7n, key = newKey(), issuer, extensions } = options;
  const { from = "2020-01-01T00:00:00Z", until = "2040-01-01T00:00:00Z" } = options;
  const signer = issuer?.key ?? key;
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  const body = sequence(
    explicit(0, integer(2)),
    integer(serial),
    algorithmOf(signer),
    nameOf(issuer?.name ?? name),
    sequence(generalizedTime(from), generalizedTime(until)),
    nameOf(name),
    spki,
    explicit(
      3,
      sequence(
        ...extensions.map(([id, critical, value]) =>
          sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value)),
        ),
      ),
    ),
  );
  const der = sequence(body, algorithmOf(signer), bits(signed(signer, body)));
  return { key, name, serial, der, issuer: issuer?.name ?? name };
}

export function pemOf(der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString("base64")
    .replace(/(.{64})(?=.)/g, "$1\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

export interface World {
  readonly root: Issued;
  readonly authority: Issued;
}

/** A root and an authority that it issued; other details by `change`. */
export function world(change: Partial<CertificateOptions> = {}): World {
  const root = certificate({ name: "Root", serial: 1n, extensions: [isAuthority(), forUses(5, 6)] });
  const authority = certificate({
    name: "Clock",
    issuer: root,
    extensions: [forPurposes(true, TIME_STAMPING), forUses(0)],
    ...change,
  });
  return { root, authority };
}

export interface TokenOptions {
  readonly time?: string;
  /** What stands in the token as certificates, in this order; the signer's alone, if not said. */
  readonly certificates?: readonly Uint8Array[];
  /** Whose certificate the signed attributes bind; the signer's, if not said; null for none. */
  readonly bound?: Uint8Array | null;
  readonly nonce?: bigint;
  readonly accuracySeconds?: number;
  /** The signed digest of the content; the right one, if not said. */
  readonly digest?: Uint8Array;
  readonly contentType?: string;
  /** Another key signs than the one in the certificate. */
  readonly key?: KeyObject;
  /** PKIStatus of the response around the token; bare, if not said. */
  readonly status?: number;
  readonly signerInfos?: (info: Buffer) => readonly Uint8Array[];
}

/** A token over `bytes`. */
export function token(signer: Issued, bytes: Uint8Array, options: TokenOptions = {}): Buffer {
  const { time = "2026-02-01T00:00:00Z", bound = signer.der, nonce, accuracySeconds, status } = options;
  const imprint = sequence(SHA256, octets(createHash("sha256").update(bytes).digest()));
  const info = sequence(
    integer(1),
    oid("1.2.3.4"),
    imprint,
    integer(99),
    generalizedTime(time),
    ...(accuracySeconds === undefined ? [] : [sequence(integer(accuracySeconds))]),
    ...(nonce === undefined ? [] : [integer(nonce)]),
  );
  const attribute = (id: string, value: Uint8Array): Buffer => sequence(oid(id), set(value));
  const digest = options.digest ?? createHash("sha256").update(info).digest();
  const attributes = Buffer.concat([
    attribute("1.2.840.113549.1.9.3", oid(options.contentType ?? "1.2.840.113549.1.9.16.1.4")),
    attribute("1.2.840.113549.1.9.4", octets(digest)),
    ...(bound === null
      ? []
      : [
          attribute(
            "1.2.840.113549.1.9.16.2.47",
            sequence(sequence(sequence(octets(createHash("sha256").update(bound).digest())))),
          ),
        ]),
  ]);
  const key = options.key ?? signer.key;
  const signerInfo = sequence(
    integer(1),
    sequence(nameOf(signer.issuer), integer(signer.serial)),
    SHA256,
    explicit(0, attributes),
    algorithmOf(key),
    octets(signed(key, set(attributes))),
  );
  const data = sequence(
    integer(3),
    set(SHA256),
    sequence(oid("1.2.840.113549.1.9.16.1.4"), explicit(0, octets(info))),
    explicit(0, ...(options.certificates ?? [signer.der])),
    set(...(options.signerInfos?.(signerInfo) ?? [signerInfo])),
  );
  const bare = sequence(oid("1.2.840.113549.1.7.2"), explicit(0, data));
  return status === undefined ? bare : sequence(sequence(integer(status)), bare);
}

/** A request for a token over `bytes`. */
export function request(bytes: Uint8Array, nonce?: bigint): Buffer {
  const imprint = sequence(SHA256, octets(createHash("sha256").update(bytes).digest()));
  return sequence(integer(1), imprint, ...(nonce === undefined ? [] : [integer(nonce)]), boolean(true));
}
