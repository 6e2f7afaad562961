// One fault a case, and the reason it must be refused for. "raw": bytes edited after sealing. "signed": the legitimate
// signer sealed it again over the fault, so that only what the records say of each other can tell.

import t from "tap";
import { sha256Hex } from "../../lib/bytes/digest.js";
import { canonicalJson } from "../../lib/bytes/json.js";
import { DEFAULT_EMBEDDING } from "../../lib/embedding/index.js";
import { bytesInput, type Input } from "../../lib/io/input.js";
import { checkpointOf, checkpointText, originOf, signCheckpoint } from "../../lib/manifest/checkpoint.js";
import { signStatement, statementOf } from "../../lib/manifest/envelope.js";
import { signNote } from "../../lib/manifest/note.js";
import { type Trust, trustOf } from "../../lib/manifest/trust.js";
import { checkpointPath } from "../../lib/records/documents.js";
import type {
  AmendmentRecord,
  AnswerRecord,
  Envelope,
  GradeRecord,
  Manifest,
  PacketRecord,
  PopulationRecord,
  PreparationProtocol,
  ReaderProtocol,
  ReceiptRecord,
  ReferenceRecord,
  RequestRecord,
  Results,
  TreeName,
  TurnRecord,
} from "../../schemas/index.js";
import { CHECKS } from "../../verifiers/checks/index.js";
import {
  authorTrust,
  codesOf,
  editDocument,
  editRecords,
  goodLane,
  harbourBytes,
  type LaneFiles,
  parsed,
  reseal,
  verifyFiles,
} from "../support/lane.js";
import { testKey } from "../support/test-key.js";
import { ANCHOR_CASES } from "./anchor-cases.js";
import { HISTORY_CASES, SIGNER_CASES } from "./trust-cases.js";

interface Case {
  readonly why: string;
  readonly fault: (files: LaneFiles) => void;
  readonly codes: readonly string[];
  readonly exit: number;
  readonly trust?: Trust;
  readonly dataset?: Input;
}

/** A fault that the legitimate signer sealed. */
const signed = (fault: (files: LaneFiles) => void, edit?: (manifest: Manifest) => void) => (files: LaneFiles) => {
  fault(files);
  reseal(files, edit ? { edit } : {});
};
const resign = (files: LaneFiles, edit: (envelope: Envelope) => void): void =>
  editDocument<Envelope>(files, "manifest.dsse.json", edit);
const replaceByte = (files: LaneFiles, path: string, at: number, value: number): void => {
  files.get(path)![at] = value;
};
const BODIES = "bodies/requests.jsonl";
const GRADES = "evaluator/token-f1/grades.jsonl";
const RECORD_FILES = [
  "population.jsonl",
  "packets.jsonl",
  "requests.jsonl",
  BODIES,
  "receipts/reader.jsonl",
  "answers.jsonl",
  "evaluator/references.jsonl",
  GRADES,
];

/** A checkpoint that the legitimate signer put in the place of a tree's. */
const withCheckpoint = (tree: TreeName, note: (manifest: Manifest) => string) => (files: LaneFiles) => {
  files.set(checkpointPath(tree), Buffer.from(note(parsed(files, "manifest.json"))));
  reseal(files, { checkpoints: "kept" });
};
const AUTHOR = testKey("author");
/** Another text under the name and key that a tree's checkpoint has. */
const signedText = (tree: TreeName, edit: (text: string) => string) => (manifest: Manifest) =>
  signNote(edit(checkpointText(checkpointOf(manifest, tree))), originOf(manifest, tree), AUTHOR);

function twoKeysNeeded(): Trust {
  const trust = trustOf(testKey("author"), "author", "*");
  const second = trustOf(testKey("second"), "second", "*");
  return {
    ...trust,
    keys: [...trust.keys, ...second.keys],
    rules: [{ lanes: "*", threshold: 2, keyIds: [testKey("author").keyId, testKey("second").keyId] }],
  };
}

const CASES: readonly Case[] = [
  // Files
  {
    why: "one byte of a record file changed",
    fault: (files) => replaceByte(files, "answers.jsonl", 40, 0x7a),
    codes: ["E_DIGEST"],
    exit: 1,
  },
  {
    why: "a record file cut short",
    fault: (files) => files.set("answers.jsonl", files.get("answers.jsonl")!.subarray(0, -5)),
    codes: ["E_SIZE"],
    exit: 1,
  },
  {
    why: "one byte appended",
    fault: (files) => files.set(BODIES, Buffer.concat([files.get(BODIES)!, Buffer.from("\n")])),
    codes: ["E_SIZE"],
    exit: 1,
  },
  {
    why: "two files of one content swapped with each other's names",
    fault: (files) => {
      const answers = files.get("answers.jsonl")!;
      files.set("answers.jsonl", files.get("requests.jsonl")!);
      files.set("requests.jsonl", answers);
    },
    codes: ["E_SIZE"],
    exit: 1,
  },
  { why: "a file missing", fault: (files) => files.delete("turns.jsonl"), codes: ["E_FILE_MISSING"], exit: 1 },
  {
    why: "a file nobody listed",
    fault: (files) => files.set("notes.txt", Buffer.from("hello")),
    codes: ["E_FILE_EXTRA"],
    exit: 1,
  },
  {
    why: "a hidden file nobody listed",
    fault: (files) => files.set(".hidden", Buffer.alloc(0)),
    codes: ["E_FILE_EXTRA"],
    exit: 1,
  },
  { why: "no manifest", fault: (files) => files.delete("manifest.json"), codes: ["E_MANIFEST_MISSING"], exit: 2 },
  {
    why: "a total edited in the manifest",
    fault: (files) =>
      editDocument<Manifest>(files, "manifest.json", (manifest) => {
        manifest.results[0]!.questions += 1;
      }),
    codes: ["E_DIGEST"],
    exit: 1,
  },
  // Signatures
  { why: "no envelope", fault: (files) => files.delete("manifest.dsse.json"), codes: ["E_SIGNATURE_MISSING"], exit: 1 },
  {
    why: "resealed by a thief with a key of his own",
    fault: (files) => reseal(files, { key: testKey("thief") }),
    codes: ["E_UNTRUSTED_KEY"],
    exit: 3,
  },
  {
    why: "resealed by a thief under the author's key id",
    fault: (files) => {
      reseal(files, { key: testKey("thief") });
      resign(files, (envelope) => {
        envelope.signatures[0]!.keyid = testKey("author").keyId;
      });
    },
    codes: ["E_SIG", "E_UNTRUSTED_KEY"],
    exit: 1,
  },
  {
    why: "one bit of the signature changed",
    fault: (files) =>
      resign(files, (envelope) => {
        const signature = Buffer.from(envelope.signatures[0]!.sig, "base64");
        signature[3]! ^= 1;
        envelope.signatures[0]!.sig = signature.toString("base64");
      }),
    codes: ["E_SIG", "E_UNTRUSTED_KEY"],
    exit: 1,
  },
  {
    why: "a signature with S + L",
    fault: (files) =>
      resign(files, (envelope) => {
        const signature = Buffer.from(envelope.signatures[0]!.sig, "base64");
        const order = 2n ** 252n + 27742317777372353535851937790883648493n;
        let s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString("hex")}`) + order;
        for (let index = 32; index < 64; index += 1) {
          signature[index] = Number(s & 255n);
          s >>= 8n;
        }
        envelope.signatures[0]!.sig = signature.toString("base64");
      }),
    codes: ["E_SIG", "E_UNTRUSTED_KEY"],
    exit: 1,
  },
  {
    why: "a signature of 63 bytes",
    fault: (files) =>
      resign(files, (envelope) => {
        envelope.signatures[0]!.sig = Buffer.alloc(63).toString("base64");
      }),
    codes: ["E_SIG_LEN", "E_UNTRUSTED_KEY"],
    exit: 2,
  },
  {
    why: "white space in base64",
    fault: (files) =>
      resign(files, (envelope) => {
        envelope.signatures[0]!.sig += "\n";
      }),
    codes: ["E_BASE64"],
    exit: 2,
  },
  {
    why: "base64 without padding",
    fault: (files) =>
      resign(files, (envelope) => {
        envelope.signatures[0]!.sig = envelope.signatures[0]!.sig.replace(/=+$/, "");
      }),
    codes: ["E_BASE64"],
    exit: 2,
  },
  {
    why: "the same signature twice does not make two signers",
    fault: (files) =>
      resign(files, (envelope) => {
        envelope.signatures.push(envelope.signatures[0]!);
      }),
    trust: twoKeysNeeded(),
    codes: ["E_THRESHOLD"],
    exit: 3,
  },
  {
    why: "the statement names another lane than the manifest it signs",
    fault: (files) => {
      const manifest = parsed<Manifest>(files, "manifest.json");
      const statement = statementOf({ ...manifest, lane_id: "another-lane" }, sha256Hex(files.get("manifest.json")!));
      files.set("manifest.dsse.json", Buffer.from(canonicalJson(signStatement(statement, testKey("author")))));
    },
    codes: ["E_PREDICATE"],
    exit: 1,
  },
  {
    why: "a signed payload that is no statement about a lane",
    fault: (files) =>
      resign(files, (envelope) => {
        envelope.payload = Buffer.from('{"_type":"other"}').toString("base64");
      }),
    codes: ["E_SUBJECT"],
    exit: 1,
  },
  // Documents
  {
    why: "white space in a record",
    fault: signed((files) =>
      files.set("answers.jsonl", Buffer.from(files.get("answers.jsonl")!.toString("utf8").replace('{"', '{ "'))),
    ),
    codes: ["E_JSON_CANON"],
    exit: 2,
  },
  {
    why: "a key written twice",
    fault: signed((files) =>
      files.set(
        "results.json",
        Buffer.from(files.get("results.json")!.toString("utf8").replace('"schema"', '"questions":36,"schema"')),
      ),
    ),
    codes: ["E_JSON_CANON"],
    exit: 2,
  },
  {
    why: "a byte order mark",
    fault: signed((files) =>
      files.set(
        "protocols/reader.json",
        Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), files.get("protocols/reader.json")!]),
      ),
    ),
    codes: ["E_JSON"],
    exit: 2,
  },
  {
    why: "ill-formed UTF-8",
    fault: signed((files) =>
      replaceByte(files, "population.jsonl", files.get("population.jsonl")!.indexOf("Zo") + 2, 0xff),
    ),
    codes: ["E_UTF8"],
    exit: 2,
  },
  {
    why: "an unknown field",
    fault: signed((files) =>
      editRecords<GradeRecord>(files, GRADES, (grades) => {
        Object.assign(grades[0]!, { note: "x" });
      }),
    ),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
  {
    why: "a grade above one",
    fault: signed((files) =>
      editRecords<GradeRecord>(files, GRADES, (grades) => {
        grades[0]!.score = 1.5;
      }),
    ),
    codes: ["E_SCHEMA"],
    exit: 2,
  },
  {
    why: "a body with an escape spelt another way",
    fault: signed((files) =>
      files.set(BODIES, Buffer.from(files.get(BODIES)!.toString("utf8").replace("\\\\n", "\\u005cn"))),
    ),
    codes: ["E_JSON_CANON"],
    exit: 2,
  },
  {
    why: "the last line without its line feed",
    fault: signed((files) => files.set("answers.jsonl", files.get("answers.jsonl")!.subarray(0, -1))),
    codes: ["E_JSON_CANON"],
    exit: 2,
  },
  {
    why: "a results document of a later version",
    fault: signed((files) =>
      editDocument<{ schema: string }>(files, "results.json", (results) => {
        results.schema = "sealane-results/2";
      }),
    ),
    codes: ["E_VERSION"],
    exit: 4,
  },
  {
    why: "a manifest of a later version",
    fault: signed(
      () => {},
      (manifest) => {
        (manifest as { schema: string }).schema = "sealane-manifest/9";
      },
    ),
    codes: ["E_VERSION"],
    exit: 4,
  },
  {
    why: "a path that leads out of the lane",
    fault: signed(
      () => {},
      (manifest) => {
        manifest.files[0]!.path = "../answers.jsonl";
      },
    ),
    codes: ["E_PATH"],
    exit: 2,
  },
  {
    why: "two paths that differ in case alone",
    fault: signed((files) => {
      files.set("Answers.jsonl", Buffer.from("x"));
    }),
    codes: ["E_PATH"],
    exit: 2,
  },
  {
    why: "paths out of order",
    fault: signed(
      () => {},
      (manifest) => {
        manifest.files.reverse();
      },
    ),
    codes: ["E_PATH"],
    exit: 2,
  },
  // Protocols
  {
    why: "another reader protocol named",
    fault: signed(
      () => {},
      (manifest) => {
        manifest.protocols.reader = "0".repeat(64);
      },
    ),
    codes: ["E_PROTOCOL"],
    exit: 1,
  },
  {
    why: "another model named",
    fault: signed(
      () => {},
      (manifest) => {
        manifest.model.name = "gpt-9";
      },
    ),
    codes: ["E_PROTOCOL"],
    exit: 1,
  },
  {
    why: "another dataset named",
    fault: signed(
      () => {},
      (manifest) => {
        manifest.dataset.name = "LongMemEval";
      },
    ),
    codes: ["E_PROTOCOL"],
    exit: 1,
  },
  {
    why: "an embedding named that was not used",
    fault: signed(
      () => {},
      (manifest) => {
        manifest.embedding = DEFAULT_EMBEDDING;
      },
    ),
    codes: ["E_PROTOCOL"],
    exit: 1,
  },
  {
    why: "an embedding used that is not named",
    fault: signed((files) =>
      editDocument<PreparationProtocol>(files, "protocols/preparation.json", (protocol) => {
        protocol.embedding = DEFAULT_EMBEDDING;
      }),
    ),
    codes: ["E_PROTOCOL"],
    exit: 1,
  },
  // Population
  {
    why: "one question dropped everywhere, counts made to fit",
    fault: signed(
      (files) => {
        for (const path of RECORD_FILES)
          editRecords(files, path, (records) => {
            records.splice(7, 1);
          });
        editRecords<PopulationRecord>(files, "population.jsonl", (records) => {
          for (const [ordinal, record] of records.entries()) record.ordinal = ordinal;
        });
        editDocument<PreparationProtocol>(files, "protocols/preparation.json", (protocol) => {
          protocol.population.included -= 1;
        });
      },
      (manifest) => {
        manifest.population.count -= 1;
      },
    ),
    codes: ["E_ARITH", "E_POPULATION", "E_SPAN", "E_TREE"],
    exit: 1,
  },
  {
    why: "the question left out is called excluded, and the dataset is at hand",
    fault: signed((files) => {
      editDocument<PreparationProtocol>(files, "protocols/preparation.json", ({ population }) => {
        population.questions += 4;
        population.excluded.push({ reason: "unresolvable", category: "temporal", count: 4 });
      });
    }),
    dataset: harbourBytes(),
    codes: ["E_POPULATION"],
    exit: 1,
  },
  {
    why: "a question twice",
    fault: signed((files) =>
      editRecords<PopulationRecord>(files, "population.jsonl", (records) => {
        records[3] = { ...records[2]!, ordinal: 3 };
      }),
    ),
    codes: [
      "E_ANSWER",
      "E_DUPLICATE",
      "E_GRADE",
      "E_POPULATION",
      "E_RECEIPT",
      "E_REFERENCE",
      "E_REQUEST",
      "E_SPAN",
      "E_TREE",
    ],
    exit: 1,
  },
  {
    why: "ordinals gapped",
    fault: signed((files) =>
      editRecords<PopulationRecord>(files, "population.jsonl", (records) => {
        records[5]!.ordinal = 50;
      }),
    ),
    codes: ["E_ORDER", "E_TREE"],
    exit: 1,
  },
  {
    why: "a category moved to flatter another, and the dataset is at hand",
    fault: signed((files) =>
      editRecords<PopulationRecord>(files, "population.jsonl", (records) => {
        records[0]!.category = "temporal";
      }),
    ),
    dataset: harbourBytes(),
    codes: ["E_ARITH", "E_DATASET_BINDING"],
    exit: 1,
  },
  {
    why: "another file given as the dataset",
    fault: () => {},
    dataset: bytesInput(Buffer.from("[]"), "other.json"),
    codes: ["E_DATASET"],
    exit: 1,
  },
  // Packets
  {
    why: "a token count made smaller",
    fault: signed((files) =>
      editRecords<PacketRecord>(files, "packets.jsonl", (packets) => {
        packets[4]!.tokens -= 1;
      }),
    ),
    codes: ["E_ARITH", "E_BUDGET"],
    exit: 1,
  },
  {
    why: "a ceiling below the packets",
    fault: signed((files) =>
      editDocument<PreparationProtocol>(files, "protocols/preparation.json", (protocol) => {
        protocol.ceiling_tokens = 200;
      }),
    ),
    codes: ["E_BUDGET"],
    exit: 1,
  },
  {
    why: "a span beyond its turn",
    fault: signed((files) =>
      editRecords<PacketRecord>(files, "packets.jsonl", (packets) => {
        packets[0]!.spans[0]![3] += 100000;
      }),
    ),
    codes: ["E_SPAN"],
    exit: 1,
  },
  {
    why: "a byte of the source twice",
    fault: signed((files) =>
      editRecords<PacketRecord>(files, "packets.jsonl", (packets) => {
        packets[0]!.spans.push(packets[0]!.spans[0]!);
      }),
    ),
    codes: ["E_SPAN"],
    exit: 1,
  },
  {
    why: "a protected beginning that the protocol does not know",
    fault: signed((files) =>
      editRecords<PacketRecord>(files, "packets.jsonl", (packets) => {
        packets[0]!.prefixes = [{ name: "baseline", spans: 0, bytes: 0, sha256: sha256Hex("") }];
      }),
    ),
    codes: ["E_PREFIX"],
    exit: 1,
  },
  {
    why: "a turn that no packet quotes",
    fault: signed((files) =>
      editRecords<TurnRecord>(files, "turns.jsonl", (turns) => {
        turns.push({ ...turns.at(-1)!, turn: 99 });
      }),
    ),
    codes: ["E_SPAN"],
    exit: 1,
  },
  {
    why: "a span moved by one byte, and the dataset is at hand",
    fault: signed((files) =>
      editRecords<PacketRecord>(files, "packets.jsonl", (packets) => {
        packets[0]!.spans[0]![3] -= 1;
      }),
    ),
    dataset: harbourBytes(),
    codes: ["E_SPAN"],
    exit: 1,
  },
  {
    why: "a turn's digest changed, and the dataset is at hand",
    fault: signed((files) =>
      editRecords<TurnRecord>(files, "turns.jsonl", (turns) => {
        turns[0]!.turn_sha256 = "1".repeat(64);
      }),
    ),
    dataset: harbourBytes(),
    codes: ["E_SPAN"],
    exit: 1,
  },
  // Requests
  {
    why: "a reader option changed after the requests were made",
    fault: signed((files) =>
      editDocument<ReaderProtocol>(files, "protocols/reader.json", (protocol) => {
        protocol.options.seed = 7;
      }),
    ),
    codes: ["E_REQUEST"],
    exit: 1,
  },
  {
    why: "a word of a million letters in one question's evidence",
    fault: signed((files) => {
      let body = "";
      editRecords<{ body: string }>(files, BODIES, (bodies) => {
        const start = "RECORDED EVIDENCE:\\n";
        bodies[0]!.body = bodies[0]!.body.replace(start, `${start}[${"a".repeat(1_000_000)}]\\n`);
        body = bodies[0]!.body;
      });
      editRecords<RequestRecord>(files, "requests.jsonl", (requests) => {
        Object.assign(requests[0]!, { body_sha256: sha256Hex(body), body_bytes: Buffer.byteLength(body) });
      });
    }),
    codes: ["E_EVIDENCE", "E_RECEIPT", "E_TREE", "E_WORD"],
    exit: 5,
  },
  {
    why: "a hint added to one question's evidence",
    fault: signed((files) => {
      let body = "";
      editRecords<{ body: string }>(files, BODIES, (bodies) => {
        bodies[1]!.body = bodies[1]!.body.replace("\\nQUESTION:", "(9.9) hint: the answer\\n\\nQUESTION:");
        body = bodies[1]!.body;
      });
      editRecords<RequestRecord>(files, "requests.jsonl", (requests) => {
        Object.assign(requests[1]!, { body_sha256: sha256Hex(body), body_bytes: Buffer.byteLength(body) });
      });
    }),
    codes: ["E_BUDGET", "E_EVIDENCE", "E_RECEIPT", "E_TREE"],
    exit: 1,
  },
  {
    why: "a request's digest changed",
    fault: signed((files) =>
      editRecords<RequestRecord>(files, "requests.jsonl", (requests) => {
        requests[0]!.body_sha256 = "2".repeat(64);
      }),
    ),
    codes: ["E_RECEIPT", "E_REQUEST", "E_TREE"],
    exit: 1,
  },
  // Receipts and answers
  {
    why: "the answers of two questions swapped, with their receipts",
    fault: signed((files) => {
      const texts = files
        .get("answers.jsonl")!
        .toString("utf8")
        .split("\n")
        .map((line) => /"answer":"[^"]*"/.exec(line)?.[0]);
      const other = texts.findIndex((text) => text !== texts[0]);
      const swap = <T extends { question_id: string }>(records: T[]): void => {
        const [first, second] = [records[0]!, records[other]!];
        records[0] = { ...second, question_id: first.question_id };
        records[other] = { ...first, question_id: second.question_id };
      };
      editRecords<ReceiptRecord>(files, "receipts/reader.jsonl", swap);
      const digests = files
        .get("receipts/reader.jsonl")!
        .toString("utf8")
        .split("\n")
        .map((line) => sha256Hex(line));
      editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
        swap(answers);
        answers[0]!.receipt_sha256 = digests[0]!;
        answers[other]!.receipt_sha256 = digests[other]!;
      });
    }),
    codes: ["E_GRADE", "E_RECEIPT", "E_TREE"],
    exit: 1,
  },
  {
    why: "an end before the start",
    fault: signed((files) =>
      editRecords<ReceiptRecord>(files, "receipts/reader.jsonl", (receipts) => {
        receipts[0]!.ended = "2020-01-01T00:00:00.000Z";
      }),
    ),
    codes: ["E_ANSWER", "E_RECEIPT"],
    exit: 1,
  },
  {
    why: "an answer with one blank more than the receipt's",
    fault: signed((files) =>
      editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
        answers[2]!.answer += " ";
      }),
    ),
    codes: ["E_ANSWER"],
    exit: 1,
  },
  {
    why: "an answer and its digest replaced by the reference",
    fault: signed((files) => {
      const references = files.get("evaluator/references.jsonl")!.toString("utf8").split("\n");
      editRecords<AnswerRecord>(files, "answers.jsonl", (answers) => {
        answers[0]!.answer = String((JSON.parse(references[0]!) as ReferenceRecord).reference);
        answers[0]!.answer_sha256 = sha256Hex(answers[0]!.answer);
      });
    }),
    codes: ["E_ANSWER", "E_GRADE", "E_TREE"],
    exit: 1,
  },
  {
    why: "a failed call's status made up",
    fault: signed((files) =>
      editRecords<ReceiptRecord>(files, "receipts/reader.jsonl", (receipts) => {
        receipts[0]!.status = "failed";
      }),
    ),
    codes: ["E_ANSWER", "E_RECEIPT"],
    exit: 1,
  },
  // References and grades
  {
    why: "two references swapped",
    fault: signed((files) =>
      editRecords<ReferenceRecord>(files, "evaluator/references.jsonl", (references) => {
        [references[0], references[1]] = [references[1]!, references[0]!];
      }),
    ),
    codes: ["E_GRADE", "E_REFERENCE", "E_TREE"],
    exit: 1,
  },
  {
    why: "a reference softened, and the dataset is at hand",
    fault: signed((files) =>
      editRecords<ReferenceRecord>(files, "evaluator/references.jsonl", (references) => {
        references[0]!.reference = "anything";
      }),
    ),
    dataset: harbourBytes(),
    codes: ["E_GRADE", "E_REFERENCE", "E_TREE"],
    exit: 1,
  },
  {
    why: "a grade raised",
    fault: signed((files) =>
      editRecords<GradeRecord>(files, GRADES, (grades) => {
        grades[0]!.score = 1;
      }),
    ),
    codes: ["E_ARITH", "E_GRADE", "E_TREE"],
    exit: 1,
  },
  {
    why: "a grade missing at the end",
    fault: signed((files) =>
      editRecords<GradeRecord>(files, GRADES, (grades) => {
        grades.pop();
      }),
    ),
    codes: ["E_GRADE", "E_TREE"],
    exit: 1,
  },
  // Trees, totals, amendments
  {
    why: "another root",
    fault: signed(
      () => {},
      (manifest) => {
        manifest.trees.item.root = "3".repeat(64);
      },
    ),
    codes: ["E_TREE"],
    exit: 1,
  },
  // Checkpoints
  {
    why: "a checkpoint of a tree that is one leaf shorter",
    fault: withCheckpoint("reader", ({ trees, ...lane }) => {
      const shorter = { ...trees, reader: { ...trees.reader, size: trees.reader.size - 1 } };
      return signCheckpoint({ ...lane, trees: shorter }, "reader", AUTHOR);
    }),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint of another root",
    fault: withCheckpoint("item", ({ trees, ...lane }) => {
      const other = { ...trees, item: { ...trees.item, root: "5".repeat(64) } };
      return signCheckpoint({ ...lane, trees: other }, "item", AUTHOR);
    }),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint of another lane",
    fault: withCheckpoint("item", (manifest) => signCheckpoint({ ...manifest, lane_id: "another" }, "item", AUTHOR)),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "the checkpoints of the version before",
    fault: (files) =>
      reseal(files, { checkpoints: "kept", edit: (manifest) => Object.assign(manifest, { lane_version: 2 }) }),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "the checkpoint of another tree",
    fault: withCheckpoint("reader", (manifest) => signCheckpoint(manifest, "evaluator", AUTHOR)),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "another origin under the right key's name",
    fault: withCheckpoint(
      "item",
      signedText("item", (text) => text.replace("sealane.dev", "sealane.example")),
    ),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "an extension line in a checkpoint",
    fault: withCheckpoint(
      "item",
      signedText("item", (text) => `${text}reviewed\n`),
    ),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint's size with a leading zero",
    fault: withCheckpoint(
      "item",
      signedText("item", (text) => text.replace("\n", "\n0")),
    ),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint by another key under the right name",
    fault: withCheckpoint("item", (manifest) => signCheckpoint(manifest, "item", testKey("thief"))),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint by another key under the right name and key id",
    fault: withCheckpoint("item", (manifest) => {
      const raw = (note: string): Buffer => Buffer.from(note.trimEnd().split(" ").at(-1)!, "base64");
      const right = signCheckpoint(manifest, "item", AUTHOR);
      const thief = raw(signCheckpoint(manifest, "item", testKey("thief")));
      const both = Buffer.concat([raw(right).subarray(0, 4), thief.subarray(4)]);
      return right.replace(raw(right).toString("base64"), both.toString("base64"));
    }),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint by a key under a name of its own",
    fault: withCheckpoint("item", (manifest) =>
      signNote(checkpointText(checkpointOf(manifest, "item")), "example.com/author", AUTHOR),
    ),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint that nobody signed",
    fault: withCheckpoint("item", (manifest) => checkpointText(checkpointOf(manifest, "item"))),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a line feed after a checkpoint",
    fault: withCheckpoint("item", (manifest) => `${signCheckpoint(manifest, "item", AUTHOR)}\n`),
    codes: ["E_CHECKPOINT"],
    exit: 1,
  },
  {
    why: "a checkpoint longer than any note",
    fault: withCheckpoint("item", (manifest) => signCheckpoint(manifest, "item", AUTHOR).padEnd(2 ** 20 + 1, "\n")),
    codes: ["E_LIMIT"],
    exit: 5,
  },
  {
    why: "one bit of a checkpoint changed",
    fault: (files) => replaceByte(files, "checkpoints/item", 30, 0x7a),
    codes: ["E_DIGEST"],
    exit: 1,
  },
  {
    why: "a mean rounded up",
    fault: signed((files) =>
      editDocument<Results>(files, "results.json", (results) => {
        results.endpoints[0]!.overall.score_mean = 0.5;
      }),
    ),
    codes: ["E_ARITH"],
    exit: 1,
  },
  {
    why: "a category's denominator shrunk",
    fault: signed((files) =>
      editDocument<Results>(files, "results.json", (results) => {
        results.endpoints[0]!.by_category[0]!.questions -= 1;
      }),
    ),
    codes: ["E_ARITH"],
    exit: 1,
  },
  {
    why: "an amendment taken out of the chain",
    fault: signed((files) => {
      const record: AmendmentRecord = {
        number: 2,
        previous_sha256: "4".repeat(64),
        time: "2026-01-01T00:00:00.000Z",
        reason: "x",
        decision: "retry-once",
      };
      files.set("amendments.jsonl", Buffer.from(`${canonicalJson(record)}\n`));
    }),
    codes: ["E_AMENDMENT"],
    exit: 1,
  },
];

for (const { why, fault, codes, exit, trust, dataset } of CASES) {
  t.test(why, async (t) => {
    const files = await goodLane();
    fault(files);
    const report = verifyFiles(files, trust ?? authorTrust(), dataset);
    t.strictSame(codesOf(report), codes);
    t.equal(report.exit_code, exit);
  });
}

/** Codes that no edit of a lane's files can bring about: a fault of the machine, or of a signature library. */
const NOT_BY_EDITING = new Set(["E_BACKENDS", "E_IO", "E_NOT_REGULAR"]);

t.test("every reason code of every check has a case", async (t) => {
  // Cases of trust files, of what was seen before and of what others say are run by signers, history and anchors.test.ts.
  const seen = new Set([...CASES, ...SIGNER_CASES, ...HISTORY_CASES, ...ANCHOR_CASES].flatMap((entry) => entry.codes));
  for (const check of CHECKS) {
    for (const code of check.emits) t.ok(seen.has(code) || NOT_BY_EDITING.has(code), `${check.id}: ${code}`);
  }
});
