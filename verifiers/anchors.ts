// What others say of a lane after it was closed: cosigned checkpoints, RFC 3161 tokens, OpenTimestamps proofs. Each is about the
// raw signatures of the lane's envelope, because a signature's own age is what a revocation asks for: a manifest may be old
// while a stolen key signs it today. Judged once for one verification, and asked by the checks of signatures and of anchors.
import { sha256 } from "../lib/bytes/digest.js";
import { isUtf8 } from "../lib/bytes/text.js";
import { type Finding, SealaneError } from "../lib/finding.js";
import { utcText } from "../lib/io/clock.js";
import { printable, shortened } from "../lib/report/printable.js";
import { shownHash } from "../lib/time/bitcoin-header.js";
import { type Attestation, isTimestampProof, parseTimestampProof } from "../lib/time/opentimestamps.js";
import { isRequest, parseRequest, parseToken, type TimeStampRequest, type TimeStampToken } from "../lib/time/token.js";
import { answers, checkToken, isImprintOf } from "../lib/time/token-check.js";
import type { Manifest } from "../schemas/index.js";
import { findingOf } from "./check.js";
import type { GivenAnchor, LaneEvidence, Policy } from "./evidence.js";
import { type AnchoredTime, Witnesses } from "./witnesses.js";

export interface Judgement {
  readonly findings: readonly Finding[];
  readonly limits: readonly string[];
  /** Anchors that were judged, right or wrong: not those that wait for a block, or whose block was not given. */
  readonly judged: number;
  /** By place of the signature in the envelope: what each valid anchor shows, the earliest first. */
  readonly times: ReadonlyMap<number, readonly AnchoredTime[]>;
}

const NOTHING: Judgement = { findings: [], limits: [], judged: 0, times: new Map() };
const judgements = new WeakMap<LaneEvidence["envelope"], readonly [Policy, Judgement]>();

/** What the anchors of a policy show of a lane; nothing where manifest or envelope could not be read. */
export function judgeAnchors(evidence: Pick<LaneEvidence, "envelope" | "manifest">, policy: Policy): Judgement {
  const { envelope, manifest } = evidence;
  if (!policy.anchors?.length || !envelope.ok || !manifest.ok) return NOTHING;
  const known = judgements.get(envelope);
  if (known?.[0] === policy) return known[1];
  const judgement = new Judge(manifest.value, envelope.value.signatures, policy).judge(policy.anchors);
  judgements.set(envelope, [policy, judgement]);
  return judgement;
}

const shown = (text: string): string => shortened(printable(text), 100);

class Judge {
  readonly #signatures: readonly Buffer[];
  readonly #policy: Policy;
  readonly #witnesses: Witnesses;
  readonly #findings: Finding[] = [];
  readonly #limits: string[] = [];
  readonly #times = new Map<number, AnchoredTime[]>();
  readonly #tokens: TimeStampToken[] = [];
  #judged = 0;

  constructor(lane: Manifest, signatures: readonly Buffer[], policy: Policy) {
    this.#signatures = signatures;
    this.#policy = policy;
    this.#witnesses = new Witnesses(lane, signatures, policy.trust);
  }

  judge(anchors: readonly GivenAnchor[]): Judgement {
    const requests: { readonly at: string; readonly request: TimeStampRequest }[] = [];
    for (const anchor of anchors) {
      const { bytes, at } = anchor;
      this.#attempt(at, () => {
        if (isTimestampProof(bytes)) return this.#timestampProof(anchor);
        if (isNote(bytes)) {
          this.#witnesses.add(anchor);
          return true;
        }
        if (bytes[0] !== 0x30) throw new SealaneError("E_ANCHOR", `${at} is no anchor of a known kind`, { at });
        if (!isRequest(bytes)) return this.#token(anchor);
        requests.push({ at, request: parseRequest(bytes, at) });
        return false;
      });
    }
    for (const { at, request } of requests) this.#attempt(at, () => this.#answered(request, at));
    for (const [index, time] of this.#witnesses.signatureTimes()) this.#shows(index, time);
    this.#findings.push(...this.#witnesses.findings());
    this.#limits.push(...this.#witnesses.limits());
    return { findings: this.#findings, limits: this.#limits, judged: this.#judged, times: this.#times };
  }

  /** What is wrong with one anchor becomes a finding, and the next one is looked at. `work` says whether it judged it. */
  #attempt(at: string, work: () => boolean): void {
    try {
      if (work()) this.#judged += 1;
    } catch (error) {
      if (!(error instanceof SealaneError)) throw error;
      this.#judged += 1;
      this.#findings.push(findingOf(error, at));
    }
  }

  #shows(index: number, time: AnchoredTime): void {
    const times = [...(this.#times.get(index) ?? []), time];
    this.#times.set(
      index,
      times.sort((a, b) => a.ms - b.ms),
    );
  }

  #ofOtherBytes(code: "E_TSA" | "E_OTS", at: string, digest: Buffer): SealaneError {
    return new SealaneError(code, `${at} is over other bytes than a signature of this lane`, {
      at,
      expected: `SHA-256 ${this.#signatures.map((signature) => sha256(signature).toString("hex")).join(" or ")}`,
      found: digest.toString("hex"),
    });
  }

  #token({ bytes, at }: GivenAnchor): boolean {
    const token = parseToken(bytes, at);
    const indices = [...this.#signatures.keys()].filter((index) =>
      isImprintOf(token.imprint, this.#signatures[index]!),
    );
    if (indices.length === 0) throw this.#ofOtherBytes("E_TSA", at, token.imprint.digest);
    const { x509 } = checkToken(token, this.#policy.trust?.authorities ?? [], at);
    this.#tokens.push(token);
    const subject = shown(x509.subject.replaceAll("\n", ", "));
    const by = `stamped by ${subject}, whose certificate was looked for in no revocation list`;
    for (const index of indices) this.#shows(index, { ms: token.latestMs, by });
    return true;
  }

  /** A request among the anchors: one of the tokens must be the answer to it, nonce and all. */
  #answered(request: TimeStampRequest, at: string): boolean {
    if (this.#tokens.some((token) => answers(token, request))) return true;
    const same = this.#tokens.find(({ imprint }) => imprint.digest.equals(request.imprint.digest));
    throw new SealaneError("E_TSA", `${at}: none of the tokens that hold answers this request`, {
      at,
      expected: `nonce ${request.nonce?.toString("hex") ?? "none"}`,
      found: same === undefined ? "no token of these bytes" : `nonce ${same.nonce?.toString("hex") ?? "none"}`,
    });
  }

  #timestampProof({ bytes, at }: GivenAnchor): boolean {
    const { digest, attestations } = parseTimestampProof(bytes, at);
    if (!this.#signatures.some((signature) => sha256(signature).equals(digest))) {
      throw this.#ofOtherBytes("E_OTS", at, digest);
    }
    return attestations.map((attestation) => this.#attested(attestation, at)).includes(true);
  }

  #attested(attestation: Attestation, at: string): boolean {
    const say = (sentence: string): void => void this.#limits.push(`${shown(at)} ${sentence}`);
    if (attestation.kind === "pending") {
      say(`was not evaluated: it waits for a block, at ${attestation.uri}.`);
      return false;
    }
    if (attestation.kind === "unknown") {
      say(`has an attestation of a kind that is not known here: ${attestation.tag}.`);
      return false;
    }
    const { height, root } = attestation;
    const header = this.#policy.bitcoinHeaders?.find((given) => given.height === height);
    if (header === undefined) {
      say(
        `was not evaluated: Bitcoin block ${height} must have the Merkle root ${shownHash(root)}; see --bitcoin-header.`,
      );
      return false;
    }
    if (!header.merkleRoot.equals(root)) {
      const more = { at, expected: shownHash(header.merkleRoot), found: shownHash(root) };
      throw new SealaneError("E_OTS", `${at} does not lead to the Merkle root of block ${height}`, more);
    }
    const { hash, timeMs } = header;
    say(`leads to a block of ${utcText(timeMs)}; that ${hash} is Bitcoin block ${height} rests on your word.`);
    return true;
  }
}

/** A blank line and a signature line: what neither DER nor a proof has. */
function isNote(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && Buffer.from(bytes).includes("\n\n\u2014 ");
}
