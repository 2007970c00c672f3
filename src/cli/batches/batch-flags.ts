import type { Batch } from '../../contract/batches.ts';
import { batchStatuses, outcomes } from '../../contract/vocabulary.ts';
import type { Context } from '../context.ts';
import { typedWaiting, waitFlag } from '../following/flags.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../following/goals.ts';
import { commandLine } from '../line/command-line.ts';
import type { BatchGoal } from './goals.ts';

/** For what answers with the batch at its end. */
export const batchWaitFlag = waitFlag(
  'Wait until the batch is complete; the exit code says what became of it',
);

export const windowAndMore = 'the retry window and 15m more';
/** Where a command both waits and watches. */
export const eitherPatience = `--wait takes ${windowAndMore}, --watch as long as it takes`;
export const batchEnd = 'the batch is complete';

/** What ends a wait for a batch before it is complete. */
export const batchFailOn = statusesFlag(
  { statuses: outcomes.filter((name) => name !== 'pending' && name !== 'dispatched') },
  { summary: 'Give up as soon as an order ends so' },
);

export const batchGoalFlags = {
  until: presetStatuses({ statuses: batchStatuses }, { default: 'complete', summary: 'What to wait for' }),
  failOn: batchFailOn,
};

interface GoalValues {
  until?: NamedStatuses<Batch['status']>;
  failOn: NamedStatuses<BatchGoal['fail_on'][number]> | null;
}

export function batchGoalOf({ until, failOn }: GoalValues): BatchGoal {
  return { until: until?.statuses ?? ['complete'], fail_on: failOn?.statuses ?? [] };
}

/** The command that goes on as this one did; `words` and `way` are its own. */
export function batchAgain(
  context: Pick<Context, 'isTyped'>,
  [words, way]: BatchWay,
  batch_id: string,
  flags: Parameters<typeof typedWaiting>[1],
): string {
  return commandLine([...words, batch_id], { ...way, ...typedWaiting(context, flags) });
}

/** The words of a command, and the flag of it that waits. */
export type BatchWay = readonly [words: readonly string[], way: { wait?: true; watch?: true }];
