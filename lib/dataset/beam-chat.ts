// One conversation of BEAM: batches of turn groups of messages, in conversations of 10M tokens under plans. A batch is a
// session, because that is what the dataset dates; the grouping within it carries nothing that a reader would see.
import { MONTH_NAMES } from "../bytes/calendar.js";
import { parseStrictJson } from "../bytes/json.js";
import { asArray, asObject, asString, wrongShape } from "./shape.js";
import type { History, Session, Turn } from "./types.js";

const ANCHOR = /^([A-Z][a-z]+)-(\d{2})-(\d{4})$/;

/** "January-10-2024" as sortable local time; null for any other form. */
export function beamTime(anchor: string): string | null {
  const [, name, day, year] = ANCHOR.exec(anchor) ?? [];
  const month = MONTH_NAMES.indexOf(name ?? "") + 1;
  return month === 0 ? null : `${year}-${String(month).padStart(2, "0")}-${day}T00:00`;
}

/** A conversation, and where each message id stands. */
export interface Chat {
  readonly history: History;
  /** [session, turn] by message id; undefined for an id that two messages have. */
  readonly places: ReadonlyMap<number, readonly [number, number] | undefined>;
}

class ChatBuilder {
  readonly sessions: { date: string | null; time: string | null; turns: Turn[] }[] = [];
  readonly places = new Map<number, readonly [number, number] | undefined>();

  #open(date: string | null): void {
    this.sessions.push({ date, time: date === null ? null : beamTime(date), turns: [] });
  }

  batch(value: unknown, at: string): void {
    const batch = asObject(value, at);
    this.#open(anchorOf(batch.time_anchor, `${at}/time_anchor`));
    for (const [index, group] of asArray(batch.turns, `${at}/turns`).entries()) {
      for (const [position, message] of asArray(group, `${at}/turns/${index}`).entries()) {
        this.#message(message, `${at}/turns/${index}/${position}`);
      }
    }
  }

  #message(value: unknown, at: string): void {
    const message = asObject(value, at);
    const anchor = anchorOf(message.time_anchor, `${at}/time_anchor`);
    const current = this.sessions.at(-1)!;
    if (anchor !== null && anchor !== current.date) {
      // Most batches are dated by their first message; one that is dated anew further on goes on as another session.
      if (current.turns.length === 0) this.sessions.pop();
      this.#open(anchor);
    }
    const session = this.sessions.at(-1)!;
    session.turns.push({
      speaker: asString(message.role, `${at}/role`),
      text: asString(message.content, `${at}/content`),
      captions: [],
    });
    const { id } = message;
    if (id === undefined) return;
    if (typeof id !== "number" || !Number.isSafeInteger(id)) throw wrongShape(`${at}/id`, "an integer");
    this.places.set(id, this.places.has(id) ? undefined : [this.sessions.length, session.turns.length]);
  }
}

function anchorOf(value: unknown, at: string): string | null {
  return value === undefined || value === null ? null : asString(value, at);
}

/** Reads a chat.json. Throws E_UTF8, E_JSON, E_LIMIT, E_SCHEMA. */
export function chatOf(bytes: Uint8Array, historyId: string, at: string): Chat {
  const builder = new ChatBuilder();
  for (const [index, entry] of asArray(parseStrictJson(bytes, at), at).entries()) {
    const place = `${at}#/${index}`;
    const object = asObject(entry, place);
    if (Object.hasOwn(object, "turns")) {
      builder.batch(object, place);
      continue;
    }
    for (const [name, plan] of Object.entries(object)) {
      for (const [position, batch] of asArray(plan, `${place}/${name}`).entries()) {
        builder.batch(batch, `${place}/${name}/${position}`);
      }
    }
  }
  const sessions: readonly Session[] = builder.sessions;
  return { history: { historyId, sessions }, places: builder.places };
}
