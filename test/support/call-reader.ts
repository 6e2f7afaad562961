// Calls a server through the ollama reader, a number of times, and says nothing: what its test asks is who else speaks.
import { ollama } from "../../lib/reader/ollama.js";

const [, , url = "", count = "0", body = "{}"] = process.argv;
const reader = ollama.open({ url, deadlineMs: 2000 });
for (let call = 0; call < Number(count); call += 1) {
  await reader.identify("llama3.2").catch(() => {});
  await reader.send(body, new AbortController().signal).catch(() => {});
}
