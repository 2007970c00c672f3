import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { exampleConditions } from '../../src/cli/session/record-filter.ts';
import { type Fields, isFields } from '../../src/domain/fields.ts';
import { oneOf } from '../in-part.ts';
import { commands, type Entry } from './commands-of-tree.ts';
import { lineOf } from './every-line.ts';
import { everyRecord } from './every-record.ts';
import { runsOf } from './every-run.ts';
import { linesIn } from './harness.ts';

const records = await everyRecord();
const ran = runsOf(records);
const offered = commands.filter((entry) => lineOf(entry, records.ids).asksAlone !== true);

/** The output of a command in a format; null if it has none in this format. A watch ends after its first lines. */
async function outputOf(entry: Entry, format: string, flags: readonly string[] = []): Promise<string | null> {
  const controller = new AbortController();
  const end = () => controller.abort();
  const sleep = async () => {
    end();
    controller.signal.throwIfAborted();
  };
  const written = () => queueMicrotask(end);
  const options = flags.includes('--watch') ? { signal: controller.signal, sleep, written } : {};
  const { exit, stdout, stderr } = await ran(entry, ['-o', format, ...flags], options);
  return exit === 2 && /cannot be written as|has no ID/.test(stderr) ? null : stdout;
}

/** The records of a document: a list, a page of one, or lines. */
function recordsIn(text: string): Fields[] {
  const data: unknown[] = linesIn(text).every(isDocument)
    ? linesIn(text).map((line) => JSON.parse(line))
    : [JSON.parse(text)];
  const [only] = data;
  const listed = isFields(only) && Array.isArray(only.data) ? only.data : Array.isArray(only) ? only : data;
  return listed.filter(isFields);
}

function isDocument(line: string): boolean {
  return line.startsWith('{') && line.endsWith('}');
}

/** Amounts for people, such as $6.47. */
const dollars = /\$\d/;

const lists = offered.filter(({ path, command }) => command.effect === 'read' && path.at(-1) === 'list');
const watches = offered.filter(({ command }) => 'watch' in command.flags);

/** Nothing, and what is not so: some columns are empty for people then. */
const nothing = /^(?:|null|undefined|false|no|0(?:\.0+)?)$/;

/** Which cells of the columns have a text, in every row of a format; null if the list has none in this format. */
async function filledCells(entry: Entry, fields: readonly string[], format: string, more: string[] = []) {
  const text = await outputOf(entry, format, ['--columns', fields.join(), ...more]);
  if (text === null) return null;
  const rows: readonly (readonly unknown[])[] =
    format === 'json'
      ? recordsIn(text).map((record) => fields.map((field) => record[field]))
      : format === 'csv'
        ? parse(text, { from: 2 })
        : linesIn(text).map((line) => line.split('\t'));
  return rows.map((cells) => fields.filter((_field, index) => !nothing.test(String(cells[index]))));
}

test.each(lists)('a column of $words that has text in one format has it in all', async (entry) => {
  const columns = entry.command.columns ?? [];
  const times = columns.filter(({ kind }) => kind === 'time').map(({ field }) => field);
  const fields = [...new Set(columns.map(({ field }) => field))].filter((field) => !times.includes(field));
  const filled = await filledCells(entry, fields, 'json');
  for (const [format, ...more] of [['tsv'], ['csv'], ['csv', '--raw']] as const)
    expect(await filledCells(entry, fields, format, more), format).toEqual(filled);
});

const filtered = offered.filter(({ command }) => 'filter' in command.flags);

const filteredRuns = filtered.flatMap((entry, place) =>
  ['json', 'ndjson', 'csv', 'tsv', 'id', 'table']
    .filter(oneOf(3, place % 3))
    .map((format) => ({ entry, words: entry.words, format })),
);

test.each(filteredRuns)(
  '$words keeps nothing of what a filter excludes: $format',
  async ({ entry, format }) => {
    const [column = { field: '' }] = entry.command.columns ?? [];
    const flags = ['--filter', `${column.field} != none and ${column.field} = none`, '-o', format];
    const watch = 'watch' in entry.command.flags ? [['--watch', '--timeout', '1s']] : [];
    for (const more of [[], ['--all'], ['--sort', column.field], ...watch]) {
      for (const each of [
        await ran(entry, [...flags, ...more]),
        await records.run([...entry.path, ...flags, ...more]),
      ]) {
        if (each.exit === 2) continue;
        const listed = each.stdout.replaceAll(
          /^.*"object":"route_quotes".*"data":(?:null|\[\]).*\n|^(?:PENDING|COMPLETE {2}0)\n/gm,
          '',
        );
        expect(listed.replace(/^[a-z_.,"]*\n$/, '').replace('[]\n', '')).toBe('');
      }
    }
  },
);

const filteredColumns = filtered.flatMap((entry, place) =>
  [...new Set((entry.command.columns ?? []).flatMap(({ field, header }) => [field, header.toLowerCase()]))]
    .filter(oneOf(5, place % 5))
    .map((column) => ({ ...entry, line: lineOf(entry, records.ids).words, column })),
);

test.each(filteredColumns)(
  '$words is filtered and sorted by its column $column',
  async ({ command, line, column }) => {
    const limit = 'limit' in command.flags ? ['--limit', '2'] : [];
    for (const flags of [
      ['--filter', column],
      ['--filter', `${column} = none`],
      ['--sort', column],
    ]) {
      const { exit, stderr } = await records.run([...line, ...flags, ...limit, '--json']);
      expect([flags, exit, stderr]).toEqual([flags, 0, expect.not.stringContaining('"error"')]);
    }
  },
);

/** The first columns of a row for programs: scripts cut them by their place, so a new column comes after them. */
const places: readonly [words: string, fields: readonly string[]][] = [
  ['orders list', ['id', 'status', 'external_order_ref', 'pickup_name', 'dropoff_name', 'created_at']],
  ['routes list', ['id', 'status']],
  ['deliveries list', ['id', 'status', 'service', 'external_order_ref']],
  ['events list', ['created_at', 'type']],
  ['charges list', ['kind', 'amount', 'delivery_id', 'created_at', 'reason']],
  ['stores list', ['id', 'name', 'address']],
  ['drivers list', ['id', 'name']],
  ['webhooks list', ['id', 'url', 'status']],
];

test.each(places)('the columns of %s stay where scripts cut them', async (words, fields) => {
  const [entry] = lists.filter((each) => each.words === words);
  if (entry === undefined) throw new Error(`There is no ${words}.`);
  const [first] = recordsIn((await outputOf(entry, 'json')) ?? '[]');
  const [row = ''] = linesIn((await outputOf(entry, 'tsv')) ?? '');
  expect(row.split('\t').slice(0, fields.length)).toEqual(
    fields.map((field) => String(first?.[field] ?? '')),
  );
});

test('quotes are cheapest first in JSON', async () => {
  const quotes = lists.filter(({ words }) => words === 'quotes list');
  const [listed = []] = await Promise.all(
    quotes.map(async (entry) => recordsIn((await outputOf(entry, 'json')) ?? '[]')),
  );
  const totals = listed.map(
    ({ cost_of_delivery, service_fee }) => Number(cost_of_delivery) + Number(service_fee),
  );
  expect(totals.length).toBeGreaterThan(1);
  expect(totals).toEqual(totals.toSorted((left, right) => left - right));
});

test.each(watches)(
  '$words --watch has no dollars for programs, and the rows of a list of quotes',
  async (entry) => {
    const tsv = await outputOf(entry, 'tsv', ['--watch', '--timeout', '1s']);
    expect(tsv).not.toMatch(dollars);
    if (entry.words === 'quotes list')
      expect([tsv, linesIn(tsv ?? '').length > 1]).toEqual([await outputOf(entry, 'tsv'), true]);
  },
);

test('the conditions in the help of --filter name columns of their own list', async () => {
  const filtered = commands.filter(({ command }) => 'filter' in command.flags);
  expect(filtered.length).toBeGreaterThan(10);
  for (const entry of filtered) {
    const examples = exampleConditions(entry.command.columns);
    expect(entry.command.flags.filter?.summary).toContain(examples.map((each) => `"${each}"`).join(', '));
    for (const example of examples) {
      const { stderr } = await ran(entry, ['--filter', example]);
      expect([entry.path.join(' '), example, stderr]).toEqual([
        entry.path.join(' '),
        example,
        expect.not.stringMatching(/--filter (?:has no column|cannot|must)/),
      ]);
    }
  }
});
