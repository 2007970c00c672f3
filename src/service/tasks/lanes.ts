import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { readTaskTraits } from '../runtime/task-kinds.ts';

// A task that waits for something outside of the service, such as a courier's server, has a lane: the name of what it
// waits for. Lanes of one name belong to accounts: one that hangs only fills its own.

type LaneParts = Pick<ServiceContext, 'providers'>;

/** The lane of a task: that of its kind, or the remote provider that it waits for; empty if it waits for none. */
export function findLane(service: LaneParts, row: Pick<TaskRow, 'kind' | 'payload'>): string {
  const traits = readTaskTraits(row.kind);
  if (traits?.lane !== undefined) return traits.lane;
  return traits?.calls_provider === true ? laneOfProvider(service, providerOfTask(row)) : '';
}

/** The lane of the tasks that call a provider. */
export function laneOfProvider({ providers }: LaneParts, name: string | undefined): string {
  return providers.find((each) => each.name === name)?.is_remote === true && name !== undefined ? name : '';
}

/** The name of the provider that a task calls. */
export function providerOfTask({ payload }: Pick<TaskRow, 'payload'>): string | undefined {
  try {
    const { provider }: { provider?: string } = JSON.parse(payload);
    return provider;
  } catch {
    // The error is reported when the task runs.
    return undefined;
  }
}
