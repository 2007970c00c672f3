import { expect, test } from 'vitest';
import { cheapest, fastest, isExpired, quotePrice, rankQuotes } from '../../src/domain/quotes.ts';

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
