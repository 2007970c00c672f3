/** All pages of help: of the program, of groups, commands and topics. */
import {
  type CommandSpec,
  type CommandTree,
  type Example,
  findNamed,
  flagLabel,
  type Group,
  loadCommands,
} from '../kit/args/command-input.ts';
import type { Flag } from '../kit/args/flags.ts';
import { globalsFor } from '../kit/args/global-flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import { shortcutSummary, shortcuts } from '../records.ts';
import { collectFacts, mainFields } from './command-facts.ts';
import { argumentLines, commandPage, flagWords, positionalWords, usageSection } from './command-help.ts';
import { guideTopics, type Topic, topics } from './help-topics.ts';
import {
  type HelpLine,
  linesSection,
  max_page_width,
  type Page,
  pageText,
  textSection,
} from './page-layout.ts';

/** The help of the program, a group, or a command, by its path in the tree, laid out for a terminal. */
export async function helpPage(
  path: readonly string[],
  tree: CommandTree,
  { columns = null, isShort = false }: { columns?: number | null; isShort?: boolean } = {},
): Promise<string> {
  return pageText(await pageAt(path, tree, isShort), columns);
}

/** The page of the program, a group, or a command. */
export async function pageAt(path: readonly string[], tree: CommandTree, isShort = false): Promise<Page> {
  const found = await commandAt(path, tree);
  if (found !== null)
    return isShort ? shortCommandPage(found.path, found.command) : pageOfCommand(found, tree);
  const group = findNamed(tree.groups, path[0] ?? '');
  if (group !== undefined) return groupPage(group, await loadCommands(group));
  return isShort ? shortRootPage(tree) : rootPage(tree);
}

/** A command with its path. */
interface FoundCommand {
  path: readonly string[];
  command: CommandSpec;
}

async function commandAt(
  [word = '', verb]: readonly string[],
  tree: CommandTree,
): Promise<FoundCommand | null> {
  const single = findNamed(tree.singles, word);
  if (single !== undefined) return { path: [single.name], command: await single.load() };
  const group = findNamed(tree.groups, word);
  if (group === undefined || verb === undefined) return null;
  const command = findNamed(await loadCommands(group), verb);
  return command === undefined ? null : { path: [group.name, command.name], command };
}

/** A page with what is typed for it after `waybill`: names and aliases alike, topics under `help …`. */
interface TypedPage {
  page: Page;
  /** The page of `-h` and of `help`, if it is another one. */
  short?: Page;
  typed: readonly string[];
}

/** Every page there is, in the order of the tree. */
export async function allPages(tree: CommandTree): Promise<TypedPage[]> {
  const found: TypedPage[] = [{ page: rootPage(tree), short: shortRootPage(tree), typed: [''] }];
  for (const group of tree.groups) {
    const commands = await loadCommands(group);
    const typed = [group.name, ...group.aliases];
    found.push({ page: groupPage(group, commands), typed });
    for (const command of commands) found.push(await typedPage(typed, [group.name], command, tree));
  }
  for (const single of tree.singles) found.push(await typedPage([''], [], await single.load(), tree));
  for (const topic of topics)
    found.push({ page: topicPage(topic), short: topicPage(topic, true), typed: [`help ${topic.name}`] });
  const { guidePages } = await import('./guide-pages.ts');
  for (const page of guidePages()) found.push({ page, typed: [page.name.replace('waybill ', '')] });
  return found;
}

async function typedPage(
  words: readonly string[],
  path: readonly string[],
  command: CommandSpec,
  tree: CommandTree,
): Promise<TypedPage> {
  const names = [command.name, ...command.aliases];
  const short = Object.keys(shortcuts).filter(
    (word) => `deliveries ${shortcuts[word]}` === [...path, command.name].join(' '),
  );
  const typed = [...words.flatMap((word) => names.map((name) => `${word} ${name}`.trim())), ...short];
  const found = { path: [...path, command.name], command };
  return { page: await pageOfCommand(found, tree), short: shortCommandPage(found.path, command), typed };
}

/** Every page of help as text, by what is typed after `waybill`; short ones end in ` -h`. */
export async function helpPages(tree: CommandTree): Promise<Record<string, string>> {
  const pages = await allPages(tree);
  return Object.fromEntries(
    pages.flatMap(({ page, short = page, typed }) => {
      const [text, shortText] = [pageText(page), pageText(short)];
      const isShorter = shortText !== text;
      return typed.flatMap((words) => [
        [words, text],
        ...(isShorter ? [[`${words} -h`.trim(), shortText]] : []),
      ]);
    }),
  );
}

const shortcutLine: HelpLine = [Object.keys(shortcuts).join(', '), shortcutSummary];

function rootPage({ sections, groups, singles }: CommandTree): Page {
  const parts = sections.flatMap((section) => {
    const entries = [...groups, ...singles].filter((entry) => entry.section === section);
    return linesSection(section, [
      ...entries.map(({ name, summary }): HelpLine => [name, summary]),
      ...(section === 'Deliveries' ? [shortcutLine] : []),
    ]);
  });
  return {
    name: 'waybill',
    summary: 'The command line for last-mile deliveries',
    sections: [
      ...linesSection('Usage', [['waybill COMMAND [FLAGS]', '']]),
      ...parts,
      ...linesSection('Help', [
        ['waybill COMMAND -h', 'usage, examples and the main flags'],
        ['waybill COMMAND --help', 'everything: all flags, JSON, exit codes'],
        ['waybill help COMMAND WORD', 'what that says about a word; also of a topic or page below'],
        ['waybill help QUESTION', 'the command for it: waybill help refunds by store'],
        ...topics.map(({ name, summary }): HelpLine => [`waybill help ${name}`, summary]),
      ]),
      ...linesSection(
        'Guide',
        guideTopics.map(({ name, summary }): HelpLine => [`waybill help ${name}`, summary]),
      ),
    ],
  };
}

/** The names of all commands, and what is done first. */
function shortRootPage({ sections, groups, singles }: CommandTree): Page {
  const namesIn = (section: string) =>
    [...groups, ...singles].filter((entry) => entry.section === section).map(({ name }) => name);
  const examples = [
    { command: 'waybill start', summary: 'Set up, and send a first delivery' },
    { command: 'waybill ship --file order.json --cheapest --max-cost 12.50', summary: 'Send an order' },
    { command: 'waybill today', summary: 'See what needs attention' },
  ];
  return {
    name: 'waybill',
    summary: 'The command line for last-mile deliveries',
    sections: [
      ...linesSection('Usage', [['waybill COMMAND [FLAGS]', '']]),
      { title: 'Examples', blocks: [{ kind: 'examples', examples }] },
      ...linesSection(
        'Commands',
        sections.map((section): HelpLine => [section, namesIn(section).join(', ')]),
      ),
      ...linesSection('Help', [
        ['waybill COMMAND -h', 'usage, examples and the main flags'],
        ['waybill COMMAND --help', 'everything: all flags, JSON, exit codes'],
        ['waybill help COMMAND WORD', 'what that says about a word'],
        ['waybill help QUESTION', 'the command for it: waybill help refunds by store'],
        ['waybill --help', 'all commands, topics and the guide'],
        ['waybill help agents', 'read this first, if you are an AI agent'],
      ]),
    ],
  };
}

function groupPage(group: Group, commands: readonly CommandSpec[]): Page {
  const examples = commands.flatMap((command) => command.examples.slice(0, 1)).slice(0, 4);
  return {
    name: `waybill ${group.name}`,
    summary: group.summary,
    sections: [
      ...linesSection('Usage', [[`waybill ${group.name} COMMAND [FLAGS]`, '']]),
      { title: 'Examples', blocks: [{ kind: 'examples', examples }] },
      ...linesSection(
        'Commands',
        commands.map(
          ({ name, positionals, summary }): HelpLine => [
            [name, ...positionalWords(positionals)].join(' '),
            summary,
          ],
        ),
      ),
      ...(group.aliases.length === 0 ? [] : [textSection(null, `Aliases: ${group.aliases.join(', ')}`)]),
    ],
  };
}

async function pageOfCommand({ path, command }: FoundCommand, tree: CommandTree): Promise<Page> {
  const found = collectFacts(path, command);
  const related: HelpLine[] = [];
  for (const typed of found.related) related.push([`waybill ${typed}`, await summaryOf(typed, tree)]);
  return commandPage(path, command, found, related);
}

async function summaryOf(typed: string, { groups, singles }: CommandTree): Promise<string> {
  const [word = '', verb = ''] = typed.split(' ');
  const group = findNamed(groups, word);
  if (group === undefined) return findNamed(singles, word)?.summary ?? '';
  const verbs = group.verbs;
  const load = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  return load === undefined ? group.summary : (await load()).summary;
}

/** A topic as a page, for help and for the manual; the short one is without what is looked up by its words. */
export function topicPage({ name, summary, sections, lookedUp }: Topic, isShort = false): Page {
  const looked = lookedUp === undefined ? [] : isShort ? [lookedUp.how] : lookedUp.sections();
  return {
    name: `waybill help ${name}`,
    summary: summary.charAt(0).toUpperCase() + summary.slice(1),
    sections: [...sections(), ...looked],
  };
}

/** The help of a group, or of the program for an empty line. Throws UsageError if JSON is requested. */
export async function helpWithoutCommand(
  group: Group | null,
  { tree, isJson, columns }: { tree: CommandTree; isJson: boolean; columns: number | null },
): Promise<string> {
  if (isJson) throw missingCommandError(group);
  return helpPage(group === null ? [] : [group.name], tree, { columns });
}

function missingCommandError(group: Group | null): UsageError {
  const path = ['waybill', ...(group === null ? [] : [group.name])].join(' ');
  return new UsageError(`Missing command for ${path}.`, {
    code: 'missing_input',
    missing: ['COMMAND'],
    choices: group === null ? [] : Object.keys(group.verbs),
    next: [{ ...invocation(group?.name ?? '', ['-h']), when: 'list the commands' }],
  });
}

// The short help of a command, which `-h` shows: what fits the screen of a terminal.

/** The limits of a short page. */
const max_lines = 40;
const max_examples = 3;
const max_flags = 10;
/** The longest text beside a flag that stays on its line. */
const max_flag_text = 46;

/** Creates the short page: usage, examples, arguments and the flags that matter, as many as fit. */
function shortCommandPage(path: readonly string[], command: CommandSpec): Page {
  for (let examples = max_examples; examples > 1; examples -= 1) {
    for (let flags = max_flags; flags >= max_flags / 2; flags -= 1) {
      const page = shortPage(path, command, { examples, flags });
      if (linesOf(page).length <= max_lines) return page;
    }
  }
  return shortPage(path, command, { examples: 1, flags: max_flags / 2 });
}

function linesOf(page: Page): string[] {
  return pageText(page).trimEnd().split('\n');
}

function shortPage(
  path: readonly string[],
  command: CommandSpec,
  limits: { examples: number; flags: number },
): Page {
  const name = ['waybill', ...path].join(' ');
  const examples = command.examples.filter(fitsPage).slice(0, limits.examples);
  const shown = mainFlags(command, examples).slice(0, limits.flags);
  const inOrder = allFlags(command).filter(([flag]) => shown.includes(flag));
  const left = allFlags(command).length - inOrder.length;
  const fields = mainFields(collectFacts(path, command).answers);
  return {
    name,
    summary: command.summary,
    sections: [
      ...usageSection(path, command),
      { title: 'Examples', blocks: [{ kind: 'examples', examples }] },
      ...linesSection('Arguments', argumentLines(command.positionals)),
      ...linesSection(
        'Flags',
        inOrder.map((entry) => shortLine(entry, examples, fields)),
      ),
      textSection(
        null,
        `${left} more flags, JSON fields, exit codes: ${name} --help, or, about a word, ${name.replace(' ', ' help ')} WORD`,
      ),
    ],
  };
}

/** False for an example with a quoted word that is wider than the page. */
function fitsPage(example: Example): boolean {
  const sections = [{ title: 'Examples', blocks: [{ kind: 'examples', examples: [example] } as const] }];
  return linesOf({ name: '', summary: '', sections }).every((line) => line.length <= max_page_width);
}

type NamedFlag = readonly [name: string, flag: Flag<unknown>];

function allFlags(command: CommandSpec): NamedFlag[] {
  return Object.entries({ ...command.flags, ...globalsFor(command) });
}

/**
 * The names of its own flags and the format: first those that are required, used in the examples shown or narrow the
 * output.
 */
function mainFlags(command: CommandSpec, examples: readonly Example[]): string[] {
  const rank = ([name, { required, aliases }]: NamedFlag) => {
    if (required === true) return 0;
    if (name === 'yes' && command.confirms) return 1;
    if (name === 'json' || isUsed(examples, flagLabel(name)) || usedAliases(examples, aliases).length > 0)
      return 2;
    if (Object.hasOwn(command.flags, name)) return 3;
    return name === 'output' ? 4 : 5;
  };
  return allFlags(command)
    .filter((entry) => rank(entry) < 5)
    .sort((left, right) => rank(left) - rank(right))
    .map(([name]) => name);
}

function isUsed(examples: readonly Example[], label: string): boolean {
  const isIn = new RegExp(`${label}(?![a-z-])`);
  return examples.some((example) => isIn.test(example.command));
}

/** The other names of a flag that its page must show, as an example has them. */
function usedAliases(examples: readonly Example[], aliases: readonly string[]): string[] {
  return aliases.filter((alias) => isUsed(examples, `--${alias}`));
}

function shortLine(
  [name, flag]: NamedFlag,
  examples: readonly Example[],
  fields: readonly string[],
): HelpLine {
  const { summary, choices, required } = flag;
  if (name === 'json' && fields.length > 1)
    return [flagWords(name, flag), `Print one JSON document, or fields, such as ${fields.join(',')}`];
  const few = choices.length > 0 && choices.join(', ').length < max_flag_text / 2;
  const text = firstClause(summary) + (few ? ` (${choices.join(', ')})` : '');
  const aliases = usedAliases(examples, flag.aliases);
  return [flagWords(name, { ...flag, aliases }), required === true ? `${text} (required)` : text];
}

/** A summary up to the first explanation, if the whole does not fit its line. */
function firstClause(summary: string): string {
  if (summary.length <= max_flag_text) return summary;
  return summary.split(/; |: | \(/, 1)[0] ?? summary;
}
