/** Finds the coordinates of an order's pickup and dropoff: during its request, or in a task before its first attempt. */
import { hasErasedEnd } from '../../domain/erasure.ts';
import type { OrderRow } from '../../storage/database.ts';
import { loadOrder, lockOrder, setOrderStatus } from '../../storage/orders.ts';
import { insertTasks, type NewTask } from '../../storage/tasks.ts';
import type { CallBase } from '../http/handler.ts';
import {
  type Findings,
  findPlaces,
  keptAddress,
  knownPlaces,
  placed,
  request_timeout_ms,
} from '../places/find-places.ts';
import type { ServiceContext, SharedContext, Task, TaskHandler } from '../runtime/context.ts';
import { newTask } from '../runtime/task-kinds.ts';
import { type OrderRecord, orderRecord } from './order.ts';

export async function placeOrder(service: SharedContext, record: OrderRecord): Promise<OrderRecord> {
  const findings = await findPlaces(service, addressesToFind(record), { timeout_ms: request_timeout_ms });
  return withPlaces(record, findings);
}

export interface PlacedOrders {
  records: OrderRecord[];
  /** By the index of an order, the addresses that are still to be looked up. */
  missing: string[][];
}

/** Several orders with the coordinates that the geocoder has answered before. */
export async function placeByStoredAnswers(
  service: SharedContext,
  records: OrderRecord[],
): Promise<PlacedOrders> {
  if (service.geocoder === null) return { records, missing: [] };
  const findings = await knownPlaces(service, records.flatMap(addressesToFind));
  const missingIn = (record: OrderRecord) =>
    addressesToFind(record).filter((address) => !findings.has(keptAddress(address)));
  return { records: records.map((record) => withPlaces(record, findings)), missing: records.map(missingIn) };
}

/** The addresses that are not known better than by their ZIP code. */
function addressesToFind({ pickup, dropoff }: OrderRecord): string[] {
  return [pickup, dropoff].flatMap(({ address, coordinates }) =>
    coordinates === undefined ? [address] : [],
  );
}

function withPlaces(record: OrderRecord, findings: Findings): OrderRecord {
  const { pickup, dropoff } = record;
  return { ...record, pickup: placed(pickup, findings), dropoff: placed(dropoff, findings) };
}

/**
 * Tasks that find the places of new orders before their first attempt, at the rate at which the geocoder may be asked.
 * An order without missing places has its attempt at once.
 */
export function placeTasks(
  { service, caller, now, id }: Pick<CallBase, 'service' | 'caller' | 'now' | 'id'>,
  orders: readonly OrderRow[],
  missing: PlacedOrders['missing'],
  attemptOf: (order: OrderRow) => NewTask | null = () => null,
): NewTask[] {
  const interval_ms = service.geocoder?.interval_ms ?? 0;
  const asked = new Set<string>();
  return orders.flatMap((order, index): NewTask[] => {
    const attempt = attemptOf(order);
    const addresses = missing[index] ?? [];
    if (addresses.length === 0) return attempt === null ? [] : [attempt];
    const due_at = now + Math.floor(asked.size * interval_ms);
    for (const address of addresses) asked.add(keptAddress(address));
    const task = { id: id('tsk', 'place', order.id), ...caller.scope, subject: order.id, due_at };
    return [newTask('place.find', task, { attempt })];
  });
}

/** Finds the places of an order. If that fails, the order goes on with the centres of its ZIP codes. */
export const placeTask: TaskHandler<'place.find'> = {
  run: findPlacesOfOrder,
  abandon: (service, task) => writePlaces(service, task, new Map()),
};

/** How long the task waits for the geocoder: a task counts as hung after 12 seconds. */
const task_timeout_ms = 9_000;

async function findPlacesOfOrder(service: ServiceContext, task: Task<'place.find'>): Promise<void> {
  const found = await service.storage.read((db) => loadOrder(db, task.row.subject));
  const addresses = found === undefined ? [] : addressesToFind(orderRecord(found));
  const lookup = { timeout_ms: task_timeout_ms, is_low_priority: true };
  await writePlaces(service, task, await findPlaces(service, addresses, lookup));
}

/** Writes the places to an order, and goes on with its first attempt. */
async function writePlaces(
  service: ServiceContext,
  task: Task<'place.find'>,
  findings: Findings,
): Promise<void> {
  const { attempt } = task.payload;
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    const order = await lockOrder(db, task.row.subject);
    if (order === undefined) return;
    const record = orderRecord(order);
    if (!hasErasedEnd(record)) {
      const change = { record: JSON.stringify(withPlaces(record, findings)) };
      const { id, status, updated_at: now } = order;
      await setOrderStatus(db, { id, from: status, to: status, now, change });
    }
    const { account_id } = task.row;
    if (attempt !== null) await insertTasks(db, [{ ...attempt, account_id, due_at: task.now }]);
  }, 'read committed');
}
