import { expect, test } from 'vitest';
import {
  bar,
  inkOf,
  linked,
  shareColumns,
  showsLinks,
  twoPartBar,
} from '../../../../src/cli/kit/output/format.ts';
import { alignedRows } from '../../../../src/cli/kit/output/rows.ts';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import type { Ink } from '../../../../src/cli/kit/result/result.ts';
import { hostile, readings } from './hostile-text.ts';

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

test.each<[Record<string, string>, string, Ink]>([
  [{ LANG: 'en_US.UTF-8' }, 'linux', 'blocks'],
  [{ LANG: 'C.utf8', TERM: 'xterm-256color' }, 'linux', 'blocks'],
  [{ LC_CTYPE: 'UTF-8' }, 'darwin', 'blocks'],
  [{ LC_ALL: 'C', LC_CTYPE: 'UTF-8', LANG: 'en_US.UTF-8' }, 'linux', 'ascii'],
  [{ LC_ALL: '', LANG: 'en_US.ISO-8859-1' }, 'linux', 'ascii'],
  [{}, 'linux', 'ascii'],
  [{ LANG: 'en_US.UTF-8', TERM: 'dumb' }, 'linux', 'ascii'],
  [{ LANG: 'en_US.UTF-8', TERM: 'linux' }, 'linux', 'ascii'],
  [{}, 'win32', 'ascii'],
  [{ WT_SESSION: '1' }, 'win32', 'blocks'],
])('%o on %s: %s', (environment, platform, ink) => {
  expect(inkOf({ environment, platform })).toBe(ink);
});

const { box, lines } = await readings();
const getLine = lines.find(([noun, verb]) => noun === 'deliveries' && verb === 'get') ?? [];
const open = '\u001b]8;;';
const end = '\u001b\\';

test.each([
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.4.1' }, true],
  [{ TERM_PROGRAM: 'iTerm.app', TERM_PROGRAM_VERSION: '3.0.9' }, false],
  [{ TERM_PROGRAM: 'vscode', TERM_PROGRAM_VERSION: '1.85.0' }, true],
  [{ TERM_PROGRAM: 'WezTerm', TERM_PROGRAM_VERSION: '20240203-110809-5046fc22' }, true],
  [{ TERM_PROGRAM: 'Apple_Terminal', TERM_PROGRAM_VERSION: '450' }, false],
  [{ VTE_VERSION: '6800' }, true],
  [{ VTE_VERSION: '5000' }, false],
  [{ WT_SESSION: 'x' }, true],
  [{ TERM: 'xterm-kitty' }, true],
  [{ TERM: 'xterm-256color' }, false],
  [{ VTE_VERSION: '6800', CI: '1' }, false],
  [{ VTE_VERSION: '6800', TERM: 'dumb' }, false],
  [{ FORCE_HYPERLINK: '1', CI: '1' }, true],
  [{ FORCE_HYPERLINK: '0', VTE_VERSION: '6800' }, false],
])('%o supports links: %s', (environment, is) => {
  expect(showsLinks(environment)).toBe(is);
});

test('an address is a link to itself, without closing punctuation, and has the same width', () => {
  const text = linked('See https://a.example/x?y=1&z=%20. (http://b.example/)');
  const link = (url: string) => `${open}${url}${end}${url}${open}${end}`;
  expect(text).toBe(`See ${link('https://a.example/x?y=1&z=%20')}. (${link('http://b.example/')})`);
  expect(displayWidth(text)).toBe(displayWidth('See https://a.example/x?y=1&z=%20. (http://b.example/)'));
  expect(linked('https:// http://\u001b[1m')).toBe('https:// http://\u001b[1m');
});

test('addresses of a record are links in terminals that support them, with the same lines', async () => {
  const env = { VTE_VERSION: '7000' };
  for (const columns of [40, 100]) {
    const plain = await box.run(getLine, { tty: true, columns });
    const { stdout } = await box.run(getLine, { tty: true, columns, env });
    expect(plain.stdout).not.toContain(open);
    expect(stdout).toContain(`${open}http://127.0.0.1:4010/track/`);
    expect(stdout.replaceAll(/\p{Cc}\]8;;[!-~]*?\p{Cc}\\/gu, '')).toBe(plain.stdout);
  }
});

test.each([
  ['a pipe', { tty: false }, []],
  ['no colour', { tty: true }, ['--color', 'never']],
  ['NO_COLOR', { tty: true, env: { NO_COLOR: '1' } }, []],
  ['JSON', { tty: true }, ['--json']],
  ['a filter', { tty: true }, ['--jq', '.tracking_url']],
])('not with %s', async (_, { env = {}, tty }: { tty: boolean; env?: Record<string, string> }, flags) => {
  const { stdout } = await box.run([...getLine, ...flags], { tty, env: { FORCE_HYPERLINK: '1', ...env } });
  expect(stdout).toContain('/track/');
  expect(stdout).not.toContain(open);
});

test('third-party links are removed: each shown link has its own address', async () => {
  const transport = hostile(box.transport);
  const env = { FORCE_HYPERLINK: '1' };
  for (const line of lines) {
    const { stdout } = await box.run(line, { transport, tty: true, columns: 100, env });
    for (const [, to, shown] of stdout.matchAll(/\p{Cc}\]8;;([!-~]+)\p{Cc}\\(.*?)\p{Cc}\]8;;\p{Cc}\\/gu))
      expect(to).toBe(shown);
  }
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
