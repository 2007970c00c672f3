import type { CommandSpec } from './command-spec.ts';

/** The commands of a group by their names, each loaded only when it is typed. */
export type Verbs<C extends CommandSpec = CommandSpec> = Readonly<Record<string, () => Promise<C>>>;

/** An entry that is typed by its name or by an alias. */
export interface Named {
  name: string;
  aliases: readonly string[];
}

/** The entry with this name or alias. */
export function named<T extends Named>(all: readonly T[], word: string): T | undefined {
  return all.find(({ name }) => name === word) ?? all.find(({ aliases }) => aliases.includes(word));
}

interface Listed extends Named {
  summary: string;
  /** Heading in the help of the program. */
  section: string;
}

/** Commands under one word: `orders create`. */
export interface Group<C extends CommandSpec = CommandSpec> extends Listed {
  /** Loaded lazily, as a line names only one group. */
  verbs(): Verbs<C>;
}

/** A command of one word: `whoami`. */
export interface Single<C extends CommandSpec = CommandSpec> extends Listed {
  /** The exported command of its file, in a list of one. */
  load(): Promise<{ commands: readonly [C] }>;
}

/** Every command of a program. */
export interface CommandTree<C extends CommandSpec = CommandSpec> {
  /** The name of the program. */
  name: string;
  /** The headings of the program's help, in their order. */
  sections: readonly string[];
  groups: readonly Group<C>[];
  singles: readonly Single<C>[];
  /** The command for a line without a command: it runs in a terminal, or if the line starts with one of its flags. */
  bareCommand: string;
}

/** All commands of a group, in the order of help. */
export async function commandsOf<C extends CommandSpec>({ verbs }: Pick<Group<C>, 'verbs'>): Promise<C[]> {
  return Promise.all(Object.values(verbs()).map((load) => load()));
}
