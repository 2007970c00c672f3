import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import { rowsOf, wrapLine } from '../../../../src/cli/kit/prompts/wrap-line.ts';

const question = '? Pickup address (street, city, state, ZIP) 43 E Ohio St';

test.each([
  [80, [question]],
  [40, ['? Pickup address (street, city, state,', 'ZIP) 43 E Ohio St']],
  [56, [question]],
  [55, ['? Pickup address (street, city, state, ZIP) 43 E Ohio', 'St']],
])('in %i columns a line wraps at its spaces', (columns, rows) => {
  expect(wrapLine(question, columns)).toEqual(rows);
});

test('the rows of a choice after its first are indented, also if it is styled', () => {
  expect(wrapLine('\u001b[36m❯ poolride, $6.47, there at 10:41\u001b[39m', 24, 4)).toEqual([
    '\u001b[36m❯ poolride, $6.47, there',
    '    at 10:41\u001b[39m',
  ]);
});

test('a word that is longer than a row is broken where the row ends', () => {
  expect(wrapLine(`? Name ${'x'.repeat(30)} end`, 20)).toEqual([
    '? Name',
    'x'.repeat(20),
    `${'x'.repeat(10)} end`,
  ]);
});

test.each([
  ['', 1],
  ['x'.repeat(20), 1],
  ['x'.repeat(21), 2],
  ['市'.repeat(11), 2],
])('"%s" takes %i rows of 20 columns', (line, rows) => {
  expect(rowsOf(line, 20)).toBe(rows);
});

const text = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', 'ß', '市', '\u0301', 'word ', '  ', 'Ohio St, '),
  maxLength: 60,
});

test('no row is too wide, and only spaces are lost', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 50 }), (typed, columns) => {
      const line = `? ${typed}`;
      const rows = wrapLine(line, columns);
      expect(Math.max(...rows.map(displayWidth))).toBeLessThanOrEqual(columns);
      expect(rows.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
    }),
    { seed: 7, numRuns: 500 },
  );
});
