// The logarithm of the gamma function, and the regularised incomplete beta function over it.

/** Stirling's series from here on is exact to a double's last bits. */
const LARGE = 15;
/** B(2k) / (2k (2k - 1)), k = 1.. (Abramowitz and Stegun 6.1.41). */
const SERIES = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156, -3617 / 122400];

/** ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  let shifted = x;
  let product = 1;
  while (shifted < LARGE) {
    product *= shifted;
    shifted += 1;
  }
  let power = 1 / shifted;
  const square = power * power;
  let sum = 0;
  for (const coefficient of SERIES) {
    sum += coefficient * power;
    power *= square;
  }
  return (shifted - 0.5) * Math.log(shifted) - shifted + 0.5 * Math.log(2 * Math.PI) + sum - Math.log(product);
}

const TINY = 1e-300;
const STEPS_MAX = 100_000;

/** The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes, 3rd ed., section 6.4). */
function betaFraction(a: number, b: number, x: number): number {
  const away = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= STEPS_MAX; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-16) break;
  }
  return fraction;
}

/** I_x(a, b) for a, b > 0 and x in [0, 1]. */
export function incompleteBeta(a: number, b: number, x: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(a, b, x)) / a : 1 - (front * betaFraction(b, a, 1 - x)) / b;
}
