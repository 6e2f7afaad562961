/** Function words of English, which say nothing of what a text is about. Part of the arm that uses it: a change is another arm. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a about an and are as at be been being but by can could d did do does doing done for from had has have having he her here " +
    "him his how i if in into is it its just ll m may me might must my no nor not of on or our re s shall she should so t than " +
    "that the their them then there these they this those to too us ve very was we were what when where which who whom whose " +
    "why will with would you your"
  ).split(" "),
);
