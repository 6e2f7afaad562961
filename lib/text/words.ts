/** Words as the indexes know them: runs of letters, marks and digits, lower-cased, whatever the locale. */
export function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
