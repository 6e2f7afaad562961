// What a case is made on: the files of a lane, whatever else stands in its folder, and ways to look into them.
import { canonicalJson } from "../../../lib/bytes/json.js";
import type { LaneFiles } from "../lane.js";
import type { Edit } from "./op.js";

/** Something in a lane's folder that is no regular file, or a file that is more than its bytes. */
export type FolderObject =
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "hard-link"; readonly target: string }
  | { readonly kind: "folder" }
  | { readonly kind: "fifo" }
  | { readonly kind: "mode"; readonly mode: number };

/** Names of what can be edited beside a lane's own files. */
export const BESIDE = {
  statement: "statement.json",
  checkpoint: "checkpoint.txt",
  trust: "trust.json",
  dataset: "dataset.json",
  archive: "archive",
} as const;

/** One case in the making. What is edited beside the lane stands among its files meanwhile, under one of BESIDE. */
export class Bench {
  readonly files: LaneFiles;
  readonly objects = new Map<string, FolderObject>();
  readonly #run: (bench: Bench, edits: readonly Edit[]) => void;

  constructor(files: LaneFiles, run: (bench: Bench, edits: readonly Edit[]) => void) {
    this.files = files;
    this.#run = run;
  }

  /** Runs edits one after the other. */
  run(edits: readonly Edit[] = []): void {
    this.#run(this, edits);
  }

  /** Runs edits on bytes that stand beside the lane while they are edited. */
  edited(name: string, bytes: Buffer, edits: readonly Edit[] = []): Buffer {
    this.files.set(name, bytes);
    this.run(edits);
    const after = this.bytes(name);
    this.files.delete(name);
    return after;
  }

  bytes(path: string): Buffer {
    const bytes = this.files.get(path);
    if (!bytes) throw new Error(`the recipe names ${path}, which is not there`);
    return bytes;
  }

  document(path: string): Json {
    return JSON.parse(this.bytes(path).toString("utf8")) as Json;
  }

  put(path: string, value: unknown): void {
    this.files.set(path, Buffer.from(textOf(value)));
  }

  /** The lines of a record file without their line feeds. */
  lines(path: string): Buffer[] {
    const bytes = this.bytes(path);
    const lines: Buffer[] = [];
    for (let start = 0; start < bytes.length; ) {
      const end = bytes.indexOf(10, start);
      lines.push(bytes.subarray(start, end < 0 ? bytes.length : end));
      start = end < 0 ? bytes.length : end + 1;
    }
    return lines;
  }

  putLines(path: string, lines: readonly Buffer[]): void {
    this.files.set(path, Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")])));
  }

  /** Zero-based places of the lines that `which` names: a line counted from one, or from the end when negative, a question id, or "all". */
  places(path: string, which: number | string): number[] {
    const lines = this.lines(path);
    if (which === "all") return [...lines.keys()];
    if (typeof which === "number") {
      const index = which < 0 ? lines.length + which : which - 1;
      if (!lines[index]) throw new Error(`${path} has no line ${which}`);
      return [index];
    }
    const found = lines.flatMap((line, index) =>
      (JSON.parse(line.toString("utf8")) as { question_id?: string }).question_id === which ? [index] : [],
    );
    if (found.length === 0) throw new Error(`${path} has no record of ${which}`);
    return found;
  }

  place(path: string, which: number | string): number {
    return this.places(path, which)[0]!;
  }
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const RAW_MARK = "sealane raw spelling:";

/** A value that is written as exactly this text, which need not be JSON. */
export function rawSpelling(text: string): string {
  return RAW_MARK + Buffer.from(text).toString("hex");
}

/** Canonical JSON, but for values of rawSpelling. */
export function textOf(value: unknown): string {
  return canonicalJson(value).replaceAll(new RegExp(`"${RAW_MARK}([0-9a-f]*)"`, "g"), (_, hex: string) =>
    Buffer.from(hex, "hex").toString("utf8"),
  );
}

/** The steps of a JSON pointer (RFC 6901). */
export function steps(pointer: string): string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function valueAt(document: Json, pointer: string): Json {
  let value: Json | undefined = document;
  for (const step of steps(pointer)) {
    if (Array.isArray(value)) value = value.at(Number(step));
    else if (value !== null && typeof value === "object" && Object.hasOwn(value, step)) value = value[step];
    else value = undefined;
    if (value === undefined) throw new Error(`nothing stands at ${pointer}`);
  }
  return value!;
}

/** The document with another value at a pointer; "-" as last step appends to a list, and undefined takes the value away. */
export function withValue(document: Json, pointer: string, value: Json | undefined): Json {
  const path = steps(pointer);
  const last = path.pop();
  if (last === undefined) return value ?? null;
  const parent = valueAt(document, pointer.slice(0, pointer.lastIndexOf("/")));
  if (Array.isArray(parent)) {
    const index = last === "-" ? parent.length : Number(last) < 0 ? parent.length + Number(last) : Number(last);
    if (value === undefined) parent.splice(index, 1);
    else parent[index] = value;
  } else if (parent !== null && typeof parent === "object") {
    if (value === undefined) {
      if (!Object.hasOwn(parent, last)) throw new Error(`nothing stands at ${pointer}`);
      delete parent[last];
    } else {
      // By definition, not by assignment: "__proto__" is a member like any other.
      Object.defineProperty(parent, last, { value, enumerable: true, configurable: true, writable: true });
    }
  } else {
    throw new Error(`nothing can stand at ${pointer}`);
  }
  return document;
}
