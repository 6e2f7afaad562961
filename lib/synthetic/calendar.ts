// Minutes since 1 January 2023, 00:00, as a date of the Gregorian calendar; no clock and no time zone has a part in it.
import { daysInMonth } from "../bytes/calendar.js";

const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

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
  let month = 1;
  let left = days;
  while (left >= daysInMonth(year, month)) {
    left -= daysInMonth(year, month);
    month += 1;
    if (month > 12) {
      month = 1;
      year += 1;
    }
  }
  return {
    year: String(year),
    month: two(month),
    day: two(left + 1),
    // 1 January 2023 was a Sunday.
    weekday: WEEKDAYS[days % 7]!,
    time: `${two(Math.floor(minutes / 60) % 24)}:${two(minutes % 60)}`,
  };
}
