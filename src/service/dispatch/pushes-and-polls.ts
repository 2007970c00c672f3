/**
 * How reports of couriers arrive. A courier sends them to its address (`receivePush`), and is asked for what it did not
 * send (`pollCourier`): often while a delivery moves, and a few times after its end for the final price.
 */
import { Problem } from '../../contract/errors.ts';
import { courier_report } from '../../contract/vocabulary.ts';
import { day_ms, hour_ms, minute_ms } from '../../domain/durations.ts';
import type { Provider } from '../../providers/port.ts';
import { bookingsOfDispatch, findCourier, findCourierByToken, writePush } from '../../storage/couriers.ts';
import type { CourierRow, DeliveryRow } from '../../storage/database.ts';
import { loadDelivery, lockDelivery } from '../../storage/deliveries.ts';
import { insertTasks } from '../../storage/tasks.ts';
import type { Answer } from '../http/answers.ts';
import { createAuditTrail, type RecordChange } from '../http/audit.ts';
import type { CourierPush, PushAddress } from '../http/fetch.ts';
import type { ServiceContext, SharedContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { newTask, type TaskPayloads } from '../runtime/task-kinds.ts';
import { applyCourierReports } from './courier-reports.ts';

/** The largest request of a courier: a picture of the handover may be in it. */
const max_push_bytes = 4 * 1024 * 1024;
/** How often it is written that a courier has sent a request. */
const push_precision_ms = minute_ms;

/** Finds the address of a connection, to which its courier sends requests: `POST /couriers/{push_token}`. */
export async function findPushAddress(shared: SharedContext, token: string): Promise<PushAddress> {
  const row = await shared.storage.run((db) => findCourierByToken(db, token));
  if (row === undefined) throw new Problem('record_not_found', 'There is no courier at this address.');
  const service = shared.inMode(row.test_mode);
  const provider = service.providers.find(({ name }) => name === row.name);
  const reporting = provider?.reporting;
  if (reporting === undefined) {
    throw new Problem('record_not_found', `The courier ${row.name} sends no reports.`);
  }
  return {
    owner: row,
    max_bytes: max_push_bytes,
    receive: (push) => receivePush(service, { row, reporting }, push),
  };
}

/**
 * Receives a courier's request. It needs no key; its signature covers the body as received. Reports about deliveries
 * that are not known here are accepted and ignored. Throws `unauthorized` for a refused request.
 */
async function receivePush(
  service: ServiceContext,
  { row, reporting }: { row: CourierRow; reporting: NonNullable<Provider['reporting']> },
  { headers, body: raw, client_address }: CourierPush,
): Promise<Answer> {
  const scope = { account_id: row.account_id, test_mode: row.test_mode === 1 };
  const push = { headers, body: Buffer.from(raw), now: service.wall.now() };
  const answer = await reporting.receive(scope, push);
  if (answer.kind === 'refused')
    throw new Problem('unauthorized', `The request was refused: ${answer.reason}.`);
  await service.clock.refresh();
  await notePush(service, row);
  const chance = await service.chance();
  const recordChange = createCourierTrail(service, row.name, client_address);
  // Read committed: each report locks the delivery that it is about. A courier of one account reports many a second.
  const problems = await service.storage.transaction(async (db) => {
    const now = service.clock.now();
    const { account_id, test_mode, name: provider } = row;
    const received = {
      scope: { account_id, test_mode },
      provider,
      reports: answer.reports,
      raw,
      recordChange,
    };
    return applyCourierReports({ db, chance, now, providers: service.providers }, received);
  }, 'read committed');
  for (const problem of problems) service.onFault?.(new Error(problem), null);
  service.changes.notify();
  service.wakeup.notify();
  return { status: 200, body: '{}', headers: {} };
}

/** Writes when a courier last reported, at most once a minute: all of its reports would wait for the one row. */
async function notePush({ storage, clock }: ServiceContext, courier: CourierRow): Promise<void> {
  const now = clock.now();
  const unless_after = now - push_precision_ms;
  if ((courier.last_push_at ?? 0) > unless_after) return;
  await storage.write((db) => writePush(db, courier, { now, unless_after }));
}

/** The wait between two polls while something moves. */
const moving_interval_ms = minute_ms / 2;
/** The wait while nothing moves, or the courier reports by itself: polls only find what got lost. */
const idle_interval_ms = 5 * minute_ms;
/** A delivery without a change for this long does not move. */
const idle_after_ms = 30 * minute_ms;

/** When a courier is asked after the end of a delivery for what it has charged since. */
const final_polls_ms = [hour_ms, day_ms, 7 * day_ms];

type PollPayload = TaskPayloads['courier.poll'];

/** Schedules the first poll of each delivery at its courier; one that has ended may still get a fee. */
export async function schedulePolls(
  context: WriteContext,
  deliveries: readonly DeliveryRow[],
  dispatched: Omit<PollPayload, 'number'>,
): Promise<void> {
  for (const row of deliveries) {
    const { ended_at } = row;
    const wait_ms =
      ended_at === null ? moving_interval_ms : await waitForNextPoll(context, row, dispatched.provider);
    if (wait_ms !== null) await schedulePoll(context, row, { ...dispatched, number: 1 }, wait_ms);
  }
}

async function schedulePoll(
  { db, chance, now }: WriteContext,
  row: DeliveryRow,
  payload: PollPayload,
  wait_ms: number,
): Promise<void> {
  const id = newId(chance, 'tsk', now, 'poll', row.id, payload.dispatch_id, String(payload.number));
  const { account_id, test_mode, id: subject } = row;
  const task = { id, account_id, test_mode, lane: payload.provider, subject, due_at: now + wait_ms };
  await insertTasks(db, [newTask('courier.poll', task, payload)]);
}

export const pollTask: TaskHandler<'courier.poll'> = { run: pollCourier, abandon: skipPoll };

/** Asks a courier for the state of a delivery, and after its end for its price. Rejects if the courier does not respond. */
async function pollCourier(service: ServiceContext, task: Task<'courier.poll'>): Promise<void> {
  const { provider: name, dispatch_id } = task.payload;
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
  const now = Math.max(task.now, service.clock.now());
  const asked = provider.reporting.poll(scope, { key, reference, status, now });
  const reports = await withTimeout(service, asked, provider);
  const chance = await service.chance();
  const recordChange = createCourierTrail(service, name, null);
  // Read committed: what a poll decides by is the delivery. It is locked before the task, which its end deletes.
  const problems = await service.storage.transaction(async (db) => {
    await lockDelivery(db, task.row.subject);
    await task.finish(db);
    const context = { db, chance, now, providers: service.providers };
    const received = { scope: { account_id, test_mode }, provider: name, reports, raw: null, recordChange };
    const found = await applyCourierReports(context, received);
    await scheduleNext(context, task);
    return found;
  }, 'read committed');
  for (const problem of problems) service.onFault?.(new Error(problem), null);
}

/** A courier that does not respond is asked again later. */
async function skipPoll(service: ServiceContext, task: Task<'courier.poll'>): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await lockDelivery(db, task.row.subject);
    await task.finish(db);
    await scheduleNext({ db, chance, now: Math.max(task.now, service.clock.now()) }, task);
  }, 'read committed');
}

async function scheduleNext(context: WriteContext, { row: planned, payload }: Task<'courier.poll'>) {
  const row = await loadDelivery(context.db, planned.subject);
  const wait_ms = row === undefined ? null : await waitForNextPoll(context, row, payload.provider);
  if (row === undefined || wait_ms === null) return;
  await schedulePoll(context, row, { ...payload, number: payload.number + 1 }, wait_ms);
}

/** Null if no other poll follows. */
async function waitForNextPoll(
  { db, now }: WriteContext,
  row: DeliveryRow,
  provider: string,
): Promise<number | null> {
  const { ended_at } = row;
  if (ended_at !== null) {
    const next = final_polls_ms.find((after) => ended_at + after > now);
    return next === undefined ? null : ended_at + next - now;
  }
  const courier = await findCourier(db, row, provider);
  const isPushing = (courier?.last_push_at ?? 0) > now - idle_interval_ms;
  const isIdle = row.status === 'scheduled' || now - row.updated_at > idle_after_ms;
  return isPushing || isIdle ? idle_interval_ms : moving_interval_ms;
}

/** The audit entries of what a courier reports. */
function createCourierTrail(
  { wall }: ServiceContext,
  actor_name: string,
  address: string | null,
): RecordChange {
  return createAuditTrail(wall, { actor: 'courier', actor_name, operation: courier_report, address });
}
