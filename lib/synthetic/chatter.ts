// What people say between the facts: sentences of a session's topic, made of lists of our own. None of it answers a question.
import type { Chance } from "./chance.js";

const list = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

/** Each topic's things; a session keeps to one topic, so that its turns share words as those of a real one do. */
const TOPICS: readonly (readonly string[])[] = [
  list(
    "seedlings, compost, trellis, hose, greenhouse, slugs, mulch, pruning shears, rain barrel, raised bed, seed packets",
  ),
  list("sourdough, oven, dough scraper, rye flour, baking tray, crust, yeast, cooling rack, recipe card, mixing bowl"),
  list(
    "bicycle chain, saddle, brake pads, tyre levers, panniers, mudguard, cycle lane, headlight, puncture kit, helmet",
  ),
  list(
    "violin strings, rehearsal, music stand, metronome, concert hall, sheet music, bow rosin, encore, practice room",
  ),
  list("tent pegs, trail map, head torch, camp stove, sleeping bag, ridge path, water filter, rucksack, hiking poles"),
  list(
    "spreadsheet, invoice, budget column, receipts, tax form, quarterly figures, ledger, expense report, bank statement",
  ),
  list(
    "paintbrush, primer, canvas, watercolour block, easel, palette knife, varnish, sketchbook, gallery wall, charcoal",
  ),
  list(
    "server rack, log files, unit tests, deployment, pull request, build script, dashboard, cache, rollback, config file",
  ),
  list(
    "ferry, timetable, station platform, night train, luggage tag, connection, boarding pass, window seat, ticket office",
  ),
  list(
    "allotment committee, minutes, agenda, vote, treasurer, meeting room, noticeboard, petition, quorum, volunteers",
  ),
  list(
    "running shoes, stopwatch, interval session, warm-up, half marathon, training plan, finish line, hill repeats, bib",
  ),
  list(
    "chess opening, endgame, tournament hall, time control, rook, pawn structure, score sheet, sparring partner, club night",
  ),
  list("sewing machine, lining, buttonholes, linen, hem, thread, pattern paper, pinking shears, zip, mending pile"),
  list("aquarium, filter sponge, water test, gravel, snails, heater, algae, plants, feeding tray, quarantine tank"),
  list("telescope, eyepiece, meteor shower, star chart, tripod, eclipse, dew shield, observing log, dark sky site"),
  list(
    "library card, reading list, paperback, book club, chapter, bookmark, second-hand shop, reading lamp, translation",
  ),
];
const ADJECTIVES = list(
  "new, old, borrowed, broken, spare, tidy, expensive, cheap, heavy, light, missing, favourite, second, small, large, worn, clean, dusty",
);
const VERBS = list(
  "fix, order, clean, replace, check, label, sort, measure, move, pack, photograph, return, compare, store",
);
const PAST = list(
  "fixed, ordered, cleaned, replaced, checked, labelled, sorted, measured, moved, packed, photographed, returned",
);
const TIMES = list(
  "this morning, last night, over the weekend, before lunch, after work, on the way home, in the afternoon, while it rained",
);
const FEELINGS = list(
  "relieved, tired, pleased, puzzled, a bit annoyed, curious, rather proud, in two minds, hopeful, impatient",
);

type Slot = (thing: () => string, chance: Chance) => string;

const SENTENCES: readonly Slot[] = [
  (thing, chance) => `I ${chance.pick(PAST)} the ${chance.pick(ADJECTIVES)} ${thing()} ${chance.pick(TIMES)}.`,
  (thing, chance) => `The ${thing()} is ${chance.pick(ADJECTIVES)}, and the ${thing()} is not much better.`,
  (thing, chance) => `Do you think we should ${chance.pick(VERBS)} the ${thing()} or wait for the ${thing()}?`,
  (thing, chance) => `I felt ${chance.pick(FEELINGS)} when I saw the ${thing()} ${chance.pick(TIMES)}.`,
  (thing, chance) => `We could ${chance.pick(VERBS)} the ${chance.pick(ADJECTIVES)} ${thing()} together.`,
  (thing, chance) => `It took ${chance.between(2, 9)} tries to ${chance.pick(VERBS)} the ${thing()}.`,
  (thing) => `Somebody left the ${thing()} next to the ${thing()} again.`,
  (thing, chance) => `My list says: ${chance.pick(VERBS)} the ${thing()}, then ${chance.pick(VERBS)} the ${thing()}.`,
  (thing, chance) => `Honestly, the ${thing()} made me ${chance.pick(FEELINGS)}.`,
  (thing, chance) =>
    `There are ${chance.between(2, 40)} ways to ${chance.pick(VERBS)} a ${thing()}, and I know two of them.`,
  (thing, chance) =>
    `If the ${thing()} is ${chance.pick(ADJECTIVES)}, ${chance.pick(VERBS)} it first and keep the ${thing()} for later.`,
  (thing) => `You were right about the ${thing()}.`,
  (thing, chance) => `Next time I will ${chance.pick(VERBS)} the ${thing()} before anyone asks.`,
];

/** What one session talks about. */
export class Topic {
  readonly #things: readonly string[];

  constructor(chance: Chance) {
    this.#things = chance.pick(TOPICS);
  }

  /** So many sentences, joined by spaces. */
  talk(chance: Chance, sentences: number): string {
    const thing = (): string => chance.pick(this.#things);
    return Array.from({ length: sentences }, () => chance.pick(SENTENCES)(thing, chance)).join(" ");
  }
}
