import { expect, test } from 'vitest';
import { bar, shareColumns, twoPartBar } from '../../../../src/cli/kit/output/format.ts';

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
