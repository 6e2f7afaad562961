// Preloaded into a process (`node --import`): whatever would write a file, open a socket, resolve a name or start a program throws.
import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import http from "node:http";
import https from "node:https";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import tls from "node:tls";
import workers from "node:worker_threads";

const FORBIDDEN: readonly (readonly [object, readonly string[]])[] = [
  [
    fs,
    [
      "appendFile appendFileSync chmod chmodSync chown chownSync copyFile copyFileSync cp cpSync createWriteStream",
      "fchmodSync fchownSync ftruncateSync futimesSync lchownSync link linkSync lutimesSync mkdir mkdirSync mkdtemp",
      "mkdtempSync rename renameSync rm rmSync rmdir rmdirSync symlink symlinkSync truncate truncateSync unlink",
      "unlinkSync utimes utimesSync write writeFile writeFileSync writeSync writev writevSync",
    ].flatMap((names) => names.split(" ")),
  ],
  [fs.promises, ["appendFile", "copyFile", "cp", "mkdir", "mkdtemp", "open", "rename", "rm", "unlink", "writeFile"]],
  [net, ["connect", "createConnection", "createServer"]],
  [net.Socket.prototype, ["connect"]],
  [tls, ["connect"]],
  [http, ["request", "get"]],
  [https, ["request", "get"]],
  [dgram, ["createSocket"]],
  [dns, ["lookup", "resolve", "resolve4", "resolve6"]],
  [childProcess, ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"]],
  [workers, ["Worker"]],
  [globalThis, ["fetch"]],
];

for (const [module, names] of FORBIDDEN) {
  for (const name of names) {
    Object.defineProperty(module, name, {
      value: () => {
        throw new Error(`FORBIDDEN: ${name}`);
      },
    });
  }
}

const { openSync } = fs;
fs.openSync = (path, flags, mode) => {
  const reading =
    flags === "r" || (typeof flags === "number" && (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) === 0);
  if (!reading) throw new Error(`FORBIDDEN: openSync ${String(path)} ${String(flags)}`);
  return openSync(path, flags, mode);
};

syncBuiltinESMExports();
