import { expect, test } from 'vitest';
import { BadValue } from '../../../src/cli/line/flags.ts';
import { type Course, outcomeAlong, readStatuses } from '../../../src/cli/waiting/status-targets.ts';

type Status = 'open' | 'routed' | 'dispatched' | 'failed' | 'canceled';

const course: Course<Status> = {
  way: ['open', 'routed', 'dispatched'],
  left: { dispatched: ['failed', 'canceled'], failed: [], canceled: [] },
};

test.each([
  ['open', 'dispatched', null, 'open'],
  ['dispatched', 'dispatched', null, 'reached'],
  ['dispatched', 'routed', null, 'reached'],
  ['failed', 'dispatched', null, 'lost'],
  ['failed', 'failed', null, 'reached'],
  ['dispatched', 'canceled', null, 'open'],
  ['canceled', 'failed', null, 'lost'],
  // A later status is given up where it is named; the one waited for never is.
  ['dispatched', 'routed', 'dispatched', 'lost'],
  ['dispatched', 'dispatched', 'dispatched', 'reached'],
  ['routed', 'dispatched', 'routed', 'lost'],
  ['open', 'dispatched', 'canceled', 'open'],
  // An end elsewhere is one in any case.
  ['failed', 'dispatched', 'canceled', 'lost'],
] satisfies [Status, Status, Status | null, string][])(
  '%s, until %s, fail on %s: %s',
  (status, until, fail, is) => {
    const goal = { until: [until], fail_on: fail === null ? null : [fail] };
    expect(outcomeAlong(status, goal, course)).toBe(is);
  },
);

test('a name of Object is no group', () => {
  expect(() => readStatuses('toString', { statuses: course.way, groups: {} })).toThrow(BadValue);
});
