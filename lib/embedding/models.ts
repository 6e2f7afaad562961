/** What a family of models wants said before a text, and how long its vectors are. */
export interface ModelHabits {
  readonly documentPrefix: string;
  readonly queryPrefix: string;
  readonly dimensions: number | undefined;
}

/** Families whose model card asks for prefixes. To add one: one line here. */
const FAMILIES: readonly (readonly [name: RegExp, habits: ModelHabits])[] = [
  [/nomic-embed-text/, { documentPrefix: "search_document: ", queryPrefix: "search_query: ", dimensions: 768 }],
];

/** The habits of a model by its name, or its file's; no prefixes and any length for one that is not known. */
export function habitsOf(model: string): ModelHabits {
  const family = FAMILIES.find(([name]) => name.test(model));
  return family?.[1] ?? { documentPrefix: "", queryPrefix: "", dimensions: undefined };
}
