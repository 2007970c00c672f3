import { expect, test } from 'vitest';
import { effectOf } from '../../src/domain/delivery-states.ts';

const known = { status: 'enroute_pickup', reported_at: 1_000 } as const;

test.each([
  ['a step forward moves', 'pickup_complete', 1_000, 'moved'],
  ['the same status again is a repeat', 'enroute_pickup', 2_000, 'repeated'],
  ['what happened before is older', 'arrived_at_pickup', 999, 'older'],
  ['a step back is not a step', 'driver_assigned', 2_000, 'not_a_step'],
  ['no status moves nothing', null, 2_000, 'none'],
] as const)('%s', (_, status, occurred_at, effect) => {
  expect(effectOf({ status, occurred_at }, known)).toBe(effect);
});
