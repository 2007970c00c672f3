import { expect, test } from 'vitest';
import { alignedRows } from '../../../../src/cli/kit/output/rows.ts';
import { displayWidth } from '../../../../src/cli/kit/output/wrapping.ts';

const rows = [
  [{ text: '10:00' }, { text: 'sent' }, { text: '2 min', isRight: true as const }, { text: 'with swiftly' }],
  [
    { text: '10:02' },
    { text: 'arrived' },
    { text: '1 h 5 min', isRight: true as const },
    { text: 'at the Grill' },
  ],
];

test('cells are aligned, text to the left and numbers to the right', () => {
  expect(alignedRows(rows, { room: null })).toEqual([
    '  10:00  sent         2 min  with swiftly',
    '  10:02  arrived  1 h 5 min  at the Grill',
  ]);
});

test('long texts wrap below themselves', () => {
  const long = [[{ text: '10:00' }, { text: 'sent' }, { text: 'with a courier who comes by bike' }]];
  expect(alignedRows(long, { room: 36, indent: 0 })).toEqual([
    '10:00  sent  with a courier who',
    '             comes by bike',
  ]);
});

test('with too little room they wrap below the second cell', () => {
  const lines = alignedRows(rows, { room: 40 });
  expect(lines).toEqual([
    ...['  10:00  sent         2 min', '         with swiftly'],
    ...['  10:02  arrived  1 h 5 min', '         at the Grill'],
  ]);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(40);
});

test('cells without room go below the second, and missing neighbors leave no empty line', () => {
  const dated = [
    [{ text: '1' }, { text: 'Mar 2 10:00' }, { text: 'sent off' }, { text: 'with swiftly' }],
    [{ text: '' }, { text: '' }, { text: 'arrived' }, { text: 'not reported' }],
  ];
  expect(alignedRows(dated, { room: 25 })).toEqual([
    ...['  1  Mar 2 10:00', '     sent off', '     with swiftly'],
    ...['     arrived', '     not reported'],
  ]);
});

test('styles have no width, and empty cells leave no trailing spaces', () => {
  const paint = (text: string) => `\u001b[1m${text}\u001b[22m`;
  const painted = [
    [{ text: 'a', paint, width: 4 }, { text: 'b' }],
    [{ text: '' }, { text: '' }],
  ];
  expect(alignedRows(painted, { room: 40 })).toEqual([`  ${paint('a')}     b`, '']);
});
