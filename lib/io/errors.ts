import { SealaneError } from "../finding.js";

const PLAIN: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "it is a symbolic link, which is not followed",
  EEXIST: "it is there already",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many files are open",
};

/** Broken I/O as an error of ours: E_MISSING for what is not there, E_IO for the rest. An error of ours stays as it is. */
export function ioError(cause: unknown, path: string): unknown {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  if (cause instanceof SealaneError || typeof code !== "string" || !/^E[A-Z]+$/.test(code)) return cause;
  const why = PLAIN[code] ?? code;
  return new SealaneError(code === "ENOENT" ? "E_MISSING" : "E_IO", `${path}: ${why}`, { at: path, cause });
}
