// A trust file for people and for programs: its versions, whose keys it holds, and what each may do.

import type { TrustChain } from "../lib/manifest/trust.js";
import { printable } from "../lib/report/printable.js";
import { wrap } from "../lib/report/wrap.js";
import { width } from "./ui.js";

export function trustDocument(file: string, { trust, versions, file: { roots } }: TrustChain): object {
  return {
    schema: "sealane-trust-shown/1",
    file,
    version: trust.version,
    expires: trust.expires,
    first_root_sha256: trust.firstRootSha256,
    versions: versions.map(({ version, expires, sha256, threshold, keys }, index) => ({
      version,
      expires,
      sha256,
      root: { threshold, keyids: [...keys.keys()] },
      signed_by: roots[index]!.signatures.map(({ keyid }) => keyid),
    })),
    keys: trust.keys.map(({ keyId, bytes, owner }) => ({
      keyid: keyId,
      public: Buffer.from(bytes).toString("hex"),
      owner,
      root: trust.root.keyIds.includes(keyId),
    })),
    lanes: trust.rules.map(({ lanes, threshold, keyIds }) => ({ lanes, threshold, keyids: keyIds })),
    witnesses: trust.witnesses ? { threshold: trust.witnesses.threshold, keyids: trust.witnesses.keyIds } : null,
    authorities: trust.authorities.map(({ sha256, x509 }) => ({ sha256, subject: x509.subject })),
    time_required: trust.timeRequired,
    revoked: trust.revoked.map(({ keyId, since, reason }) => ({ keyid: keyId, since, reason })),
  };
}

export function trustLines(file: string, { trust, versions }: TrustChain): string[] {
  const lines: string[] = [];
  const say = (indent: number, text: string): void => {
    for (const line of wrap(printable(text), width() - indent)) lines.push(" ".repeat(indent) + line);
  };
  const { root } = trust;
  say(0, `${file}: version ${trust.version}, expires ${trust.expires}`);
  say(0, `first root ${trust.firstRootSha256}`);
  lines.push("", `versions: ${versions.length}`);
  for (const { version, expires, threshold, keys } of versions) {
    say(2, `${version}: expires ${expires}; ${threshold} of ${keys.size} root keys sign the next`);
  }
  lines.push("", `keys: ${trust.keys.length}`);
  for (const { keyId, owner } of trust.keys) {
    say(2, keyId);
    const lanes = trust.rules.filter((rule) => rule.keyIds.includes(keyId)).map((rule) => rule.lanes);
    const roles = [
      ...(root.keyIds.includes(keyId) ? ["root key"] : []),
      ...(lanes.length > 0 ? [`signs lanes ${lanes.join(", ")}`] : []),
      ...(trust.witnesses?.keyIds.includes(keyId) ? ["witness"] : []),
    ];
    say(4, `${owner}: ${roles.join("; ") || "no role any more"}`);
    for (const { since, reason } of trust.revoked.filter((revoked) => revoked.keyId === keyId)) {
      say(4, `revoked since ${since}: ${reason}`);
    }
  }
  lines.push("", `rules: ${trust.rules.length}`);
  for (const { lanes, threshold, keyIds } of trust.rules) {
    say(2, `${lanes}: ${threshold} of ${keyIds.length} ${keyIds.length === 1 ? "key" : "keys"}`);
  }
  if (trust.witnesses) {
    const { threshold, keyIds } = trust.witnesses;
    lines.push("", `witnesses: ${threshold} of ${keyIds.length} must cosign`);
  }
  if (trust.authorities.length > 0) lines.push("", `time-stamping authorities: ${trust.authorities.length}`);
  for (const { sha256, x509 } of trust.authorities) {
    say(2, sha256);
    say(4, x509.subject.replaceAll("\n", ", "));
  }
  if (trust.timeRequired) lines.push("", "a lane needs a trusted time");
  return lines;
}
