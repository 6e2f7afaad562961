import { daysInMonth } from "./calendar.js";

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/**
 * Whether a text is a moment in UTC in the one form that lanes use: four digits of a year, a day that the proleptic Gregorian
 * calendar has, no leap second, milliseconds, "Z". Two such texts stand in the order of their moments.
 */
export function isInstant(text: string): boolean {
  const [, year, month, day] = INSTANT.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  return day >= 1 && day <= daysInMonth(year, month);
}
