// What `sealane trust` may be told: one verb with six actions, of which each takes its own options.
import type { Argv } from "yargs";
import { SealaneError } from "../lib/finding.js";
import type { CommonOptions } from "./command.js";
import { passphraseOption } from "./passphrase.js";

const ACTIONS = ["init", "add", "remove", "rotate", "revoke", "show"] as const;
export type Action = (typeof ACTIONS)[number];

/** What each action must be told, and what it may be told beside. */
const TAKES: Readonly<Record<Action, { readonly needs: readonly string[]; readonly may: readonly string[] }>> = {
  init: {
    needs: ["key", "owner", "out"],
    may: ["signer", "lanes", "threshold", "root-threshold", "expires", "passphrase-fd"],
  },
  add: {
    needs: ["trust", "sign-with"],
    may: ["signer", "owner", "lanes", "threshold", "passphrase-fd", "witness", "tsa", "require-time"],
  },
  remove: {
    needs: ["trust", "sign-with"],
    may: ["signer", "lanes", "threshold", "passphrase-fd", "witness", "tsa", "require-time"],
  },
  rotate: {
    needs: ["trust", "sign-with"],
    may: ["add", "owner", "drop", "root-threshold", "expires", "passphrase-fd"],
  },
  revoke: { needs: ["trust", "sign-with", "signer", "reason"], may: ["since", "passphrase-fd"] },
  show: { needs: ["trust"], may: [] },
};

const LANES = /^(?:[a-z0-9][a-z0-9.-]{0,63}|(?:[a-z0-9][a-z0-9.-]{0,62})?\*)$/;
const FORMS: Readonly<Record<string, readonly [form: RegExp, what: string]>> = {
  lanes: [LANES, "a lane id, or a prefix ended by *"],
  since: [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "UTC with milliseconds, such as 2026-01-31T12:00:00.000Z"],
  expires: [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, "UTC, such as 2030-01-31T12:00:00Z"],
};

/** yargs gives one value as itself and several as an array. */
export type Repeated = string | readonly string[] | undefined;
export const list = (value: Repeated): string[] => (value === undefined ? [] : [value].flat());

export function trustOptions(yargs: Argv<CommonOptions>) {
  return passphraseOption(
    yargs
      .positional("action", {
        choices: ACTIONS,
        demandOption: true,
        describe: "make a trust file, change it by one version, or show it",
      })
      .option("trust", { type: "string", describe: "all but init: the trust file; changed in place, it only grows" })
      .option("sign-with", {
        type: "string",
        describe: "a private root key that signs the new version; repeat it until the old and the new root have enough",
      })
      .option("key", { type: "string", describe: "init: a private key that is to sign versions; may be repeated" })
      .option("signer", {
        type: "string",
        describe:
          "init, add: the public key that may sign lanes (init without it: the root key itself); remove, revoke: that key's file or key id",
      })
      .option("witness", {
        type: "string",
        describe:
          "add, remove: the public key of someone who may witness lanes, and signs none; remove: that or its key id",
      })
      .option("tsa", {
        type: "string",
        describe: "add, remove: the certificate (PEM) of a time-stamping authority, or of the one that issued it",
      })
      .option("require-time", {
        type: "boolean",
        describe:
          "add, remove: whether a lane needs a trusted time, by a quorum of witnesses or a token of an authority",
      })
      .option("owner", {
        type: "string",
        describe: "whose key it is, for people; one for all, or one for each --key, --add and then --signer",
      })
      .option("lanes", { type: "string", describe: "a lane id, or a prefix ended by *; if not given, *" })
      .option("threshold", {
        type: "number",
        describe:
          "how many keys must sign a lane, with --witness how many witnesses must; if not given, 1 or as it was",
      })
      .option("root-threshold", {
        type: "number",
        describe: "how many root keys must sign a version; if not given, 1 or as it was",
      })
      .option("add", { type: "string", describe: "rotate: a new root key's file, private or public; may be repeated" })
      .option("drop", { type: "string", describe: "rotate: a root key's file or key id; may be repeated" })
      .option("since", { type: "string", describe: "revoke: from when on, UTC with milliseconds; if not given, now" })
      .option("reason", { type: "string", describe: "revoke: why, for people" })
      .option("expires", {
        type: "string",
        describe: "init, rotate: until when the keepers mean to keep it, UTC; shown, and no part of a verdict",
      })
      .option("out", { type: "string", describe: "init: the new trust file" }),
  );
}

/** Options as yargs gives them. */
export type Given = ReturnType<typeof trustOptions> extends Argv<infer T> ? T : never;

/** Each option where it belongs and none elsewhere, because one that is quietly ignored was meant for something. */
export function refuseMisplaced(given: Given, action: Action): void {
  const { needs, may } = TAKES[action];
  const at = `trust ${action}`;
  const value = given as unknown as Readonly<Record<string, unknown>>;
  const missing = needs.find((name) => value[name] === undefined);
  if (missing) throw new SealaneError("E_USAGE", `${at} needs --${missing}`, { at, next: "See: sealane trust --help" });
  const known = new Set(Object.values(TAKES).flatMap((takes) => [...takes.needs, ...takes.may]));
  const misplaced = [...known].find((name) => value[name] !== undefined && ![...needs, ...may].includes(name));
  if (misplaced) throw new SealaneError("E_USAGE", `${at} takes no --${misplaced}`, { at });
  for (const [name, [form, what]] of Object.entries(FORMS)) {
    const text = value[name];
    if (typeof text === "string" && !form.test(text)) {
      throw new SealaneError("E_USAGE", `--${name} is not of its form`, { at, expected: what, found: text });
    }
  }
}

/** What `add` and `remove` may be about, each with the options that go with it. */
const SUBJECTS = {
  signer: ["owner", "lanes", "threshold"],
  witness: ["owner", "threshold"],
  tsa: [],
  "require-time": [],
} as const;

export type Subject = keyof typeof SUBJECTS;

/** The one thing that `add` or `remove` is about; a rule for lanes, with `remove`, when it names lanes and nothing else. */
export function subjectOf(given: Given, action: "add" | "remove"): Subject | "rule" {
  const at = `trust ${action}`;
  const named = (Object.keys(SUBJECTS) as Subject[]).filter((name) => given[name] !== undefined);
  const [subject, ...more] = named;
  if (more.length > 0)
    throw new SealaneError("E_USAGE", `${at} is about one thing at a time`, { at, found: named.join(", ") });
  if (subject === undefined && action === "remove" && given.lanes !== undefined) return "rule";
  if (subject === undefined || given[subject] === false) {
    const expected = Object.keys(SUBJECTS).map((name) => `--${name}`);
    throw new SealaneError("E_USAGE", `${at} needs to be told what`, { at, expected: expected.join(" or ") });
  }
  const takes: readonly string[] = SUBJECTS[subject];
  const idle = (["owner", "lanes", "threshold"] as const).find(
    (name) => given[name] !== undefined && !takes.includes(name),
  );
  if (idle) throw new SealaneError("E_USAGE", `${at} --${subject} takes no --${idle}`, { at });
  if (action === "add" && takes.includes("owner") && given.owner === undefined) {
    throw new SealaneError("E_USAGE", `${at} --${subject} needs --owner`, { at });
  }
  return subject;
}

/** One owner for each of `count` keys. */
export function ownersFor(given: Given, count: number): string[] {
  const owners = list(given.owner);
  if (owners.length === 1) return Array.from({ length: count }, () => owners[0]!);
  if (owners.length === count) return owners;
  throw new SealaneError("E_USAGE", "--owner stands once for all keys or once for each", {
    expected: `1 or ${count}`,
    found: String(owners.length),
  });
}

/** The one key that add, remove and revoke are about. */
export function oneSigner(given: Given): string | undefined {
  const [signer, ...more] = list(given.signer);
  if (more.length > 0) throw new SealaneError("E_USAGE", "--signer stands twice", { found: more[0]! });
  return signer;
}
