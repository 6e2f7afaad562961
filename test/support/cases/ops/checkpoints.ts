// Edits of checkpoints: signed notes about a tree, by any key, under any name, saying anything.
import { checkpointOf, checkpointText, originOf } from "../../../../lib/manifest/checkpoint.js";
import { signNote } from "../../../../lib/manifest/note.js";
import { checkpointPath, LANE_FILES } from "../../../../lib/records/documents.js";
import type { Envelope, Manifest, TreeName } from "../../../../schemas/index.js";
import { testKey } from "../../test-key.js";
import { BESIDE } from "../bench.js";
import { EDITS, INTEGER, oneOf, op, optional, TEXT, VALUE } from "../op.js";
import { resolved } from "../values.js";

const TREE = oneOf("reader", "evaluator", "item");

/** The bytes of a note's last signature line: key id and signature. */
const lastLine = (note: string): Buffer => Buffer.from(note.trimEnd().split(" ").at(-1)!, "base64");

export const CHECKPOINT_OPS = {
  /**
   * A checkpoint of a tree (or of another, with `of`), its text edited first as "checkpoint.txt"; signed by a key, under the
   * tree's name or another, and with the key id that another key would have under that name. Without `by`, not signed at all.
   */
  "checkpoint.sign": op(
    {
      tree: TREE,
      by: optional(TEXT),
      of: optional(TREE),
      edits: optional(EDITS),
      name: optional(VALUE),
      id_of: optional(TEXT),
    },
    (bench, { tree, by, of = tree, edits, name, id_of }) => {
      const manifest = bench.document(LANE_FILES.manifest) as unknown as Manifest;
      const own = Buffer.from(checkpointText(checkpointOf(manifest, of as TreeName)));
      const text = bench.edited(BESIDE.checkpoint, own, edits).toString("utf8");
      const signer = name === undefined ? originOf(manifest, of as TreeName) : (resolved(name, bench) as string);
      let note = text;
      if (by !== undefined) note = signNote(text, signer, testKey(by));
      if (by !== undefined && id_of !== undefined) {
        const right = lastLine(signNote(text, signer, testKey(id_of)));
        const both = Buffer.concat([right.subarray(0, 4), lastLine(note).subarray(4)]);
        note = note.replace(lastLine(note).toString("base64"), both.toString("base64"));
      }
      bench.files.set(checkpointPath(tree as TreeName), Buffer.from(note));
    },
  ),
  /** Puts a signature of the envelope in the place of a checkpoint's own, under the same name and key id. */
  "checkpoint.paste": op({ tree: TREE, index: INTEGER }, (bench, { tree, index }) => {
    const path = checkpointPath(tree as TreeName);
    const note = bench.bytes(path).toString("utf8");
    const own = lastLine(note);
    const { signatures } = bench.document(LANE_FILES.envelope) as unknown as Envelope;
    const other = Buffer.concat([own.subarray(0, 4), Buffer.from(signatures[index]!.sig, "base64")]);
    bench.files.set(path, Buffer.from(note.replace(own.toString("base64"), other.toString("base64"))));
  }),
} as const;
