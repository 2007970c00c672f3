import type { OrderRequest } from '../../contract/orders.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import type { Connection, Flag, OrderRow } from '../../storage/database.ts';
import { loadOrder, lockOrder, setOrderStatus } from '../../storage/orders.ts';
import { insertTasks, type NewTask } from '../../storage/tasks.ts';
import type { CallBase } from '../http/handler.ts';
import { findPlaces, keyOf, knownPlaces, patience_ms, placed, unplaced } from '../places/find-places.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { type OrderRecord, ordersOf } from './order-request.ts';
import { orderRecord } from './order-view.ts';

/** The time that the task waits for the geocoder: it counts as hung after 12 seconds. */
const task_patience_ms = 9_000;

/** The order of a request with one order, with the places that are found; `at` is its path. Throws like `ordersOf`. */
export async function orderOf(call: CallBase, request: OrderRequest, at: string): Promise<OrderRecord> {
  const read = await ordersOf(call, [request], { at: () => at });
  const [record] = (await placeOrders(call, read)).records;
  if (record === undefined) throw new Error('an order was read as none');
  return record;
}

/** The orders with the coordinates that are known. A single one waits for the geocoder. */
export async function placeOrders(
  { service }: Pick<CallBase, 'service'>,
  records: readonly OrderRecord[],
): Promise<{ records: OrderRecord[]; isOpen: (record: OrderRecord) => boolean }> {
  if (service.geocoder === null) return { records: [...records], isOpen: () => false };
  const addresses = records.flatMap(({ pickup, dropoff }) => unplaced([pickup, dropoff]));
  const isSingle = records.length === 1;
  const findings = isSingle
    ? await findPlaces(service, addresses, { limit_ms: patience_ms })
    : await knownPlaces(service, addresses);
  return {
    records: records.map((record) => ({
      ...record,
      pickup: placed(record.pickup, findings),
      dropoff: placed(record.dropoff, findings),
    })),
    isOpen: ({ pickup, dropoff }) =>
      !isSingle && unplaced([pickup, dropoff]).some((address) => !findings.has(keyOf(address))),
  };
}

/** The orders of a request for manual dispatch, with the places that are known. Throws like `ordersOf`. */
export async function readOrders(call: CallBase, requests: readonly OrderRequest[]) {
  return placeOrders(call, await ordersOf(call, requests));
}

/** Lets the places of orders be found in the background. */
export async function insertPlaceTasks(
  db: Connection,
  call: Pick<CallBase, 'service' | 'caller' | 'now' | 'id'>,
  orders: readonly OrderRow[],
  isOpen: (record: OrderRecord) => boolean,
): Promise<void> {
  const tasks = placeTasks(call, orders, isOpen, () => null);
  if (tasks.length > 0) await insertTasks(db, tasks);
}

interface PlacePayload {
  /** The first attempt of auto dispatch, which begins once the places are known. */
  attempt: NewTask | null;
}

/**
 * Tasks that find the places of new orders before their first attempt, at the rate at which the geocoder may be asked.
 * An order whose places are known has its attempt at once.
 */
export function placeTasks(
  { service, caller, now, id }: Pick<CallBase, 'service' | 'caller' | 'now' | 'id'>,
  orders: readonly OrderRow[],
  isOpen: (record: OrderRecord) => boolean,
  attemptOf: (order: OrderRow) => NewTask | null,
): NewTask[] {
  const interval_ms = service.geocoder?.interval_ms ?? 0;
  const asked = new Set<string>();
  const test_mode: Flag = caller.scope.test_mode;
  return orders.flatMap((order): NewTask[] => {
    const record = orderRecord(order);
    const attempt = attemptOf(order);
    if (!isOpen(record)) return attempt === null ? [] : [attempt];
    const due_at = now + Math.floor(asked.size * interval_ms);
    for (const address of unplaced([record.pickup, record.dropoff])) asked.add(keyOf(address));
    const payload: PlacePayload = { attempt };
    return [
      {
        id: id('tsk', 'place', order.id),
        ...{ test_mode, kind: 'place.find', subject: order.id, due_at, payload: JSON.stringify(payload) },
      },
    ];
  });
}

/** Finds the places of an order. If the geocoder does not answer, it goes on with the centre of the ZIP code. */
export const placeTask: TaskKind = { run: placeOrder };

async function placeOrder(service: ServiceContext, task: Task): Promise<void> {
  const { attempt }: PlacePayload = JSON.parse(task.row.payload);
  const found = await service.storage.read((db) => loadOrder(db, task.row.subject));
  const before = found === undefined ? null : orderRecord(found);
  const addresses = before === null ? [] : unplaced([before.pickup, before.dropoff]);
  const findings = await findPlaces(service, addresses, { limit_ms: task_patience_ms, is_polite: true });
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    const order = await lockOrder(db, task.row.subject);
    if (order === undefined) return;
    const record = orderRecord(order);
    if (!hasErasedEnd(record)) {
      const ends = { pickup: placed(record.pickup, findings), dropoff: placed(record.dropoff, findings) };
      const change = { record: JSON.stringify({ ...record, ...ends }) };
      const { id, status, updated_at: now } = order;
      await setOrderStatus(db, { id, from: status, to: status, now, change });
    }
    if (attempt !== null) await insertTasks(db, [{ ...attempt, due_at: task.now }]);
  }, 'read committed');
}
