// Packets that another implementation made of the same questions, held against a lane's by digest; and where they part.
import type { Fidelity, OfferedPacket, PacketRecord } from "../../schemas/index.js";
import { sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import type { Dataset } from "../dataset/index.js";
import { renderEvidence } from "../evidence/render.js";
import { EXIT, SealaneError } from "../finding.js";
import type { LaneSource } from "../io/source.js";
import { evidenceOf } from "../reader/request.js";
import { LANE_FILES, type Located, readDocument } from "../records/documents.js";
import { type LaneRow, LaneRows } from "../records/rows.js";
import { TOOL } from "../tool.js";
import { firstDifference } from "./bytes-apart.js";

type Difference = Fidelity["different"][number];
type Spans = PacketRecord["spans"];

/** Questions listed of each kind, and spans of each question. */
const SHOWN = 20;

/** A packet of the other implementation, its digest worked out where it gives the text alone. */
type Offered = Omit<Located<OfferedPacket>, "bytes"> & { readonly sha256: string };

/**
 * Holds packets against a lane's. They may come in any order; equal are those of the same evidence, byte for byte. Of those that
 * differ the first are looked into: their spans, and where both texts can be had, the first byte. Says nothing of whether the
 * lane holds together: that is for `verify`.
 * @param offered read once
 * @param dataset the lane's own: texts are rendered from it, else the lane's text is taken from its request bodies
 * Throws E_SCHEMA for a packet that has neither digest nor text, a text of another digest, or stands twice; and what a record
 * of either side can be refused for.
 */
export function fidelityOf(
  source: LaneSource,
  offered: Iterable<Omit<Located<OfferedPacket>, "bytes">>,
  dataset?: Dataset,
): Fidelity {
  const manifest = readDocument(source, "manifest", LANE_FILES.manifest);
  const unseen = digestsOf(source);
  const questions = unseen.size;
  const asked = new Set<string>();
  const apart = new Map<string, Offered>();
  const [different, extra]: [string[], string[]] = [[], []];
  let [equal, tokensDiffer] = [0, 0];
  for (const packet of offered) {
    const { question_id: id, tokens } = packet.value;
    const sha256 = digestOf(packet);
    if (asked.has(id)) throw refused(packet, `question '${id}' stands twice`);
    asked.add(id);
    const here = unseen.get(id);
    unseen.delete(id);
    if (here === undefined) extra.push(id);
    else if (here.sha256 === sha256) {
      equal += 1;
      if (tokens !== undefined && tokens !== here.tokens) tokensDiffer += 1;
    } else {
      different.push(id);
      if (apart.size < SHOWN) apart.set(id, { ...packet, sha256 });
    }
  }
  const missing = [...unseen.keys()];
  const { lane_id, lane_version } = manifest.value;
  return {
    schema: "sealane-fidelity/1",
    tool: TOOL,
    lane: { lane_id, lane_version, manifest_sha256: manifest.sha256 },
    exit_code: equal === questions && extra.length === 0 ? EXIT.ok : EXIT.differs,
    questions,
    packets: asked.size,
    equal,
    tokens_differ: tokensDiffer,
    missing_total: missing.length,
    missing: missing.slice(0, SHOWN),
    extra_total: extra.length,
    extra: extra.slice(0, SHOWN),
    different_total: different.length,
    different: apart.size === 0 ? [] : differencesOf(source, apart, dataset),
  };
}

const refused = ({ line }: { readonly line: number }, message: string, more = {}): SealaneError =>
  new SealaneError("E_SCHEMA", `line ${line}: ${message}`, { at: `line ${line}`, ...more });

function digestOf(packet: Omit<Located<OfferedPacket>, "bytes">): string {
  const { evidence, evidence_sha256: declared } = packet.value;
  const found = evidence === undefined ? declared : sha256Hex(evidence);
  if (found === undefined) throw refused(packet, "there is neither evidence_sha256 nor evidence");
  if (declared === undefined || declared === found) return found;
  throw refused(packet, "the evidence is not of the digest beside it", { expected: declared, found });
}

/** Rows of some files of a lane; throws at a record that cannot be read. */
function* rowsOf(source: LaneSource, paths: readonly string[]): Generator<LaneRow> {
  const rows = new LaneRows(source, [], paths);
  yield* rows;
  for (const { error } of rows.seen) if (error) throw error;
}

/** What every question of the lane is held against, in the order of the population. */
function digestsOf(source: LaneSource): Map<string, { readonly sha256: string; readonly tokens: number }> {
  const found = new Map<string, { readonly sha256: string; readonly tokens: number }>();
  for (const { packet } of rowsOf(source, [LANE_FILES.packets])) {
    if (!packet) continue;
    const { question_id, evidence_sha256: sha256, tokens } = packet.value;
    found.set(question_id, { sha256, tokens });
  }
  return found;
}

/** The packets that differ, each beside the lane's, in the order in which they were given. */
function differencesOf(
  source: LaneSource,
  apart: ReadonlyMap<string, Offered>,
  dataset: Dataset | undefined,
): Difference[] {
  const texts = textsOf(source, dataset);
  const files = [LANE_FILES.population, LANE_FILES.packets, ...(dataset ? [] : [LANE_FILES.bodies])];
  const found = new Map<string, Difference>();
  for (const row of rowsOf(source, files)) {
    const there = row.packet && apart.get(row.packet.value.question_id);
    if (row.packet && there) found.set(there.value.question_id, differenceOf(row, row.packet.value, there, texts));
  }
  return [...apart.keys()].flatMap((id) => found.get(id) ?? []);
}

/** How texts are had: each undefined where it is not. */
interface Texts {
  readonly from: "bodies" | "dataset";
  here(row: LaneRow): Buffer | undefined;
  /** Of spans that the other implementation names. */
  rendered(row: LaneRow, spans: Spans): Buffer | undefined;
}

function textsOf(source: LaneSource, dataset: Dataset | undefined): Texts {
  if (dataset) {
    const { renderer } = readDocument(source, "preparation-protocol", LANE_FILES.preparation).value;
    const rendered = ({ question }: LaneRow, spans: Spans): Buffer | undefined => {
      const history = question && dataset.histories.get(question.value.history_id);
      const places = spans.map(([session, turn, start, end]) => ({ session, turn, start, end }));
      const text = history && renderEvidence(history, places, renderer);
      return text === undefined ? undefined : Buffer.from(text);
    };
    return { from: "dataset", here: (row) => row.packet && rendered(row, row.packet.value.spans), rendered };
  }
  const protocol = readDocument(source, "reader-protocol", LANE_FILES.reader).value;
  return {
    from: "bodies",
    here: ({ question, packet, body }) => {
      if (!question || !body) return undefined;
      const { question: text, question_date: questionDate = null } = question.value;
      return evidenceOf(
        protocol,
        { question: text, questionDate, temperature: packet?.value.temperature },
        body.value.body,
      );
    },
    rendered: () => undefined,
  };
}

function differenceOf(row: LaneRow, packet: PacketRecord, { value, line, sha256 }: Offered, texts: Texts): Difference {
  const here = ofDigest(texts.here(row), packet.evidence_sha256);
  const theirs =
    value.evidence === undefined ? value.spans && texts.rendered(row, value.spans) : Buffer.from(value.evidence);
  const there = ofDigest(theirs, sha256);
  return {
    question_id: packet.question_id,
    line,
    evidence_sha256: { here: packet.evidence_sha256, there: sha256 },
    tokens: { here: packet.tokens, there: value.tokens ?? null },
    spans: value.spans ? spansApart(packet.spans, value.spans) : null,
    evidence: here && there ? { ...firstDifference(here, there), from: texts.from } : null,
  };
}

/** A text only if it is the one that the digest is of. */
const ofDigest = (text: Buffer | undefined, sha256: string): Buffer | undefined =>
  text && sha256Hex(text) === sha256 ? text : undefined;

function spansApart(here: Spans, there: Spans): NonNullable<Difference["spans"]> {
  const [ours, theirs] = [here, there].map((spans) => new Set(spans.map((span) => canonicalJson(span))));
  const onlyIn = (spans: Spans, other: ReadonlySet<string>): Spans =>
    spans.filter((span) => !other.has(canonicalJson(span)));
  const [onlyHere, onlyThere] = [onlyIn(here, theirs!), onlyIn(there, ours!)];
  const same = (index: number): boolean => canonicalJson(here[index] ?? null) === canonicalJson(there[index] ?? null);
  const length = Math.max(here.length, there.length);
  let at = 0;
  while (at < length && same(at)) at += 1;
  return {
    here: here.length,
    there: there.length,
    first: at === length ? null : { at: at + 1, here: here[at] ?? null, there: there[at] ?? null },
    only_here: onlyHere.slice(0, SHOWN),
    only_here_total: onlyHere.length,
    only_there: onlyThere.slice(0, SHOWN),
    only_there_total: onlyThere.length,
  };
}
