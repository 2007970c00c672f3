import { expect, test } from 'vitest';
import { shownFee } from '../../src/domain/charges.ts';

const fixed = (value: number) => ({ kind: 'fixed', value }) as const;
const percent = (value: number) => ({ kind: 'percent', value }) as const;

test.each([
  ['nothing configured', null, null, { fee: 1000, upsell: null, subsidized: null }],
  ['an upsell', fixed(150), null, { fee: 1150, upsell: 150, subsidized: null }],
  ['a subsidy', null, percent(25), { fee: 750, upsell: null, subsidized: 250 }],
  ['both', percent(10), fixed(300), { fee: 800, upsell: 100, subsidized: 300 }],
  ['a subsidy above all', null, fixed(5000), { fee: 0, upsell: null, subsidized: 5000 }],
] as const)('%s', (_, upsell, subsidy, shown) => {
  expect(shownFee(1000, { upsell, subsidy })).toEqual(shown);
});

test('half a cent rounds up', () => {
  expect(shownFee(50, { upsell: percent(5), subsidy: null }).upsell).toBe(3);
});
