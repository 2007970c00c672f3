import { expect, test } from 'vitest';
import { type Selection, selectQuote } from '../../src/domain/quotes.ts';

const now = Date.parse('2026-03-02T12:00:00.000Z');
const minute = 60_000;

const quote = (
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

const pool = quote('poolride', 647, 40);
const swift = quote('swiftly', 853, 20);
const van = quote('haulvan', 2600, 20);
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
  const dead = quote('metrobike', 100, 10, now);
  const endless = quote('nightowl', 200, 10, null);
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
