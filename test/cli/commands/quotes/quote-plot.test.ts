import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import type { Ink } from '../../../../src/cli/kit/result/result.ts';
import { quotePlot } from '../../../../src/cli/nouns/quote-plot.ts';
import type { RouteQuote } from '../../../../src/contract/quotes.ts';

const now = Date.parse('2026-03-02T12:00:00.000Z');
const at = (minutes: number) => new Date(now + minutes * 60_000).toISOString();

function quote(
  provider: string,
  cents: number,
  [pickup, dropoff]: [number, number],
  expires = 10,
): RouteQuote {
  return {
    ...{ id: `rq_${provider}`, object: 'route_quote', provider, account_id: 'acct_1', route_id: 'rte_1' },
    ...{ cost_of_delivery: cents - 50, service_fee: 50, currency: 'USD', created_at: at(0) },
    ...{ pickup_eta: at(pickup), dropoff_eta: at(dropoff), expires_at: at(expires) },
  };
}

const quotes = [
  quote('poolride', 647, [12, 31]),
  quote('metrobike', 709, [6, 19], -1),
  quote('haulvan', 2602, [25, 50]),
];

function drawn(room: number, ink: Ink, of = quotes): string[] {
  const plot = quotePlot(of, { ink, room, now, dim: (text) => text });
  return plot === null ? [] : [plot.head, ...plot.lines];
}

test('price from zero to the most expensive, time from now to pickup and dropoff', () => {
  expect(drawn(80, 'ascii')).toEqual([
    '            PRICE                   TO PICKUP AND DROPOFF',
    'poolride    $6.47 ####              12 min .......############            31 min',
    'metrobike   $7.09 expired',
    'haulvan    $26.02 ###############   25 min ...............############### 50 min',
  ]);
  expect(drawn(60, 'blocks')).toEqual([
    '            PRICE            TO PICKUP AND DROPOFF',
    'poolride    $6.47 ██         12 min ░░░░███████       31 min',
    'metrobike   $7.09 expired',
    'haulvan    $26.02 ████████   25 min ░░░░░░░░░████████ 50 min',
  ]);
});

test('with less room the times go first, then all of it; one quote has no comparison', () => {
  expect(drawn(40, 'blocks')).toEqual([
    '            PRICE',
    'poolride    $6.47 █████▌',
    'metrobike   $7.09 expired',
    'haulvan    $26.02 ██████████████████████',
  ]);
  expect(drawn(24, 'ascii')).toEqual([]);
  expect(drawn(80, 'ascii', quotes.slice(0, 1))).toEqual([]);
});

test('no plot in a pipe or in accessible mode', () => {
  expect(quotePlot(quotes, { ink: null, room: 80, now, dim: String })).toBeNull();
  expect(quotePlot(quotes, { ink: 'blocks', room: null, now, dim: String })).toBeNull();
});

test('no line is wider than the terminal, at any width', () => {
  for (let room = 10; room <= 200; room += 1)
    for (const ink of ['ascii', 'blocks'] as const)
      for (const line of drawn(room, ink)) expect(displayWidth(line)).toBeLessThanOrEqual(room);
});
