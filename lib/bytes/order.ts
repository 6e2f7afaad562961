/** Order by UTF-16 code units, whatever the locale: the order of RFC 8785 keys and, for ASCII, of bytes. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
