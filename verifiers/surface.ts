// What of a request is neither evidence nor this release's own wording: where something could have been told to the reader.

import { parseStrictJson } from "../lib/bytes/json.js";
import { RENDERERS } from "../lib/evidence/render.js";
import { SealaneError } from "../lib/finding.js";
import { READERS, readerProtocol } from "../lib/reader/index.js";
import { isKnownLayout, requestBody } from "../lib/reader/request.js";
import type { PreparationProtocol, ReaderProtocol, Template } from "../schemas/index.js";

const literals = (template: Template): string[] => template.filter((part) => typeof part === "string");

function readerTexts(protocol: ReaderProtocol): string[] {
  const { model, options, think, keep_alive, system, user, question_date_missing } = protocol;
  const named = typeof think === "string" ? [think] : [];
  return [model.name, ...Object.keys(options), ...named, keep_alive, system, ...literals(user), question_date_missing];
}

function rendererTexts({
  session_header,
  turn_line,
  caption_line,
  date_missing,
}: PreparationProtocol["renderer"]): string[] {
  return [...[session_header, turn_line, caption_line].flatMap(literals), date_missing];
}

/** The wording of this release, which was there before any question. */
const OWN_WORDING = new Set([
  ...READERS.flatMap((kind) =>
    readerTexts(readerProtocol(kind, { name: kind.defaultModel ?? "", digest: null }, { options: {} })),
  ),
  ...RENDERERS.flatMap(rendererTexts),
]);

/** Longer ones first, so that none is cut in two by a shorter one in it. */
const OWN_WORDING_LONG = [...OWN_WORDING].filter((text) => text.length >= 20).sort((a, b) => b.length - a.length);

/** What the protocols put into every request in other words than this release's. */
export function strangeWording(reader: ReaderProtocol, preparation: PreparationProtocol): string {
  return [...readerTexts(reader), ...rendererTexts(preparation.renderer)]
    .filter((text) => !OWN_WORDING.has(text))
    .map((text) => OWN_WORDING_LONG.reduce((rest, own) => rest.replaceAll(own, "\n"), text))
    .join("\n");
}

/** Every string in a JSON value, names of members included. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...stringsIn(member)]);
}

/**
 * What a request body that is not the protocol's holds more than it should, evidence left out as far as its place can be told;
 * empty when the body cannot be read at all.
 */
export function strangeParts(
  protocol: ReaderProtocol,
  asked: { readonly question: string; readonly questionDate: string | null },
  body: Buffer,
): string {
  let value: unknown;
  try {
    value = parseStrictJson(body, "body");
  } catch (error) {
    if (error instanceof SealaneError) return "";
    throw error;
  }
  const slot = protocol.user.findIndex((part) => typeof part !== "string" && part.slot === "evidence");
  const [before, after] = [protocol.user[slot - 1], protocol.user[slot + 1]];
  if (!isKnownLayout(protocol) || typeof before !== "string" || typeof after !== "string") return "";
  const expected = new Set(stringsIn(JSON.parse(requestBody(protocol, asked, ""))));
  const strange = stringsIn(value)
    .filter((text) => !expected.has(text))
    .map((text) => {
      const [start, end] = [text.indexOf(before), text.lastIndexOf(after)];
      return start >= 0 && end >= start ? `${text.slice(0, start)}\n${text.slice(end)}` : text;
    })
    .join("\n");
  // The question may hold its own answer.
  return [protocol.system, asked.question].reduce(
    (rest, own) => (own === "" ? rest : rest.replaceAll(own, "\n")),
    strange,
  );
}

/** What one text has between the beginning and the end that it shares with another. */
export function difference(text: Buffer, other: Buffer): { readonly mine: Buffer; readonly others: Buffer } {
  const shorter = Math.min(text.length, other.length);
  let start = 0;
  while (start < shorter && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && text[text.length - 1 - end] === other[other.length - 1 - end]) end += 1;
  return { mine: text.subarray(start, text.length - end), others: other.subarray(start, other.length - end) };
}
