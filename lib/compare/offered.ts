import type { OfferedPacket } from "../../schemas/index.js";
import { parseStrictJson } from "../bytes/json.js";
import { LineReader } from "../io/lines.js";
import type { SourceFile } from "../io/source.js";
import { checked, type Located } from "../records/documents.js";

/** A file with a line feed more at its end: others do not always write the last one. */
function ended(file: SourceFile): SourceFile {
  return {
    size: file.size + 1,
    read(buffer, position) {
      if (position > file.size) return 0;
      const count = file.read(buffer, position);
      if (count > 0 || buffer.length === 0) return count;
      buffer[0] = 0x0a;
      return 1;
    },
    close: () => file.close(),
  };
}

/**
 * Packets as others write them: JSON of any layout, one a line; empty lines are none. Throws E_UTF8, E_JSON, E_SURROGATE, E_SCHEMA
 * (or a code that says more), E_LIMIT.
 * @param path the file's name, for messages
 */
export function* offeredPackets(file: SourceFile, path: string): Generator<Omit<Located<OfferedPacket>, "bytes">> {
  const lines = new LineReader(ended(file), path);
  for (let bytes = lines.next(); bytes; bytes = lines.next()) {
    const at = `${path}:${lines.line}`;
    if (bytes.toString("latin1").trim() === "") continue;
    yield { value: checked("offered-packet", parseStrictJson(bytes, at), at), line: lines.line };
  }
}
