import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { PipeClosed } from '../../../../src/cli/kit/host/host.ts';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import { cellsOf, formulasIn, hostile, obeyed, readings, withoutLine } from './hostile-text.ts';

const { box, lines } = await readings();
const transport = hostile(box.transport);

/** The styles that the program writes itself. */
const own = /\p{Cc}\[(?:\d+;?)*m/gu;

test('every command that reads is covered here', () => {
  expect(withoutLine(lines)).toEqual([]);
});

/** Each way to write a result to a terminal. */
const onTerminals: [name: string, flags: string[], columns: number][] = [
  ['table', [], 120],
  ['cards', [], 40],
  ['wide', ['-o', 'wide'], 200],
  ['tsv', ['-o', 'tsv'], 80],
  ['ndjson', ['-o', 'ndjson'], 80],
  ['json', ['--json'], 80],
  ['jq', ['--jq', '.. | strings'], 80],
  ['jq text', ['--jq', '[.. | strings] | join("\\n")'], 80],
];

test.each(onTerminals)(
  'no control character of third-party text reaches a terminal: %s',
  async (_, flags, columns) => {
    let seen = 0;
    for (const line of lines) {
      const { stdout, stderr } = await box.run([...line, ...flags], { transport, tty: true, columns });
      const text = (stdout + stderr).replace(own, '');
      expect(obeyed.exec(text), `${line.join(' ')}: ${JSON.stringify(text)}`).toBeNull();
      if (text.includes('calc')) seen += 1;
    }
    expect(seen).toBeGreaterThan(5);
  },
);

test('nor a pipe, in formats for reading', async () => {
  for (const flags of [
    ['-o', 'tsv'],
    ['-o', 'csv'],
    ['-o', 'wide'],
    ['-o', 'id'],
    ['--json'],
    ['-o', 'ndjson'],
  ]) {
    for (const line of lines) {
      const { stdout } = await box.run([...line, ...flags], { transport });
      expect(obeyed.exec(stdout), `${line.join(' ')} ${flags.join(' ')}`).toBeNull();
    }
  }
});

test('no CSV cell is a formula', async () => {
  let seen = 0;
  for (const line of lines) {
    const tsv = await box.run([...line, '-o', 'tsv'], { transport });
    const csv = await box.run([...line, '-o', 'csv'], { transport });
    const table = csv.exit === 0 ? csv.stdout : '';
    const read = await box.run([...line, '-o', 'csv', '--no-raw'], { transport });
    const formulas = [
      ...formulasIn(tsv.stdout, 'tsv'),
      ...formulasIn(table, 'csv'),
      ...formulasIn(read.exit === 0 ? read.stdout : '', 'csv').filter((cell) => !amount.test(cell)),
    ];
    if (!isJson(tsv.stdout)) expect(formulas, line.join(' ')).toEqual([]);
    const cells = [...tsv.stdout.split(/[\t\n]/), ...cellsOf(table)];
    if (cells.some((cell) => cell.startsWith("'="))) seen += 1;
  }
  expect(seen).toBeGreaterThan(3);
});

/** A signed amount in dollars runs nothing. */
const amount = /^-?\$[\d,]+\.\d\d$/;

/** A document is JSON in every format. */
function isJson(text: string): boolean {
  return text.startsWith('{');
}

const ways = [
  ...['table', 'wide', 'tsv', 'csv', 'ndjson', 'json', 'id'].map((format) => ['-o', format]),
  ['--jq', '.'],
];

test.each(ways)('-q leaves stderr empty after a success: %s %s', async (...way) => {
  let seen = 0;
  for (const line of lines) {
    const { stdout, stderr, exit } = await box.run([...line, ...way, '-q'], { tty: true });
    if (exit !== 0) continue;
    seen += stdout === '' ? 0 : 1;
    expect(stderr, line.join(' ')).toBe('');
  }
  expect(seen).toBeGreaterThan(15);
});

test.each(ways)('a closed pipe is not an error: %s %s', async (...way) => {
  const written = () => {
    throw new PipeClosed();
  };
  for (const line of lines.slice(0, 9)) {
    const { stderr, exit } = await box.run([...line, ...way], { written });
    if (exit === 2) continue;
    expect([exit, stderr], line.join(' ')).toEqual([0, '']);
  }
});

const ids = /\b(?:ord|rte|rq|dlv|bat|str|whe|key|evt|acct)_[0-9A-Z]{26}\b/g;
const addresses = /https?:\/\/[^\s"]+/g;

test.each([40, 60, 80])('every list and record at %d columns', async (columns) => {
  for (const line of lines) {
    const { stdout } = await box.run(line, { tty: true, columns });
    if (stdout.startsWith('{')) continue;
    const over = stdout.split('\n').filter((text) => displayWidth(text) > columns);
    const broken = over.filter((text) => !standsAlone(text));
    expect(broken, line.join(' ')).toEqual([]);
  }
});

/** An id or URL that is longer than a line is not broken, but on its own line; a command stays copyable. */
function standsAlone(text: string): boolean {
  return /^\s*(?:\S{30,}$|waybill )/.test(stripVTControlCharacters(text));
}

test('no id or address is cut: those of a wide terminal are all in a narrow one', async () => {
  for (const line of lines) {
    const wide = (await box.run([...line, '-o', 'wide'], { tty: true, columns: 400 })).stdout;
    const narrow = (await box.run([...line, '-o', 'wide'], { tty: true, columns: 40 })).stdout;
    for (const word of [...(wide.match(ids) ?? []), ...(wide.match(addresses) ?? [])])
      expect(narrow, line.join(' ')).toContain(word);
  }
});
