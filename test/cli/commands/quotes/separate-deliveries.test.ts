import { expect, test } from 'vitest';
import { quoteChoices } from '../../../../src/cli/flow/choose-quote.ts';
import { separateNotes } from '../../../../src/cli/nouns/quote.ts';
import type { RouteQuote, RouteQuotes } from '../../../../src/contract/quotes.ts';

const at = '2026-01-01T12:00:00.000Z';
const one: RouteQuote = {
  ...{ id: 'rq_1', object: 'route_quote', provider: 'swiftly', account_id: 'acct_1', route_id: 'rte_1' },
  ...{ cost_of_delivery: 700, service_fee: 0, currency: 'USD' },
  ...{ pickup_eta: at, dropoff_eta: at, created_at: at, expires_at: null },
};
const two: RouteQuote = {
  ...{ ...one, id: 'rq_2', provider: 'uber-direct' },
  ...{ cost_of_delivery: 1400, separate_deliveries: 2 },
};

test('a courier that makes separate deliveries of a route is named below the quotes', () => {
  expect(separateNotes([one, two])).toEqual([
    'uber-direct makes 2 separate deliveries of the route, possibly by 2 drivers, and its price is their sum.',
  ]);
});

test('and in the choice of a quote', () => {
  const quotes: RouteQuotes = { object: 'route_quotes', status: 'COMPLETE', data: [two, one] };
  const choices = quoteChoices(quotes, { now: Date.parse(at), times: null, zone: 'UTC' });
  expect(choices.map(({ name }) => name)).toEqual([
    expect.stringContaining('swiftly, $7.00, arrives'),
    expect.stringContaining('uber-direct, $14.00 for 2 separate deliveries, arrives'),
  ]);
});
