import t from "tap";
import { idListSha256, sha256, sha256Hex, startSha256 } from "../../../lib/bytes/digest.js";

const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

t.test("SHA-256: examples of FIPS 180", async (t) => {
  for (const [data, expected] of [
    ["", EMPTY],
    ["abc", ABC],
    [
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    ],
    ["a".repeat(1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"],
  ] as const) {
    t.equal(sha256Hex(data), expected);
    t.equal(sha256Hex(Buffer.from(data)), expected, "a string is its UTF-8");
    t.equal(sha256(data).toString("hex"), expected);
    t.equal(startSha256().update(data).digest("hex"), expected);
  }
  t.equal(sha256Hex("é"), sha256Hex(Buffer.from("c3a9", "hex")));
  t.equal(sha256("abc").length, 32);
});

t.test("identity of a population", async (t) => {
  // Printed by: printf 'q1\nq2\nq10\n' | sha256sum
  t.equal(idListSha256(["q1", "q2", "q10"]), "f449702c98781697c901a984491fca5f3d2974e6d14a7143fbcd9a24801ddf5c");
  t.equal(idListSha256(["café"]), "7b49b9e063bd91a4f9252b413261f5557b9c570aa61516989499f64a62dbcdd6");
  t.equal(idListSha256([]), EMPTY);
  t.equal(idListSha256(new Set(["q1", "q2", "q10"]).values()), idListSha256(["q1", "q2", "q10"]), "any iterable");
  const different = [
    ["q1", "q2"],
    ["q2", "q1"],
    ["q1q2"],
    ["q1", "q2", ""],
    ["q1"],
    ["q1", "q1", "q2"],
    ["", "q1", "q2"],
  ];
  t.equal(new Set(different.map(idListSha256)).size, different.length, "order, number and borders count");
});
