import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { laidOut } from '../../../../src/cli/kit/prompts/frame.ts';
import { displayWidth } from '../../../../src/cli/output/width.ts';

const question = '? Pickup address (street, city, state, ZIP) 43 E Ohio St';

test.each([
  [80, [question], { line: 0, column: 56 }],
  [40, ['? Pickup address (street, city, state,', 'ZIP) 43 E Ohio St'], { line: 1, column: 17 }],
  [56, [question, ''], { line: 1, column: 0 }],
  [57, [question], { line: 0, column: 56 }],
])(
  'in %i columns a question ends its rows at spaces, and the cursor is behind it',
  (columns, rows, cursor) => {
    const frame = { lines: [question], cursor: { line: 0, column: question.length } };
    expect(laidOut(frame, columns)).toEqual({ rows, cursor });
  },
);

test('what follows the first row of a choice stands deeper, also where it is coloured', () => {
  const lines = ['? Which?', '\u001b[36m❯ poolride, $6.47, there at 10:41\u001b[39m', '  metrobike'];
  expect(laidOut({ lines, cursor: null }, 24)).toEqual({
    rows: ['? Which?', '\u001b[36m❯ poolride, $6.47, there', '    at 10:41\u001b[39m', '  metrobike'],
    cursor: null,
  });
});

test('a word that is longer than a row is broken where the row ends', () => {
  const { rows } = laidOut({ lines: [`? Name ${'x'.repeat(30)} end`], cursor: null }, 20);
  expect(rows).toEqual(['? Name', 'x'.repeat(20), `${'x'.repeat(10)} end`]);
});

const text = fc.string({
  unit: fc.constantFrom('a', 'b', ' ', 'ß', '市', '\u0301', 'word ', '  ', 'Ohio St, '),
  maxLength: 60,
});

test('whatever is typed: no row is too wide, nothing but spaces at their ends is lost, and the cursor is on it', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 2, max: 50 }), fc.nat(), (typed, columns, at) => {
      const line = `? ${typed}`;
      const column = at % (displayWidth(line) + 1);
      const { rows, cursor } = laidOut({ lines: [line], cursor: { line: 0, column } }, columns);
      expect(Math.max(...rows.map(displayWidth))).toBeLessThanOrEqual(columns);
      expect(rows.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
      expect(cursor?.line).toBeLessThan(rows.length);
      expect(cursor?.column).toBeLessThan(columns);
    }),
    { seed: 7, numRuns: 500 },
  );
});
