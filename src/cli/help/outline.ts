import { globalsFor } from '../kit/args/global-flags.ts';
import {
  type CommandSpec,
  type CommandTree,
  commandsOf,
  type Example,
  envVarOf,
  type PositionalSpecs,
  placeLabel,
} from '../kit/args/input.ts';
import { dashed } from '../kit/result/message.ts';
import type { AnswerBuilder, Field, Shape } from '../kit/result/shape.ts';
import { type CommandExit, commonErrors, errorsOf, exitsOf, groupedFlags } from './command-page.ts';
import { type Facts, factsOf, shapeText } from './facts.ts';

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
  /** The JSON results. */
  json: Record<string, unknown>[];
  exit_codes: CommandExit[];
  error_codes: string[];
  related: readonly string[];
}

export function outlineShape({ object, orNull, listOf }: AnswerBuilder): Shape {
  return object({
    command: 'string',
    aliases: listOf('string'),
    summary: 'string',
    description: orNull('string'),
    effect: 'none | read | write',
    positionals: 'array of objects',
    flags: 'array of objects',
    global_flags: listOf('string'),
    examples: listOf(object({ command: 'string', summary: 'string' })),
    json: 'array of objects',
    exit_codes: listOf(object({ code: 'integer', meaning: 'string' })),
    error_codes: listOf('string'),
    related: listOf('string'),
  });
}

/** The command with this path; null where it names none. */
export async function outlineOf(path: readonly string[], tree: CommandTree): Promise<CommandOutline | null> {
  const words = path.join(' ');
  return (await outlines(tree)).find(({ command }) => command === words) ?? null;
}

/** Every command that is not hidden. */
export async function outlines({ groups, singles }: CommandTree): Promise<CommandOutline[]> {
  const found: CommandOutline[] = [];
  for (const single of singles) found.push(outline([], [], await single.load()));
  for (const group of groups) {
    for (const command of await commandsOf(group)) {
      if (!command.hidden) found.push(outline([group.name], group.aliases, command));
    }
  }
  return found;
}

function outline(
  path: readonly string[],
  groupAliases: readonly string[],
  command: CommandSpec,
): CommandOutline {
  const words = path.length === 0 ? [''] : [...path, ...groupAliases];
  const names = words.flatMap((word) =>
    [command.name, ...command.aliases].map((name) => `${word} ${name}`.trim()),
  );
  const facts = factsOf([...path, command.name], command);
  return {
    command: names[0] ?? command.name,
    aliases: names.slice(1),
    summary: command.summary,
    description: command.description,
    effect: command.effect,
    positionals: placesOf(command.positionals),
    flags: flagsOf(command),
    global_flags: Object.keys(globalsFor(command)).map((name) => `--${dashed(name)}`),
    examples: command.examples,
    json: answersOf(facts),
    exit_codes: exitsOf(command, facts),
    error_codes: [...errorsOf(facts), ...commonErrors(facts)].map(({ code }) => code),
    related: facts.related,
  };
}

function answersOf({ answers }: Facts): Record<string, unknown>[] {
  return answers.map(({ when, form, shape }) => ({
    when,
    form,
    fields:
      shape.kind === 'object'
        ? Object.fromEntries(shape.fields.map((field) => [field.name, fieldType(field)]))
        : {},
  }));
}

/** The type of a field: `string or null`; with a question mark if it is optional. */
function fieldType({ shape, optional }: Field): string {
  return `${shapeText(shape, shape.kind !== 'word')}${optional ? '?' : ''}`;
}

function placesOf(positionals: PositionalSpecs): Record<string, unknown>[] {
  return Object.entries(positionals).map(([name, { kind, summary, required, choices, variadic }]) => ({
    name: placeLabel(name),
    kind,
    summary,
    required: required === true,
    choices,
    variadic,
  }));
}

function flagsOf(command: CommandSpec): Record<string, unknown>[] {
  const headings = new Map(
    groupedFlags(command).flatMap(([heading, flags]) => flags.map(([name]) => [name, heading] as const)),
  );
  return Object.entries(command.flags).map(([name, flag]) => ({
    name: `--${dashed(name)}`,
    short: flag.short === null ? null : `-${flag.short}`,
    aliases: flag.aliases.map((alias) => `--${alias}`),
    kind: flag.kind,
    summary: flag.summary,
    group: headings.get(name),
    required: flag.required === true,
    default: flag.defaultText,
    choices: flag.choices,
    negatable: flag.negatable,
    repeatable: flag.kind === 'list',
    environment: envVarOf(name),
  }));
}
