import type { Batch } from '../../contract/batches.ts';
import { batchStatuses, outcomes } from '../../contract/vocabulary.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { invocation } from '../kit/output/invocation.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../waiting/status-targets.ts';
import { typedWaiting, waitFlag } from '../waiting/waiting-flags.ts';
import type { BatchGoal } from './goals.ts';

/** For what answers with the batch at its end. */
export const batchWaitFlag = waitFlag('Wait until the batch is complete; the exit code shows the result');

export const windowAndMore = 'the retry window plus 15m';
/** Where a command both waits and watches. */
export const eitherPatience = `${windowAndMore} with --wait, no limit with --watch`;
export const batchEnd = 'the batch is complete';

/** What ends a wait for a batch before it is complete. */
export const batchFailOn = statusesFlag(
  { statuses: outcomes.filter((name) => name !== 'pending' && name !== 'dispatched') },
  { summary: 'Stop as soon as an order ends in one of these' },
);

export const batchGoalFlags = {
  until: presetStatuses({ statuses: batchStatuses }, { default: 'complete', summary: 'Status to wait for' }),
  failOn: batchFailOn,
};

interface GoalValues {
  until?: NamedStatuses<Batch['status']>;
  failOn: NamedStatuses<BatchGoal['fail_on'][number]> | null;
}

export function batchGoalOf({ until, failOn }: GoalValues): BatchGoal {
  return { until: until?.statuses ?? ['complete'], fail_on: failOn?.statuses ?? [] };
}

/** The command that goes on as this one did; `way` is its own flag. */
export function batchAgain(
  context: Pick<Context, 'isTyped'>,
  [command, way]: BatchWay,
  batch_id: string,
  flags: Parameters<typeof typedWaiting>[1],
): Invocation {
  return invocation(command, [batch_id], { ...way, ...typedWaiting(context, flags) });
}

/** A command, and the flag of it that waits. */
export type BatchWay = readonly [command: string, way: { wait?: true; watch?: true }];
