import { expect, test } from 'vitest';
import {
  cheapest,
  fastest,
  isExpired,
  isWithin,
  quotePrice,
  rankQuotes,
  type Selection,
  selectQuote,
} from '../../src/domain/quotes.ts';

function quote(provider: string, cost_of_delivery: number, service_fee: number, dropoff_eta: number) {
  return { provider, cost_of_delivery, service_fee, dropoff_eta };
}

const dear = quote('a', 900, 57, 10);
const cheapLate = quote('b', 700, 51, 40);
const cheapSoonZ = quote('z', 690, 61, 30);
const cheapSoonC = quote('c', 700, 51, 30);
const dearSoon = quote('d', 950, 58, 10);

test('quotes rank by cost and fee, then by dropoff time, then by name', () => {
  const given = [dear, cheapLate, cheapSoonZ, dearSoon, cheapSoonC];
  expect(rankQuotes(given)).toEqual([cheapSoonC, cheapSoonZ, cheapLate, dear, dearSoon]);
  expect(given[0]).toBe(dear);
  expect(cheapest(given)).toBe(cheapSoonC);
  expect(quotePrice(dear)).toBe(957);
});

test('a price that is not known ranks last, and equal quotes keep their order', () => {
  const [soon, late] = [quote('u', Number.NaN, 0, 5), quote('t', Number.NaN, 0, 60)];
  const ranked = [cheapLate, dear, soon, late];
  for (const given of [ranked, ranked.toReversed()]) expect(rankQuotes(given)).toEqual(ranked);
  const twins = [dear, { ...dear }];
  expect(rankQuotes(twins)[0]).toBe(dear);
});

test.each([
  [957, 957, true],
  [958, 957, false],
  [957, null, true],
  [957, undefined, true],
  [Number.NaN, 957, false],
])('%s is within %s: %s', (price, max_cost, expected) => {
  expect(isWithin(price, max_cost)).toBe(expected);
});

test('the fastest has the earliest dropoff, then the lower price, then the earlier name', () => {
  expect(fastest([cheapLate, dearSoon, dear])).toBe(dear);
  expect(fastest([cheapSoonZ, cheapSoonC])).toBe(cheapSoonC);
  expect(cheapest([])).toBeNull();
  expect(fastest([])).toBeNull();
});

test('a quote is valid until its expiry, and without one forever', () => {
  expect(isExpired({ expires_at: 1000 }, 999)).toBe(false);
  expect(isExpired({ expires_at: 1000 }, 1000)).toBe(true);
  expect(isExpired({ expires_at: null }, Number.MAX_SAFE_INTEGER)).toBe(false);
});

const now = Date.parse('2026-03-02T12:00:00.000Z');
const minute = 60_000;

const offer = (
  provider: string,
  price: number,
  minutes: number,
  expires_at: number | null = now + minute,
) => ({
  provider,
  cost_of_delivery: price - 40,
  service_fee: 40,
  dropoff_eta: now + minutes * minute,
  expires_at,
});

const pool = offer('poolride', 647, 40);
const swift = offer('swiftly', 853, 20);
const van = offer('haulvan', 2600, 20);
const all = [swift, van, pool];

const selection = (changes: Partial<Selection> = {}): Selection => ({
  preference: 'cheapest',
  providers: null,
  max_cost: null,
  now,
  ...changes,
});

const reasons = ({ left_out }: ReturnType<typeof selectQuote>) =>
  left_out.map(({ provider, code, reason }) => `${provider} ${code}: ${reason}`);

test('the cheapest is chosen, with the difference to every other', () => {
  const selected = selectQuote(all, selection());
  expect(selected.chosen).toBe(pool);
  expect(reasons(selected)).toEqual([
    'swiftly dearer: $2.06 more expensive',
    'haulvan dearer: $19.53 more expensive',
  ]);
});

test('of quotes at one price the later is slower, and none of them dearer', () => {
  const others = [offer('tote', 853, 25), offer('uride', 853, 20)];
  expect(reasons(selectQuote([swift, ...others], selection()))).toEqual([
    'uride equal: no better than swiftly',
    'tote slower: arrives 5 min later',
  ]);
});

test('the fastest is chosen, at equal times the cheaper', () => {
  const selected = selectQuote(all, selection({ preference: 'fastest' }));
  expect(selected.chosen).toBe(swift);
  expect(reasons(selected)).toEqual([
    'poolride slower: arrives 20 min later',
    'haulvan dearer: as fast, but $17.47 more expensive',
  ]);
});

test('the first of the preferred providers that quoted is chosen, at any price', () => {
  const preferred = {
    preference: 'preferred',
    providers: ['nightowl', 'haulvan', 'poolride', 'swiftly'],
  } as const;
  const selected = selectQuote(all, selection(preferred));
  expect(selected.chosen).toBe(van);
  expect(reasons(selected)).toEqual([
    'poolride less_preferred: haulvan is preferred',
    'swiftly less_preferred: haulvan is preferred',
  ]);
});

test('quotes above the maximum are left out, and those at the maximum are not', () => {
  expect(selectQuote(all, selection({ max_cost: 647 })).chosen).toBe(pool);
  const selected = selectQuote(all, selection({ max_cost: 646 }));
  expect(selected.chosen).toBeNull();
  expect(reasons(selected)[0]).toBe('poolride above_max_cost: $6.47 is above the maximum of $6.46');
  const fastest = selectQuote(all, selection({ preference: 'fastest', max_cost: 700 }));
  expect(fastest.chosen).toBe(pool);
});

test('an expired quote is not chosen; one without expiry can be', () => {
  const dead = offer('metrobike', 100, 10, now);
  const endless = offer('nightowl', 200, 10, null);
  const selected = selectQuote([...all, dead, endless], selection());
  expect(selected.chosen).toBe(endless);
  expect(reasons(selected).at(-1)).toBe('metrobike quote_expired: its quote had expired');
});

test('without quotes none is chosen', () => {
  expect(selectQuote([], selection())).toEqual({ chosen: null, left_out: [] });
});

test('every quote is either chosen or left out, once', () => {
  for (const preference of ['cheapest', 'fastest', 'preferred'] as const) {
    const { chosen, left_out } = selectQuote(
      all,
      selection({ preference, providers: ['swiftly', 'haulvan', 'poolride'], max_cost: 900 }),
    );
    const named = [chosen?.provider, ...left_out.map(({ provider }) => provider)];
    expect(named.toSorted()).toEqual(['haulvan', 'poolride', 'swiftly']);
  }
});

test.each<[late: string[], preference: Selection['preference'], chosen: string]>([
  [[], 'cheapest', 'poolride'],
  [['poolride'], 'cheapest', 'swiftly'],
  [['swiftly'], 'fastest', 'poolride'],
  [['poolride'], 'preferred', 'swiftly'],
  // No quote keeps the time: the earliest, whatever is preferred.
  [['poolride', 'swiftly'], 'cheapest', 'swiftly'],
  [['poolride', 'swiftly'], 'preferred', 'swiftly'],
])('of quotes of which %j are too late, %s is %s', (late, preference, expected) => {
  const quotes = [pool, swift].map((each) => ({ ...each, too_late: late.includes(each.provider) }));
  const providers = ['poolride', 'swiftly'];
  const { chosen, left_out } = selectQuote(quotes, { preference, providers, max_cost: null, now });
  expect(chosen?.provider).toBe(expected);
  const isPassedOver = late.length === 1 && late[0] !== expected;
  expect(left_out.some(({ code }) => code === 'too_late')).toBe(isPassedOver);
});
