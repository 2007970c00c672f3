import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { columnName } from '../../../../src/cli/kit/result/column-names.ts';
import { formats, isColumnFor } from '../../../../src/cli/kit/result/result.ts';
import type { Fields } from '../../../../src/domain/fields.ts';
import { commands } from '../../commands-of-tree.ts';
import { readings } from './hostile-text.ts';

const { box, lines } = await readings();
const own = [
  ['config', 'list'],
  ['config', 'get', 'base_url'],
  ['profiles', 'list'],
  ['sandbox', 'clock'],
];
const typed = [...lines, ...own].map((line) => line.join(' '));

/** The output of a command in a format. */
async function written(line: string, format: string) {
  const { stdout, stderr, exit } = await box.run([...line.split(' '), '-o', format]);
  return { stdout, stderr, exit, lines: stdout.split('\n').slice(0, -1) };
}

function commandOf(line: string) {
  const found = commands.find(({ words }) => `${line} `.startsWith(`${words} `));
  if (found === undefined) throw new Error(`no command: ${line}`);
  return found;
}

const isShowing = ({ words }: { words: string }) => / (?:list|get)$/.test(words);

test('every list and get command is covered here', () => {
  const names = typed.map((line) => commandOf(line).words);
  expect(commands.filter((entry) => isShowing(entry) && !names.includes(entry.words))).toEqual([]);
});

/** Commands without columns to choose from: a document, and a single value. */
const withoutColumns = ['events get', 'config get'];

test('every list and get command has columns to choose from', () => {
  const without = commands.filter(
    (entry) =>
      isShowing(entry) &&
      entry.command.formats.includes('csv') &&
      entry.command.columns.length === 0 &&
      !withoutColumns.includes(entry.words),
  );
  expect(without.map(({ words }) => words)).toEqual([]);
});

const columned = typed.filter((line) => commandOf(line).command.columns.length > 0);

test.each(columned)('%s shows its columns by field and by heading in every format', async (line) => {
  const { columns } = commandOf(line).command;
  const whole = parse<Record<string, string>>((await written(line, 'csv')).stdout, { columns: true });
  const fields = [...new Set(columns.map(({ field }) => field))];
  const chosenLine = `${line} --columns ${fields.join(',')}`;
  const raw = parse<Record<string, string>>((await written(`${chosenLine} --raw`, 'csv')).stdout, {
    columns: true,
  });
  expect(raw).toHaveLength(whole.length);
  for (const [index, row] of whole.entries()) {
    const chosen = Object.entries(row).filter(([field]) => fields.includes(field));
    expect(raw[index]).toMatchObject(Object.fromEntries(chosen));
  }
  for (const format of ['table', 'wide', 'tsv', 'csv', 'ndjson', 'json', 'id']) {
    if (!commandOf(line).command.formats.some((known) => known === format)) continue;
    expect((await written(chosenLine, format)).exit, format).toBe(0);
  }
  const headings = columns.map(({ header }) => header);
  const named = await box.run([...line.split(' '), '--json', '--columns', headings.join(',')]);
  const [first] = [JSON.parse(named.stdout)].flat();
  expect(Object.keys(first)).toEqual([...new Set(headings.map(columnName))]);
});

const lists = [...columned, 'report'].filter((line) => /list$|^report$/.test(line));

test.each(lists)(
  '%s: every heading of its table can be typed, and selects the column below it',
  async (line) => {
    const { columns } = commandOf(line).command;
    const headings = [
      ...new Set(columns.filter((each) => isColumnFor(each, true)).map(({ header }) => header)),
    ];
    const chosen = ['-o', 'table', '--columns', headings.map(columnName).join(',')];
    const { stdout } = await box.run([...line.split(' '), ...chosen]);
    const [shown = ''] = stdout.split('\n');
    expect(shown.split(/ {2,}/)).toEqual(headings.map((heading) => heading.toUpperCase()));
  },
);

const shown = typed.filter(
  (line) => isShowing(commandOf(line)) || /^(?:whoami|orders attempts|sandbox (?!steps))/.test(line),
);

test.each(shown)('%s has the same content in each of its formats, and refuses all others', async (line) => {
  const { command } = commandOf(line);
  for (const format of [...formats, 'yaml'].filter(
    (name) => !command.formats.some((known) => known === name),
  )) {
    const { exit, stderr } = await written(line, format);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`not "${format}"`)]);
  }
  const inFormat = async (format: string) => {
    const answer = await written(line, format);
    expect([answer.exit, answer.stderr.includes('Error')], format).toEqual([0, false]);
    return answer;
  };
  const data: unknown = JSON.parse((await inFormat('json')).stdout);
  const ndjson = (await inFormat('ndjson')).lines.map((text): Fields => JSON.parse(text));
  // Quotes are returned with the state of their round; lines contain only the quotes.
  const same = Array.isArray(data) ? data : [data];
  // The format itself differs, too.
  if (!/^quotes|^config list/.test(line)) expect(ndjson).toEqual(same);
  const isList = Array.isArray(data) || line.startsWith('quotes');
  const tsv = (await inFormat('tsv')).lines.map((text) => text.split('\t'));
  expect(
    tsv.flat().filter((cell) => /^-?\$\d/.test(cell)),
    'amounts for people',
  ).toEqual([]);
  const key = ndjson.every(({ id }) => typeof id === 'string') ? 'id' : 'name';
  const keys = ndjson.map((each) => each[key]);
  const table = await inFormat('table');
  const wide = await inFormat('wide');
  if (isList) expect(wide.lines.length).toBeGreaterThanOrEqual(table.lines.length);
  if (command.formats.some((format) => format === 'id')) {
    const { lines: ids } = await inFormat('id');
    expect(ids).toHaveLength(ndjson.length);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^\S+$/.test(id))).toBe(true);
    if (isList && key === 'id') expect(ids).toEqual(keys);
  }
  if (!command.formats.some((format) => format === 'csv')) return;
  const [header = [], ...rows]: string[][] = parse((await inFormat('csv')).stdout);
  expect(new Set(header).size).toBe(header.length);
  expect(rows).toHaveLength(ndjson.length);
  if (isList) {
    expect(tsv).toHaveLength(ndjson.length);
    expect(new Set(tsv.map((cells) => cells.length)).size).toBeLessThanOrEqual(1);
    // Some lists show the ID only with all columns.
    if (tsv.some((cells) => cells.includes(String(keys[0]))))
      expect(tsv.map((cells, index) => cells.includes(String(keys[index])))).toEqual(keys.map(() => true));
    if (header.includes(key)) expect(rows.map((cells) => cells[header.indexOf(key)])).toEqual(keys);
    // An amount that does not apply is empty.
    for (const [index, cells] of rows.entries())
      for (const [at, name] of header.entries()) {
        const value = ndjson[index]?.[name.replace(/_cents$/, '')];
        if (typeof value === 'number') expect(['', String(value)], name).toContain(cells[at]);
      }
    // In CSV amounts name their unit, and those of the quote that they are not what was charged.
  } else if (tsv.length > 1) {
    const fields = header.map((name) => name.replace(/_cents$/, ''));
    const quoted: Record<string, string> = { agreed_price: 'payment_amount', agreed_tip: 'tip' };
    expect(tsv.map(([field]) => field)).toEqual(fields.map((name) => quoted[name] ?? name));
  }
});
