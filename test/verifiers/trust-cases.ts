// Lanes under trust files and memories that refuse them, or do not: rows B, D and J of the threat list, by their numbers
// there. test/verifiers/signers.test.ts and history.test.ts run them; tampering.test.ts counts their reason codes.
import { ed25519ph } from "@noble/curves/ed25519.js";
import { sha256, sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { preAuthEncoding, signStatement, statementOf } from "../../lib/manifest/envelope.js";
import { parseTrust, type Trust } from "../../lib/manifest/trust.js";
import { addSigner, initTrust, revokeKey } from "../../lib/manifest/trust-change.js";
import type { Envelope, Manifest, RootSigned, State } from "../../schemas/index.js";
import type { Policy } from "../../verifiers/evidence.js";
import { editDocument, type LaneFiles, parsed, reseal } from "../support/lane.js";
import { testKey } from "../support/test-key.js";
import { bytesOf, chainOf, FAR, owned } from "../support/trust-files.js";

export interface PolicyCase {
  /** Number in the threat list. */
  readonly id: string;
  readonly why: string;
  readonly fault?: (files: LaneFiles) => void;
  /** The policy for the lane as it is after the fault. */
  readonly policy: (files: LaneFiles) => Policy;
  readonly codes: readonly string[];
  readonly exit: number;
  /** What the limits of the verdict must name. */
  readonly named?: readonly string[];
}

const ID = (word: string): string => testKey(word).keyId;
const LANE = "harbour-test";
const SINCE = "2026-03-01T12:00:00.000Z";

type Change = (before: RootSigned) => RootSigned;

/** A trust file of "keeper", in which the author signs every lane; and what was changed since. */
function trusted(...changes: readonly Change[]): Trust {
  const first = initTrust({ root: [owned("keeper")], signers: [owned("author")], lanes: "*", expires: FAR });
  const signed = changes.map((change) => [change, "keeper"] as const);
  return parseTrust(bytesOf(chainOf([first, "keeper"], ...signed)), "trust.json");
}
const add =
  (word: string, lanes: string, threshold = 1): Change =>
  (before) =>
    addSigner(before, { signer: owned(word), lanes, threshold });
const revoke =
  (word: string): Change =>
  (before) =>
    revokeKey(before, { keyId: ID(word), since: SINCE, reason: "laptop stolen" });

const under =
  (...changes: readonly Change[]) =>
  (): Policy => ({ trust: trusted(...changes) });

const envelope = (files: LaneFiles, edit: (envelope: Envelope) => void): void =>
  editDocument<Envelope>(files, "manifest.dsse.json", edit);

/** One more signature over the same statement. */
function signAlso(files: LaneFiles, word: string): void {
  const statement = statementOf(parsed<Manifest>(files, "manifest.json"), sha256Hex(files.get("manifest.json")!));
  envelope(files, ({ signatures }) => signatures.push(...signStatement(statement, testKey(word)).signatures));
}
const spoil = (files: LaneFiles, index: number): void =>
  envelope(files, ({ signatures }) => {
    const signature = Buffer.from(signatures[index]!.sig, "base64");
    signature[3]! ^= 1;
    signatures[index]!.sig = signature.toString("base64");
  });

/** Pure Ed25519's sister, which signs a hash under a prefix of its own (RFC 8032 section 5.1). */
function signPrehashed(files: LaneFiles): void {
  envelope(files, (document) => {
    const message = preAuthEncoding(document.payloadType, Buffer.from(document.payload, "base64"));
    const signature = ed25519ph.sign(message, sha256("sealane test key author"));
    document.signatures[0]!.sig = Buffer.from(signature).toString("base64");
  });
}

/** What is remembered of the lane. */
function seen(version: number, manifestSha256: string, firstSeen = "2026-02-01T00:00:00.000Z", lane = LANE): State {
  const entry = { version, manifest_sha256: manifestSha256, first_seen: firstSeen };
  return { schema: "sealane-state/1", lanes: { [lane]: entry } };
}
const digestOf = (files: LaneFiles): string => sha256Hex(files.get("manifest.json")!);
const OTHER = "0".repeat(64);

/** The revoked author's lane, first seen at some time. */
const revokedSeen =
  (firstSeen: string) =>
  (files: LaneFiles): Policy => ({ trust: trusted(revoke("author")), state: seen(1, digestOf(files), firstSeen) });

export const SIGNER_CASES: readonly PolicyCase[] = [
  {
    id: "B09",
    why: "a stranger's signature",
    fault: (files) => reseal(files, { key: testKey("thief") }),
    policy: under(),
    codes: ["E_UNTRUSTED_KEY"],
    exit: 3,
    named: [ID("thief")],
  },
  {
    // A key id is a hint: the signature is tried under the key that the trust file has for it.
    id: "B09",
    why: "a stranger's signature under a trusted key's id",
    fault: (files) => {
      reseal(files, { key: testKey("thief") });
      envelope(files, ({ signatures }) => {
        signatures[0]!.keyid = ID("author");
      });
    },
    policy: under(),
    codes: ["E_SIG", "E_UNTRUSTED_KEY"],
    exit: 1,
  },
  {
    id: "B10",
    why: "one signature twice where two are needed",
    fault: (files) => signAlso(files, "author"),
    policy: under(add("second", "*", 2)),
    codes: ["E_THRESHOLD"],
    exit: 3,
  },
  {
    id: "B10",
    why: "one key under its id and under its id in capitals",
    fault: (files) => {
      signAlso(files, "author");
      envelope(files, ({ signatures }) => {
        signatures[1]!.keyid = ID("author").toUpperCase();
      });
    },
    policy: under(add("second", "*", 2)),
    codes: ["E_THRESHOLD"],
    exit: 3,
    named: [ID("author").toUpperCase()],
  },
  {
    id: "B10",
    why: "one key under the id of the other that is needed",
    fault: (files) => {
      signAlso(files, "author");
      envelope(files, ({ signatures }) => {
        signatures[1]!.keyid = ID("second");
      });
    },
    policy: under(add("second", "*", 2)),
    codes: ["E_SIG", "E_THRESHOLD"],
    exit: 1,
  },
  {
    id: "B10",
    why: "two keys where two are needed",
    fault: (files) => signAlso(files, "second"),
    policy: under(add("second", "*", 2)),
    codes: [],
    exit: 0,
  },
  {
    id: "B12",
    why: "a good signature, and a bad one by a known key",
    fault: (files) => {
      signAlso(files, "second");
      spoil(files, 1);
    },
    policy: under(add("second", "*")),
    codes: ["E_SIG"],
    exit: 1,
  },
  {
    id: "B12",
    why: "a good signature, and a bad one by a key that is known for other lanes",
    fault: (files) => {
      signAlso(files, "second");
      spoil(files, 1);
    },
    policy: under(add("second", "another-*")),
    codes: ["E_SIG"],
    exit: 1,
  },
  {
    id: "B12",
    why: "a good signature, and a bad one by a root key",
    fault: (files) => {
      signAlso(files, "keeper");
      spoil(files, 1);
    },
    policy: under(),
    codes: ["E_SIG"],
    exit: 1,
  },
  {
    id: "B12",
    why: "a good signature, and a bad one by a stranger",
    fault: (files) => {
      signAlso(files, "thief");
      spoil(files, 1);
    },
    policy: under(),
    codes: [],
    exit: 0,
    named: [ID("thief")],
  },
  {
    id: "B12",
    why: "a good signature, and many by strangers whose ids are no ids",
    fault: (files) =>
      envelope(files, ({ signatures }) => {
        const sig = signatures[0]!.sig;
        for (const keyid of ["\u001b[2J", "x".repeat(10_000), "", "__proto__"]) signatures.push({ keyid, sig });
      }),
    policy: under(),
    codes: [],
    exit: 0,
    named: ["\\u{1b}[2J", "and 1 more"],
  },
  // Nothing in an envelope says of what kind a signature is, so one of another kind is one that does not hold.
  {
    id: "B14",
    why: "an Ed25519ph signature",
    fault: signPrehashed,
    policy: under(),
    codes: ["E_SIG", "E_UNTRUSTED_KEY"],
    exit: 1,
  },
  {
    id: "B15",
    why: "a signature that names its own algorithm",
    fault: (files) =>
      envelope(files, ({ signatures }) => {
        Object.assign(signatures[0]!, { alg: "none", sig: "" });
      }),
    policy: under(),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
  {
    id: "B15",
    why: "an envelope that names its own algorithm",
    fault: (files) =>
      envelope(files, (document) => {
        Object.assign(document, { alg: "none" });
      }),
    policy: under(),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
  {
    id: "B16",
    why: "a signature that brings its own key",
    fault: (files) => {
      reseal(files, { key: testKey("thief") });
      envelope(files, ({ signatures }) => {
        Object.assign(signatures[0]!, { public_key: Buffer.from(testKey("thief").bytes).toString("hex") });
      });
    },
    policy: under(),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
  {
    id: "B16",
    why: "the key swapped for the thief's, key id and all",
    fault: (files) => {
      const { signatures } = parsed<Envelope>(files, "manifest.dsse.json");
      signAlso(files, "thief");
      envelope(files, (document) => {
        document.signatures = document.signatures.slice(signatures.length);
      });
    },
    policy: under(),
    // The thief's own signature is no signature of anyone; the checkpoints are still the author's.
    codes: ["E_UNTRUSTED_KEY"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key, and the lane was seen before",
    policy: revokedSeen("2026-03-01T11:59:59.999Z"),
    codes: [],
    exit: 0,
    named: [ID("author"), SINCE],
  },
  {
    id: "B21",
    why: "a revoked key, and the lane was first seen at that time",
    policy: revokedSeen(SINCE),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key, and the lane was first seen after",
    policy: revokedSeen("2026-04-01T00:00:00.000Z"),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  // The good lane says of itself that it was sealed in January.
  {
    id: "B21",
    why: "a revoked key, and nothing is remembered",
    policy: under(revoke("author")),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key, and nothing is remembered of this lane",
    policy: (files) => ({ trust: trusted(revoke("author")), state: seen(1, digestOf(files), undefined, "another") }),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key, and another lane of this version was seen before",
    policy: () => ({ trust: trusted(revoke("author")), state: seen(1, OTHER) }),
    codes: ["E_FORK", "E_REVOKED"],
    exit: 1,
  },
  {
    id: "B21",
    why: "a revoked key, and the version before was seen in time",
    fault: (files) => next(files, 2, digestOf(files)),
    policy: (files) => ({
      trust: trusted(revoke("author")),
      state: seen(1, parsed<Manifest>(files, "manifest.json").previous_manifest_sha256!),
    }),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key and a good one",
    fault: (files) => signAlso(files, "second"),
    policy: under(add("second", "*"), revoke("author")),
    codes: [],
    exit: 0,
    named: [ID("author")],
  },
  {
    id: "B21",
    why: "a revoked key and a good one where two are needed",
    fault: (files) => signAlso(files, "second"),
    policy: under(add("second", "*", 2), revoke("author")),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key where two are needed",
    policy: under(add("second", "*", 2), revoke("author")),
    codes: ["E_REVOKED", "E_THRESHOLD"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a bad signature by a revoked key",
    fault: (files) => {
      reseal(files, { key: testKey("second") });
      signAlso(files, "author");
      spoil(files, 1);
    },
    policy: under(add("second", "*"), revoke("author")),
    codes: ["E_SIG"],
    exit: 1,
  },
  {
    id: "D09",
    why: "a lane of another's name",
    policy: under((before) => addSigner(before, { signer: owned("other"), lanes: "harbour-*" })),
    codes: ["E_LANE_OWNER"],
    exit: 3,
  },
  {
    id: "D09",
    why: "a lane that only a root key signed",
    fault: (files) => reseal(files, { key: testKey("keeper") }),
    policy: under(),
    codes: ["E_LANE_OWNER"],
    exit: 3,
  },
  {
    id: "D09",
    why: "a lane of another's name that one of its two owners signed",
    fault: (files) => signAlso(files, "one"),
    policy: under(add("one", "harbour-*"), add("two", "harbour-*", 2)),
    codes: ["E_LANE_OWNER", "E_THRESHOLD"],
    exit: 3,
  },
  {
    id: "D09",
    why: "a lane that its owner signed, and another beside him",
    fault: (files) => signAlso(files, "other"),
    policy: under(add("other", "another-*")),
    codes: [],
    exit: 0,
  },
  {
    id: "D10",
    why: "a lane id in capitals",
    fault: (files) => rename(files, "Harbour-test"),
    policy: under(),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
  {
    id: "D10",
    why: "a lane id with a letter that only looks the same",
    fault: (files) => rename(files, "harbour-t\u0435st"),
    policy: under(),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
  {
    id: "D10",
    why: "a lane id with a letter and its accent apart",
    fault: (files) => rename(files, "harbour-te\u0301st"),
    policy: under(),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
];

/** A manifest of another lane id, under a statement of the right one: none that is no id can stand in a statement. */
function rename(files: LaneFiles, laneId: string): void {
  const manifest = parsed<Manifest>(files, "manifest.json");
  files.set("manifest.json", Buffer.from(canonicalJson({ ...manifest, lane_id: laneId })));
  const envelope = signStatement(statementOf(manifest, digestOf(files)), testKey("author"));
  files.set("manifest.dsse.json", Buffer.from(canonicalJson(envelope)));
}

/** The author seals the lane again as another version. */
function next(files: LaneFiles, version: number, previous: string): void {
  reseal(files, {
    edit: (manifest) => {
      manifest.lane_version = version;
      manifest.previous_manifest_sha256 = previous;
    },
  });
}

const remembering =
  (state: (files: LaneFiles) => State) =>
  (files: LaneFiles): Policy => ({ trust: trusted(), state: state(files) });

export const HISTORY_CASES: readonly PolicyCase[] = [
  {
    id: "J01",
    why: "an older version, and nothing is remembered",
    policy: under(),
    codes: [],
    exit: 0,
    named: ["Rollback was not evaluated"],
  },
  {
    id: "J01",
    why: "a lane that was never seen",
    policy: remembering(() => ({ schema: "sealane-state/1", lanes: {} })),
    codes: [],
    exit: 0,
    named: ["Rollback was not evaluated"],
  },
  {
    id: "J01",
    why: "an older version than the one seen",
    policy: remembering(() => seen(2, OTHER)),
    codes: ["E_ROLLBACK"],
    exit: 3,
  },
  { id: "J01", why: "the version seen", policy: remembering((files) => seen(1, digestOf(files))), codes: [], exit: 0 },
  {
    id: "J02",
    why: "another lane of the version seen",
    policy: remembering(() => seen(1, OTHER)),
    codes: ["E_FORK"],
    exit: 1,
  },
  {
    id: "J03",
    why: "the next version",
    fault: (files) => next(files, 2, digestOf(files)),
    policy: remembering((files) => seen(1, parsed<Manifest>(files, "manifest.json").previous_manifest_sha256!)),
    codes: [],
    exit: 0,
  },
  {
    id: "J03",
    why: "the next version of another lane",
    fault: (files) => next(files, 2, digestOf(files)),
    policy: remembering(() => seen(1, OTHER)),
    codes: ["E_CHAIN"],
    exit: 1,
  },
  {
    id: "J03",
    why: "a next version that names none before it",
    fault: (files) =>
      reseal(files, {
        edit: (manifest) => {
          manifest.lane_version = 2;
        },
      }),
    policy: remembering(() => seen(1, OTHER)),
    codes: ["E_CHAIN"],
    exit: 1,
  },
  {
    id: "J03",
    why: "a version too far",
    fault: (files) => next(files, 3, digestOf(files)),
    policy: remembering(() => seen(1, OTHER)),
    codes: ["E_FAST_FORWARD"],
    exit: 3,
  },
  {
    id: "J03",
    why: "the last version there can be",
    fault: (files) => next(files, Number.MAX_SAFE_INTEGER, digestOf(files)),
    policy: remembering(() => seen(1, OTHER)),
    codes: ["E_FAST_FORWARD"],
    exit: 3,
  },
];
