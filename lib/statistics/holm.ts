export interface HolmEntry {
  readonly adjusted: number;
  readonly reject: boolean;
}

/**
 * Holm's step-down adjustment over one family (Holm 1979), in the order given; equal p keep that order. A slot that was registered
 * but could not be tested is null: it stays in the family with p = 1.
 */
export function holm(family: readonly (number | null)[], alpha: number): HolmEntry[] {
  const p = family.map((value) => value ?? 1);
  const order = p.map((_, index) => index).sort((a, b) => p[a]! - p[b]! || a - b);
  const adjusted = new Array<number>(p.length);
  let highest = 0;
  for (const [rank, index] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (p.length - rank) * p[index]!));
    adjusted[index] = highest;
  }
  return adjusted.map((value) => ({ adjusted: value, reject: value <= alpha }));
}
