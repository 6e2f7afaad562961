import type { Argv } from "yargs";

/** What every command is given beside its own options. */
export interface CommonOptions {
  readonly json: boolean;
}

/** One verb: its options, and one library function called with them. The handler returns the exit code. */
export interface Command<T> {
  /** Positional arguments in yargs' notation, after the verb. */
  readonly positionals: string;
  /** Options and positionals that may be given more than once; any other is refused when it stands twice. */
  readonly repeatable?: readonly string[];
  readonly examples: readonly (readonly [command: string, what: string])[];
  options(yargs: Argv<CommonOptions>): Argv<T & CommonOptions>;
  run(options: T & CommonOptions): Promise<number>;
}

/** Keeps the option types of a command together while its declaration is inferred. */
export function command<T>(declaration: Command<T>): Command<T> {
  return declaration;
}
