/** `help`: whether words are a command, a topic, a part of a page, or a question to search for. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { outlineOf, outlineShape } from '../help/command-help.ts';
import { guessCommands, resolvePath, separateWords } from '../help/guess-command.ts';
import { pageAt, topicPage } from '../help/help-pages.ts';
import { guideTopics, topics } from '../help/help-topics.ts';
import { type Page, pagePart, pageText } from '../help/page-layout.ts';
import { searchHelp } from '../help/search-help.ts';
import { type CommandTree, findNamed } from '../kit/args/command-input.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { didYouMean, invocation, phrase } from '../kit/result/message.ts';
import { documentResult, type Result, textResult } from '../kit/result/result.ts';
import { withoutShortcut } from '../records.ts';
import { type Context, defineCommand, positionals } from '../session/command.ts';

export const help = defineCommand({
  name: 'help',
  summary: 'Show help for a command or a topic, or find the command for a question',
  positionals: {
    command: positionals('text', {
      summary: 'Command or topic, and what about it; or a question',
      optional: true,
    }),
  },
  flags: { manPath: switchFlag({ summary: 'Print the manual page folder, for man -M' }) },
  examples: [
    { command: 'waybill help orders create', summary: 'Same as waybill orders create -h' },
    { command: 'waybill help ship tip', summary: 'Show only what it says about a word' },
    { command: 'waybill help how many were late yesterday', summary: 'Find the command for a question' },
    { command: 'waybill help exit-codes', summary: 'Show the meaning of each exit code' },
    { command: 'waybill help --man-path', summary: 'For man -M "$(…)" waybill-orders-create' },
  ],
  effect: 'none',
  answers: (of) => [
    of.one(of.object({ text: 'string' }), 'for the program and its groups'),
    of.one(outlineShape(of), 'for a command'),
    of.each(of.object({ command: 'string', summary: 'string' }), 'for a question'),
    of.each(
      of.object({
        'code?': 'integer',
        'category?': 'string',
        'name?': 'string',
        'number?': 'string',
        'meaning?': 'string',
        'happens?': 'string',
        'money?': 'string',
      }),
      'for a topic',
    ),
  ],
  related: ['commands'],
  async run({ host, output, tree }, { flags: { manPath }, positionals: { command } }) {
    if (manPath) return textResult(manFolder(command));
    const [name = '', ...about] = command;
    const topic = topics.find((each) => each.name === name);
    const guide = guideTopics.some((each) => each.name === name)
      ? await import('../help/guide-pages.ts')
      : null;
    const question = { words: command, about, tree, output, host };
    if (topic !== undefined)
      return output.json
        ? documentResult(topic.data())
        : partAnswer(topicPage(topic, about.length === 0), question);
    if (guide !== null) {
      const page = guide.guidePage(name);
      if (!output.json) return partAnswer(page, question);
      return documentResult({ name: page.name, summary: page.summary, text: guide.guideText(name) });
    }
    const words = withoutShortcut(separateWords(command));
    const path = await resolvePath(words, tree).catch((error: unknown) => strangeTopic(error, question));
    if (!Array.isArray(path)) return path;
    const asked = words.slice(path.length);
    // `where was it left` begins with a command, but no page is about its words.
    const isAsked = output.json && asked.join(' ').includes(' ');
    const answer = isAsked ? await searchAnswer({ ...question, about: asked }) : null;
    if (answer !== null) return answer;
    const found = output.json ? await outlineOf(path, tree) : null;
    if (found !== null) return documentResult(found);
    const page = await pageAt(path, tree, words.length > 0 && asked.length === 0);
    return partAnswer(page, { ...question, about: asked });
  },
});

interface Question extends Pick<Context, 'output' | 'host'> {
  words: readonly string[];
  /** The words after the name of a page. */
  about: readonly string[];
  tree: CommandTree;
}

/** The page, or what it says about some words, or what all commands say about them. */
async function partAnswer(page: Page, question: Question): Promise<Result> {
  const about = question.about.join(' ');
  const part = about === '' ? page : pagePart(page, about);
  if (part !== null) return textResult(pageText(part, question.host.stdout.columns));
  const answer = await searchAnswer(question);
  if (answer !== null) return answer;
  throw new UsageError(`\`${page.name}\` says nothing about "${about}".`, {
    choices: page.sections.flatMap(({ title }) => title ?? []),
  });
}

/** The lines that answer a question in words; null if none does, or if they only name its page. */
async function searchAnswer({ words, about, tree, output, host }: Question): Promise<Result | null> {
  const isAbout = (await searchHelp(spoken(about), [], tree)).length > 0;
  const asked = spoken(words);
  const examples = isAbout ? await searchHelp(asked, await guessCommands(asked, tree), tree) : [];
  if (examples.length === 0) return null;
  if (output.json) return documentResult(examples);
  const sections = [{ title: null, blocks: [{ kind: 'examples', examples } as const] }];
  const summary = `Commands for "${words.join(' ')}", best first`;
  return textResult(pageText({ name: 'waybill help', summary, sections }, host.stdout.columns));
}

/** The words of a sentence without its marks and the capital it begins with. */
function spoken(words: readonly string[]): string[] {
  const [first = '', ...rest] = separateWords(words)
    .map((word) => word.replace(/^["'(]+|["'),.:;?!]+$/g, ''))
    .filter((word) => word !== '');
  return [first.replace(/^[A-Z][a-z]*$/, (word) => word.toLowerCase()), ...rest];
}

/**
 * Answers a question, or suggests a topic for a similar word: help is requested for topics more often than for commands.
 * After a group, an unknown word is one of its commands.
 */
async function strangeTopic(error: unknown, question: Question): Promise<Result> {
  const { words, tree } = question;
  const [word = '', ...rest] = words;
  const isGroup = findNamed(tree.groups, word) !== undefined;
  const names = [...topics, ...guideTopics].map(({ name }) => name);
  const hint = isGroup ? undefined : didYouMean(word, names);
  if (hint !== undefined && rest.length === 0)
    throw new UsageError(`No help found for "${word}".`, { hint, choices: names });
  const answer = await searchAnswer({ ...question, about: isGroup ? rest : words });
  if (answer !== null) return answer;
  if (isGroup || rest.length > 0 || !(error instanceof UsageError) || error.details.hint !== undefined)
    throw error;
  throw new UsageError(`No help found for "${word}".`, {
    choices: [...names, ...(error.details.choices ?? [])],
    next: [{ ...invocation('help'), when: 'see the commands and topics' }],
  });
}

/** The build puts the manual pages beside the program. */
function manFolder(command: readonly string[]): string {
  if (command.length > 0) throw new UsageError('--man-path cannot be combined with other arguments.');
  const folder = join(import.meta.dirname, 'man');
  if (existsSync(folder)) return folder;
  throw new UsageError('There are no manual pages here; they are in the npm package.', {
    hint: phrase`Use \`${invocation('help', ['COMMAND'])}\` instead.`,
  });
}
