// The standard normal distribution.

/** Continued fraction of the upper tail (Abramowitz and Stegun 26.2.14), for x where the series converges slowly. */
function tailFraction(x: number): number {
  let fraction = 0;
  for (let k = 200; k >= 1; k -= 1) fraction = k / (x + fraction);
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI) / (x + fraction);
}

/** P(Z ≥ x), to about 14 digits also far out in the tail. */
export function normalUpperTail(x: number): number {
  if (x < 0) return 1 - normalUpperTail(-x);
  if (x > 3) return tailFraction(x);
  // Φ(x) - 1/2 as a series of positive terms (Abramowitz and Stegun 26.2.11).
  let term = x;
  let sum = x;
  for (let k = 1; term > sum * 1e-18; k += 1) {
    term *= (x * x) / (2 * k + 1);
    sum += term;
  }
  return 0.5 - (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The x with P(Z ≤ x) = p, 0 < p < 1, by bisection on the tail. */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError("a probability lies between 0 and 1");
  if (p === 0.5) return 0;
  const tail = Math.min(p, 1 - p);
  let low = 0;
  let high = 40;
  for (let step = 0; step < 200; step += 1) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (normalUpperTail(middle) > tail) low = middle;
    else high = middle;
  }
  const x = (low + high) / 2;
  return p < 0.5 ? -x : x;
}
