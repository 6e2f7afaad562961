import fc from "fast-check";
import t from "tap";
import { decodeBase64, standardBase64 } from "../../../lib/bytes/base64.js";
import { codeOf } from "./codes.js";

const decode = (text: string) => decodeBase64(text, "manifest.dsse.json#/payload");

t.test("RFC 4648 section 10", async (t) => {
  for (const [text, expected] of [
    ["", ""],
    ["Zg==", "f"],
    ["Zm8=", "fo"],
    ["Zm9v", "foo"],
    ["Zm9vYg==", "foob"],
    ["Zm9vYmE=", "fooba"],
    ["Zm9vYmFy", "foobar"],
  ] as const) {
    t.equal(decode(text).toString(), expected, text);
  }
});

t.test("both alphabets, but one at a time", async (t) => {
  t.same(decode("+/+/"), Buffer.from("fbffbf", "hex"));
  t.same(decode("-_-_"), Buffer.from("fbffbf", "hex"));
  t.same(decode("-w=="), Buffer.from("fb", "hex"));
  for (const text of ["+_+_", "-/-/", "AAA+AAA_", "AA-A/AAA"]) {
    t.equal(
      codeOf(() => decode(text)),
      "E_BASE64",
      text,
    );
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = Buffer.from(bytes).toString("base64");
      const urlSafe = text.replaceAll("+", "-").replaceAll("/", "_");
      return decode(text).equals(bytes) && decode(urlSafe).equals(bytes);
    }),
    { seed: 4648, numRuns: 1000 },
  );
  t.pass("any bytes come back");
});

t.test("whatever another decoder might read in another way", async (t) => {
  for (const [name, text] of [
    ["a line feed inside", "Zm9v\nYmFy"],
    ["a line feed at the end", "Zm9vYmFy\n"],
    ["a space", "Zm9v YmFy"],
    ["a space before", " Zm9v"],
    ["a tab", "Zm9v\t"],
    ["a NUL", "Zm9v\0"],
    ["missing padding", "Zg"],
    ["missing padding", "Zm8"],
    ["half the padding", "Zg="],
    ["padding too much", "Zm9v="],
    ["padding too much", "Zm9v===="],
    ["padding too much", "Zm8=="],
    ["only padding", "===="],
    ["only padding", "="],
    ["padding inside", "Zg==Zg=="],
    ["something after the padding", "Zg==!"],
    ["one character", "Z"],
    ["five characters", "Zm9vY"],
    ["trailing bits that are not zero", "Zh=="],
    ["trailing bits that are not zero", "Zm9="],
    ["trailing bits that are not zero, URL-safe", "-x=="],
    ["a foreign character", "Zm9*"],
    ["a foreign character", "Zm9v!!"],
    ["a comma of IMAP", "Zm9,"],
    ["a letter of another script", "Zm9ν"],
    ["a letter whose low byte is in the alphabet", "Zm9\u0176"],
    ["an emoji", "😀"],
    ["percent signs", "Zg%3D%3D"],
    ["a data URL", "data:;base64,Zg=="],
  ] as const) {
    t.equal(
      codeOf(() => decode(text)),
      "E_BASE64",
      `${name}: ${JSON.stringify(text)}`,
    );
  }
  t.throws(() => decode("!"), { code: "E_BASE64", at: "manifest.dsse.json#/payload" });
});

t.test("exactly the texts of its grammar", async (t) => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const isStrict = (text: string): boolean => {
    const standard = text.includes("+") || text.includes("/") ? text : text.replaceAll("-", "+").replaceAll("_", "/");
    const match = /^((?:[A-Za-z0-9+/]{4})*)(?:[A-Za-z0-9+/]([A-Za-z0-9+/])==|[A-Za-z0-9+/]{2}([A-Za-z0-9+/])=)?$/.exec(
      standard,
    );
    if (!match) return false;
    const [, , of8 = "A", of16 = "A"] = match;
    return alphabet.indexOf(of8) % 16 === 0 && alphabet.indexOf(of16) % 4 === 0;
  };
  const tally = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(fc.array(fc.constantFrom(..."AQgwBZa9+/-_= \n!"), { maxLength: 9 }), (characters) => {
      const text = characters.join("");
      const accepted = codeOf(() => decode(text)) === "accepted";
      tally[accepted ? "accepted" : "refused"] += 1;
      return accepted === isStrict(text);
    }),
    { seed: 64, numRuns: 20_000 },
  );
  t.ok(tally.accepted > 500 && tally.refused > 500, "both ways", { tally });
});

t.test("20 megabytes", async (t) => {
  const bytes = Buffer.alloc(20_000_000, 0xfb);
  const text = bytes.toString("base64");
  t.ok(decode(text).equals(bytes));
  const urlSafe = bytes.toString("base64url");
  t.ok(decode(`${urlSafe}=`).equals(bytes));
  for (const [name, bad] of [
    ["padding lost", text.slice(0, -1)],
    ["padding lost, URL-safe", urlSafe],
    ["a foreign character at the end", `${text.slice(0, -1)}!`],
    ["a foreign character at the start", `!${text.slice(1)}`],
  ] as const) {
    t.equal(
      codeOf(() => decode(bad)),
      "E_BASE64",
      name,
    );
  }
});

t.test("the standard alphabet alone", async (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const text = Buffer.from(bytes).toString("base64");
      return standardBase64(text)?.equals(bytes) === true && standardBase64(`${text} `) === undefined;
    }),
    { seed: 4648, numRuns: 200 },
  );
  for (const text of ["-_-_", "+_+_", "Zg", "Zg=", "Zh==", "Zm9=", "Z", "=", " ", "Zg==\n", "Zg==Zg==", "Zm9vé"]) {
    t.equal(standardBase64(text), undefined, text);
  }
});
