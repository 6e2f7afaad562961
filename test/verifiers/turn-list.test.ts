import fc from "fast-check";
import t from "tap";
import { TurnList } from "../../verifiers/turn-list.js";

const position = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom(2 ** 14, 2 ** 40, Number.MAX_SAFE_INTEGER));
const place = fc.record({ history_id: fc.constantFrom("a", "b"), session: position, turn: position });
const byPlace = (a: { session: number; turn: number }, b: { session: number; turn: number }): number =>
  a.session - b.session || a.turn - b.turn;

t.test("a turn is found at the first record of it, however the records stand", async () => {
  fc.assert(
    fc.property(fc.array(place, { maxLength: 24 }), fc.boolean(), place, fc.nat(30), (drawn, inOrder, asked, hint) => {
      const records = inOrder
        ? drawn.toSorted((a, b) => a.history_id.localeCompare(b.history_id) || byPlace(a, b))
        : drawn;
      const turns = new TurnList();
      for (const [index, record] of records.entries()) {
        turns.add({ ...record, bytes: index, turn_sha256: index.toString(16).padStart(64, "0") });
      }
      const first = (wanted: typeof asked): number =>
        records.findIndex(
          (record) =>
            record.history_id === wanted.history_id && record.session === wanted.session && record.turn === wanted.turn,
        );
      for (const wanted of [...records, asked]) {
        const expected = first(wanted);
        t.equal(turns.find(wanted.history_id, wanted, hint), expected < 0 ? undefined : expected);
      }
    }),
    { numRuns: 300 },
  );
});

t.test("what was added comes back in order, over more records than stand in one block", async (t) => {
  const turns = new TurnList();
  const count = 10_000;
  for (let index = 0; index < count; index += 1) {
    turns.add({
      history_id: `h${Math.floor(index / 3000)}`,
      session: 1 + (index % 3000),
      turn: 1,
      bytes: 7 * index,
      turn_sha256: index.toString(16).padStart(64, "0"),
    });
  }
  let index = 0;
  for (const record of turns.records()) {
    const same =
      record.index === index && record.bytes === 7 * index && Number.parseInt(record.turn_sha256, 16) === index;
    if (!same || turns.find(record.history_id, record) !== index || turns.bytesAt(index) !== 7 * index)
      t.fail(`${index}`);
    index += 1;
  }
  t.equal(index, count);
});
