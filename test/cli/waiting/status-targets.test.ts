import { expect, test } from 'vitest';
import { BadValue } from '../../../src/cli/kit/args/flags.ts';
import { outcomeOf, readStatuses, type StatusPath } from '../../../src/cli/waiting/status-records.ts';

type Status = 'open' | 'routed' | 'dispatched' | 'failed' | 'canceled';

const path: StatusPath<Status> = {
  usual: ['open', 'routed', 'dispatched'],
  reachable: { dispatched: ['failed', 'canceled'], failed: [], canceled: [] },
};

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
] satisfies [Status, Status, Status | null, string][])(
  '%s, until %s, fail on %s: %s',
  (status, until, fail, is) => {
    const target = { until: [until], fail_on: fail === null ? null : [fail] };
    expect(outcomeOf(status, target, path)).toBe(is);
  },
);

test('a property name of Object is not a group', () => {
  expect(() => readStatuses('toString', { statuses: path.usual, groups: {} })).toThrow(BadValue);
});
