import t from "tap";
import { readReply } from "../../../lib/reader/reply.js";
import { chatResponse } from "../../support/ollama-server.js";

const read = (value: unknown, httpStatus = 200) => readReply(httpStatus, Buffer.from(JSON.stringify(value)));
const readText = (text: string | Buffer, httpStatus = 200) => readReply(httpStatus, Buffer.from(text));

t.test("responses that are results", async (t) => {
  const cases: [string, object, string, string][] = [
    ["an answer", chatResponse("Petrel."), "answered", "Petrel."],
    ["an answer with white space around it is kept as it is", chatResponse(" Petrel.\n"), "answered", " Petrel.\n"],
    ["an empty answer", chatResponse(""), "empty", ""],
    ["nothing but white space", chatResponse(" \n\t\u00a0"), "empty", " \n\t\u00a0"],
    ["an answer cut at the limit", chatResponse("It is", { done_reason: "length" }), "output-limit", "It is"],
    ["thinking up to the limit", chatResponse("", { thinking: "Hm", done_reason: "length" }), "output-limit", ""],
    ["thinking and an answer", chatResponse("No.", { thinking: "Yes, Petrel." }), "answered", "No."],
    ["thinking alone", chatResponse("", { thinking: "It is Petrel." }), "empty", ""],
    ["thinking in the content's own words", chatResponse("<think>x</think>"), "answered", "<think>x</think>"],
    ["no reason to stop given", chatResponse("x", { done_reason: undefined }), "answered", "x"],
    ["a reason to stop that is not known", chatResponse("x", { done_reason: "load" }), "answered", "x"],
    ["an answer that looks like an error", chatResponse("Error: 500"), "answered", "Error: 500"],
    ["an answer that is JSON", chatResponse('{"error":"x"}'), "answered", '{"error":"x"}'],
    ["letters of every length", chatResponse("aë€🛶\0"), "answered", "aë€🛶\0"],
    ["unknown members", chatResponse("x", { tool_calls: [], context: [1, 2] }), "answered", "x"],
  ];
  for (const [title, value, status, answer] of cases) {
    const reply = read(value);
    t.match(reply, { status, answer }, title);
    t.notOk("breach" in reply, title);
  }
});

t.test("what the response reports of model and tokens", async (t) => {
  t.match(read(chatResponse("x")), { model: "qwen3.8:27b", promptTokens: 321, completionTokens: 12 });
  for (const wrong of [-1, 1.5, 2 ** 53, "12", null, [1], {}]) {
    const reply = read(chatResponse("x", { prompt_eval_count: wrong, eval_count: wrong }));
    t.match(reply, { status: "answered", promptTokens: undefined, completionTokens: undefined }, JSON.stringify(wrong));
  }
  t.match(read(chatResponse("x", { prompt_eval_count: 0 })), { promptTokens: 0 });
  for (const wrong of [7, null, {}]) t.match(read(chatResponse("x", { model: wrong })), { model: undefined });
  t.match(
    readText(JSON.stringify(chatResponse("x")).replace('"qwen3.8:27b"', '"\\ud800"')),
    { status: "answered", model: undefined },
    "a name that no receipt could hold is no name",
  );
});

t.test("responses that break the contract", async (t) => {
  const good = JSON.stringify(chatResponse("Petrel."));
  const breaches: [string, ReturnType<typeof readReply>][] = [
    ...[100, 201, 204, 301, 307, 400, 404, 429, 500, 502, 503].map((status): [string, ReturnType<typeof readReply>] => [
      `HTTP ${status}`,
      read(chatResponse("x"), status),
    ]),
    ["nothing", readText("")],
    ["half of it", readText(good.slice(0, good.length / 2))],
    ["two of them", readText(`${good}\n${good}`)],
    ["a stream's pieces", readText(`${JSON.stringify(chatResponse("a", { done: false }))}\n${good}`)],
    ["no JSON", readText("<html>")],
    ["a byte order mark", readText(`\ufeff${good}`)],
    ["a trailing comma", readText(`${good.slice(0, -1)},}`)],
    ["not UTF-8", readText(Buffer.from(JSON.stringify(chatResponse("café")), "latin1"))],
    [
      "an overlong form",
      readText(Buffer.concat([Buffer.from(good.slice(0, -2)), Buffer.from([0xc0, 0x80, 0x22, 0x7d])])),
    ],
    ["a lone surrogate", readText(good.replace("Petrel", "\\ud83d"))],
    ["null", read(null)],
    ["an array", read([chatResponse("x")])],
    ["a string", read("x")],
    ["a number", read(1)],
    ["an empty object", read({})],
    ["an error with 200", read({ error: "model is overloaded" })],
    ["an error beside an answer", read(chatResponse("x", { error: "cut off" }))],
    ["an error that is null", read(chatResponse("x", { error: null }))],
    ["an error that is false", read(chatResponse("x", { error: false }))],
    ["an error that cannot be turned into text", read({ error: { toString: 1, valueOf: 1 } })],
    ["a nested error", read({ error: { message: "x", code: 500 } })],
    ["not done", read(chatResponse("x", { done: false }))],
    ["done missing", read(chatResponse("x", { done: undefined }))],
    ["done as a word", read(chatResponse("x", { done: "true" }))],
    ["done as a number", read(chatResponse("x", { done: 1 }))],
    ["no message", read(chatResponse("x", { message: undefined }))],
    ["a message that is null", read(chatResponse("x", { message: null }))],
    ["a message that is text", read(chatResponse("x", { message: "Petrel." }))],
    ["a message without content", read(chatResponse("x", { message: { role: "assistant" } }))],
    ["thinking without content", read(chatResponse("x", { message: { role: "assistant", thinking: "Petrel" } }))],
    ["content that is null", read(chatResponse("x", { message: { content: null } }))],
    ["content in parts", read(chatResponse("x", { message: { content: [{ text: "Petrel" }] } }))],
    ["a generate response", read({ ...chatResponse("x"), message: undefined, response: "Petrel." })],
    ["an OpenAI response", read({ choices: [{ message: { content: "Petrel." } }] })],
  ];
  for (const [title, reply] of breaches) {
    t.ok("breach" in reply && reply.breach !== "" && reply.breach.isWellFormed(), title, { reply });
    t.notOk("answer" in reply, `${title}: no answer is made of it`);
  }
});

t.test("the server's own words of an error are kept, but never what no file could hold", async (t) => {
  const reply = readText('{"error":"out of memory \\ud800"}');
  t.ok("breach" in reply && reply.breach.endsWith("out of memory \ufffd"));
});

t.test("deep nesting is a breach, not a crash", async (t) => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  t.ok("breach" in readText(deep));
  t.ok("breach" in readText(`{"error":${deep}}`));
});
