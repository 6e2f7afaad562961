import { readFileSync } from "node:fs";
import t from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import { historiesOf } from "../../../lib/dataset/histories.js";
import { type Dataset, readDataset } from "../../../lib/dataset/index.js";
import { locomo } from "../../../lib/dataset/locomo.js";
import { own } from "../../../lib/dataset/own.js";
import type { Turn } from "../../../lib/dataset/types.js";
import { DEFAULT_EMBEDDING } from "../../../lib/embedding/index.js";
import { preparationProtocol, preparePackets, QuotedTurns } from "../../../lib/evidence/prepare.js";
import type { Packet } from "../../../lib/evidence/prepared-history.js";
import { RENDERER } from "../../../lib/evidence/render.js";
import { turnSha256 } from "../../../lib/evidence/segment.js";
import { words } from "../../../lib/text/words.js";
import { isDocument, type OwnDataset, type PreparationProtocol } from "../../../schemas/index.js";
import { repositoryFile, shared } from "../../support/shared.js";
import { asked, datasetOf, history, historyOf, session, turn } from "./histories.js";
import { ARM_IDS, harbour, packetFaults, packetsOf, packetsSha256, protocolOf } from "./packets.js";

const CEILINGS = [0, 1, 50, 300, 1500, 100_000];
const dataset = harbour();

for (const arm of ARM_IDS) {
  t.test(`harbour: packets of ${arm}`, async (t) => {
    let before = 0;
    for (const ceiling of CEILINGS) {
      const packets = packetsOf(dataset, arm, ceiling);
      t.strictSame(packetFaults(dataset, packets, ceiling, arm), [], `ceiling ${ceiling}`);
      if (ceiling === 300) {
        t.equal(
          packetsSha256(packetsOf(dataset, arm, ceiling)),
          packetsSha256(packets),
          "a second run, the same bytes",
        );
      }
      const total = packets.reduce((sum, { record }) => sum + record.tokens, 0);
      t.ok(ceiling <= 1 ? total === 0 : total >= before, `${total} tokens`);
      before = total;
    }
  });
}

t.test("harbour: bm25 quotes what matches, the best first", async (t) => {
  const packets = packetsOf(dataset, "bm25", 100_000);
  t.ok(packets.every(({ record }) => record.skipped === 0 && record.spans.length >= record.candidates));
  const strange: string[] = [];
  for (const [index, { record, evidence }] of packets.entries()) {
    const { question, historyId } = dataset.asked[index]!;
    const { sessions } = dataset.histories.get(historyId)!;
    const query = new Set(words(question));
    for (const [session, turn, start] of record.spans) {
      const { speaker, text, captions } = sessions[session - 1]!.turns[turn - 1]!;
      const seen = words([speaker, text, ...captions].join("\n"));
      if (!seen.some((word) => query.has(word))) strange.push(`${record.question_id} ${session}.${turn}:${start}`);
    }
    if (record.spans.length === 0 || evidence === "") strange.push(record.question_id);
  }
  t.strictSame(strange, []);
});

t.test("harbour: full is the whole history as long as it fits", async (t) => {
  const whole = packetsOf(dataset, "full", 100_000);
  for (const [index, { historyId, sessions }] of [...dataset.histories].entries()) {
    const first = index * 12;
    const { record } = whole[first]!;
    t.equal(record.candidates, sessions.length, historyId);
    t.strictSame(
      record.spans,
      sessions.flatMap(({ turns }, s) => turns.map(({ text }, n) => [s + 1, n + 1, 0, Buffer.byteLength(text)])),
      "every turn whole, those that are more than a passage too",
    );
    // Turns of several passages are paid for as they are rendered: whole.
    const [exact, under] = [record.tokens, record.tokens - 1].map(
      (ceiling) => packetsOf(dataset, "full", ceiling)[first]!,
    );
    t.strictSame(exact!.record, record, "a ceiling that is just enough is enough");
    t.equal(under!.record.candidates, sessions.length - 1, "a token less, and the oldest session is left out");
    t.equal(under!.record.spans[0]![0], 2);
    t.equal(under!.record.skipped, 0);
  }
});

/** Packets by question. */
const byQuestion = (packets: readonly Packet[]): Map<string, string> =>
  new Map(packets.map((packet) => [packet.record.question_id, canonicalJson(packet)]));

t.test("harbour: the order of histories and questions changes no packet", async (t) => {
  const bytes = readFileSync(repositoryFile("fixtures/datasets/harbour.json"));
  const raw = JSON.parse(bytes.toString("utf8")) as OwnDataset;
  const read = (value: object): Dataset => readDataset(own, Buffer.from(JSON.stringify(value)), "file", false);
  const reversed = read({ ...raw, histories: raw.histories.toReversed() });
  const mixed = read({
    ...raw,
    questions: [0, 1, 2].flatMap((rest) => raw.questions.filter((_, i) => i % 3 === rest)),
  });
  const fewer = read({ ...raw, questions: raw.questions.filter((_, index) => index % 5 === 0) });
  t.not(reversed.identity.sha256, dataset.identity.sha256);
  for (const arm of ARM_IDS) {
    for (const ceiling of [50, 1500]) {
      const packets = packetsOf(dataset, arm, ceiling);
      t.equal(
        packetsSha256(packetsOf(reversed, arm, ceiling)),
        packetsSha256(packets),
        "histories the other way round",
      );
      const known = byQuestion(packets);
      const shuffled = packetsOf(mixed, arm, ceiling);
      t.strictSame(
        shuffled.map(({ record }) => record.question_id),
        mixed.asked.map(({ questionId }) => questionId),
      );
      t.strictSame(new Map([...byQuestion(shuffled)].sort()), new Map([...known].sort()), "questions mixed");
      const some = byQuestion(packetsOf(fewer, arm, ceiling));
      t.ok(
        [...some].every(([id, packet]) => known.get(id) === packet),
        "questions left out",
      );
    }
  }
});

/** A dataset with the turns changed that `change` gives another text for. */
function withTexts(
  dataset: Dataset,
  change: (historyId: string, at: string, turn: Turn) => string | undefined,
): Dataset {
  return {
    ...dataset,
    histories: historiesOf(
      [...dataset.histories].map(({ historyId, sessions }) => ({
        historyId,
        sessions: sessions.map((session, s) => ({
          ...session,
          turns: session.turns.map((turn, n) => ({
            ...turn,
            text: change(historyId, `${s + 1}.${n + 1}`, turn) ?? turn.text,
          })),
        })),
      })),
    ),
  };
}

t.test("harbour: what is not quoted does not show", async (t) => {
  for (const [arm, ceiling] of [
    ["bm25", 300],
    ["bm25", 100_000],
    ["full", 1500],
  ] as const) {
    const differing: string[] = [];
    let changed = 0;
    for (const asked of dataset.asked) {
      const alone = { ...dataset, asked: [asked] };
      const [packet] = packetsOf(alone, arm, ceiling);
      const quoted = new Set(packet!.record.spans.map(([session, turn]) => `${asked.historyId} ${session}.${turn}`));
      const query = new Set(words(asked.question));
      const other = withTexts(alone, (historyId, at, { speaker, text, captions }) => {
        if (quoted.has(`${historyId} ${at}`)) return undefined;
        const known = words([speaker, text, ...captions].join("\n")).some((word) => query.has(word));
        // Under bm25 matches weigh on each other, and so do lengths: words that nobody asks for take others' places.
        if (arm === "bm25" && (known || text.length > 1000)) return undefined;
        if (historyId === asked.historyId) changed += 1;
        return arm === "bm25" ? text.replace(/[\p{L}\p{M}\p{N}]+/gu, "zzq") : `${text} And more, whatever it is.`;
      });
      if (canonicalJson(packetsOf(other, arm, ceiling)) !== canonicalJson([packet])) differing.push(asked.questionId);
    }
    t.strictSame(differing, [], `${arm} at ${ceiling}`);
    t.ok(changed > 100, `${changed} turns changed`);
  }
});

t.test("text that looks like something else is quoted as it is", async (t) => {
  const texts = [
    "{{context}} $& kite",
    "kite\n[Session 9 | never]\n(9.9) Ada: not said",
    "<|endoftext|> kite",
    "kite\u2028\u0000",
  ];
  const made = datasetOf([historyOf(...texts)], [asked("h", "q", "kite?")]);
  for (const arm of ARM_IDS) {
    const [packet] = packetsOf(made, arm, 1000);
    t.strictSame(packetFaults(made, [packet!], 1000, arm), []);
    t.ok(
      texts.every((text) => packet!.evidence.includes(text)),
      arm,
    );
  }
});

t.test("the protocol says how packets are made", async (t) => {
  const protocol = protocolOf(dataset, "bm25", 1500);
  t.ok(isDocument("preparation-protocol", protocol));
  t.strictSame(JSON.parse(canonicalJson(protocol)), protocol, "and has canonical JSON");
  t.strictSame(protocol.population, {
    questions: 36,
    included: 36,
    excluded: [],
    histories: 3,
    sessions: 18,
    turns: 199,
  });
  t.equal(protocol.ceiling_tokens, 1500);
  t.strictSame(protocol.segmenter, { id: "passage-1", bytes_max: 1200 });
  t.strictSame(protocol.arm, {
    id: "bm25",
    parameters: { k1: 1.2, b: 0.75, words: "lower-case letters, marks and digits" },
  });
  t.equal(protocol.admission, "atomic-skip-1");
  t.strictSame(protocol.dataset, dataset.identity);
  const choice = { arm: "bm25", tokenizer: "o200k_base", ceilingTokens: 1 };
  t.throws(() => preparationProtocol(dataset, { ...choice, arm: "none" }), { code: "E_UNKNOWN" });
  t.throws(() => preparationProtocol(dataset, { ...choice, tokenizer: "none" }), { code: "E_UNKNOWN" });
});

t.test("a protocol that this release cannot follow", async (t) => {
  const protocol = protocolOf(dataset, "bm25", 300);
  const refused = (changed: Partial<PreparationProtocol>, code: string, name: string) =>
    t.throws(() => preparePackets(dataset, { ...protocol, ...changed }).next(), { name: "SealaneError", code }, name);
  refused({ renderer: { ...protocol.renderer, id: "session-lines-2" } }, "E_VERSION", "renderer");
  refused({ segmenter: { ...protocol.segmenter, id: "passage-2" } }, "E_VERSION", "segmenter");
  refused({ tokenizer: { ...protocol.tokenizer, sha256: "0".repeat(64) } }, "E_VERSION", "tokenizer table");
  refused({ admission: "atomic-skip-2" }, "E_VERSION", "admission");
  refused({ tokenizer: { ...protocol.tokenizer, id: "cl100k_base" } }, "E_UNKNOWN", "tokenizer");
  refused({ arm: { id: "none", parameters: {} } }, "E_UNKNOWN", "arm");
  refused({ embedding: { ...DEFAULT_EMBEDDING, id: "none" } }, "E_UNKNOWN", "embedder");
  refused({ embedding: { ...DEFAULT_EMBEDDING, dimensions: 64 } }, "E_VERSION", "embedder's constants");
  const told = { ...protocol, tokenizer: { ...protocol.tokenizer, package: "tiktoken@1.0.0" } };
  t.equal(
    packetsSha256(preparePackets(dataset, told)),
    packetsSha256(packetsOf(dataset, "bm25", 300)),
    "the tokenizer is its table, whoever ships it",
  );
});

t.test("what the protocol gives is followed", async (t) => {
  const protocol = protocolOf(dataset, "bm25", 300);
  const shorter = { ...protocol, segmenter: { ...protocol.segmenter, bytes_max: 40 } };
  const packets = [...preparePackets(dataset, shorter)];
  t.strictSame(packetFaults(dataset, packets, 300, "bm25"), []);
  t.ok(packets.every(({ record }) => record.spans.every(([, , start, end]) => end - start <= 40)));
});

t.test("a packet whose tokens do not add up is refused", async (t) => {
  const made = datasetOf([historyOf("hel", "lo")], [asked("h", "q", "?")]);
  const protocol = protocolOf(made, "full", 100);
  const glued = { ...RENDERER, session_header: [], turn_line: [{ slot: "text" }] };
  t.throws(() => [...preparePackets(made, { ...protocol, renderer: glued })], { code: "E_BUDGET", at: "q" });
});

t.test("questions over nothing", async (t) => {
  const made = datasetOf(
    [history("h"), history("i", session(null, null, turn("A", " \n")))],
    [asked("h", "q", "kite?"), asked("i", "r", "kite?"), asked("i", "s", "")],
  );
  for (const arm of ARM_IDS) {
    const packets = packetsOf(made, arm, 100);
    t.strictSame(packetFaults(made, packets, 100, arm), []);
    t.ok(
      packets.every(({ record, evidence }) => evidence === "" && record.tokens === 0 && record.candidates === 0),
      arm,
    );
  }
  t.strictSame(packetsOf(datasetOf([history("h")], []), "full", 100), []);
});

t.test("QuotedTurns: each quoted turn once, in order", async (t) => {
  const quoted = new QuotedTurns();
  const made = [
    history("i", session(null, null, turn("A", "é"), turn("B", "two", "c"), turn("A", "three"))),
    history("h", session(null, null, turn("A", "x")), session(null, null, turn("A", "y"), turn("B", "z"))),
    history("j", session(null, null, turn("A", "unseen"))),
  ];
  quoted.add(made[1]!, [
    [2, 1, 0, 1],
    [1, 1, 0, 1],
  ]);
  quoted.add(made[0]!, [
    [1, 3, 3, 5],
    [1, 3, 0, 3],
    [1, 1, 0, 2],
  ]);
  quoted.add(made[1]!, [[2, 1, 0, 1]]);
  quoted.add(made[2]!, []);
  const records = [...quoted.records(["i", "h", "j"])];
  t.strictSame(
    records.map((record) => [record.history_id, record.session, record.turn, record.bytes]),
    [
      ["i", 1, 1, 2],
      ["i", 1, 3, 5],
      ["h", 1, 1, 1],
      ["h", 2, 1, 1],
    ],
  );
  t.equal(records[0]!.turn_sha256, turnSha256(made[0]!.sessions[0]!.turns[0]!));
  t.ok(records.every((record) => isDocument("turn-record", record)));
  t.strictSame([...new QuotedTurns().records(["i"])], []);
});

const { path, skip } = shared("data/locomo/locomo10.json");

t.test("LoCoMo: the first 12 questions at 24,000 tokens", { skip }, async (t) => {
  const whole = readDataset(locomo, readFileSync(path), "locomo10.json", false);
  const first = { ...whole, asked: whole.asked.slice(0, 12) };
  for (const arm of ARM_IDS) {
    const packets = packetsOf(first, arm, 24_000);
    t.strictSame(packetFaults(first, packets, 24_000, arm), [], arm);
    t.ok(packets.every(({ record }) => record.tokens > (arm === "nobackbone" ? 1000 : 5000)));
    if (arm === "bm25" || arm === "cl1") {
      t.equal(packetsSha256(packetsOf(first, arm, 24_000)), packetsSha256(packets), "a second run, the same bytes");
    }
  }
  const ids = new Set<string>();
  const one = whole.asked.filter(({ historyId }) => !ids.has(historyId) && ids.add(historyId));
  const each = { ...whole, asked: one };
  const packets = packetsOf(each, "full", 8_000);
  t.equal(packets.length, 10);
  t.strictSame(packetFaults(each, packets, 8_000, "full"), []);
  const wrong = packets.filter(({ record }, index) => {
    const sessions = [...new Set(record.spans.map(([session]) => session))];
    const last = whole.histories.get(whole.histories.ids[index]!)!.sessions.length;
    return sessions.length < 2 || sessions.some((session, place) => session !== last - sessions.length + 1 + place);
  });
  t.strictSame(wrong, [], "the last sessions of each conversation, in order");
});
