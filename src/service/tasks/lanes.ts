/**
 * A task that waits for something outside of the service, such as a courier's server, has a lane: the name of what it
 * waits for. Each account has a lane of each name, so that calls that hang fill only the lanes of one account.
 */
import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createCounts } from '../runtime/counts.ts';
import type { CallShares } from '../runtime/service-ports.ts';
import { readTaskTraits } from '../runtime/task-kinds.ts';

type LaneParts = Pick<ServiceContext, 'providers'>;

/** The lane of a task: that of its kind, or the remote provider that it waits for; empty if it waits for none. */
export function findLane(service: LaneParts, row: Pick<TaskRow, 'kind' | 'payload'>): string {
  const traits = readTaskTraits(row.kind);
  if (traits?.lane !== undefined) return traits.lane;
  return traits?.calls_provider === true ? laneOfProvider(service, providerOfTask(row)) : '';
}

/** The lane of the tasks that call a provider: its name if it is remote, otherwise empty. */
export function laneOfProvider({ providers }: LaneParts, name: string | undefined): string {
  return providers.find((each) => each.name === name)?.is_remote === true && name !== undefined ? name : '';
}

export function providerOfTask({ payload }: Pick<TaskRow, 'payload'>): string | undefined {
  try {
    const { provider }: { provider?: string } = JSON.parse(payload);
    return provider;
  } catch {
    // The error is reported when the task runs.
    return undefined;
  }
}

/** The maximum number of calls at once to all couriers, and as many to mail servers, to push services and so on. */
const max_calls = 40;
/** The maximum of one account in both modes. */
const max_account_calls = 32;
/** The maximum of one account and mode to one courier: a quarter of all. */
const max_lane_calls = 10;

/** The calls of both modes by what is called: `couriers`, or the lane of a task kind. */
export function createCallShares(): (name: string) => CallShares {
  const shares = new Map<string, CallShares>();
  return (name) => {
    const share = shares.get(name) ?? createCallShare();
    shares.set(name, share);
    return share;
  };
}

function createCallShare(): CallShares {
  const running = createCounts();
  const limitsOf = ({ account_id, test_mode, lane }: TaskRow) =>
    [
      ['all', max_calls],
      [`account ${account_id}`, max_account_calls],
      [`lane ${account_id} ${test_mode} ${lane}`, max_lane_calls],
    ] as const;
  const add = (row: TaskRow, change: number) => {
    for (const [name] of limitsOf(row)) running.add(name, change);
  };
  return {
    take: (row) => {
      if (limitsOf(row).some(([name, max]) => running.of(name) >= max)) return false;
      add(row, 1);
      return true;
    },
    release: (row) => add(row, -1),
  };
}
