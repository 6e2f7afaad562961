// What others say of when: RFC 3161 tokens and requests, certificates, OpenTimestamps proofs, cosigned notes, block headers.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { sha256 } from "../../../../lib/bytes/digest.js";
import { SealaneError } from "../../../../lib/finding.js";
import { MemorySource } from "../../../../lib/io/memory-source.js";
import { checkpointText, signatureCheckpoint } from "../../../../lib/manifest/checkpoint.js";
import { cosignedNote } from "../../../../lib/manifest/cosignature.js";
import { parseTrust } from "../../../../lib/manifest/trust.js";
import { initTrust } from "../../../../lib/manifest/trust-change.js";
import { addAuthority, addWitness } from "../../../../lib/manifest/trust-time.js";
import { LANE_FILES } from "../../../../lib/records/documents.js";
import { parseBitcoinHeader } from "../../../../lib/time/bitcoin-header.js";
import {
  admitCertificate,
  authorityProblem,
  certificateInPem,
  readCertificate,
} from "../../../../lib/time/certificate.js";
import { DerError, derValues } from "../../../../lib/time/der.js";
import { parseTimestampProof } from "../../../../lib/time/opentimestamps.js";
import { isRequest, parseRequest, parseToken } from "../../../../lib/time/token.js";
import { answers, checkToken, isImprintOf } from "../../../../lib/time/token-check.js";
import type { Envelope, Manifest } from "../../../../schemas/index.js";
import { judgeAnchors } from "../../../../verifiers/anchors.js";
import { gatherLane } from "../../../../verifiers/evidence.js";
import { BASES } from "../../cases/bases.js";
import { tlv } from "../../der-writer.js";
import { parsed } from "../../lane.js";
import { repositoryFile } from "../../shared.js";
import * as ots from "../../stamps.js";
import { testKey } from "../../test-key.js";
import { bytesOf, chainOf, FAR, owned } from "../../trust-files.js";
import { withinBase64 } from "../mutators/base64.js";
import { mutateBytes } from "../mutators/bytes.js";
import { mutateDer } from "../mutators/der.js";
import { mutateLines } from "../mutators/lines.js";
import { must, type Target } from "../target.js";

/** Made once by test/support/authorities.ts: an authority's keys and signatures are new each time, and a seed's must not be. */
const STAMPED = JSON.parse(readFileSync(repositoryFile("fixtures/timestamps/stamped.json"), "utf8")) as {
  readonly message: string;
  readonly root_pem: string;
  readonly tokens_hex: readonly string[];
  readonly request_hex: string;
};
const ROOT = certificateInPem(STAMPED.root_pem, "root");
const MESSAGE = Buffer.from(STAMPED.message);
const TOKENS = STAMPED.tokens_hex.map((hex, index) => ({ name: String(index), bytes: Buffer.from(hex, "hex") }));
const REQUEST = Buffer.from(STAMPED.request_hex, "hex");
const TIMES = new Set(TOKENS.map(({ bytes, name }) => parseToken(bytes, name).latestMs));

const token: Target = {
  name: "rfc3161-token",
  seeds: async () => TOKENS,
  mutators: [mutateDer, mutateDer, mutateBytes],
  quickInputs: 500,
  run(input) {
    const read = parseToken(input, "token");
    checkToken(read, [ROOT], "token");
    must(
      isImprintOf(read.imprint, MESSAGE) && TIMES.has(read.latestMs),
      "a token that holds is one that was given out",
    );
    answers(read, parseRequest(REQUEST, "request"));
    return true;
  },
};

/** The values of DER bytes, written again by a writer that shares nothing with the reader. */
function again(bytes: Buffer): Buffer {
  return Buffer.concat(
    derValues(bytes).map(({ tag, content }) => tlv(tag, (tag & 0x20) !== 0 ? again(content) : content)),
  );
}

const der: Target = {
  name: "der",
  seeds: async () => [...TOKENS, { name: "root", bytes: ROOT.der }],
  mutators: [mutateDer, mutateDer, mutateDer, mutateBytes],
  quickInputs: 400,
  run(input) {
    let written: Buffer;
    try {
      written = again(input);
    } catch (error) {
      if (!(error instanceof DerError)) throw error;
      return false;
    }
    must(written.equals(input), "a value has one form");
    return true;
  },
};

const request: Target = {
  name: "rfc3161-request",
  seeds: async () => [{ name: "request", bytes: REQUEST }],
  mutators: [mutateDer],
  quickInputs: 300,
  run(input) {
    const read = parseRequest(input, "request");
    must(isRequest(input), "what is read as a request is told to be one");
    for (const { bytes, name } of TOKENS) answers(parseToken(bytes, name), read);
    return true;
  },
};

const certificate: Target = {
  name: "certificate",
  seeds: async () => [{ name: "root", bytes: ROOT.der }],
  mutators: [mutateDer],
  quickInputs: 400,
  run(input) {
    const read = admitCertificate(input, "certificate");
    authorityProblem(read);
    must(read.der.equals(input), "what was verified is what was given");
    for (const { bytes, name } of TOKENS) {
      try {
        checkToken(parseToken(bytes, name), [read], name);
      } catch (error) {
        if (!(error instanceof SealaneError)) throw error;
      }
    }
    return true;
  },
};

const pem: Target = {
  name: "certificate-pem",
  seeds: async () => [{ name: "root", bytes: Buffer.from(STAMPED.root_pem) }],
  mutators: [mutateLines, withinBase64(mutateDer)],
  quickInputs: 300,
  run(input) {
    const read = certificateInPem(input.toString("latin1"), "certificate");
    must(isDeepStrictEqual(readCertificate(read.der).sha256, read.sha256), "the certificate is of its bytes");
    return true;
  },
};

const SALT = Buffer.from("00112233", "hex");
const STEPS = [ots.append(SALT), ots.SHA256];
const merkleRoot = sha256(Buffer.concat([sha256(MESSAGE), SALT]));

const timestampProof: Target = {
  name: "opentimestamps",
  seeds: async () => [
    { name: "block", bytes: ots.proofOf(MESSAGE, ...STEPS, ots.bitcoin(900_000)) },
    {
      name: "forked",
      bytes: ots.proofOf(
        MESSAGE,
        ots.fork(
          ots.path(ots.prepend(SALT), ots.SHA1, ots.pending("https://calendar.example")),
          ots.path(...STEPS, ots.bitcoin(900_000)),
          ots.path(ots.REVERSE, ots.HEXLIFY, ots.RIPEMD160, ots.unknown(SALT)),
        ),
      ),
    },
  ],
  mutators: [mutateBytes],
  quickInputs: 800,
  run(input) {
    const { digest, attestations } = parseTimestampProof(input, "proof");
    const leads = attestations.some((found) => found.kind === "bitcoin" && found.root.equals(merkleRoot));
    // SHA-256(message) || salt hashed once is the root; a proof of that hash itself, without a step, is honest as well.
    must(!leads || digest.equals(sha256(MESSAGE)) || digest.equals(merkleRoot), "nothing else leads to the block");
    return true;
  },
};

const header: Target = {
  name: "bitcoin-header",
  seeds: async () => [{ name: "block", bytes: Buffer.from(`900000:${ots.header(merkleRoot)}`) }],
  mutators: [mutateBytes],
  quickInputs: 300,
  run(input) {
    const text = input.toString("latin1");
    const { height, merkleRoot: found } = parseBitcoinHeader(text);
    must(Number(text.split(":")[0]) === height && found.length === 32, "the header is of its text");
    return true;
  },
};

const TRUST = parseTrust(
  bytesOf(
    chainOf(
      [initTrust({ root: [owned("keeper")], signers: [owned("author")], lanes: "*", expires: FAR }), "keeper"],
      [(before) => addWitness(before, { witness: owned("bob"), threshold: 1 }), "keeper"],
      [(before) => addAuthority(before, ROOT), "keeper"],
    ),
  ),
  "trust.json",
);
const SECONDS = 1_770_000_000n;

/** Anchors of any kind, judged beside a lane: a time that is shown is the one that the witness gave. */
const anchors: Target = {
  name: "anchors",
  async seeds() {
    const lane = await BASES.one!.lane();
    const { signatures } = parsed<Envelope>(lane, LANE_FILES.envelope);
    const raw = signatures.map(({ sig }) => Buffer.from(sig, "base64"));
    const text = checkpointText(signatureCheckpoint(parsed<Manifest>(lane, LANE_FILES.manifest), raw));
    return [
      { name: "cosigned", bytes: Buffer.from(cosignedNote(text, "bob.example", testKey("bob"), SECONDS)) },
      { name: "proof", bytes: ots.proofOf(raw[0]!, ...STEPS, ots.pending("https://calendar.example")) },
    ];
  },
  mutators: [mutateLines, withinBase64(mutateBytes), mutateBytes],
  quickInputs: 300,
  async run(input) {
    const evidence = gatherLane(new MemorySource(await BASES.one!.lane()), undefined);
    const judgement = judgeAnchors(evidence, { trust: TRUST, anchors: [{ bytes: input, at: "anchor" }] });
    const times = [...judgement.times.values()].flat();
    must(
      times.every(({ ms }) => ms === Number(SECONDS) * 1000),
      "a time is the one that was given",
    );
    return judgement.findings.length === 0;
  },
};

export const TIME_TARGETS: readonly Target[] = [der, token, request, certificate, pem, timestampProof, header, anchors];
