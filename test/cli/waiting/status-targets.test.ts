import { expect, test } from 'vitest';
import { BadValue } from '../../../src/cli/kit/args/flags.ts';
import type { StreamLine } from '../../../src/cli/kit/result/result.ts';
import { orderOutcome } from '../../../src/cli/nouns/order-waiting.ts';
import { sortedByTime } from '../../../src/cli/waiting/status-records.ts';
import { readStatuses } from '../../../src/cli/waiting/status-targets.ts';
import { type OrderStatus, orderStatuses } from '../../../src/contract/vocabulary.ts';

test.each([
  ['open', 'dispatched', null, 'open'],
  ['dispatched', 'dispatched', null, 'reached'],
  ['dispatched', 'routed', null, 'reached'],
  ['failed', 'dispatched', null, 'failed'],
  ['failed', 'failed', null, 'reached'],
  ['dispatched', 'canceled', null, 'open'],
  ['canceled', 'failed', null, 'failed'],
  // A later status stops the wait if it is in --fail-on; the awaited one never does.
  ['dispatched', 'routed', 'dispatched', 'failed'],
  ['dispatched', 'dispatched', 'dispatched', 'reached'],
  ['routed', 'dispatched', 'routed', 'failed'],
  ['open', 'dispatched', 'canceled', 'open'],
  // A failure elsewhere always counts.
  ['failed', 'dispatched', 'canceled', 'failed'],
] satisfies [OrderStatus, OrderStatus, OrderStatus | null, string][])(
  '%s, until %s, fail on %s: %s',
  (status, until, fail, is) => {
    const target = { until: [until], fail_on: fail === null ? null : [fail] };
    expect(orderOutcome(status, target)).toBe(is);
  },
);

test('a property name of Object is not a group', () => {
  expect(() => readStatuses('toString', { statuses: orderStatuses, groups: {} })).toThrow(BadValue);
});

function lineOf(id: string, ...times: string[]): StreamLine {
  const changes = times.map((at) => ({ at, row: [at, id], text: () => `${at} ${id}` }));
  return { data: { id }, line: () => id, rows: changes.map(({ row }) => row), changes };
}

test('changes of several records in one poll are sorted by time; each record has its line', () => {
  const [first, last, ...others] = sortedByTime([
    lineOf('a', '2026-03-02T12:01:00.000Z', '2026-03-02T12:05:00.000Z'),
    lineOf('b', '2026-03-02T12:02:00.000Z', '2026-03-02T12:06:00.000Z'),
  ]);
  expect([first?.data, last?.data, others]).toEqual([{ id: 'a' }, { id: 'b' }, []]);
  expect(first?.rows).toEqual([]);
  expect(last?.rows?.map(([at, id]) => `${String(at).slice(14, 16)} ${id}`)).toEqual([
    '01 a',
    '02 b',
    '05 a',
    '06 b',
  ]);
});

test('records with one change each keep their order', () => {
  const news = [lineOf('a', '2026-03-02T12:01:00.000Z'), lineOf('b', '2026-03-02T12:02:00.000Z')];
  expect(sortedByTime(news)).toBe(news);
});
