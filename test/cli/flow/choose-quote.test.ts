import { expect, test } from 'vitest';
import { checkPrice, chooseQuote, preferenceOf } from '../../../src/cli/flow/choose-quote.ts';
import { Failure, UsageError } from '../../../src/cli/kit/errors/failure.ts';
import type { RouteQuote, RouteQuotes } from '../../../src/contract/quotes.ts';

const now = Date.parse('2026-03-02T10:00:00.000Z');

function quote(id: string, cost: number, eta: string, expires_at: string | null = null): RouteQuote {
  const at = '2026-03-02T09:59:00.000Z';
  return {
    ...{
      id,
      object: 'route_quote',
      cost_of_delivery: cost,
      service_fee: 50,
      provider: id,
      account_id: 'acct_1',
    },
    ...{ route_id: 'rte_1', expires_at, currency: 'USD', pickup_eta: at, dropoff_eta: eta, created_at: at },
  };
}

function complete(...data: RouteQuote[]): RouteQuotes {
  return { object: 'route_quotes', status: 'COMPLETE', data };
}

const cheap = quote('cheap', 599, '2026-03-02T11:00:00.000Z');
const fast = quote('fast', 999, '2026-03-02T10:20:00.000Z');
const gone = quote('gone', 100, '2026-03-02T10:01:00.000Z', '2026-03-02T10:00:00.000Z');

test('cheapest, fastest, or the named one; never an expired one', () => {
  const quotes = complete(gone, fast, cheap);
  expect(chooseQuote('rte_1', quotes, 'cheapest', now)).toBe(cheap);
  expect(chooseQuote('rte_1', quotes, 'fastest', now)).toBe(fast);
  expect(chooseQuote('rte_1', quotes, { quote: 'fast' }, now)).toBe(fast);
  expect(chooseQuote('rte_1', quotes, 'cheapest', now - 1)).toBe(gone);
  expect(chooseQuote('rte_1', quotes, { provider: 'fast' }, now)).toBe(fast);
});

const pending: RouteQuotes = { object: 'route_quotes', status: 'PENDING', data: null };

test.each([
  ['pending', pending, 'cheapest', 8, 'quotes_not_ready'],
  ['none', complete(), 'cheapest', 9, 'no_quotes'],
  ['all expired', complete(gone), 'fastest', 6, 'quote_expired'],
  ['the named one expired', complete(gone, cheap), { quote: 'gone' }, 6, 'quote_expired'],
  ['those of a provider expired', complete(gone, cheap), { provider: 'gone' }, 6, 'quote_expired'],
  ['a provider without one', complete(cheap), { provider: 'fast' }, 5, 'quote_not_found'],
  ['an unknown one', complete(cheap), { quote: 'rq_9' }, 5, 'quote_not_found'],
] as const)('%s: exit code and error code', (_, quotes, preference, exit, code) => {
  expect(failureOf(() => chooseQuote('rte_1', quotes, preference, now))).toMatchObject({ exit, code });
});

test('no quotes: the reasons are printed', () => {
  const reasons = [{ provider: 'metrobike', code: 'too_far', reason: 'too far' }];
  const failure = failureOf(() => chooseQuote('rte_1', { ...complete(), reasons }, 'cheapest', now));
  expect(failure?.details.why).toBe('metrobike: too far');
});

test('no quotes in live mode without couriers: says so once, and how to get one', () => {
  const reasons = ['swiftly', 'metrobike'].map((provider) => ({
    ...{ provider, code: 'simulated_only', reason: `${provider} is simulated` },
  }));
  const failure = failureOf(() => chooseQuote('rte_1', { ...complete(), reasons }, 'cheapest', now));
  expect(failure?.details.why).toMatch(/^The account has no connected courier [^\n]*$/);
  expect(failure?.details.next?.map(({ command }) => command)).toEqual([
    ...['couriers connect', 'drivers add', 'routes quote', 'routes delete'],
  ]);
});

test('no quotes as no own driver is on duty: leads to the drivers', () => {
  const reasons = [{ provider: 'fleet', code: 'no_courier_free', reason: 'no driver is on duty' }];
  const failure = failureOf(() => chooseQuote('rte_1', { ...complete(), reasons }, 'cheapest', now));
  expect(failure?.details.next?.map(({ command }) => command)).toEqual([
    ...['drivers list', 'routes quote', 'routes delete'],
  ]);
});

test('above the maximum cost: exit 6 with the price; at it: accepted', () => {
  const failure = failureOf(() => checkPrice(cheap, 648));
  expect(failure).toMatchObject({ exit: 6, message: expect.stringContaining('$6.49') });
  expect(() => checkPrice(cheap, 649)).not.toThrow();
  expect(() => checkPrice(cheap, undefined)).not.toThrow();
});

test('exactly one way to choose is required', () => {
  const none = { quote: undefined, provider: undefined, cheapest: false, fastest: false };
  const alone = { interactive: false };
  expect(preferenceOf({ ...none, quote: 'rq_1' }, alone)).toEqual({ quote: 'rq_1' });
  expect(preferenceOf({ ...none, fastest: true }, alone)).toBe('fastest');
  expect(preferenceOf(none, { interactive: true })).toBeNull();
  for (const flags of [none, { ...none, cheapest: true, fastest: true }]) {
    expect(() => preferenceOf(flags, alone)).toThrow(UsageError);
  }
});

function failureOf(work: () => unknown): Failure | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof Failure ? error : null;
  }
}
