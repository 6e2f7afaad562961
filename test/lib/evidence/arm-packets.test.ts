// Packets of every arm over random histories: multi-byte text, emoji, right-to-left, blank turns, repeated text.
import fc from "fast-check";
import t from "tap";
import type { History } from "../../../lib/dataset/types.js";
import { preparePackets } from "../../../lib/evidence/prepare.js";
import { asked, datasetOf, histories, SEED } from "./histories.js";
import { ARM_IDS, packetFaults, packetsSha256, protocolOf } from "./packets.js";

/** Some turns say their text twice over, and some sessions have one turn. */
const repeating = fc.tuple(histories(6), fc.array(fc.boolean(), { minLength: 9, maxLength: 9 })).map(
  ([history, twice]): History => ({
    ...history,
    sessions: history.sessions.map((session, s) => ({
      ...session,
      turns: session.turns.map((turn, n) =>
        twice[s * 3 + n] ? { ...turn, text: `${turn.text}\n${turn.text}` } : turn,
      ),
    })),
  }),
);
const QUESTIONS = ["a Zoë 1", "List all 2024 in order, not what Zoë said: 漢字かな", "zoë שלום 👍🏽", ""];

for (const arm of ARM_IDS) {
  t.test(`${arm}: every packet holds`, async (t) => {
    const counts = { spans: 0, skipped: 0, protected: 0 };
    fc.assert(
      fc.property(repeating, fc.nat(600), fc.integer({ min: 4, max: 40 }), (history, ceiling, bytesMax) => {
        const made = datasetOf(
          [history],
          QUESTIONS.map((question, index) => asked("h", `q${index}`, question)),
        );
        const protocol = protocolOf(made, arm, ceiling);
        const prepare = () => [
          ...preparePackets(made, { ...protocol, segmenter: { ...protocol.segmenter, bytes_max: bytesMax } }),
        ];
        const packets = prepare();
        const faults = packetFaults(made, packets, ceiling, arm);
        if (faults.length > 0) throw new Error(faults.join("; "));
        if (packetsSha256(prepare()) !== packetsSha256(packets)) throw new Error("two runs differ");
        for (const { record } of packets) {
          counts.spans += record.spans.length;
          counts.skipped += record.skipped;
          counts.protected += record.prefixes?.[1]?.spans ?? 0;
        }
      }),
      { seed: SEED, numRuns: 200 },
    );
    t.ok(counts.spans > 100, JSON.stringify(counts));
    if (["cl1", "cs1", "r", "breadth"].includes(arm)) t.ok(counts.protected > 50, JSON.stringify(counts));
  });
}
