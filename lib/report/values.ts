// Two values that should have been one, shown so that a reader sees where they part.
import { printable, shortened } from "./printable.js";

/** Longer texts are shown around the place where they part. */
const LENGTH_MAX = 160;
/** Characters shown before that place. */
const BEFORE = 24;

export interface Pair {
  readonly expected: string | undefined;
  readonly found: string | undefined;
}

/** What was expected and found, each as one safe line: of two JSON objects only the members that differ, of long texts only where. */
export function contrasted({ expected, found }: Pair): Pair {
  if (expected === undefined || found === undefined) {
    const shown = (text: string | undefined) => text && printable(shortened(text, 2 * LENGTH_MAX));
    return { expected: shown(expected), found: shown(found) };
  }
  const [left, right] = [objectIn(expected), objectIn(found)];
  const pair = left && right ? membersApart(left, right) : { expected, found };
  return windows(printable(pair.expected), printable(pair.found));
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function membersApart(
  expected: Record<string, unknown>,
  found: Record<string, unknown>,
): { expected: string; found: string } {
  const text = (value: unknown): string =>
    value === undefined ? "none" : typeof value === "string" ? value : JSON.stringify(value);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].filter(
    (name) => text(expected[name]) !== text(found[name]),
  );
  // What a reader can judge before digests, which only follow from it.
  const ordered = [
    ...names.filter((name) => !name.endsWith("_sha256")),
    ...names.filter((name) => name.endsWith("_sha256")),
  ];
  const side = (object: Record<string, unknown>): string =>
    ordered.map((name) => `${name} ${text(object[name])}`).join(", ");
  return { expected: side(expected), found: side(found) };
}

function windows(expected: string, found: string): Pair {
  if (Math.max(expected.length, found.length) <= LENGTH_MAX) return { expected, found };
  let same = 0;
  while (same < expected.length && expected[same] === found[same]) same += 1;
  const start = same <= 2 * BEFORE ? 0 : same - BEFORE;
  const view = (text: string): string => {
    const end = start + LENGTH_MAX;
    const before = start === 0 ? "" : `[${start} the same] `;
    const after = end < text.length ? ` [${text.length - end} more]` : "";
    return before + text.slice(start, end) + after;
  };
  return { expected: view(expected), found: view(found) };
}
