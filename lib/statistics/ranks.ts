/** Ranks from one, equal values sharing the mean of theirs; and the sizes of the groups of equal values. */
export function midranks(values: readonly number[]): { ranks: number[]; ties: number[] } {
  const order = values.map((_, index) => index).sort((a, b) => values[a]! - values[b]!);
  const ranks = new Array<number>(values.length);
  const ties: number[] = [];
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end]!] === values[order[start]!]) end += 1;
    for (let place = start; place < end; place += 1) ranks[order[place]!] = (start + 1 + end) / 2;
    if (end - start > 1) ties.push(end - start);
    start = end;
  }
  return { ranks, ties };
}
