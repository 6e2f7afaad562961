// Values of a recipe that are worked out when the case is made: {"$sha256": "answers.jsonl"} and the like, in one closed list.
import { brotliCompressSync, deflateRawSync, gzipSync } from "node:zlib";
import { sha256Hex, sha512Hex } from "../../../lib/bytes/digest.js";
import { testKey } from "../test-key.js";
import { type Bench, type Json, rawSpelling, valueAt } from "./bench.js";

type Resolver = (argument: Json, bench: Bench) => Json;

const text = (value: Json): string => {
  if (typeof value !== "string") throw new Error(`a text is needed, not ${JSON.stringify(value)}`);
  return value;
};

/** What a record stands for: [file, line or question id]. */
const line = (value: Json, bench: Bench): Buffer => {
  const [file, which] = value as [string, number | string];
  return bench.lines(file)[bench.place(file, which)]!;
};

/** By the one key of an object that begins with "$". */
export const RESOLVERS: Readonly<Record<string, Resolver>> = {
  /** SHA-256 of a file as it then stands. */
  $sha256: (path, bench) => sha256Hex(bench.bytes(text(path))),
  /** SHA-512 of a file as it then stands. */
  $sha512: (path, bench) => sha512Hex(bench.bytes(text(path))),
  /** The 64 bytes of the last signature of a signed note, in base64. */
  $note_signature: (path, bench) => {
    const line = bench.bytes(text(path)).toString("utf8").trimEnd().split(" ").at(-1) ?? "";
    return Buffer.from(line, "base64").subarray(4).toString("base64");
  },
  /** SHA-256 of a text's UTF-8. */
  $sha256_of: (value) => sha256Hex(text(value)),
  /** SHA-256 of a record as it stands: [file, line or question id]. */
  $line_sha256: (where, bench) => sha256Hex(line(where, bench)),
  /** Length of a file in bytes. */
  $size: (path, bench) => bench.bytes(text(path)).length,
  /** Length of a text's UTF-8. */
  $size_of: (value) => Buffer.byteLength(text(value)),
  /** What stands in a document: [file, pointer]. */
  $document: (where, bench) => {
    const [file, pointer] = where as [string, string];
    return valueAt(bench.document(file), pointer);
  },
  /** What stands in a record: [file, line or question id, pointer]. */
  $record: (where, bench) =>
    valueAt(JSON.parse(line(where, bench).toString("utf8")) as Json, (where as Json[])[2] as string),
  /** A file's text. */
  $text: (path, bench) => bench.bytes(text(path)).toString("utf8"),
  /** The key id of a test key. */
  $key_id: (word) => testKey(text(word)).keyId,
  /** The 32 bytes of a test key, in hexadecimal. */
  $public: (word) => Buffer.from(testKey(text(word)).bytes).toString("hex"),
  /** The same text many times: [text, count]. */
  $repeat: (value) => {
    const [part, count] = value as [string, number];
    return part.repeat(count);
  },
  /** The same value many times, as a list: [value, count]. */
  $times: (value) => {
    const [item, count] = value as [Json, number];
    return Array.from({ length: count }, () => item);
  },
  /** A number of a document, divided: [file, pointer, divisor]. */
  $share: (value, bench) => {
    const [file, pointer, divisor] = value as [string, string, number];
    return (valueAt(bench.document(file), pointer) as number) / divisor;
  },
  /** Texts one after the other. */
  $join: (parts) => (parts as Json[]).map((part) => String(part)).join(""),
  /** Upper-case letters. */
  $upper: (value) => text(value).toUpperCase(),
  /** The first characters: [text, count]. */
  $first: (value) => text((value as Json[])[0]!).slice(0, (value as [string, number])[1]),
  $base64: (value) => Buffer.from(text(value)).toString("base64"),
  /** Base64 of the bytes that hexadecimal digits say. */
  $base64_of_hex: (value) => Buffer.from(text(value), "hex").toString("base64"),
  /** A spelling of a value that canonical JSON does not have. */
  $raw: (value) => rawSpelling(text(value)),
};

/** A recipe's value with everything in it worked out, from the inside out. */
export function resolved(value: Json, bench: Bench): Json {
  if (Array.isArray(value)) return value.map((item) => resolved(item, bench));
  if (value === null || typeof value !== "object") return value;
  const [name, ...others] = Object.keys(value);
  if (name?.startsWith("$") && others.length === 0) {
    const resolver = Object.hasOwn(RESOLVERS, name) ? RESOLVERS[name] : undefined;
    if (!resolver) throw new Error(`there is no value ${name}`);
    return resolver(resolved(value[name]!, bench), bench);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolved(item, bench)]));
}

/**
 * Bytes of a recipe: a text as UTF-8, {"$hex": digits}, {"$bytes": file}, {"$zeros": count}, {"$slice": [file, start,
 * end]}, other such bytes compressed
 * ({"$gzip": bytes}, {"$deflate": bytes}, {"$brotli": bytes}), or several of these in a list.
 */
export type BytesValue = Json;

export function bytesOf(value: BytesValue, bench: Bench): Buffer {
  if (Array.isArray(value)) return Buffer.concat(value.map((part) => bytesOf(part, bench)));
  if (value !== null && typeof value === "object") {
    const [name] = Object.keys(value);
    if (name === "$hex") return Buffer.from(text(value.$hex!), "hex");
    if (name === "$bytes") return Buffer.from(bench.bytes(text(value.$bytes!)));
    if (name === "$zeros") return Buffer.alloc(Number(value.$zeros));
    if (name === "$slice") {
      const [file, ...ends] = value.$slice as [string, number, number?];
      return Buffer.from(bench.bytes(file).subarray(...ends));
    }
    if (name === "$gzip") return gzipSync(bytesOf(value.$gzip!, bench), { level: 9 });
    if (name === "$deflate") return deflateRawSync(bytesOf(value.$deflate!, bench), { level: 9 });
    if (name === "$brotli") return brotliCompressSync(bytesOf(value.$brotli!, bench));
  }
  const made = resolved(value, bench);
  return Buffer.from(text(made));
}

/** Where in a file: an offset, from the end when negative, or where bytes are found. */
export type Place =
  | number
  | { readonly find: BytesValue; readonly last?: boolean; readonly after?: boolean; readonly plus?: number };

export function offsetOf(place: Place, within: Buffer, bench: Bench): number {
  if (typeof place === "number") return place < 0 ? within.length + place : place;
  const wanted = bytesOf(place.find, bench);
  const found = place.last ? within.lastIndexOf(wanted) : within.indexOf(wanted);
  if (found < 0) throw new Error(`nowhere in the file stands ${JSON.stringify(place.find)}`);
  return found + (place.after ? wanted.length : 0) + (place.plus ?? 0);
}
