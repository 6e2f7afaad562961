// Holds a ledger, with one call in flight and one answered, until it is killed.
import { SqliteCallStore } from "../../lib/run/sqlite.js";

const store = new SqliteCallStore(process.argv[2] ?? "");
const started = "2026-01-01T00:00:00.000Z";
const [attempt, requestSha256] = [1, "0".repeat(64)];
store.bind("1".repeat(64));
store.dispatch({ questionId: "answered", attempt, requestSha256, started });
store.finish({
  questionId: "answered",
  attempt,
  state: "completed",
  ended: started,
  httpStatus: 200,
  response: Buffer.from("held"),
  error: null,
});
store.dispatch({ questionId: "in-flight", attempt, requestSha256, started });
process.stdout.write("held\n");
setInterval(() => {}, 1000);
