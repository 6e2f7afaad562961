import type { Template } from "../../schemas/index.js";

/**
 * Joins a template's literals and the values of its slots. Values are never searched for slots, so text of a dataset
 * that looks like one (`{{context}}`, `$&`) stays what it is. Throws on a slot without a value: a protocol this release does not know.
 */
export function fill(template: Template, values: Readonly<Record<string, string>>): string {
  return template
    .map((part) => {
      if (typeof part === "string") return part;
      const value = Object.hasOwn(values, part.slot) ? values[part.slot] : undefined;
      if (value === undefined) throw new RangeError(`the template has a slot '${part.slot}' that has no value`);
      return value;
    })
    .join("");
}
