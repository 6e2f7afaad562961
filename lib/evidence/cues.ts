import type { Arm } from "./arms/types.js";

/** Whether a question has a cue, given as the source of a regular expression in the protocol; upper and lower case alike. */
export function asksFor(question: string, cues: Arm["parameters"][string] | undefined): boolean {
  return new RegExp(String(cues), "iu").test(question);
}

/** The words of a question that a pattern finds, as they are written. */
export function wordsLike(question: string, pattern: Arm["parameters"][string] | undefined): string[] {
  return [...question.matchAll(new RegExp(String(pattern), "gu"))].map(([word]) => word);
}
