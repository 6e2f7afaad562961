// Lanes under what others say of them: rows J08 to J10 of the threat list, and what a trusted time does to B21. They are run by
// anchors.test.ts; tampering.test.ts counts their reason codes.
import { sha256, sha256Hex } from "../../lib/bytes/digest.js";
import { checkpointOf, checkpointText, originOf, signatureCheckpoint } from "../../lib/manifest/checkpoint.js";
import { cosignedNote } from "../../lib/manifest/cosignature.js";
import { signStatement, statementOf } from "../../lib/manifest/envelope.js";
import { signNote } from "../../lib/manifest/note.js";
import { parseTrust, type Trust } from "../../lib/manifest/trust.js";
import { addSigner, initTrust, revokeKey } from "../../lib/manifest/trust-change.js";
import { addAuthority, addWitness, requireTime } from "../../lib/manifest/trust-time.js";
import { parseBitcoinHeader } from "../../lib/time/bitcoin-header.js";
import { readCertificate } from "../../lib/time/certificate.js";
import type { Envelope, Manifest, RootSigned } from "../../schemas/index.js";
import { request, type TokenOptions, token, world } from "../support/authorities.js";
import { editDocument, type LaneFiles, parsed } from "../support/lane.js";
import * as ots from "../support/stamps.js";
import { testKey } from "../support/test-key.js";
import { bytesOf, chainOf, FAR, owned } from "../support/trust-files.js";
import type { PolicyCase } from "./trust-cases.js";

type Change = (before: RootSigned) => RootSigned;

const { root, authority } = world();
const STRANGER = world();
const SINCE = "2026-03-01T12:00:00.000Z";
const BEFORE = seconds("2026-03-01T11:59:59Z");
const AFTER = seconds(SINCE);
const ID = (word: string): string => testKey(word).keyId;

function seconds(time: string): bigint {
  return BigInt(Date.parse(time) / 1000);
}

/** A trust file of "keeper", in which the author signs every lane; and what was changed since. */
function trusted(...changes: readonly Change[]): Trust {
  const first = initTrust({ root: [owned("keeper")], signers: [owned("author")], lanes: "*", expires: FAR });
  const signed = changes.map((change) => [change, "keeper"] as const);
  return parseTrust(bytesOf(chainOf([first, "keeper"], ...signed)), "trust.json");
}
const witness =
  (word: string, threshold = 1): Change =>
  (before) =>
    addWitness(before, { witness: owned(word), threshold });
/** Two of three must cosign. */
const TWO = [witness("bob"), witness("carol"), witness("dave", 2)] as const;
const stamped: Change = (before) => addAuthority(before, readCertificate(root.der));
const revoke =
  (word: string): Change =>
  (before) =>
    revokeKey(before, { keyId: ID(word), since: SINCE, reason: "laptop stolen" });
const timed: Change = (before) => requireTime(before, true);
const signedToo: Change = (before) => addSigner(before, { signer: owned("second"), lanes: "*" });
const bothNeeded: Change = (before) => addSigner(before, { signer: owned("second"), lanes: "*", threshold: 2 });

const signaturesOf = (files: LaneFiles): Buffer[] =>
  parsed<Envelope>(files, "manifest.dsse.json").signatures.map(({ sig }) => Buffer.from(sig, "base64"));
const manifestOf = (files: LaneFiles): Manifest => parsed<Manifest>(files, "manifest.json");

type Made = (files: LaneFiles) => Uint8Array | string;

/** The policy of a trust file and of anchors made of the lane. */
const under =
  (changes: readonly Change[], anchors: readonly Made[], headers: (files: LaneFiles) => readonly string[] = () => []) =>
  (files: LaneFiles): ReturnType<PolicyCase["policy"]> => ({
    trust: trusted(...changes),
    anchors: anchors.map((make, index) => ({ bytes: Buffer.from(make(files)), at: `anchor-${index}` })),
    bitcoinHeaders: headers(files).map(parseBitcoinHeader),
  });

/** A cosigned checkpoint of the first signatures, all if not said; `edit` changes its text. */
const cosigned =
  (
    word: string,
    { name = `${word}.example`, at = BEFORE, count = 99, edit = (text: string): string => text } = {},
  ): Made =>
  (files) => {
    const checkpoint = signatureCheckpoint(manifestOf(files), signaturesOf(files).slice(0, count));
    return cosignedNote(edit(checkpointText(checkpoint)), name, testKey(word), at);
  };
/** Notes over one text as one, with the lines of all. */
const joined =
  (...notes: readonly Made[]): Made =>
  (files) =>
    notes.map((make) => String(make(files))).reduce((whole, note) => whole + note.slice(note.lastIndexOf("\n\n") + 2));
const ofTree =
  (word: string): Made =>
  (files) =>
    cosignedNote(checkpointText(checkpointOf(manifestOf(files), "item")), `${word}.example`, testKey(word), BEFORE);
const spoilt =
  (make: Made): Made =>
  (files) => {
    const note = String(make(files));
    const base64 = note.trimEnd().split(" ").at(-1)!;
    const raw = Buffer.from(base64, "base64");
    raw[30]! ^= 1;
    return note.replace(base64, raw.toString("base64"));
  };

/** A token over a signature of the envelope. */
const tokenOver =
  (options: TokenOptions = {}, index = 0): Made =>
  (files) =>
    token(authority, signaturesOf(files)[index]!, options);
/** A proof of the first signature. */
const proof =
  (...steps: readonly Uint8Array[]): Made =>
  (files) =>
    ots.proofOf(signaturesOf(files)[0]!, ...steps);
const SALT = Buffer.from("00112233", "hex");
const IN_BLOCK = [ots.append(SALT), ots.SHA256, ots.bitcoin(900_000)];
const rootOf = (files: LaneFiles): Buffer => sha256(Buffer.concat([sha256(signaturesOf(files)[0]!), SALT]));
const blockOf = (files: LaneFiles): string[] => [`900000:${ots.header(rootOf(files))}`];
const otherBlock = (): string[] => [`900000:${ots.header(Buffer.alloc(32))}`];
const anotherHeight = (files: LaneFiles): string[] => [`900001:${ots.header(rootOf(files))}`];

function signAlso(files: LaneFiles, word: string): void {
  const statement = statementOf(manifestOf(files), sha256Hex(files.get("manifest.json")!));
  editDocument<Envelope>(files, "manifest.dsse.json", ({ signatures }) => {
    signatures.push(...signStatement(statement, testKey(word)).signatures);
  });
}
const countersigned = (files: LaneFiles): void => signAlso(files, "second");

const fine = { codes: [], exit: 0 } as const;
const wrong = (code: string): { codes: readonly string[]; exit: number } => ({ codes: [code], exit: 1 });
const tooFew = { codes: ["E_WITNESS"], exit: 3 } as const;

const WITNESS_CASES: readonly PolicyCase[] = [
  ["two witnesses in one note", [joined(cosigned("bob"), cosigned("carol"))], fine, ["bob", "carol"]],
  ["two witnesses in two notes", [cosigned("bob"), cosigned("dave")], fine, ["bob", "dave"]],
  ["one key under two names", [joined(cosigned("bob"), cosigned("bob", { name: "carol.example" }))], tooFew],
  ["one key under two names in two notes", [cosigned("bob"), cosigned("bob", { name: "carol.example" })], tooFew],
  ["one key at two times", [joined(cosigned("bob"), cosigned("bob", { at: AFTER }))], tooFew],
  ["one note twice", [cosigned("bob"), cosigned("bob")], tooFew],
  ["a witness and a stranger", [cosigned("bob"), cosigned("thief")], tooFew],
  [
    "a witness and a stranger under a witness's name",
    [cosigned("bob"), cosigned("thief", { name: "carol.example" })],
    tooFew,
  ],
  ["the signer as witness", [cosigned("bob"), cosigned("author")], tooFew],
  ["two witnesses and a stranger", [cosigned("bob"), cosigned("carol"), cosigned("thief")], fine],
  ["a false line of a witness", [cosigned("bob"), cosigned("carol"), spoilt(cosigned("dave"))], wrong("E_CHECKPOINT")],
  ["a false line of a stranger", [cosigned("bob"), cosigned("carol"), spoilt(cosigned("thief"))], fine],
  ["a tree of the lane, cosigned by two", [ofTree("bob"), ofTree("carol")], fine, ["item tree", "bob", "carol"]],
  ["a tree of the lane, cosigned by one", [ofTree("bob")], tooFew],
  ["a tree by one and the signatures by another", [ofTree("bob"), cosigned("carol")], tooFew],
  [
    "the log's line on a tree",
    [
      joined(
        (files) =>
          signNote(
            checkpointText(checkpointOf(manifestOf(files), "item")),
            originOf(manifestOf(files), "item"),
            testKey("author"),
          ),
        ofTree("bob"),
      ),
      ofTree("carol"),
    ],
    fine,
  ],
  [
    "the log's line on a tree, false",
    [
      joined(
        spoilt((files) =>
          signNote(
            checkpointText(checkpointOf(manifestOf(files), "item")),
            originOf(manifestOf(files), "item"),
            testKey("author"),
          ),
        ),
        ofTree("bob"),
      ),
      ofTree("carol"),
    ],
    { codes: ["E_CHECKPOINT", "E_WITNESS"], exit: 1 },
  ],
  ...(
    [
      ["another lane's", (text: string) => text.replace("harbour-test", "harbour-text")],
      ["another version's", (text: string) => text.replace("/1/", "/2/")],
      ["another log's", (text: string) => text.replace("signatures", "reviews")],
      ["a larger size", (text: string) => text.replace("\n1\n", "\n2\n")],
      ["no size", (text: string) => text.replace("\n1\n", "\n0\n")],
      ["a huge size", (text: string) => text.replace("\n1\n", "\n9999999999999999999\n")],
      ["another root", (text: string) => text.replace(/\n[^\n]{44}\n$/, `\n${Buffer.alloc(32).toString("base64")}\n`)],
      ["an extension line", (text: string) => `${text}reviewed\n`],
    ] as const
  ).map(
    ([why, edit]) =>
      [`a note of ${why}`, [cosigned("bob", { edit }), cosigned("carol", { edit })], wrong("E_CHECKPOINT")] as const,
  ),
  ["a note that is none", [() => "text\n\n\u2014 no line\n"], wrong("E_CHECKPOINT")],
].map(([why, anchors, expected, named]) => ({
  id: "J08",
  why: why as string,
  policy: under(TWO, anchors as Made[]),
  ...(expected as { codes: readonly string[]; exit: number }),
  ...(named === undefined ? {} : { named: named as string[] }),
}));

const J08: readonly PolicyCase[] = [
  ...WITNESS_CASES,
  { id: "J08", why: "a witness, and no trust file names any", policy: under([], [cosigned("bob")]), ...tooFew },
  {
    id: "J08",
    why: "a witness, and no trust file at all",
    policy: (files) => ({ ...under([], [cosigned("bob")])(files), trust: undefined }),
    codes: ["E_UNTRUSTED_KEY", "E_WITNESS"],
    exit: 3,
  },
  {
    id: "J08",
    why: "a second signature since it was witnessed",
    fault: countersigned,
    policy: under([...TWO, signedToo], [cosigned("bob", { count: 1 }), cosigned("carol", { count: 1 })]),
    ...fine,
    named: [`the signature by ${ID("author")}`],
  },
  {
    id: "J08",
    why: "a second signature that one of two witnesses saw",
    fault: countersigned,
    policy: under([...TWO, signedToo], [cosigned("bob", { count: 1 }), cosigned("carol")]),
    ...fine,
    named: [`the signature by ${ID("author")}`],
  },
  {
    id: "J08",
    why: "signatures in another order than they were witnessed",
    fault: (files) => {
      countersigned(files);
      editDocument<Envelope>(files, "manifest.dsse.json", ({ signatures }) => void signatures.reverse());
    },
    policy: under(
      [...TWO, signedToo],
      [
        (files) => {
          const turned = new Map(files);
          editDocument<Envelope>(turned, "manifest.dsse.json", ({ signatures }) => void signatures.reverse());
          return cosigned("bob")(turned);
        },
      ],
    ),
    ...wrong("E_CHECKPOINT"),
  },
];

const J09: readonly PolicyCase[] = [
  ["a token", [tokenOver()], fine, ["2026-02-01T00:00:00.000Z", "CN=Clock"]],
  ["a token in a response", [tokenOver({ status: 0 })], fine],
  [
    "a token and its request",
    [tokenOver({ nonce: 5n }), (files: LaneFiles) => request(signaturesOf(files)[0]!, 5n)],
    fine,
  ],
  [
    "a request with another nonce",
    [tokenOver({ nonce: 6n }), (files: LaneFiles) => request(signaturesOf(files)[0]!, 5n)],
    wrong("E_TSA"),
  ],
  ["a request for other bytes", [tokenOver({ nonce: 5n }), () => request(SALT, 5n)], wrong("E_TSA")],
  ["a request and no token", [(files: LaneFiles) => request(signaturesOf(files)[0]!, 5n)], wrong("E_TSA")],
  ["a token for other bytes", [() => token(authority, SALT)], wrong("E_TSA")],
  ["a token for the manifest", [(files: LaneFiles) => token(authority, files.get("manifest.json")!)], wrong("E_TSA")],
  [
    "an untrusted authority",
    [(files: LaneFiles) => token(STRANGER.authority, signaturesOf(files)[0]!)],
    wrong("E_TSA"),
  ],
  ["an expired authority", [tokenOver({ time: "2040-01-01T00:00:01Z" })], wrong("E_TSA")],
  [
    "a forged certificate before the right one",
    [tokenOver({ certificates: [world({ issuer: STRANGER.root }).authority.der, authority.der] })],
    wrong("E_TSA"),
  ],
  ["bytes that only begin like a token", [() => Buffer.from("3003020100ff", "hex")], wrong("E_TSA")],
  ["a good token and a bad one", [tokenOver(), () => token(authority, SALT)], wrong("E_TSA")],
].map(([why, anchors, expected, named]) => ({
  id: "J09",
  why: why as string,
  policy: under([stamped], anchors as Made[]),
  ...(expected as { codes: readonly string[]; exit: number }),
  ...(named === undefined ? {} : { named: named as string[] }),
}));

const J10: readonly PolicyCase[] = [
  {
    id: "J10",
    why: "a proof that waits for a block",
    policy: under([], [proof(ots.pending("https://calendar.example"))]),
    ...fine,
    named: ["was not evaluated", "https://calendar.example"],
  },
  {
    id: "J10",
    why: "a proof that waits for a block where a trusted time is asked for",
    policy: under([timed], [proof(ots.pending("https://calendar.example"))]),
    codes: [],
    exit: 6,
    named: ["was not evaluated"],
  },
  {
    id: "J10",
    why: "a proof of a block that nobody gave",
    policy: under([], [proof(...IN_BLOCK)]),
    ...fine,
    named: ["was not evaluated", "block 900000"],
  },
  {
    id: "J10",
    why: "a proof of a block, and a header of another height",
    policy: under([], [proof(...IN_BLOCK)], anotherHeight),
    ...fine,
    named: ["was not evaluated"],
  },
  {
    id: "J10",
    why: "a proof of a block, and its header",
    policy: under([], [proof(...IN_BLOCK)], blockOf),
    ...fine,
    named: ["rests on your word", "2026-02-02T02:40:00.000Z"],
  },
  {
    id: "J10",
    why: "a proof of a block that does not hold it",
    policy: under([], [proof(...IN_BLOCK)], otherBlock),
    ...wrong("E_OTS"),
  },
  {
    id: "J10",
    why: "a proof of a block shows no trusted time, because a miner's clock is his own",
    policy: under([timed], [proof(...IN_BLOCK)], blockOf),
    codes: [],
    exit: 6,
  },
  {
    id: "J10",
    why: "a proof of another file",
    policy: under([], [() => ots.proofOf(SALT, ...IN_BLOCK)]),
    ...wrong("E_OTS"),
  },
  {
    id: "J10",
    why: "a proof of the manifest",
    policy: under([], [(files) => ots.proofOf(files.get("manifest.json")!, ...IN_BLOCK)]),
    ...wrong("E_OTS"),
  },
  {
    id: "J10",
    why: "a proof deeper than any",
    policy: under([], [proof(...Array<Buffer>(300).fill(ots.SHA256), ots.bitcoin(1))]),
    codes: ["E_LIMIT"],
    exit: 5,
  },
  {
    id: "J10",
    why: "a proof of another version",
    policy: under(
      [],
      [
        (files) => {
          const bytes = Buffer.from(proof(ots.bitcoin(1))(files));
          bytes[31] = 2;
          return bytes;
        },
      ],
    ),
    codes: ["E_VERSION"],
    exit: 4,
  },
  {
    id: "J10",
    why: "a proof cut off",
    policy: under([], [(files) => Buffer.from(proof(...IN_BLOCK)(files)).subarray(0, -1)]),
    ...wrong("E_OTS"),
  },
  { id: "J10", why: "something else", policy: under([], [() => "hello"]), codes: ["E_ANCHOR"], exit: 2 },
  { id: "J10", why: "nothing", policy: under([], [() => ""]), codes: ["E_ANCHOR"], exit: 2 },
];

const TIME: readonly PolicyCase[] = [
  { id: "J", why: "a trusted time is asked for, and nothing given", policy: under([timed], []), codes: [], exit: 6 },
  {
    id: "J",
    why: "nothing is asked for, and nothing given",
    policy: under([], []),
    ...fine,
    named: ["No trusted time"],
  },
  {
    id: "J",
    why: "a trusted time is asked for, and a token given",
    policy: under([timed, stamped], [tokenOver()]),
    ...fine,
  },
  {
    id: "J",
    why: "a trusted time is asked for, and witnesses given",
    policy: under([timed, ...TWO], [cosigned("bob"), cosigned("carol")]),
    ...fine,
  },
  {
    id: "J",
    why: "a trusted time is asked for, and witnesses of a tree alone given",
    policy: under([timed, ...TWO], [ofTree("bob"), ofTree("carol")]),
    codes: [],
    exit: 6,
    named: ["item tree"],
  },
  {
    id: "J",
    why: "a trusted time is asked for, and a token over a stranger's signature given",
    fault: (files) => signAlso(files, "thief"),
    policy: under([timed, stamped], [tokenOver({}, 1)]),
    codes: [],
    exit: 6,
  },
  {
    id: "B21",
    why: "a revoked key, and a token from before",
    policy: under([stamped, revoke("author")], [tokenOver({ time: "2026-03-01T11:59:59.999Z" })]),
    ...fine,
    named: [ID("author"), SINCE, "2026-03-01T11:59:59.999Z"],
  },
  {
    id: "B21",
    why: "a revoked key, and a token of that moment",
    policy: under([stamped, revoke("author")], [tokenOver({ time: SINCE })]),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key, and a token that may be of that moment",
    policy: under([stamped, revoke("author")], [tokenOver({ time: "2026-03-01T11:59:59Z", accuracySeconds: 1 })]),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key, and a token from before by nobody trusted",
    policy: under([revoke("author")], [tokenOver()]),
    codes: ["E_REVOKED", "E_TSA"],
    exit: 1,
  },
  {
    id: "B21",
    why: "a revoked key, and witnesses from before",
    policy: under([...TWO, revoke("author")], [cosigned("bob"), cosigned("carol")]),
    ...fine,
    named: ["witnessed by"],
  },
  {
    id: "B21",
    why: "a revoked key, and one of the two witnesses from after",
    policy: under([...TWO, revoke("author")], [cosigned("bob"), cosigned("carol", { at: AFTER })]),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key, and of three witnesses the last from after",
    policy: under([...TWO, revoke("author")], [cosigned("bob", { at: AFTER }), cosigned("carol"), cosigned("dave")]),
    ...fine,
  },
  {
    id: "B21",
    why: "a revoked key, and witnesses of a tree from before",
    policy: under([...TWO, revoke("author")], [ofTree("bob"), ofTree("carol")]),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    // The thief puts the stolen key's signature beside an old one.
    id: "B21",
    why: "a revoked key where two are needed, and a token from before over the other's signature",
    fault: countersigned,
    policy: under([stamped, bothNeeded, revoke("second")], [tokenOver()]),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key where two are needed, and a token from before over its own signature",
    fault: countersigned,
    policy: under([stamped, bothNeeded, revoke("second")], [tokenOver({}, 1)]),
    ...fine,
  },
  {
    id: "B21",
    why: "a revoked key where two are needed, and witnesses from before it signed",
    fault: countersigned,
    policy: under(
      [...TWO, bothNeeded, revoke("second")],
      [cosigned("bob", { count: 1 }), cosigned("carol", { count: 1 })],
    ),
    codes: ["E_REVOKED"],
    exit: 3,
  },
  {
    id: "B21",
    why: "a revoked key, and a proof of a block from before",
    policy: under([revoke("author")], [proof(...IN_BLOCK)], blockOf),
    codes: ["E_REVOKED"],
    exit: 3,
  },
];

/** An algorithm that this release does not use is not called a forgery. */
const OTHER_KINDS: readonly PolicyCase[] = [
  {
    id: "J09",
    why: "a token under a digest that is not used here",
    policy: under(
      [stamped],
      [
        (files) => {
          const bytes = Buffer.from(tokenOver()(files));
          // The imprint's algorithm: SHA-256 becomes another of its arc.
          const at = bytes.lastIndexOf(
            Buffer.from("608648016503040201", "hex"),
            bytes.indexOf(sha256(signaturesOf(files)[0]!)),
          );
          bytes[at + 8] = 9;
          return bytes;
        },
      ],
    ),
    codes: ["E_KEYTYPE"],
    exit: 4,
  },
];

export const ANCHOR_CASES: readonly PolicyCase[] = [...J08, ...J09, ...J10, ...TIME, ...OTHER_KINDS];
