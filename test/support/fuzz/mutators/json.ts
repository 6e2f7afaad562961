// Mutations of JSON text that keep it JSON, or nearly: values swapped, members doubled, numbers and strings spelt otherwise.
import type { Chance } from "../../../../lib/synthetic/chance.js";
import { mutateBytes } from "./bytes.js";
import { type Mutator, oneOf, spliced } from "./mutator.js";

type Kind = "object" | "array" | "string" | "other";

/** A value in a text, and the member that it belongs to. */
interface Span {
  readonly kind: Kind;
  readonly start: number;
  readonly end: number;
  /** Where the member begins: at its key, or, in an array, at the value. */
  readonly member: number;
  /** The key, quotes included; empty in an array. */
  readonly key: string;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[-+.0-9A-Za-z]+|[{}[\],:]/gsy;
const SPACE = /[ \t\r\n]*/y;

/** All values of a text that is JSON, as far as it is, in order of their ends. Strings are Latin-1: one character a byte. */
export function spansOf(text: string): Span[] {
  const spans: Span[] = [];
  const open: { kind: Kind; start: number; member: number; key: string }[] = [];
  let key: { text: string; at: number } | undefined;
  let pending: { text: string; start: number; end: number } | undefined;
  const settle = (): void => {
    if (pending === undefined) return;
    const { text: value, start, end } = pending;
    spans.push({
      kind: value.startsWith('"') ? "string" : "other",
      start,
      end,
      member: key?.at ?? start,
      key: key?.text ?? "",
    });
    [pending, key] = [undefined, undefined];
  };
  for (let at = 0; ; ) {
    SPACE.lastIndex = at;
    SPACE.exec(text);
    TOKEN.lastIndex = SPACE.lastIndex;
    const token = TOKEN.exec(text)?.[0];
    if (token === undefined) break;
    const [start, end] = [TOKEN.lastIndex - token.length, TOKEN.lastIndex];
    at = end;
    if (token === "{" || token === "[") {
      open.push({ kind: token === "{" ? "object" : "array", start, member: key?.at ?? start, key: key?.text ?? "" });
      key = undefined;
    } else if (token === "}" || token === "]") {
      settle();
      const opened = open.pop();
      if (opened) spans.push({ ...opened, end });
      key = undefined;
    } else if (token === ":") {
      if (pending) key = { text: pending.text, at: pending.start };
      pending = undefined;
    } else if (token === ",") settle();
    else pending = { text: token, start, end };
  }
  settle();
  return spans;
}

const LITERALS = [
  ...["null", "true", "false", "0", "-0", "1", "-1", "1.0", "1e0", "0.1", "1e400", "1e-400", "9007199254740993"],
  ...["2147483648", "4294967296", "18446744073709551616", "01", "+1", "NaN", ".5", '""', '"\\u0000"', '"\\ud800"'],
  ...['"__proto__"', '"constructor"', "[]", "{}", "[[]]", '{"__proto__":null}', '"../x"', '"a\\u0301"', '"0x1"'],
  ...['"=1+1"', '"\\u001b[31m"', '"\\u202e"', '"9999-12-31T23:59:59.999Z"', '"1970-01-01T00:00:00.000Z"', "[1,1]"],
];
const KEYS = ["__proto__", "constructor", "toString", "hasOwnProperty", "length", "schema", "", "\\u0000", "0", "a"];

function respelt(number: string, chance: Chance): string {
  return chance.pick([
    `${number}.0`,
    `${number}e0`,
    `${number}E+0`,
    `0${number}`,
    `-${number}`,
    `${number}0`,
    `${number}1`,
    String(Number(number) + 1),
    String(Number(number) - 1),
    `${number}.5`,
  ]);
}

function respeltString(text: string, chance: Chance): string {
  const inside = text.slice(1, -1);
  const at = chance.below(inside.length + 1);
  const [before, after] = [inside.slice(0, at), inside.slice(at)];
  const code = (inside.charCodeAt(at) || 0x61).toString(16).padStart(4, "0");
  return `"${chance.pick([
    `${before}\\u${code}${after.slice(1)}`,
    `${before}\\ud83d${after}`,
    `${before}\\udc00${after}`,
    `${before}\\u0000${after}`,
    `${before}\\/${after}`,
    `${before}\n${after}`,
    `${before}\xff${after}`,
    `${before}e\xcc\x81${after}`,
    before,
    after,
    `${inside}${inside}`,
    `${before}${"x".repeat(chance.pick([1, 64, 300, 5000]))}${after}`,
    inside.toUpperCase(),
    ` ${inside}`,
    `${before}\\n${after}`,
  ])}"`;
}

/** The text with one value changed, as `edit` says. */
const onValue =
  (edit: (text: string, span: Span, spans: readonly Span[], chance: Chance) => string): Mutator =>
  (bytes, chance, other) => {
    const text = bytes.toString("latin1");
    const spans = spansOf(text);
    if (spans.length === 0) return mutateBytes(bytes, chance, other);
    return Buffer.from(edit(text, chance.pick(spans), spans, chance), "latin1");
  };

const put = (text: string, { start, end }: Pick<Span, "start" | "end">, value: string): string =>
  text.slice(0, start) + value + text.slice(end);

const swapValues = onValue((text, one, spans, chance) => {
  const two = chance.pick(spans);
  const [a, b] = one.start <= two.start ? [one, two] : [two, one];
  if (a.end > b.start) return put(text, a, text.slice(b.start, b.end));
  return put(put(text, b, text.slice(a.start, a.end)), a, text.slice(b.start, b.end));
});

const copyValue = onValue((text, span, spans, chance) => {
  const from = chance.pick(spans);
  return put(text, span, text.slice(from.start, from.end));
});

const literal = onValue((text, span, _spans, chance) => put(text, span, chance.pick(LITERALS)));

const respell = onValue((text, _span, spans, chance) => {
  const leaf = chance.pick(spans.filter(({ kind }) => kind === "string" || kind === "other"));
  if (!leaf) return `[${text}]`;
  const value = text.slice(leaf.start, leaf.end);
  return put(text, leaf, leaf.kind === "string" ? respeltString(value, chance) : respelt(value, chance));
});

/** A member or element once more, with its own or another value. */
const double = onValue((text, span, spans, chance) => {
  const from = chance.pick([span, chance.pick(spans)]);
  const value = text.slice(from.start, from.end);
  return put(text, { start: span.member, end: span.member }, `${span.key}${span.key && ":"}${value},`);
});

const drop = onValue((text, { member, end }) => {
  const [before, after] = [text.slice(0, member), text.slice(end)];
  return after.startsWith(",") ? before + after.slice(1) : before.replace(/,$/, "") + after;
});

const addMember = onValue((text, _span, spans, chance) => {
  const object = chance.pick(spans.filter(({ kind }) => kind === "object"));
  if (!object) return text;
  const member = `"${chance.pick(KEYS)}":${chance.pick(LITERALS)}`;
  const empty = /^\{\s*\}$/.test(text.slice(object.start, object.end));
  return put(text, { start: object.start + 1, end: object.start + 1 }, empty ? member : `${member},`);
});

const renameKey = onValue((text, _span, spans, chance) => {
  const named = spans.filter(({ key }) => key !== "");
  const span = chance.pick(named);
  if (!span) return text;
  const key = chance.pick([`"${chance.pick(KEYS)}"`, chance.pick(named).key, respeltString(span.key, chance)]);
  return put(text, { start: span.member, end: span.member + span.key.length }, key);
});

const space = onValue((text, { start, end, member }, _spans, chance) => {
  const at = chance.pick([start, end, member]);
  return put(text, { start: at, end: at }, chance.pick([" ", "\n", "\t", "\r", "\ufeff", "/**/", "\u00a0"]));
});

const nest = onValue((text, span, _spans, chance) => {
  const depth = chance.pick([1, 1, 2, 2, 60, 63, 64, 65, 66, 1000, 1000, 100_000]);
  const value = text.slice(span.start, span.end);
  const [before, after] = chance.pick([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return put(text, span, before.repeat(depth) + value + after.repeat(depth));
});

/** A value of the other input in the place of one of this one. */
const graft: Mutator = (bytes, chance, other) => {
  const [text, given] = [bytes.toString("latin1"), other.toString("latin1")];
  const [into, from] = [spansOf(text), spansOf(given)];
  if (into.length === 0 || from.length === 0) return mutateBytes(bytes, chance, other);
  const [place, value] = [chance.pick(into), chance.pick(from)];
  return spliced(bytes, place.start, place.end, other.subarray(value.start, value.end));
};

export const mutateJson: Mutator = oneOf(
  swapValues,
  copyValue,
  literal,
  literal,
  respell,
  respell,
  double,
  drop,
  addMember,
  renameKey,
  space,
  nest,
  graft,
);
