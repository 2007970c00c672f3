import { expect, test } from 'vitest';
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
