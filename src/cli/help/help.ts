import type { Command, Flags, Positional } from '../command.ts';
import { exits } from '../failures/exit.ts';
import type { Flag } from '../line/flags.ts';
import { globalsFor } from '../line/globals.ts';
import { dashed, placeLabel } from '../line/input.ts';
import { named } from '../line/resolution.ts';
import { wrapped } from '../output/width.ts';
import { commandsOf, type Group, groups, sections, singles } from '../tree.ts';
import { type Line, pageWidth, shellLines, titled } from './paragraphs.ts';
import { topics } from './topics.ts';

/** The help of the program, a group, or a command, by its path in the tree. */
export async function helpPage(path: readonly string[]): Promise<string> {
  const [word, verb] = path;
  if (word === undefined) return rootPage();
  const single = named(singles, word);
  if (single !== undefined) return commandPage([word], (await single.load()).commands[0]);
  const group = named(groups, word);
  if (group === undefined) return rootPage();
  const commands = await commandsOf(group);
  const command = verb === undefined ? undefined : named(commands, verb);
  return command === undefined
    ? groupPage(group, commands)
    : commandPage([group.name, command.name], command);
}

/** Every page of help, by what is typed after `waybill`: names and aliases alike, topics under `help …`. */
export async function helpPages(): Promise<Record<string, string>> {
  const pages: Record<string, string> = { '': rootPage() };
  for (const group of groups) {
    const commands = await commandsOf(group);
    for (const word of [group.name, ...group.aliases]) {
      pages[word] = groupPage(group, commands);
      for (const command of commands) addCommand(pages, [word], [group.name], command);
    }
  }
  for (const single of singles) addCommand(pages, [], [], (await single.load()).commands[0]);
  for (const { name, page } of topics) pages[`help ${name}`] = page();
  return pages;
}

function addCommand(
  pages: Record<string, string>,
  typed: readonly string[],
  path: readonly string[],
  command: Command,
): void {
  const page = commandPage([...path, command.name], command);
  for (const name of [command.name, ...command.aliases]) pages[[...typed, name].join(' ')] = page;
}

function rootPage(): string {
  const parts = sections.map((section) => {
    const entries = [...groups, ...singles].filter((entry) => entry.section === section);
    return entries.length === 0
      ? ''
      : titled(
          section,
          entries.map(({ name, summary }) => [name, summary]),
        );
  });
  return page([
    'The command line for last-mile deliveries.\n',
    titled('Usage', [['waybill COMMAND [FLAGS]', '']]),
    ...parts,
    titled('Help', [
      ['waybill COMMAND --help', 'flags and examples'],
      ...topics.map(({ name, summary }): Line => [`waybill help ${name}`, summary]),
    ]),
  ]);
}

function groupPage(group: Group, commands: readonly Command[]): string {
  const listed = commands.filter(({ hidden }) => !hidden);
  return page([
    `${group.summary}.\n`,
    titled('Usage', [[`waybill ${group.name} COMMAND [FLAGS]`, '']]),
    examplesPart(listed.flatMap(({ examples }) => examples.slice(0, 1)).slice(0, 4)),
    titled(
      'Commands',
      listed.map((command) => [commandWords(command), command.summary]),
    ),
    ...(group.aliases.length === 0 ? [] : [`Also: ${group.aliases.join(', ')}\n`]),
    exitLine,
  ]);
}

function commandWords({ name, positionals }: Command): string {
  return [name, ...placeWords(positionals)].join(' ');
}

function commandPage(path: readonly string[], command: Command): string {
  const usage = ['waybill', ...path, ...placeWords(command.positionals), '[FLAGS]'].join(' ');
  const places = Object.entries(command.positionals).map(
    ([name, place]): Line => [placeWord(name, place), place.summary],
  );
  return page([
    `${command.summary}.\n`,
    ...(command.description === null ? [] : [`${paragraphs(command.description)}\n`]),
    titled('Usage', [[usage, '']]),
    examplesPart(command.examples),
    ...(places.length === 0 ? [] : [titled('Arguments', places)]),
    ...flagParts(command.flags, 'Flags'),
    ...flagParts(globalsFor(command), 'Global flags'),
    ...(command.aliases.length === 0 ? [] : [`Also: ${command.aliases.join(', ')}\n`]),
    exitLine,
  ]);
}

function placeWords(positionals: Command['positionals']): string[] {
  return Object.entries(positionals).map(([name, place]) => {
    const label = placeWord(name, place) + (place.variadic ? '...' : '');
    return place.required === true ? label : `[${label}]`;
  });
}

/** Choices that fit are said themselves: `real|scaled|manual`. */
function placeWord(name: string, { choices }: Positional<unknown>): string {
  return choices.length > 0 && choices.length < 5 ? choices.join('|') : placeLabel(name);
}

function examplesPart(examples: Command['examples']): string {
  const lines = examples.map(
    ({ command, summary }) => `  # ${summary}\n  ${shellLines(command, pageWidth - 2).join('\n  ')}\n`,
  );
  return `Examples\n${lines.join('')}`;
}

function flagParts(flags: Flags, title: string): string[] {
  const entries = Object.entries(flags);
  const headings = new Set(entries.map(([, { group }]) => group ?? title));
  return [...headings].map((heading) => {
    const own = entries.filter(([, { group }]) => (group ?? title) === heading);
    return titled(
      heading,
      own.map(([name, flag]) => [flagWords(name, flag), flagSummary(flag)]),
    );
  });
}

function flagWords(name: string, flag: Flag<unknown>): string {
  const long = `--${flag.negatable ? '[no-]' : ''}${dashed(name)}`;
  const value = flag.kind === 'switch' ? '' : flag.bare ? `[=${flag.placeholder}]` : ` ${flag.placeholder}`;
  const aliases = flag.aliases.map((alias) => `, --${alias}`).join('');
  return `${flag.short === null ? '' : `-${flag.short}, `}${long}${value}${aliases}`;
}

function flagSummary(flag: Flag<unknown>): string {
  const choices = flag.choices.length === 0 ? '' : ` (${flag.choices.join(', ')})`;
  const initial = flag.defaultText === null ? '' : ` [${flag.defaultText}]`;
  const must = flag.required === true ? ' (required)' : '';
  const repeats = flag.kind === 'list' ? ' (repeatable)' : '';
  return flag.summary + choices + repeats + initial + must;
}

const exitLine = `Exit codes: ${exitNumbers()} (waybill help exit-codes)\n`;

/** The codes of the table, neighbours as a span: `0-11, 130`. */
function exitNumbers(): string {
  const codes: readonly number[] = exits.map(({ code }) => code);
  const starts = codes.filter((code) => !codes.includes(code - 1));
  const ends = codes.filter((code) => !codes.includes(code + 1));
  return starts.map((start, index) => (start === ends[index] ? start : `${start}-${ends[index]}`)).join(', ');
}

function paragraphs(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => wrapped(paragraph, pageWidth))
    .join('\n\n');
}

function page(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n');
}
