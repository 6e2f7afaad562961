import { createRequire } from "node:module";
import { join } from "node:path";
import type { Tool } from "../schemas/index.js";
import { packageRoot } from "./io/package-root.js";

const { version } = createRequire(import.meta.url)(join(packageRoot(), "package.json")) as { version: string };

/** This release, as documents name it. */
export const TOOL: Tool = { name: "sealane", version };
