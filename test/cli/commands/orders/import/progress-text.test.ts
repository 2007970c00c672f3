import { expect, test } from 'vitest';
import { paceText } from '../../../../../src/cli/commands/orders/import/progress-text.ts';

const pace = { before: 1_000, total: 5_000, started_at: 0, columns: null };

test.each([
  [1_000, 0, '[####................] 20% · 1,000 of 5,000 orders'],
  [1_000, 9_000, '[####................] 20% · 1,000 of 5,000 orders'],
  [2_000, 10_000, '[########............] 40% · 2,000 of 5,000 orders · 100/s · 30 s left'],
  [1_010, 10_000, '[####................] 20% · 1,010 of 5,000 orders · 1.0/s · 1 h 7 min left'],
  [1_200, 10_000, '[####................] 24% · 1,200 of 5,000 orders · 20/s · 3 min left'],
  [5_000, 10_000, '[####################] 100% · 5,000 of 5,000 orders · 400/s · 0 s left'],
])('%i orders after %i ms', (done, now, text) => {
  expect(paceText(done, pace, now)).toBe(text);
});

test.each([
  [60, '[########............] 40% · 2,000 of 5,000 orders · 100/s · 30 s left'],
  [59, '40% · 2,000 of 5,000 orders · 100/s · 30 s left'],
])('with %i columns', (columns, text) => {
  expect(paceText(2_000, { ...pace, columns }, 10_000)).toBe(text);
});
