// The proleptic Gregorian calendar, the same for whoever asks.

/** In English, from January. */
export const MONTH_NAMES: readonly string[] =
  "January February March April May June July August September October November December".split(" ");

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days of a month counted from one; 0 where there is no such month. */
export function daysInMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return (DAYS[month - 1] ?? 0) + (month === 2 && isLeap ? 1 : 0);
}
