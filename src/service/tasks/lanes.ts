/**
 * A task that waits for something outside of the service, such as a courier's server, has a lane: the name of what it
 * waits for. Lanes of one name belong to accounts: one that hangs only fills its own.
 */
import type { TaskRow } from '../../storage/database.ts';
import type { ServiceContext } from '../runtime/context.ts';
import type { CallShares } from '../runtime/service-ports.ts';
import { readTaskTraits } from '../runtime/task-kinds.ts';

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

export function providerOfTask({ payload }: Pick<TaskRow, 'payload'>): string | undefined {
  try {
    const { provider }: { provider?: string } = JSON.parse(payload);
    return provider;
  } catch {
    // The error is reported when the task runs.
    return undefined;
  }
}

// How many calls to what is outside of the service run at once, and the part of each account.

/** The maximum number of calls at once to all couriers, and as many to mail servers, to push services and so on. */
const max_calls = 40;
/** The part of an account in both modes. */
const max_of_account = 32;
/** The part of an account, mode and courier: a quarter. */
const max_of_lane = 10;

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
  const used = new Map<string, number>();
  const limitsOf = ({ account_id, test_mode, lane }: TaskRow) =>
    [
      ['all', max_calls],
      [`account ${account_id}`, max_of_account],
      [`lane ${account_id} ${test_mode} ${lane}`, max_of_lane],
    ] as const;
  const usedBy = (name: string) => used.get(name) ?? 0;
  const add = (row: TaskRow, count: number) => {
    for (const [name] of limitsOf(row)) {
      const sum = usedBy(name) + count;
      if (sum === 0) used.delete(name);
      else used.set(name, sum);
    }
  };
  return {
    take: (row) => {
      if (limitsOf(row).some(([name, max]) => usedBy(name) >= max)) return false;
      add(row, 1);
      return true;
    },
    release: (row) => add(row, -1),
  };
}
