import { courier_report } from '../../contract/vocabulary.ts';
import { bookingsOfDispatch, findCourier } from '../../storage/couriers.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { loadDelivery, lockDelivery } from '../../storage/deliveries.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { createAuditTrail } from '../http/audit.ts';
import type { ServiceContext, Task, TaskKind, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { applyCourierReports } from './courier-reports.ts';

const minute_ms = 60_000;
/** While something moves. */
const moving_interval_ms = minute_ms / 2;
/** While nothing moves, or the courier reports by itself: polls only find what got lost. */
const idle_interval_ms = 5 * minute_ms;
/** A delivery without a change for this long does not move. */
const idle_after_ms = 30 * minute_ms;

const hour_ms = 60 * minute_ms;
/** After the end of a delivery it is asked so late for what its courier has charged since. */
const final_polls_ms = [hour_ms, 24 * hour_ms, 7 * 24 * hour_ms];

interface PollPayload {
  provider: string;
  dispatch_id: string;
  /** From 1. */
  number: number;
}

/** Schedules the first poll of each delivery at its courier. */
export async function schedulePolls(
  context: WriteContext,
  deliveries: readonly DeliveryRow[],
  dispatched: Omit<PollPayload, 'number'>,
): Promise<void> {
  for (const row of deliveries) {
    await schedulePoll(context, row, { ...dispatched, number: 1 }, moving_interval_ms);
  }
}

async function schedulePoll(
  { db, chance, now }: WriteContext,
  row: DeliveryRow,
  payload: PollPayload,
  wait_ms: number,
): Promise<void> {
  const id = newId(chance, 'tsk', now, 'poll', row.id, payload.dispatch_id, String(payload.number));
  const { test_mode, id: subject } = row;
  const due_at = now + wait_ms;
  await insertTasks(db, [
    { id, test_mode, kind: 'courier.poll', subject, due_at, payload: JSON.stringify(payload) },
  ]);
}

export const pollTask: TaskKind = { run: pollCourier, abandon: skipPoll };

/** Asks a courier for the state of a delivery, and after its end for its price. Rejects if the courier does not respond. */
async function pollCourier(service: ServiceContext, task: Task): Promise<void> {
  const { provider: name, dispatch_id }: PollPayload = JSON.parse(task.row.payload);
  const provider = service.providers.find((each) => each.name === name);
  const row = await service.storage.run((db) => loadDelivery(db, task.row.subject));
  const bookings = await service.storage.run((db) => bookingsOfDispatch(db, dispatch_id));
  const booking = bookings.find(({ order_id }) => order_id === row?.order_id);
  if (provider?.reporting === undefined || row === undefined || booking?.reference == null) {
    return service.storage.transaction((db) => task.finish(db), 'read committed');
  }
  const { key, reference } = booking;
  const { account_id, test_mode, status } = row;
  const scope = { account_id, test_mode: test_mode === 1 };
  const asked = provider.reporting.poll(scope, { key, reference, status, now: task.now });
  const reports = await withTimeout(service, asked, provider);
  const chance = await service.chance();
  const now = Math.max(task.now, service.clock.now());
  const author = { actor: 'courier', actor_name: name, operation: courier_report } as const;
  const recordChange = createAuditTrail(service.wall, { ...author, address: null });
  // Read committed: what a poll decides by is the delivery. It is locked before the task, which its end deletes.
  const problems = await service.storage.transaction(async (db) => {
    await lockDelivery(db, task.row.subject);
    await task.finish(db);
    const context = { db, chance, now, providers: service.providers };
    const found = await applyCourierReports(context, {
      scope: { account_id, test_mode },
      provider: name,
      reports,
      raw: null,
      recordChange,
    });
    await scheduleNext(context, task);
    return found;
  }, 'read committed');
  for (const problem of problems) service.onFault?.(new Error(problem), null);
}

/** A courier that does not respond is asked again later. */
async function skipPoll(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await lockDelivery(db, task.row.subject);
    await task.finish(db);
    await scheduleNext({ db, chance, now: Math.max(task.now, service.clock.now()) }, task);
  }, 'read committed');
}

async function scheduleNext(context: WriteContext, task: Task): Promise<void> {
  const payload: PollPayload = JSON.parse(task.row.payload);
  const row = await loadDelivery(context.db, task.row.subject);
  if (row === undefined) return;
  if (row.ended_at !== null) {
    const { ended_at } = row;
    const next = final_polls_ms.find((after) => ended_at + after > context.now);
    if (next === undefined) return;
    const wait_ms = ended_at + next - context.now;
    return schedulePoll(context, row, { ...payload, number: payload.number + 1 }, wait_ms);
  }
  const courier = await findCourier(context.db, row, payload.provider);
  const isPushing = (courier?.last_push_at ?? 0) > context.now - idle_interval_ms;
  const isIdle = row.status === 'scheduled' || context.now - row.updated_at > idle_after_ms;
  const wait_ms = isPushing || isIdle ? idle_interval_ms : moving_interval_ms;
  await schedulePoll(context, row, { ...payload, number: payload.number + 1 }, wait_ms);
}
