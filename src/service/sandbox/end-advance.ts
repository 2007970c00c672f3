import type { Connection, Scope } from '../../storage/database.ts';
import { StorageUnavailable } from '../../storage/errors.ts';
import { latestPosition } from '../../storage/events.ts';
import { insertFailedTask } from '../../storage/failed-tasks.ts';
import type { Advance, ClockState, FinishedAdvance } from '../runtime/clock-state.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { ClockChanged } from '../runtime/service-clock.ts';
import { failureOf } from '../tasks/failed-work.ts';
import { deleteOldIdempotencyKeys } from '../tasks/task-runner.ts';

/** The result of an advance: it has ended, or has `more` to do but no steps or time left. */
export interface AdvanceResult {
  state: ClockState;
  advance: Advance;
  more: boolean;
  /** Whether it can continue: only its time was used up. */
  isPaused: boolean;
}

/** The service time after an advance. */
export function arrivalTime({ state, advance, more }: AdvanceResult): number {
  return more ? state.service_at : Math.max(state.service_at, advance.target ?? state.service_at);
}

/**
 * Ends the running advance where it is, and adds it to the failed tasks, once. Throws if the clock cannot be written:
 * then time stands still, and this is to be called again later.
 */
export async function giveUpAdvance(service: ServiceContext, fault: unknown): Promise<void> {
  if (fault instanceof StorageUnavailable) throw fault;
  service.onFault?.(fault, null);
  const state = service.clock.state();
  const { advance } = state;
  if (advance === null) return;
  const [account_id = '', test_mode] = advance.request.split(' ');
  const row = { id: advance.request, due_at: state.service_at, attempts: 1 };
  const failure = await failureOf(service, { row, fault, is_concluded: 1 });
  const scope: Scope = { account_id, test_mode: test_mode === '1' ? 1 : 0 };
  const task = { task_id: '', kind: 'clock.advance', subject: '', payload: '{}' };
  await service.storage
    .run((db) => insertFailedTask(db, { ...failure, ...scope, ...task }))
    .catch((other: unknown) => service.onFault?.(other, null));
  await settleAdvance(service, { state, advance, more: true, isPaused: false });
}

/** The response to the request of an advance that ends here. */
export async function finishedAdvance(
  db: Connection,
  { request, steps, position }: Advance,
  end: Pick<FinishedAdvance, 'more' | 'now' | 'wall_now'>,
): Promise<FinishedAdvance> {
  return { request, steps, positions: [position, await latestPosition(db)], ...end };
}

/** Ends an advance in place of its request, and stores the response for a repeat of that request. */
export async function settleAdvance(service: ServiceContext, arrival: AdvanceResult): Promise<void> {
  const { storage, clock, wall } = service;
  const { advance, more, state } = arrival;
  const now = arrivalTime(arrival);
  try {
    const written = await storage.transaction(async (db) => {
      const finished = await finishedAdvance(db, advance, { more, now, wall_now: wall.now() });
      return clock.write(db, state, { service_at: now, advance: null, finished });
    });
    clock.adopt(written);
    await deleteOldIdempotencyKeys(service);
  } catch (fault) {
    if (!(fault instanceof ClockChanged)) throw fault;
    await clock.refresh();
  }
}
