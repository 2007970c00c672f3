import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resolvePath } from '../errors/guess-command.ts';
import { outlineOf, outlineShape } from '../help/command-help.ts';
import { pageAt, topicPage } from '../help/help-pages.ts';
import { guideTopics, topics } from '../help/help-topics.ts';
import { type Page, pagePart, pageText } from '../help/page-layout.ts';
import { type CommandTree, findNamed } from '../kit/args/command-input.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { didYouMean, invocation, phrase } from '../kit/result/message.ts';
import { documentResult, type Result, textResult } from '../kit/result/result.ts';
import { withoutShortcut } from '../records.ts';
import { type Context, defineCommand, positionals } from '../session/command.ts';

export const help = defineCommand({
  name: 'help',
  summary: 'Show help for a command or a topic',
  positionals: {
    command: positionals('text', { summary: 'Command or topic, and what about it', optional: true }),
  },
  flags: { manPath: switchFlag({ summary: 'Print the manual page folder, for man -M' }) },
  examples: [
    { command: 'waybill help orders create', summary: 'Same as waybill orders create -h' },
    { command: 'waybill help ship tip', summary: 'Show only what it says about a word' },
    { command: 'waybill help exit-codes', summary: 'Show the meaning of each exit code' },
    { command: 'waybill help --man-path', summary: 'For man -M "$(…)" waybill-orders-create' },
  ],
  effect: 'none',
  answers: (of) => [
    of.one(of.object({ text: 'string' }), 'for the program and its groups'),
    of.one(outlineShape(of), 'for a command'),
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
    if (topic !== undefined)
      return output.json
        ? documentResult(topic.data())
        : partAnswer(topicPage(topic, about.length === 0), about, host);
    if (guideTopics.some((each) => each.name === name)) {
      const { guidePage, guideText } = await import('../help/guide-pages.ts');
      const page = guidePage(name);
      if (!output.json) return partAnswer(page, about, host);
      return documentResult({ name: page.name, summary: page.summary, text: guideText(name) });
    }
    const words = withoutShortcut(command);
    const path = await resolvePath(words, tree).catch((error: unknown) => {
      throw strangeTopic(command, error, tree);
    });
    const found = output.json ? await outlineOf(path, tree) : null;
    if (found !== null) return documentResult(found);
    const asked = words.slice(path.length);
    return partAnswer(await pageAt(path, tree, words.length > 0 && asked.length === 0), asked, host);
  },
});

/** The page, or what it says about some words. */
function partAnswer(page: Page, words: readonly string[], { stdout }: Context['host']): Result {
  const about = words.join(' ');
  const part = about === '' ? page : pagePart(page, about);
  if (part !== null) return textResult(pageText(part, stdout.columns));
  throw new UsageError(`\`${page.name}\` says nothing about "${about}".`, {
    choices: page.sections.flatMap(({ title }) => title ?? []),
  });
}

/**
 * Suggests a topic for a similar word: help is requested for topics more often than for commands. A word without a
 * suggestion may be meant for either. After a group, an unknown word is one of its commands.
 */
function strangeTopic([word = '', ...rest]: readonly string[], error: unknown, tree: CommandTree): unknown {
  if (findNamed(tree.groups, word) !== undefined) return error;
  const names = [...topics, ...guideTopics].map(({ name }) => name);
  const hint = didYouMean(word, names);
  if (hint !== undefined) return new UsageError(`No help found for "${word}".`, { hint, choices: names });
  if (rest.length > 0 || !(error instanceof UsageError) || error.details.hint !== undefined) return error;
  return new UsageError(`No help found for "${word}".`, {
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
