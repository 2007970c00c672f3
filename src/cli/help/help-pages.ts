/** All pages of help: of the program, of groups, commands and topics. */
import {
  type CommandSpec,
  type CommandTree,
  commandsOf,
  findNamed,
  type Group,
} from '../kit/args/command-input.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import { shortcutSummary, shortcuts } from '../records.ts';
import { factsOf } from './command-facts.ts';
import { commandPage, positionalWords } from './command-help.ts';
import { guideTopics, type Topic, topics } from './help-topics.ts';
import { type HelpLine, linesSection, type Page, pageText, textSection } from './page-layout.ts';

/** The help of the program, a group, or a command, by its path in the tree, laid out for a terminal. */
export async function helpPage(
  path: readonly string[],
  tree: CommandTree,
  columns: number | null = null,
): Promise<string> {
  return pageText(await pageOf(path, tree), columns);
}

async function pageOf(path: readonly string[], tree: CommandTree): Promise<Page> {
  const [word, verb] = path;
  if (word === undefined) return rootPage(tree);
  const single = findNamed(tree.singles, word);
  if (single !== undefined) return pageOfCommand([word], await single.load(), tree);
  const group = findNamed(tree.groups, word);
  if (group === undefined) return rootPage(tree);
  const commands = await commandsOf(group);
  const command = verb === undefined ? undefined : findNamed(commands, verb);
  return command === undefined
    ? groupPage(group, commands)
    : pageOfCommand([group.name, command.name], command, tree);
}

/** A page with what is typed for it after `waybill`: names and aliases alike, topics under `help …`. */
interface TypedPage {
  page: Page;
  typed: readonly string[];
}

/** Every page there is, in the order of the tree. */
export async function allPages(tree: CommandTree): Promise<TypedPage[]> {
  const found: TypedPage[] = [{ page: rootPage(tree), typed: [''] }];
  for (const group of tree.groups) {
    const commands = await commandsOf(group);
    const typed = [group.name, ...group.aliases];
    found.push({ page: groupPage(group, commands), typed });
    for (const command of commands) found.push(await typedPage(typed, [group.name], command, tree));
  }
  for (const single of tree.singles) found.push(await typedPage([''], [], await single.load(), tree));
  for (const topic of topics) found.push({ page: topicPage(topic), typed: [`help ${topic.name}`] });
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
    (word) => shortcuts[word]?.join(' ') === [...path, command.name].join(' '),
  );
  const typed = [...words.flatMap((word) => names.map((name) => `${word} ${name}`.trim())), ...short];
  return { page: await pageOfCommand([...path, command.name], command, tree), typed };
}

/** Every page of help as text, by what is typed after `waybill`. */
export async function helpPages(tree: CommandTree): Promise<Record<string, string>> {
  const pages = await allPages(tree);
  return Object.fromEntries(
    pages.flatMap(({ page, typed }) => {
      const text = pageText(page);
      return typed.map((words) => [words, text]);
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
        ['waybill COMMAND --help', 'examples, flags, JSON, exit codes'],
        ...topics.map(({ name, summary }): HelpLine => [`waybill help ${name}`, summary]),
      ]),
      ...linesSection(
        'Guide',
        guideTopics.map(({ name, summary }): HelpLine => [`waybill help ${name}`, summary]),
      ),
    ],
  };
}

function groupPage(group: Group, commands: readonly CommandSpec[]): Page {
  const listed = commands.filter(({ hidden }) => !hidden);
  const examples = listed.flatMap((command) => command.examples.slice(0, 1)).slice(0, 4);
  return {
    name: `waybill ${group.name}`,
    summary: group.summary,
    sections: [
      ...linesSection('Usage', [[`waybill ${group.name} COMMAND [FLAGS]`, '']]),
      { title: 'Examples', blocks: [{ kind: 'examples', examples }] },
      ...linesSection(
        'Commands',
        listed.map(
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

async function pageOfCommand(
  path: readonly string[],
  command: CommandSpec,
  tree: CommandTree,
): Promise<Page> {
  const found = factsOf(path, command);
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

/** A topic as a page, for help and for the manual. */
export function topicPage({ name, summary, sections: parts }: Topic): Page {
  return {
    name: `waybill help ${name}`,
    summary: summary.charAt(0).toUpperCase() + summary.slice(1),
    sections: parts(),
  };
}

/** The help of a group, or of the program for an empty line. Throws UsageError if JSON is requested. */
export async function helpWithoutCommand(
  group: Group | null,
  { tree, isJson, columns }: { tree: CommandTree; isJson: boolean; columns: number | null },
): Promise<string> {
  if (isJson) throw missingCommandError(group);
  return helpPage(group === null ? [] : [group.name], tree, columns);
}

function missingCommandError(group: Group | null): UsageError {
  const path = ['waybill', ...(group === null ? [] : [group.name])].join(' ');
  return new UsageError(`Missing command for ${path}.`, {
    code: 'missing_input',
    missing: ['COMMAND'],
    choices: group === null ? [] : Object.keys(group.verbs),
    next: [{ ...invocation(group?.name ?? '', [], { help: true }), when: 'list the commands' }],
  });
}
