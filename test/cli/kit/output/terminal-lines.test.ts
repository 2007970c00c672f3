import { expect, test } from 'vitest';
import { alignedRows } from '../../../../src/cli/kit/output/aligned-rows.ts';
import { bar, shareColumns, twoPartBar } from '../../../../src/cli/kit/output/bars.ts';
import { displayWidth, wrapProse } from '../../../../src/cli/kit/output/terminal-lines.ts';
import { freshHome, waybill } from '../../harness.ts';

test('texts wrap at spaces, and commands, ids and phone numbers stay whole', () => {
  const id = 'ord_01KH9000000000000000000000';
  expect(wrapProse(`The order ${id} stays. Go on with: \`waybill new --resume\`.`, 40)).toBe(
    `The order ${id}\nstays. Go on with:\n\`waybill new --resume\`.`,
  );
  expect(wrapProse('Next, see them all: waybill orders list --status open', 40)).toBe(
    'Next, see them all:\nwaybill orders list --status open',
  );
  expect(wrapProse('  waybill orders get ORDER   (see where it stands)', 40)).toBe(
    '  waybill orders get ORDER\n    (see where it stands)',
  );
  expect(wrapProse('  $ waybill orders list --status open --limit 100', 40)).toBe(
    '  $ waybill orders list --status open --limit 100',
  );
  expect(wrapProse('Call the number +1\u00a0312\u00a0555\u00a00142', 30)).toBe(
    'Call the number\n+1\u00a0312\u00a0555\u00a00142',
  );
  expect(wrapProse('The driver is Ana, car, +1 312 *** **99, who goes to Joe', 28)).toBe(
    'The driver is Ana, car,\n+1 312 *** **99, who goes to\nJoe',
  );
  expect(
    wrapProse('There is no delivery "R 10 42" in it, nor "so long a text that nobody reads it whole"', 28),
  ).toBe('There is no delivery\n"R 10 42" in it, nor "so\nlong a text that nobody\nreads it whole"');
  expect(
    wrapProse('Where it is: waybill sandbox clock. Go on (by hand: waybill sandbox advance --next), if', 40),
  ).toBe('Where it is: waybill sandbox clock. Go\non (by hand:\nwaybill sandbox advance --next), if');
  expect(wrapProse("Repeat it: waybill orders create --ref 'R 1. 2', and look", 30)).toBe(
    "Repeat it:\nwaybill orders create --ref 'R 1. 2',\nand look",
  );
  expect(wrapProse('waybill 1.3.0 is out: npm install --global waybill', 34)).toBe(
    'waybill 1.3.0 is out:\nnpm install --global waybill',
  );
  expect(wrapProse('short\n  --item: this is too long for it', 24)).toBe(
    'short\n  --item: this is too\n    long for it',
  );
  expect(wrapProse('never broken where nobody measured', null)).toBe('never broken where nobody measured');
});

test('errors and notes wrap at spaces on a screen, and not elsewhere', async () => {
  const home = freshHome();
  const line = ['orders', 'get', 'ord_01KH9000000000000000000000', '--base-url', 'http://127.0.0.1:9'];
  const env = { WAYBILL_API_KEY: 'wb_test_madeup0000000000', NO_COLOR: '1' };
  const sleep = async () => {};
  const narrow = await waybill(line, { home, env, sleep, tty: true, columns: 30 });
  const whole = await waybill(line, { home, env, sleep });
  const words = (text: string) => text.split(/\s+/);
  expect(words(narrow.stderr)).toEqual(words(whole.stderr));
  const isCommand = (text: string) => text.includes('waybill');
  const lines = narrow.stderr.split('\n').filter((text) => !isCommand(text) && text.includes(' '));
  expect(lines.length).toBeGreaterThan(2);
  expect(Math.max(...lines.map((text) => text.length))).toBeLessThanOrEqual(30);
  expect(Math.max(...whole.stderr.split('\n').map((text) => text.length))).toBeGreaterThan(30);
});

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

test('a bar is proportional, to an eighth of a column', () => {
  expect([0, 0.01, 0.5, 0.53, 1].map((share) => bar(share, 8, 'blocks'))).toEqual([
    ...['', '▏', '████', '████▎', '████████'],
  ]);
  expect([0, 0.01, 0.5, 0.53, 1].map((share) => bar(share, 8, 'ascii'))).toEqual([
    ...['', '#', '####', '####', '########'],
  ]);
});

test('a bar in two parts: light, then dark, with at least one dark column', () => {
  expect(twoPartBar([0.25, 0.75], 8, 'blocks')).toBe('░░████');
  expect(twoPartBar([0.25, 0.75], 8, 'ascii')).toBe('..####');
  expect(twoPartBar([0, 0.01], 8, 'ascii')).toBe('#');
  expect(twoPartBar([1, 1], 8, 'ascii')).toBe('.......#');
});

test('columns are shared in proportion, at least one each for nonzero parts', () => {
  expect(shareColumns(10, [1, 1, 2])).toEqual([3, 2, 5]);
  expect(shareColumns(10, [1000, 1, 0, 1])).toEqual([8, 1, 0, 1]);
  expect(shareColumns(7, [0, 0])).toEqual([0, 0]);
  for (let columns = 5; columns < 60; columns += 1) {
    const shares = shareColumns(columns, [208, 4, 2, 0, 86]);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(columns);
    expect(Math.min(...shares.filter((_, index) => index !== 3))).toBeGreaterThan(0);
  }
});
