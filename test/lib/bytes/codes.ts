import { SealaneError } from "../../../lib/finding.js";

/** The reason code an action fails with, or "accepted"; what is not a SealaneError is a bug and thrown on. */
export function codeOf(action: () => unknown): string {
  try {
    action();
    return "accepted";
  } catch (error) {
    if (error instanceof SealaneError) return error.code;
    throw error;
  }
}
