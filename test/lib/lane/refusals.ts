// Archives that must be refused, for the tests of this folder.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import t, { type Test } from "tap";
import { SealaneError } from "../../../lib/finding.js";
import type { Container } from "../../../lib/lane/archive-layout.js";
import { openArchive } from "../../../lib/lane/archive-source.js";
import { unpackLane } from "../../../lib/lane/pack.js";

/** The folder for temporary files while these tests run: whatever is refused leaves nothing there either. */
export const temporary = t.testdir();
const tmpdirBefore = process.env.TMPDIR;
process.env.TMPDIR = temporary;
t.teardown(() => {
  if (tmpdirBefore === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = tmpdirBefore;
});

/** The archive of any files, also of what `packLane` refuses. */
export function archiveOf(container: Container, lane: ReadonlyMap<string, Buffer>): Buffer {
  const files = [...lane].map(([path, bytes]) => ({ path, size: bytes.length }));
  const segments = container.segments(files, ({ path }) => crc32(lane.get(path)!));
  return Buffer.concat([...segments].map((part) => (part.kind === "fixed" ? part.bytes : lane.get(part.file.path)!)));
}

/** Expects that neither `openArchive` nor `unpackLane` accepts a file, and that nothing is made. */
export async function refuse(t: Test, file: string, code: string | undefined, title: string): Promise<void> {
  const out = join(t.testdirName, "out");
  for (const attempt of [() => openArchive(file), () => unpackLane(file, out)]) {
    const error = await attempt().catch((cause: unknown) => cause);
    if (!(error instanceof SealaneError)) {
      t.fail(`${title}: not refused as it should be`, { error });
    } else if (code === undefined) {
      t.pass(`${title}: ${error.code}`);
    } else {
      t.equal(error.code, code, `${title}: ${error.message}`);
    }
  }
  t.notOk(existsSync(out), `${title}: nothing is extracted`);
  t.same(readdirSync(temporary), [], `${title}: no temporary file is left`);
}

/** Expects that each of the given bytes, as a file of that name, is refused with that code. */
export async function refuseAll(
  t: Test,
  name: string,
  cases: Iterable<readonly [string, Buffer, string]>,
): Promise<void> {
  const dir = t.testdir();
  const file = join(dir, name);
  for (const [title, bytes, code] of cases) {
    writeFileSync(file, bytes);
    await refuse(t, file, code, title);
    t.same(readdirSync(dir), [name], `${title}: nothing is left behind`);
  }
}

/** The places of the contents of a lane's files in an archive, as the contents themselves tell. */
export function contents(archive: Buffer, lane: ReadonlyMap<string, Buffer>): [number, number][] {
  return [...lane.values()].map((bytes) => [archive.indexOf(bytes), archive.indexOf(bytes) + bytes.length]);
}
