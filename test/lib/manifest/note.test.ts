import t from "tap";
import { canonicalJson } from "../../../lib/bytes/json.js";
import {
  formatVerifierKey,
  type NoteVerifier,
  noteSigners,
  noteVerifier,
  openNote,
  parseNote,
  parseVerifierKey,
  signNote,
} from "../../../lib/manifest/note.js";
import { testKey } from "../../support/test-key.js";
import { codeOf } from "../bytes/codes.js";

// The example of c2sp.org/signed-note, section "Example".
const VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
const TEXT = "This is an example message.\n";
const NOTE =
  "This is an example message.\n\n— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
const EXAMPLE = parseVerifierKey(VKEY, "vkey");

const ADA = testKey("ada");
const BOB = testKey("bob");
const NAME = "example.com/log";
const ada = noteVerifier(NAME, ADA);
const bob = noteVerifier(NAME, BOB);

const open = (note: string | Uint8Array, ...known: NoteVerifier[]) =>
  openNote(typeof note === "string" ? Buffer.from(note) : note, known, "note");
const lineOf = (note: string): string => note.slice(note.lastIndexOf("\n\n") + 2);
/** A signature line of a name over whatever bytes. */
const line = (name: string, bytes: Uint8Array): string => `\u2014 ${name} ${Buffer.from(bytes).toString("base64")}\n`;
const rawOf = (note: string): Buffer => Buffer.from(lineOf(note).trimEnd().split(" ")[2]!, "base64");

t.test("the specification's example", async (t) => {
  t.equal(open(NOTE, EXAMPLE), TEXT);
  t.equal(formatVerifierKey(EXAMPLE), VKEY);
  t.match(EXAMPLE, { name: "example.com/foo", id: "530d903a" });
  for (let at = 0; at < TEXT.length; at += 1) {
    const changed = `${NOTE.slice(0, at)}${NOTE[at] === "x" ? "y" : "x"}${NOTE.slice(at + 1)}`;
    t.equal(
      codeOf(() => open(changed, EXAMPLE)),
      "E_CHECKPOINT",
      `byte ${at}`,
    );
  }
});

t.test("what is signed is opened", async (t) => {
  for (const text of ["a\n", "\n", "\n\n\n", "a\n\nb\n", "è subito sera: 🌃\n", "a\n\n— not a signature\n"]) {
    const note = signNote(text, NAME, ADA);
    t.equal(open(note, ada), text);
    t.equal(parseNote(Buffer.from(note), "note").text, text);
    t.match(parseNote(Buffer.from(note), "note").signatures, [{ name: NAME, id: ada.id }]);
  }
  for (const text of ["", "no line feed", "tab\t\n", "\r\n", "\u0000\n", "lone \ud800\n"]) {
    t.throws(() => signNote(text, NAME, ADA), RangeError, canonicalJson([...text].map((c) => c.codePointAt(0))));
  }
  for (const name of ["", "two words", "a+b", "a\u00a0b", "a\u2003b", "a\u0085b", "line\nfeed"]) {
    t.throws(() => signNote("a\n", name, ADA), RangeError, name);
  }
});

t.test("keys that are known, and others", async (t) => {
  const note = signNote(TEXT, NAME, ADA);
  const both = note + lineOf(signNote(TEXT, NAME, BOB));
  const parsed = parseNote(Buffer.from(both), "note");
  t.strictSame(noteSigners(parsed, [ada, bob], "note"), [ada, bob], "one name, two keys");
  t.strictSame(noteSigners(parsed, [bob], "note"), [bob]);
  t.strictSame(noteSigners(parsed, [], "note"), []);
  t.strictSame(noteSigners(parseNote(Buffer.from(note + lineOf(note)), "note"), [ada], "note"), [ada], "counted once");
  t.equal(open(both, bob), TEXT, "a line of an unknown key is ignored");
  t.equal(
    codeOf(() => open(note)),
    "E_CHECKPOINT",
    "nobody is known",
  );
  t.equal(
    codeOf(() => open(note, bob)),
    "E_CHECKPOINT",
    "the same name with another key",
  );
  t.equal(
    codeOf(() => open(note, noteVerifier("example.com/other", ADA))),
    "E_CHECKPOINT",
    "the same key with another name",
  );
});

t.test("lines of unknown keys are ignored whatever they hold", async (t) => {
  const note = signNote(TEXT, NAME, ADA);
  const id = Buffer.from(ada.id, "hex");
  for (const [why, other] of [
    ["a cosignature with a timestamp, type 0x04", line("witness.example/w1", Buffer.alloc(4 + 8 + 64, 7))],
    ["ML-DSA-44, type 0x06", line("witness.example/w1", Buffer.alloc(4 + 8 + 2420, 7))],
    ["one byte", line("witness.example/w1", Buffer.alloc(5))],
    ["a known name with another id", line(NAME, Buffer.alloc(68))],
    ["a known id with another name", line("example.com/other", Buffer.concat([id, Buffer.alloc(64)]))],
  ] as const) {
    t.equal(open(note + other, ada), TEXT, why);
  }
});

t.test("a line of a known key that does not hold condemns the note", async (t) => {
  const good = signNote(TEXT, NAME, ADA);
  const raw = rawOf(good);
  const flipped = Buffer.from(raw);
  flipped[20]! ^= 1;
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const malleable = Buffer.from(raw);
  let s = BigInt(`0x${Buffer.from(raw.subarray(36)).reverse().toString("hex")}`) + order;
  for (let at = 36; at < 68; at += 1) {
    malleable[at] = Number(s & 255n);
    s >>= 8n;
  }
  const thief = rawOf(signNote(TEXT, NAME, testKey("thief")));
  for (const [why, bytes] of [
    ["one bit changed", flipped],
    ["S + L", malleable],
    ["one byte less", raw.subarray(0, -1)],
    ["one byte more", Buffer.concat([raw, Buffer.of(0)])],
    ["another key's signature under this id", Buffer.concat([raw.subarray(0, 4), thief.subarray(4)])],
    ["of another text", rawOf(signNote("other\n", NAME, ADA))],
  ] as const) {
    t.equal(
      codeOf(() => open(`${TEXT}\n${line(NAME, bytes)}`, ada)),
      "E_CHECKPOINT",
      why,
    );
    t.equal(
      codeOf(() => open(good + line(NAME, bytes), ada)),
      "E_CHECKPOINT",
      `${why}, after a good one`,
    );
  }
});

t.test("what is no note", async (t) => {
  const good = signNote(TEXT, NAME, ADA);
  const signature = lineOf(good);
  const base64 = signature.trimEnd().split(" ")[2]!;
  const known = [ada];
  for (const [why, note] of [
    ["nothing", ""],
    ["a text without signatures", TEXT],
    ["no blank line", `${TEXT}${signature}`],
    ["a blank line and nothing", `${TEXT}\n`],
    ["no last line feed", good.slice(0, -1)],
    ["a blank line after the signatures", `${good}\n`],
    ["a line after the signatures", `${good}x\n`],
    ["a carriage return", good.replace("\n", "\r\n")],
    ["a tab", `a\tb\n\n${signature}`],
    ["a NUL", `a\u0000\n\n${signature}`],
    ["a hyphen for the dash", good.replace("\u2014", "-")],
    ["an en dash for the dash", good.replace("\u2014", "\u2013")],
    ["two spaces after the dash", good.replace("\u2014 ", "\u2014  ")],
    ["two spaces before the signature", good.replace(` ${base64}`, `  ${base64}`)],
    ["a space at the end", good.replace(base64, `${base64} `)],
    ["no name", good.replace(`${NAME} `, "")],
    ["an empty name", good.replace(NAME, "")],
    ["a plus sign in the name", good.replace(NAME, "a+b")],
    ["a Unicode space in the name", good.replace(NAME, "a\u2003b")],
    ["base64 without padding", good.replace(/=+\n$/, "\n")],
    ["the URL-safe alphabet", good.replace(base64, Buffer.alloc(68, 0xff).toString("base64url"))],
    ["bits behind the last byte", good.replace(/.=\n$/, "B=\n")],
    ["four bytes", `${TEXT}\n${line(NAME, Buffer.alloc(4))}`],
    ["65 signatures", `${TEXT}\n${signature.repeat(65)}`],
  ] as const) {
    t.equal(
      codeOf(() => open(note, ...known)),
      "E_CHECKPOINT",
      why,
    );
    t.equal(
      codeOf(() => parseNote(Buffer.from(note), "note")),
      "E_CHECKPOINT",
      `${why}, whoever is known`,
    );
  }
  t.equal(open(`${TEXT}\n${signature.repeat(64)}`, ada), TEXT, "64 signatures are");
  t.equal(
    codeOf(() => open(Buffer.concat([Buffer.of(0xff), Buffer.from(good)]), ada)),
    "E_CHECKPOINT",
    "ill-formed UTF-8",
  );
});

t.test("a note is split at its last blank line, and nowhere else", async (t) => {
  const inner = signNote("inner\n", NAME, ADA);
  const outer = signNote(inner, NAME, BOB);
  t.equal(open(outer, bob), inner, "a note over a note");
  t.equal(
    codeOf(() => open(outer, ada)),
    "E_CHECKPOINT",
    "the inner signature is text",
  );
  const good = signNote(TEXT, NAME, ADA);
  t.equal(
    codeOf(() => open(`${good}\n${lineOf(good)}`, ada)),
    "E_CHECKPOINT",
    "a blank line among the signatures makes the first of them text",
  );
});

t.test("verifier keys", async (t) => {
  for (const key of [ADA, BOB]) {
    const verifier = noteVerifier(NAME, key);
    t.match(formatVerifierKey(verifier), /^example\.com\/log\+[0-9a-f]{8}\+A[A-Za-z0-9+/]{43}$/);
    t.same(parseVerifierKey(formatVerifierKey(verifier), "vkey"), verifier);
  }
  t.not(ada.id, bob.id);
  t.not(ada.id, noteVerifier("other", ADA).id, "the id is of name and key");
  const withPublic = (name: string, type: number, bytes: Uint8Array): string => {
    const [id] = [noteVerifier(name, { bytes }).id];
    return `${name}+${id}+${Buffer.concat([Buffer.of(type), bytes]).toString("base64")}`;
  };
  const weak = Buffer.alloc(32);
  weak[0] = 1;
  for (const [why, vkey, code] of [
    ["nothing", "", "E_KEY"],
    ["a name alone", "example.com/foo", "E_KEY"],
    ["two parts", "example.com/foo+530d903a", "E_KEY"],
    ["no name", VKEY.replace("example.com/foo", ""), "E_KEY"],
    ["another name", VKEY.replace("foo", "bar"), "E_KEY"],
    ["another id", VKEY.replace("530d903a", "530d903b"), "E_KEY"],
    ["an id in capitals", VKEY.replace("530d903a", "530D903A"), "E_KEY"],
    ["an id of seven digits", VKEY.replace("530d903a", "30d903a"), "E_KEY"],
    ["a space before", ` ${VKEY}`, "E_KEY"],
    ["a line feed after", `${VKEY}\n`, "E_KEY"],
    ["padding where none belongs", `${VKEY}=`, "E_KEY"],
    ["31 bytes", withPublic("a", 1, EXAMPLE.publicKey.subarray(1)), "E_KEY"],
    ["33 bytes", withPublic("a", 1, Buffer.concat([EXAMPLE.publicKey, Buffer.of(0)])), "E_KEY"],
    ["a cosigner's key, type 0x04", withPublic("a", 4, EXAMPLE.publicKey), "E_KEYTYPE"],
    ["an ECDSA key, type 0x02", withPublic("a", 2, EXAMPLE.publicKey), "E_KEYTYPE"],
    ["type 0x00", withPublic("a", 0, EXAMPLE.publicKey), "E_KEYTYPE"],
    ["a key of small order", withPublic("a", 1, weak), "E_KEY_WEAK"],
    ["a key that is not canonical", withPublic("a", 1, Buffer.alloc(32, 0xff)), "E_KEY_WEAK"],
  ] as const) {
    t.equal(
      codeOf(() => parseVerifierKey(vkey, "vkey")),
      code,
      why,
    );
  }
});
