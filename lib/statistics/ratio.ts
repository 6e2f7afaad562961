/** Bits of a positive integer. */
function bitLength(value: bigint): number {
  const hex = value.toString(16);
  return (hex.length - 1) * 4 + (32 - Math.clz32(Number.parseInt(hex[0]!, 16)));
}

/**
 * numerator / denominator as the nearest double, ties to even: what Python's int / int gives. Both are exact integers of any
 * size, the first at least 0 and the second above 0; a quotient below the normal range is rounded twice.
 */
export function ratio(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0;
  // Scaled so that the integer quotient has 54 or 55 bits: a double's 53, one or two to round by, and `sticky` for what is left.
  const shift = bitLength(denominator) - bitLength(numerator) + 54;
  const [over, under] =
    shift >= 0 ? [numerator << BigInt(shift), denominator] : [numerator, denominator << BigInt(-shift)];
  const quotient = over / under;
  const sticky = over % under === 0n ? 0n : 1n;
  // Number() of an integer rounds to nearest, ties to even; the sticky bit keeps a tie from seeming to be one.
  const mantissa = Number((quotient << 1n) | sticky);
  const exponent = -shift - 1;
  return exponent < -1000 ? mantissa * 2 ** -500 * 2 ** (exponent + 500) : mantissa * 2 ** exponent;
}
