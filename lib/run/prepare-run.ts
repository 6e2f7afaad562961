import { createHash } from "node:crypto";
import { join } from "node:path";
import type { FileEntry, PreparationProtocol, Run } from "../../schemas/index.js";
import { idListSha256, sha256Hex } from "../bytes/digest.js";
import { canonicalJson } from "../bytes/json.js";
import { byCodeUnit } from "../bytes/order.js";
import type { Dataset } from "../dataset/index.js";
import { populationRecord, referenceRecord } from "../dataset/records.js";
import type { VectorSource } from "../embedding/types.js";
import { preparePackets, QuotedTurns } from "../evidence/prepare.js";
import type { Tokenizer } from "../evidence/tokens.js";
import { FileWriter, makeFolder, writeNewFile } from "../io/atomic.js";
import type { Clock } from "../io/clock.js";
import { turns } from "../io/pause.js";
import { LANE_FILES } from "../records/documents.js";
import { TOOL } from "../tool.js";
import { EVIDENCE_FILE, RUN_FILE, recordLine } from "./folder.js";

/** Writes record files into a folder and notes the length and digest of each. */
export class RecordFiles {
  readonly entries: FileEntry[] = [];
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  open(path: string): { write(record: object): void; close(): void } {
    const writer = new FileWriter(join(this.#folder, path));
    const hash = createHash("sha256");
    let size = 0;
    return {
      write: (record) => {
        const line = recordLine(record);
        hash.update(line);
        size += Buffer.byteLength(line);
        writer.write(line);
      },
      close: () => {
        writer.close();
        this.entries.push({ path, size, sha256: hash.digest("hex") });
      },
    };
  }

  writeAll(path: string, records: Iterable<object>): void {
    const file = this.open(path);
    for (const record of records) file.write(record);
    file.close();
  }
}

export interface PreparedSummary {
  readonly questions: number;
  readonly tokensTotal: number;
  readonly tokensMax: number;
  readonly skipped: number;
}

/**
 * Prepares every packet of a dataset into a new run folder. References go to evaluator/, apart from all that a reader is
 * given. Throws E_EXISTS, E_IO, E_BUDGET, E_SPAN, E_VECTOR, E_CANCELLED; on failure no folder is left.
 */
export async function prepareRun(
  dataset: Dataset,
  protocol: PreparationProtocol,
  out: string,
  options: {
    clock: Clock;
    stop: AbortSignal;
    onProgress: (done: number, total: number) => void;
    /** The protocol's tokenizer, when it is a file of the user's. */
    tokenizer?: Tokenizer | undefined;
    vectors?: VectorSource | null;
  },
): Promise<PreparedSummary> {
  return makeFolder(out, async (folder) => {
    const turn = turns(options.stop);
    const files = new RecordFiles(folder);
    files.writeAll(LANE_FILES.population, dataset.asked.map(populationRecord));
    files.writeAll(LANE_FILES.references, dataset.references.map(referenceRecord));
    const packets = files.open(LANE_FILES.packets);
    const evidence = files.open(EVIDENCE_FILE);
    const quoted = new QuotedTurns();
    const summary = { questions: 0, tokensTotal: 0, tokensMax: 0, skipped: 0 };
    for (const packet of preparePackets(dataset, protocol, options.vectors ?? null, options.tokenizer)) {
      packets.write(packet.record);
      evidence.write({ question_id: packet.record.question_id, body: packet.evidence });
      quoted.add(dataset.histories.get(dataset.asked[summary.questions]!.historyId)!, packet.record.spans);
      summary.questions += 1;
      summary.tokensTotal += packet.record.tokens;
      summary.tokensMax = Math.max(summary.tokensMax, packet.record.tokens);
      summary.skipped += packet.record.skipped;
      options.onProgress(summary.questions, dataset.asked.length);
      await turn();
    }
    packets.close();
    evidence.close();
    files.writeAll(LANE_FILES.turns, quoted.records(dataset.histories.ids));
    const preparation = canonicalJson(protocol);
    const preparationFile = new FileWriter(join(folder, LANE_FILES.preparation));
    preparationFile.write(preparation);
    preparationFile.close();
    const preparationSha256 = sha256Hex(preparation);
    files.entries.push({
      path: LANE_FILES.preparation,
      size: Buffer.byteLength(preparation),
      sha256: preparationSha256,
    });
    const run: Run = {
      schema: "sealane-run/1",
      tool: TOOL,
      created: options.clock.now(),
      preparation_sha256: preparationSha256,
      population: {
        count: dataset.asked.length,
        ids_sha256: idListSha256(dataset.asked.map((asked) => asked.questionId)),
      },
      files: files.entries.sort((a, b) => byCodeUnit(a.path, b.path)),
    };
    writeNewFile(join(folder, RUN_FILE), canonicalJson(run));
    return summary;
  });
}
