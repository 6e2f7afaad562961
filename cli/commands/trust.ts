import { existsSync } from "node:fs";
import { LIMITS } from "../../lib/bytes/limits.js";
import { SealaneError } from "../../lib/finding.js";
import { writeNewFile } from "../../lib/io/atomic.js";
import { systemClock } from "../../lib/io/clock.js";
import { readFile } from "../../lib/io/read-file.js";
import type { TrustChain } from "../../lib/manifest/trust.js";
import {
  addSigner,
  endRule,
  initTrust,
  removeSigner,
  revokeKey,
  rotateRoot,
  signRoot,
} from "../../lib/manifest/trust-change.js";
import {
  addAuthority,
  addWitness,
  removeAuthority,
  removeWitness,
  requireTime,
} from "../../lib/manifest/trust-time.js";
import { certificateInPem } from "../../lib/time/certificate.js";
import { command } from "../command.js";
import { keyIdFrom, openTrustFile, ownedKeys, signingKeys, trustText, writeNextVersion } from "../trust-file.js";
import {
  type Action,
  type Given,
  list,
  oneSigner,
  ownersFor,
  refuseMisplaced,
  subjectOf,
  trustOptions,
} from "../trust-options.js";
import { trustDocument, trustLines } from "../trust-text.js";
import { printJson, printLine } from "../ui.js";

/** TUF wants an expiry; nothing here is refused for being past it, so it says nothing unless it is set. */
const NO_EXPIRY = "2999-12-31T23:59:59Z";

async function init(given: Given): Promise<TrustChain> {
  const out = given.out!;
  if (existsSync(out)) throw new SealaneError("E_EXISTS", `${out} is there already`, { at: out });
  const signerFiles = list(given.signer);
  const keys = await signingKeys(list(given.key), given["passphrase-fd"]);
  const owners = ownersFor(given, keys.length + signerFiles.length);
  const root = keys.map((key, index) => ({ key, owner: owners[index]! }));
  const signers = await ownedKeys(signerFiles, owners.slice(keys.length), given["passphrase-fd"]);
  const signed = initTrust({
    root,
    signers: signers.length === 0 ? root : signers,
    lanes: given.lanes ?? "*",
    expires: given.expires ?? NO_EXPIRY,
    ...(given.threshold === undefined ? {} : { threshold: given.threshold }),
    ...(given["root-threshold"] === undefined ? {} : { rootThreshold: given["root-threshold"] }),
  });
  const { text, chain } = trustText([signRoot(signed, keys)], out);
  writeNewFile(out, text);
  return chain;
}

type Change = Parameters<typeof writeNextVersion>[1];

const thresholdOf = ({ threshold }: Given) => (threshold === undefined ? {} : { threshold });
const certificateAt = (path: string) => certificateInPem(readFile(path, LIMITS.keyBytesMax).toString("latin1"), path);

async function additionOf(given: Given): Promise<Change> {
  const subject = subjectOf(given, "add");
  if (subject === "require-time") return (newest) => requireTime(newest, true);
  if (subject === "tsa") {
    const certificate = certificateAt(given.tsa!);
    return (newest) => addAuthority(newest, certificate);
  }
  const file = subject === "witness" ? given.witness! : oneSigner(given)!;
  const [owned] = await ownedKeys([file], ownersFor(given, 1), given["passphrase-fd"]);
  if (subject === "witness") return (newest) => addWitness(newest, { witness: owned!, ...thresholdOf(given) });
  return (newest) => addSigner(newest, { signer: owned!, lanes: given.lanes ?? "*", ...thresholdOf(given) });
}

async function removalOf(given: Given): Promise<Change> {
  const subject = subjectOf(given, "remove");
  if (subject === "rule") return (newest) => endRule(newest, given.lanes!);
  if (subject === "require-time") return (newest) => requireTime(newest, false);
  if (subject === "tsa") {
    const certificate = certificateAt(given.tsa!);
    return (newest) => removeAuthority(newest, certificate);
  }
  const file = subject === "witness" ? given.witness! : oneSigner(given)!;
  const keyId = await keyIdFrom(file, given["passphrase-fd"]);
  if (subject === "witness") return (newest) => removeWitness(newest, { keyId, ...thresholdOf(given) });
  const lanes = given.lanes === undefined ? {} : { lanes: given.lanes };
  return (newest) => removeSigner(newest, { keyId, ...lanes, ...thresholdOf(given) });
}

/** The change that an action is, with all its keys read before anything is done. */
async function changeOf(action: Exclude<Action, "init" | "show">, given: Given): Promise<Change> {
  const descriptor = given["passphrase-fd"];
  switch (action) {
    case "add":
      return additionOf(given);
    case "remove":
      return removalOf(given);
    case "revoke": {
      const keyId = await keyIdFrom(oneSigner(given)!, descriptor);
      const since = given.since ?? systemClock.now();
      return (newest) => revokeKey(newest, { keyId, since, reason: given.reason! });
    }
    case "rotate": {
      const files = list(given.add);
      const add = files.length === 0 ? [] : await ownedKeys(files, ownersFor(given, files.length), descriptor);
      const remove: string[] = [];
      for (const key of list(given.drop)) remove.push(await keyIdFrom(key, descriptor));
      const rootThreshold = given["root-threshold"];
      return (newest) =>
        rotateRoot(newest, {
          add,
          remove,
          ...(rootThreshold === undefined ? {} : { threshold: rootThreshold }),
          ...(given.expires === undefined ? {} : { expires: given.expires }),
        });
    }
  }
}

export default command({
  positionals: "<action>",
  repeatable: ["key", "signer", "owner", "sign-with", "add", "drop"],
  examples: [
    [
      '$0 trust init --key author.pem --owner "Ada" --out trust.json',
      "one person, one key: it keeps the file and signs lanes",
    ],
    [
      '$0 trust init --key root.pem --signer ada.pub.pem --owner "Ada" --lanes "ada-*" --out trust.json',
      "a root key that stays in a drawer, and a key for the lanes",
    ],
    [
      '$0 trust add --trust trust.json --signer bob.pub.pem --owner "Bob" --sign-with root.pem',
      "one more key that may sign lanes; --threshold 2 asks for two of them",
    ],
    ["$0 trust remove --trust trust.json --signer bob.pub.pem --sign-with root.pem", "Bob signs no more"],
    [
      '$0 trust add --trust trust.json --witness carol.pub.pem --owner "Carol" --sign-with root.pem',
      "one more who may witness lanes; --threshold 2 asks for two of them",
    ],
    ["$0 trust add --trust trust.json --tsa tsa.pem --sign-with root.pem", "tokens of this authority count"],
    [
      '$0 trust rotate --trust trust.json --add new.pem --owner "Ada" --drop root.pem --sign-with root.pem --sign-with new.pem',
      "another root key: the old and the new one sign",
    ],
    [
      '$0 trust revoke --trust trust.json --signer ada.pub.pem --since 2026-01-31T12:00:00.000Z --reason "laptop stolen" --sign-with root.pem',
      "signatures by a key count only where the lane is known to be older",
    ],
    ["$0 trust show --trust trust.json", "versions, keys, rules"],
  ],
  options: trustOptions,
  async run(given) {
    const { action, json } = given;
    refuseMisplaced(given, action);
    if (action === "show") {
      const chain = openTrustFile(given.trust!);
      if (json) printJson(trustDocument(given.trust!, chain));
      else for (const line of trustLines(given.trust!, chain)) printLine(line);
      return 0;
    }
    const file = action === "init" ? given.out! : given.trust!;
    const chain =
      action === "init"
        ? await init(given)
        : writeNextVersion(
            file,
            await changeOf(action, given),
            await signingKeys(list(given["sign-with"]), given["passphrase-fd"]),
          );
    const { version, firstRootSha256 } = chain.trust;
    const signedBy = chain.file.roots.at(-1)!.signatures.map(({ keyid }) => keyid);
    if (json) {
      const written = { schema: "sealane-trust-written/1", file, version, first_root_sha256: firstRootSha256 };
      printJson({ ...written, signed_by: signedBy });
    } else {
      printLine(`${file}: version ${version}, signed by ${signedBy.join(", ")}`);
      for (const { lanes, threshold, keyIds } of chain.trust.rules) {
        printLine(`lanes ${lanes}: ${threshold} of ${keyIds.length} ${keyIds.length === 1 ? "key" : "keys"} must sign`);
      }
    }
    return 0;
  },
});
