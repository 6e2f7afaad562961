// JSON itself: the strict reader against the engine's, the canonical one against its own writer, the splitter against the whole.
import { isDeepStrictEqual } from "node:util";
import { canonicalJson, parseCanonicalJson, parseStrictJson } from "../../../../lib/bytes/json.js";
import { jsonElements } from "../../../../lib/bytes/json-elements.js";
import { SealaneError } from "../../../../lib/finding.js";
import { bodyParser, recordParser } from "../../../../lib/records/documents.js";
import { mutateBytes } from "../mutators/bytes.js";
import { mutateJson } from "../mutators/json.js";
import { must, type Seed, type Target } from "../target.js";

const TEXTS = [
  '{"a":[1,2.5,-3e-7,true,null],"b":{"c":"d\\u00e9\\n\\\\\\"","\u00e9":"\u{1f6f6}"}}',
  '[[[["x"],{}],[]],1e21,1e-7,9007199254740991,-0.1,"\\u001f\\u007f\u2028"]',
  '"\\b\\f\\n\\r\\t"',
  '[{"question_id":"q1","tokens":12},{"question_id":"q2","tokens":0},"",false]',
];
const seedsOf = (texts: readonly string[]): Seed[] =>
  texts.map((text, index) => ({ name: String(index), bytes: Buffer.from(text) }));

/** A result or the code of its refusal. */
function outcome<T>(read: () => T): { value: T } | { code: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (!(error instanceof SealaneError)) throw error;
    return { code: error.code };
  }
}

const strict: Target = {
  name: "strict-json",
  seeds: async () => seedsOf(TEXTS),
  mutators: [mutateJson, mutateJson, mutateBytes],
  quickInputs: 500,
  run(input) {
    const value = parseStrictJson(input, "input");
    const engine: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(input));
    must(isDeepStrictEqual(value, engine), "what is accepted is what JSON.parse reads");
    const text = canonicalJson(value);
    must(canonicalJson(parseCanonicalJson(Buffer.from(text), "canonical")) === text, "canonical form is a fixed point");
    return true;
  },
};

const canonical: Target = {
  name: "canonical-json",
  seeds: async () => seedsOf(TEXTS.map((text) => canonicalJson(JSON.parse(text)))),
  mutators: [mutateJson, mutateJson, mutateBytes],
  quickInputs: 500,
  run(input) {
    const value = parseCanonicalJson(input, "input");
    must(canonicalJson(value) === input.toString("utf8"), "accepted bytes are the canonical form of their value");
    must(isDeepStrictEqual(parseStrictJson(input, "input"), value), "the strict reader reads the same");
    return true;
  },
};

/** The elements of an array, parsed one by one, in chunks of any length, are what the whole text's parser reads. */
const elements: Target = {
  name: "json-elements",
  seeds: async () => seedsOf(TEXTS.filter((text) => text.startsWith("["))),
  mutators: [mutateJson, mutateJson, mutateBytes],
  quickInputs: 400,
  run(input) {
    const chunkBytes = Math.max(1 + (input.length % 7), Math.ceil(input.length / 2000));
    const chunks = Array.from({ length: Math.ceil(input.length / chunkBytes) }, (_, index) =>
      input.subarray(index * chunkBytes, (index + 1) * chunkBytes),
    );
    const parts = outcome(() =>
      [...jsonElements(chunks, "input")].map(({ bytes }) => parseStrictJson(Buffer.from(bytes), "input", 1)),
    );
    const whole = outcome(() => parseStrictJson(input, "input"));
    if ("code" in parts) {
      must("code" in whole || !Array.isArray(whole.value), "what is refused in parts is refused whole, or no array");
      return false;
    }
    must("value" in whole && isDeepStrictEqual(parts.value, whole.value), "both read the same");
    return true;
  },
};

/** The fast reader of request bodies and the general rule for records are one rule. */
const body: Target = {
  name: "body-record",
  seeds: async () =>
    seedsOf(
      TEXTS.map((text, index) =>
        canonicalJson({ question_id: `q/${index}`, body: `{"messages":[${text}\u0001\u{1f6f6}` }),
      ),
    ),
  mutators: [mutateJson, mutateBytes, mutateBytes],
  quickInputs: 500,
  run(input) {
    const fast = outcome(() => bodyParser(Buffer.from(input), "line"));
    const slow = outcome(() => recordParser("body-record")(input, "line"));
    if ("code" in fast || "code" in slow) {
      must(isDeepStrictEqual(fast, slow), "both refuse, for the same reason");
      return false;
    }
    must(fast.value.question_id === slow.value.question_id, "both read the same question");
    must(fast.value.body.equals(Buffer.from(slow.value.body)), "both read the same body");
    return true;
  },
};

export const JSON_TARGETS: readonly Target[] = [strict, canonical, elements, body];
