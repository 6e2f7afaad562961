import { SealaneError } from "../finding.js";
import type { Input } from "../io/input.js";
import type { DatasetAdapter, ParsedDataset } from "./types.js";

/** The one file of a dataset that is one; throws E_IO on a folder. */
export function theFile({ at, kind }: Input): readonly string[] {
  if (kind === "file") return [at];
  throw new SealaneError("E_IO", `${at} is a folder; this dataset is one file`, {
    at,
    next: "Name the file itself.",
  });
}

/** How an adapter reads a dataset of one file that is small enough to be held whole. */
export function wholeFile(
  parse: (bytes: Uint8Array, at: string) => ParsedDataset,
): Pick<DatasetAdapter, "files" | "read"> {
  return { files: theFile, read: (reader) => parse(reader.whole(reader.input.at), reader.input.at) };
}
