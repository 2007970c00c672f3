import type { Batch } from '../../../contract/batches.ts';
import { batchStatuses, outcomes } from '../../../contract/vocabulary.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../../waiting/status-targets.ts';
import { waitFlag } from '../../waiting/waiting-flags.ts';
import type { BatchTarget } from './batch-waitable.ts';

/** For commands that respond with the completed batch. */
export const batchWaitFlag = waitFlag('Wait until the batch is complete; the exit code shows the result');

export const windowAndMore = 'the retry window plus 15m';
/** For commands that both wait and watch. */
export const eitherTimeout = `${windowAndMore} with --wait, no limit with --watch`;
export const batchEnd = 'the batch is complete';

/** Ends a wait for a batch before the batch is complete. */
export const batchFailOn = statusesFlag(
  { statuses: outcomes.filter((name) => name !== 'pending' && name !== 'dispatched') },
  { summary: 'Stop as soon as an order ends in one of these' },
);

export const batchTargetFlags = {
  until: presetStatuses({ statuses: batchStatuses }, { default: 'complete', summary: 'Status to wait for' }),
  failOn: batchFailOn,
};

interface TargetValues {
  until?: NamedStatuses<Batch['status']>;
  failOn: NamedStatuses<BatchTarget['fail_on'][number]> | null;
}

export function batchTargetOf({ until, failOn }: TargetValues): BatchTarget {
  return { until: until?.statuses ?? ['complete'], fail_on: failOn?.statuses ?? [] };
}
