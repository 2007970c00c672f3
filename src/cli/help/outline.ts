import type { Command, Example, Flags, Positionals } from '../command.ts';
import { globalsFor } from '../line/globals.ts';
import { dashed, placeLabel, twinOf } from '../line/input.ts';
import { commandsOf, groups, singles } from '../tree.ts';

/** A command as data for programs. */
export interface CommandOutline {
  /** As typed: `orders create`. */
  command: string;
  aliases: string[];
  summary: string;
  description: string | null;
  /** `none`, `read`, or `write`. */
  effect: string;
  positionals: Record<string, unknown>[];
  flags: Record<string, unknown>[];
  global_flags: string[];
  examples: readonly Example[];
}

/** Every command of the tree that help lists. */
export async function outlines(): Promise<CommandOutline[]> {
  const found: CommandOutline[] = [];
  for (const single of singles) found.push(outline([], [], (await single.load()).commands[0]));
  for (const group of groups) {
    for (const command of await commandsOf(group)) {
      if (!command.hidden) found.push(outline([group.name], group.aliases, command));
    }
  }
  return found;
}

function outline(path: readonly string[], groupAliases: readonly string[], command: Command): CommandOutline {
  const words = path.length === 0 ? [''] : [...path, ...groupAliases];
  const names = words.flatMap((word) =>
    [command.name, ...command.aliases].map((name) => `${word} ${name}`.trim()),
  );
  return {
    command: names[0] ?? command.name,
    aliases: names.slice(1),
    summary: command.summary,
    description: command.description,
    effect: command.effect,
    positionals: placesOf(command.positionals),
    flags: flagsOf(command.flags),
    global_flags: Object.keys(globalsFor(command)).map((name) => `--${dashed(name)}`),
    examples: command.examples,
  };
}

function placesOf(positionals: Positionals): Record<string, unknown>[] {
  return Object.entries(positionals).map(([name, { kind, summary, required, choices, variadic }]) => ({
    name: placeLabel(name),
    kind,
    summary,
    required: required === true,
    choices,
    variadic,
  }));
}

function flagsOf(flags: Flags): Record<string, unknown>[] {
  return Object.entries(flags).map(([name, flag]) => ({
    name: `--${dashed(name)}`,
    short: flag.short === null ? null : `-${flag.short}`,
    aliases: flag.aliases.map((alias) => `--${alias}`),
    kind: flag.kind,
    summary: flag.summary,
    required: flag.required === true,
    default: flag.defaultText,
    choices: flag.choices,
    negatable: flag.negatable,
    repeatable: flag.kind === 'list',
    environment: twinOf(name),
  }));
}
