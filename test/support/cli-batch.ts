// Runs many commands of the built command line in this one process, each as if it were its own: the main module is
// evaluated anew for each, so that only the start of a process is saved. Reads argument lists from a file, as JSON, and
// writes what came of each as JSON on stdout.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { CLI, type Ended } from "./cli.js";

const commands = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as string[][];
const main = pathToFileURL(CLI).href;
const said = { stdout: "", stderr: "" };
const write = process.stdout.write.bind(process.stdout);
for (const name of ["stdout", "stderr"] as const) {
  process[name].write = (chunk: string | Uint8Array): boolean => {
    said[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  };
}
process.stdout.setMaxListeners(0);
process.on("warning", (warning) => {
  said.stderr += String(warning);
});

const results: Ended[] = [];
for (const [number, args] of commands.entries()) {
  said.stdout = "";
  said.stderr = "";
  process.exitCode = undefined;
  process.argv = [process.execPath, CLI, ...args];
  try {
    await import(`${main}?command=${number}`);
  } catch (error) {
    // As node itself ends over it.
    process.exitCode = 1;
    said.stderr += String((error as Error).stack);
  }
  results.push({ code: Number(process.exitCode ?? 0), signal: null, ...said });
}
process.exitCode = 0;
write(JSON.stringify(results));
