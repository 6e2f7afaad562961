// Files that a user names: tokenizers, vector files, keys; and what a server answers.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeRow, headerBytes, keyOf } from "../../../../lib/embedding/vector-file.js";
import { tokenizerFromJson } from "../../../../lib/evidence/tokenizer-json.js";
import { encryptPrivateKey } from "../../../../lib/manifest/encrypted-key.js";
import { publicKeyPem, readPublicKey, readSigningKey } from "../../../../lib/manifest/keys.js";
import { readReply, thinkingOf } from "../../../../lib/reader/reply.js";
import { VectorStore } from "../../../../lib/run/vector-store.js";
import type { Vectors } from "../../../../schemas/index.js";
import { chatResponse } from "../../ollama-server.js";
import { repositoryFile } from "../../shared.js";
import { testKey, testKeyPem } from "../../test-key.js";
import { withinBase64 } from "../mutators/base64.js";
import { mutateBytes } from "../mutators/bytes.js";
import { mutateDer } from "../mutators/der.js";
import { mutateJson } from "../mutators/json.js";
import { mutateLines } from "../mutators/lines.js";
import { must, type Target } from "../target.js";

const SENTENCES = ["", "a", "[1] Ada: It's 12 \u00e9 e\u0301 \u{1f6f6}\n", "\n\n  \t(2) 345.6\u3000x\0"];

const tokenizer: Target = {
  name: "tokenizer-json",
  seeds: async () => [{ name: "tiny", bytes: readFileSync(repositoryFile("fixtures/tokenizers/tiny.json")) }],
  mutators: [mutateJson, mutateJson, mutateJson, mutateBytes],
  quickInputs: 150,
  weight: 4,
  run(input) {
    const made = tokenizerFromJson(input, "tokenizer.json");
    const counts = SENTENCES.map((text) => made.count(text));
    must(
      counts.every((count) => Number.isSafeInteger(count) && count >= 0),
      "a count is a number",
    );
    if (made.addsUpAtLines) {
      const [before, after] = ["one\n", "[2] two"];
      must(made.count(before) + made.count(after) === made.count(before + after), "counts add up at lines");
    }
    return true;
  },
};

const EMBEDDING: Vectors["embedding"] = {
  id: "test",
  model: "tiny",
  digest: null,
  dimensions: 3,
  document_prefix: "",
  query_prefix: "",
  vectors_sha256: null,
  parameters: {},
};

/** A file of two vectors, as `sealane embed` writes one. */
function vectorFile(): Buffer {
  const keys = ["one", "two"].map((text) => keyOf(EMBEDDING, "document", text)).sort(Buffer.compare);
  const rows = keys.map((key, index) => encodeRow(key, 0, Float32Array.of(index + 1, -0.5, 1e-3)));
  const compute = [{ software: "test", device: "not told", started: "2026-01-01T00:00:00.000Z", vectors: 2 }];
  const header = headerBytes({ schema: "sealane-vectors/1", embedding: EMBEDDING, count: 2, compute });
  return Buffer.concat([header, ...rows]);
}

const vectors: Target = {
  name: "vector-file",
  seeds: async () => [{ name: "two", bytes: vectorFile() }],
  mutators: [mutateBytes],
  quickInputs: 200,
  run(input) {
    const work = mkdtempSync(join(tmpdir(), "sealane-fuzz-"));
    try {
      const file = join(work, "vectors");
      writeFileSync(file, input);
      const store = new VectorStore(file);
      try {
        const head = headerBytes(store.header);
        must(head.equals(input.subarray(0, head.length)), "accepted bytes are the header's only form");
        const vector = store.vector("document", "one");
        must(vector.every(Number.isFinite), "a vector is of finite numbers");
      } finally {
        store.close();
      }
      return true;
    } finally {
      rmSync(work, { recursive: true });
    }
  },
};

const PASSPHRASE = Buffer.from("correct horse");

const privateKey: Target = {
  name: "private-key",
  async seeds() {
    const der = Buffer.from(testKeyPem("author").split("\n")[1]!, "base64");
    const [salt, iv] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];
    return [
      { name: "plain", bytes: Buffer.from(testKeyPem("author")) },
      { name: "encrypted", bytes: Buffer.from(encryptPrivateKey(der, PASSPHRASE, { salt, iv })) },
    ];
  },
  mutators: [mutateLines, withinBase64(mutateDer), withinBase64(mutateDer)],
  quickInputs: 20,
  run(input) {
    const key = readSigningKey(input.toString("utf8"), "key.pem", PASSPHRASE);
    must(key.sign(Buffer.from("x")).length === 64, "a key that is read signs");
    return true;
  },
};

const publicKey: Target = {
  name: "public-key",
  seeds: async () => [{ name: "author", bytes: Buffer.from(publicKeyPem(testKey("author"))) }],
  mutators: [mutateLines, withinBase64(mutateDer)],
  quickInputs: 400,
  run(input) {
    const { bytes } = readPublicKey(input.toString("utf8"), "key.pem");
    must(readPublicKey(publicKeyPem({ bytes }), "again").bytes.length === 32, "a key that is read is written");
    return true;
  },
};

const response: Target = {
  name: "response",
  seeds: async () => [
    { name: "answer", bytes: Buffer.from(JSON.stringify(chatResponse("Petrel", { thinking: "Which ship?" }))) },
    { name: "empty", bytes: Buffer.from(JSON.stringify(chatResponse(""))) },
  ],
  mutators: [mutateJson],
  quickInputs: 1500,
  run(input) {
    thinkingOf(input);
    const reply = readReply(200, input);
    if ("breach" in reply) {
      must(reply.breach.isWellFormed(), "what a server did wrong can be written down");
      return false;
    }
    must(reply.answer.isWellFormed(), "an answer can be written down");
    must(reply.status !== "empty" || reply.answer.trim() === "", "an empty answer is one");
    return true;
  },
};

export const FILE_TARGETS: readonly Target[] = [tokenizer, vectors, privateKey, publicKey, response];
