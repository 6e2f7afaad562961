// Programs of other people, as they stand on PATH; and a lane on disk for them, signed by a key of the tests.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FolderSource } from "../../lib/io/folder-source.js";
import { openSignedLane, type SignedLane } from "../../lib/lane/lane-files.js";
import { publicKeyPem } from "../../lib/manifest/keys.js";
import { goodLane, type LaneFiles } from "./lane.js";
import { testKey, testKeyPem } from "./test-key.js";

export interface Tool {
  /** Why its tests cannot run here, or false. */
  readonly skip: string | false;
  /** What it said of its version. */
  readonly version: string;
  /** Whether a run of it ended with 0; what it said is in `said`. */
  run(args: readonly string[], more?: { cwd?: string; input?: string | Uint8Array }): { ok: boolean; said: string };
}

/** A program whose output to `question` matches `answer`, or a reason to skip. */
export function tool(name: string, question: readonly string[], answer: RegExp): Tool {
  const run: Tool["run"] = (args, more = {}) => {
    const { status, stdout, stderr } = spawnSync(name, args, { ...more, env: { PATH: process.env.PATH, LC_ALL: "C" } });
    return { ok: status === 0, said: `${stdout ?? ""}${stderr ?? ""}` };
  };
  const version = answer.exec(run(question).said)?.[0] ?? "";
  return { skip: version === "" ? `no ${name} on PATH` : false, version, run };
}

export function writeLane(folder: string, files: LaneFiles): void {
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

export interface LaneOnDisk {
  readonly dir: string;
  /** The lane's folder. */
  readonly lane: string;
  file(name: string): string;
  open(): SignedLane;
}

/** `lane/`, signed by the test author, and the key's files author.pem (as only its owner reads it) and author.pub.pem. */
export async function laneOnDisk(dir: string): Promise<LaneOnDisk> {
  const file = (name: string): string => join(dir, name);
  const lane = file("lane");
  writeLane(lane, await goodLane());
  writeFileSync(file("author.pem"), testKeyPem("author"), { mode: 0o600 });
  writeFileSync(file("author.pub.pem"), publicKeyPem(testKey("author")));
  return { dir, lane, file, open: () => openSignedLane(new FolderSource(lane)) };
}
