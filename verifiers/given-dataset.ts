import { historiesOf } from "../lib/dataset/histories.js";
import { adapterOf, type Dataset, identifyDataset, openDataset } from "../lib/dataset/index.js";
import type { Input } from "../lib/io/input.js";
import type { Manifest } from "../schemas/index.js";
import type { Read } from "./evidence.js";

/**
 * Opens a given dataset by the lane's adapter. Another one than the lane's is not parsed: it is told apart by its digest
 * alone, and nothing else is held against it. Throws E_UNKNOWN for an adapter this release does not have.
 */
export function openGiven(manifest: Read<Manifest>, given: Input): Dataset | undefined {
  if (!manifest.ok) return undefined;
  const { dataset } = manifest.value;
  const adapter = adapterOf(dataset.adapter);
  const found = identifyDataset(adapter, given);
  if (found.sha256 === dataset.sha256) return openDataset(adapter, given, true);
  const identity = { ...dataset, name: given.at, ...found, pinned: false };
  return {
    identity,
    name: given.at,
    licence: "",
    histories: historiesOf([]),
    asked: [],
    references: [],
    questionsTotal: 0,
    excluded: [],
  };
}
