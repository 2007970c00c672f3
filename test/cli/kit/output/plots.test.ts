import { expect, test } from 'vitest';
import { bar, inkOf, shareColumns, twoPartBar } from '../../../../src/cli/kit/output/plots.ts';
import type { Ink } from '../../../../src/cli/kit/result/result.ts';

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
