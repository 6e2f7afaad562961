/** Time as an argument: nothing but this reads the clock. */
export interface Clock {
  /** Now, in UTC with milliseconds (RFC 3339). */
  now(): string;
}

export const systemClock: Clock = { now: () => new Date().toISOString() };

/** Milliseconds since 1970 in UTC with milliseconds (RFC 3339), as all times are written here. Reads no clock. */
export function utcText(ms: number): string {
  return new Date(ms).toISOString();
}
