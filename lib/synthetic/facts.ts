// What a history is asked about: facts that one speaker tells of people he knows, planted as single turns. Every fact has an
// owner of its own, so that one question's support never answers another.
import type { Chance } from "./chance.js";

const list = (text: string): readonly string[] => text.trim().split(/\s*,\s*/);

const RELATIONS = list(
  "cousin, neighbour, colleague, aunt, flatmate, dentist, landlord, godmother, nephew, choir friend, old teacher, tenant",
);
const NAMES = list(
  "Ada, Bram, Celia, Dario, Edda, Farid, Greta, Hanno, Ilse, Jonas, Katja, Lorenz, Mirela, Nuno, Oskar, Petra, Quirin, Runa, Silas, Tilde, Ulf, Vera, Wanda, Xenia, Yorick, Zora, Anouk, Benno, Clio, Dunja, Emil, Frieda, Gideon, Henrike, Ivo, Jette, Kolja, Liv, Mats, Noor",
);
export const SPEAKERS = list("Marta, Tobias, Helen, Rafael, Sonja, Andrei, Paula, Viktor, Ines, Leon, Judith, Samir");

interface Attribute {
  readonly values: readonly string[];
  /** How it is told; `owner` reads "my cousin Ilse". */
  readonly told: readonly ((owner: string, value: string) => string)[];
  readonly changed: (owner: string, value: string) => string;
  readonly denied: (owner: string, value: string) => string;
  /** How it is asked for; `owner` reads "Marta's cousin Ilse". */
  readonly asked: (owner: string) => string;
  /** What is asked for, as part of a longer question. */
  readonly thing: (owner: string) => string;
}

const ATTRIBUTES: readonly Attribute[] = [
  {
    values: list(
      "Aarhus, Bergen, Cádiz, Dresden, Évora, Fribourg, Ghent, Haarlem, Izmir, Jena, Košice, Lund, Malmö, Nantes, Odense",
    ),
    told: [
      (owner, value) => `By the way, ${owner} lives in ${value}.`,
      (owner, value) => `I rang ${owner} at home in ${value}.`,
    ],
    changed: (owner, value) => `News: ${owner} has moved and lives in ${value} now.`,
    denied: (owner, value) => `I must take something back: ${owner} never lived in ${value}.`,
    asked: (owner) => `In which town does ${owner} live?`,
    thing: (owner) => `the town where ${owner} lives`,
  },
  {
    values: list(
      "baker, surveyor, nurse, welder, librarian, pilot, florist, notary, plumber, beekeeper, violin maker, geologist",
    ),
    told: [
      (owner, value) => `Did I ever say that ${owner} works as a ${value}?`,
      (owner, value) => `You would like ${owner}, who is a ${value} by trade.`,
    ],
    changed: (owner, value) => `Imagine, ${owner} changed trades and works as a ${value} these days.`,
    denied: (owner, value) => `I got it wrong: ${owner} has never worked as a ${value}.`,
    asked: (owner) => `What does ${owner} do for a living?`,
    thing: (owner) => `the trade of ${owner}`,
  },
  {
    values: list(
      "a grey parrot, two goats, a tortoise, a lame greyhound, three hens, a blind cat, a pony, a ferret, a hedgehog, an old dachshund",
    ),
    told: [
      (owner, value) => `At the house of ${owner} there is ${value}, by the way.`,
      (owner, value) => `It was ${owner} who took in ${value}.`,
    ],
    changed: (owner, value) => `The animals changed: ${owner} now keeps ${value} instead.`,
    denied: (owner, value) => `That was a mix-up: ${owner} never kept ${value}.`,
    asked: (owner) => `Which animals does ${owner} keep?`,
    thing: (owner) => `the pets of ${owner}`,
  },
  {
    values: list(
      "peanuts, shellfish, buckwheat, celery, kiwi, lupin, mustard, penicillin, sesame, bee stings, walnuts, apricots",
    ),
    told: [
      (owner, value) => `Careful with the food: ${owner} is allergic to ${value}.`,
      (owner, value) => `We changed the menu, since ${value} would make ${owner} ill.`,
    ],
    changed: (owner, value) =>
      `The tests came back, and ${owner} turns out to be allergic to ${value}, not to what was thought.`,
    denied: (owner, value) => `Forget what I said: ${owner} was never allergic to ${value}.`,
    asked: (owner) => `What is ${owner} allergic to?`,
    thing: (owner) => `the allergy of ${owner}`,
  },
  {
    values: list(
      "the oboe, the accordion, the tuba, the zither, the harp, the banjo, the bassoon, the cello, the hurdy-gurdy, the timpani",
    ),
    told: [
      (owner, value) => `We could ask ${owner} to play ${value} for us.`,
      (owner, value) => `Every Thursday ${owner} has a lesson on ${value}.`,
    ],
    changed: (owner, value) => `No more of the old instrument: ${owner} switched to ${value}.`,
    denied: (owner, value) => `It seems that I made it up: ${owner} never played ${value}.`,
    asked: (owner) => `Which instrument does ${owner} play?`,
    thing: (owner) => `the instrument that ${owner} plays`,
  },
  {
    values: list(
      "a green Fiat, a rusty van, a cargo bike, a motorboat, an old tractor, a white Volvo, a moped, a camper, a tandem",
    ),
    told: [
      (owner, value) => `You will know ${owner} by the vehicle: ${value}.`,
      (owner, value) => `When ${owner} comes, look out for ${value}.`,
    ],
    changed: (owner, value) => `The old vehicle is gone, and ${owner} gets about in or on ${value}.`,
    denied: (owner, value) => `I looked again: ${owner} never owned ${value}.`,
    asked: (owner) => `Which vehicle does ${owner} use?`,
    thing: (owner) => `the vehicle of ${owner}`,
  },
];

export const KINDS = [
  "single-hop",
  "multi-hop",
  "knowledge-update",
  "temporal",
  "contradiction",
  "unanswerable",
] as const;

/** A sentence and the part of the history, from 0 up to 1, at which it is told. */
export interface Plant {
  readonly at: number;
  readonly sentence: string;
}

export interface PlannedQuestion {
  readonly kind: (typeof KINDS)[number];
  readonly question: string;
  readonly reference: string | null;
  /** Its support, in order of time. */
  readonly plants: readonly Plant[];
}

/** Owners a history can have, each of them once. */
const OWNERS = RELATIONS.flatMap((relation) => NAMES.map((name) => `${relation} ${name}`));
/** So many questions one history can be asked at most, each with owners of its own. */
export const QUESTIONS_MAX = Math.floor(OWNERS.length / 2);

/** `count` questions about what `speaker` tells, the kinds in turn. */
export function planQuestions(chance: Chance, speaker: string, count: number): PlannedQuestion[] {
  const owners = chance.shuffled(OWNERS);
  return Array.from({ length: count }, (_, index) =>
    planned(chance, KINDS[index % KINDS.length]!, speaker, owners[2 * index]!, owners[2 * index + 1]!),
  );
}

function planned(
  chance: Chance,
  kind: PlannedQuestion["kind"],
  speaker: string,
  owner: string,
  other: string,
): PlannedQuestion {
  const attribute = chance.pick(ATTRIBUTES);
  const [first, second] = chance.shuffled(attribute.values) as [string, string];
  const tell = (of: string, value: string): string => chance.pick(attribute.told)(`my ${of}`, value);
  // Two moments that cannot fall together: one in each half.
  const early = chance.below(400_000) / 1_000_000;
  const late = 0.5 + chance.below(400_000) / 1_000_000;
  const asked = attribute.asked(`${speaker}'s ${owner}`);
  switch (kind) {
    case "single-hop":
      return {
        kind,
        question: asked,
        reference: first,
        plants: [{ at: chance.below(2) === 0 ? early : late, sentence: tell(owner, first) }],
      };
    case "multi-hop":
      return {
        kind,
        question: `What are ${attribute.thing(`${speaker}'s ${owner}`)} and ${attribute.thing(`${speaker}'s ${other}`)}?`,
        reference: `${first} and ${second}`,
        plants: [
          { at: early, sentence: tell(owner, first) },
          { at: late, sentence: tell(other, second) },
        ],
      };
    case "knowledge-update":
      return {
        kind,
        question: asked,
        reference: second,
        plants: [
          { at: early, sentence: tell(owner, first) },
          { at: late, sentence: attribute.changed(`my ${owner}`, second) },
        ],
      };
    case "temporal":
      return {
        kind,
        question: `What did ${speaker} mention first: ${[owner, other]
          .toSorted()
          .map((of) => attribute.thing(`the ${of}`))
          .join(", or ")}?`,
        reference: attribute.thing(`the ${owner}`),
        plants: [
          { at: early, sentence: tell(owner, first) },
          { at: late, sentence: tell(other, second) },
        ],
      };
    case "contradiction":
      return {
        kind,
        question: asked,
        reference: `First ${first}; later that was denied.`,
        plants: [
          { at: early, sentence: tell(owner, first) },
          { at: late, sentence: attribute.denied(`my ${owner}`, first) },
        ],
      };
    case "unanswerable":
      return { kind, question: asked, reference: null, plants: [] };
  }
}
