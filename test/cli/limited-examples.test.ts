import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unlimitedDispatch } from '../../src/cli/kit/args/context-flags.ts';
import { commands } from './commands-of-tree.ts';

/** Whoever copies a command from help, README, guide or skill spends no more than it says. */

const root = join(import.meta.dirname, '..', '..');
const guide = join('src', 'guide');
const documents = [
  'README.md',
  join('.agents', 'skills', 'waybill', 'SKILL.md'),
  ...readdirSync(join(root, guide)).map((name) => join(guide, name)),
].map((name): [string, string] => [name, readFileSync(join(root, name), 'utf8')]);

const helpPages = commands.map(({ words, command }): [string, string] => [
  `waybill ${words} -h`,
  [command.description ?? '', ...command.examples.map((example) => `\`${example.command}\``)].join('\n'),
]);

/** The command lines in blocks and between backticks, as words. */
function commandLinesIn(text: string): string[][] {
  const joined = text.replaceAll(/\\\n\s*/g, ' ');
  const blocks = [...joined.matchAll(/^```(?:sh|console)\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
  const quoted = [...joined.matchAll(/`waybill ([^`\n]+)`/g)];
  const inBlocks = blocks.flatMap((code) => [...code.matchAll(/\bwaybill ([^\n#|>]*[^\n#|> ])/g)]);
  return [...inBlocks, ...quoted].map(([, line = '']) => line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []);
}

const isPreview = (words: readonly string[]) =>
  words.some((word) => ['--dry-run', '--validate-only'].includes(word));

const canceling =
  /^(?:deliveries |orders )?(?:cancel|reschedule) (?=.*--yes\b)(?!.*--(?:max-fee|operator)\b)/;

function unlimitedIn(text: string): string[] {
  return commandLinesIn(text)
    .filter((words) => unlimitedDispatch(words) === 'any-price' || canceling.test(words.join(' ')))
    .filter((words) => !isPreview(words))
    .map((words) => words.join(' '));
}

test.each([...documents, ...helpPages])(
  '%s: each command that dispatches, or cancels unasked, has a maximum',
  (_, text) => {
    expect(unlimitedIn(text)).toEqual([]);
  },
);

test.each([
  ['```sh\nwaybill ship --file order.json --cheapest\n```', 1],
  ['```sh\nwaybill ship --file order.json \\\n  --cheapest --max-cost 12\n```', 0],
  ['```sh\nroute=$(waybill deliveries retry 1042)\n```', 1],
  ['`waybill orders import orders.csv --auto`', 1],
  ['`waybill orders import orders.csv`', 0],
  ['`waybill deliveries retry DELIVERY --not swiftly`', 1],
  ['`waybill dispatch ROUTE --quote QUOTE`', 0],
  ['`waybill deliveries retry` tries again', 0],
  ['`waybill deliveries cancel 1044 --yes`', 1],
  ['`waybill deliveries cancel 1044 --yes --max-fee 0`', 0],
  ['`waybill deliveries cancel 1044`', 0],
  ['`waybill cancel --where late --yes`', 1],
  ['`waybill orders cancel ORDER --yes`', 1],
  ['`waybill deliveries reschedule 1044 --yes --max-cost 12`', 1],
  ['`waybill batches cancel BATCH --yes`', 0],
])('%j has %d commands without a maximum', (text, count) => {
  expect(unlimitedIn(text)).toHaveLength(count);
});
