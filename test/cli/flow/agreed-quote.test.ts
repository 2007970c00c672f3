import { expect, test } from 'vitest';
import { chooseQuote } from '../../../src/cli/flow/agreed-quote.ts';
import { Failure } from '../../../src/cli/kit/errors/failure.ts';
import type { RouteQuote, RouteQuotes } from '../../../src/contract/routes.ts';

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
const gone = quote('gone', 100, '2026-03-02T10:01:00.000Z', '2026-03-02T10:00:00.000Z');

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
  expect(failureOf(() => chooseQuote('rte_1', quotes, { preference, lateOk: false }, now))).toMatchObject({
    exit,
    code,
  });
});

test('no quotes in live mode without couriers: says so once, and how to get one', () => {
  const reasons = ['swiftly', 'metrobike'].map((provider) => ({
    ...{ provider, code: 'simulated_only', reason: `${provider} is simulated` },
  }));
  const failure = failureOf(() =>
    chooseQuote('rte_1', { ...complete(), reasons }, { preference: 'cheapest', lateOk: false }, now),
  );
  expect(failure?.details.why).toMatch(/^The account has no connected courier [^\n]*$/);
  const commands = ['couriers connect', 'drivers add', 'routes quote'];
  expect(failure?.details.next?.map(({ command }) => command)).toEqual(commands);
});

test('no quotes as no own driver is on duty: leads to the drivers', () => {
  const reasons = [{ provider: 'fleet', code: 'no_courier_free', reason: 'no driver is on duty' }];
  const failure = failureOf(() =>
    chooseQuote('rte_1', { ...complete(), reasons }, { preference: 'cheapest', lateOk: false }, now),
  );
  const commands = ['drivers list', 'routes quote'];
  expect(failure?.details.next?.map(({ command }) => command)).toEqual(commands);
});

function failureOf(work: () => unknown): Failure | null {
  try {
    work();
    return null;
  } catch (error) {
    return error instanceof Failure ? error : null;
  }
}
