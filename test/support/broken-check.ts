// Preloaded into a process (`node --import`): the check named by the environment breaks, at its start, at a row or at its end.
import { CHECKS } from "../../verifiers/checks/index.js";

const [id, where] = (process.env.BROKEN_CHECK ?? "").split(" ");
const check = CHECKS.find((candidate) => candidate.id === id) as { start: (...args: never[]) => object } | undefined;
if (!check) throw new Error(`there is no check ${id}`);
const start = check.start.bind(check);
const broken = (): never => {
  throw new TypeError("Cannot read properties of undefined");
};
check.start = (...args) => (where === "start" ? broken() : { ...start(...args), [where ?? ""]: broken });
