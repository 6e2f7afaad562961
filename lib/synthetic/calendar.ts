// Minutes since 1 January 2023, 00:00, as a date of the Gregorian calendar; no clock and no time zone has a part in it.

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const two = (value: number): string => String(value).padStart(2, "0");

export interface Moment {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly weekday: string;
  /** HH:MM */
  readonly time: string;
}

export function momentOf(minutes: number): Moment {
  const days = Math.floor(minutes / 1440);
  let year = 2023;
  let left = days;
  while (left >= (isLeap(year) ? 366 : 365)) {
    left -= isLeap(year) ? 366 : 365;
    year += 1;
  }
  let month = 0;
  const length = (index: number): number => MONTH_DAYS[index]! + (index === 1 && isLeap(year) ? 1 : 0);
  while (left >= length(month)) {
    left -= length(month);
    month += 1;
  }
  return {
    year: String(year),
    month: two(month + 1),
    day: two(left + 1),
    // 1 January 2023 was a Sunday.
    weekday: WEEKDAYS[days % 7]!,
    time: `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`,
  };
}
