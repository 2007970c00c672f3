/** Lists the audit: who changed what. A key sees the entries of what it can read itself. */
import type { AuditEntry, listAuditEntries } from '../../contract/accounts.ts';
import { Problem } from '../../contract/errors.ts';
import { isAudited, type ServedOperation } from '../../contract/operation.ts';
import { operations } from '../../contract/operations.ts';
import { courier_report, operatorActions } from '../../contract/vocabulary.ts';
import { nearNames } from '../../domain/near-names.ts';
import { keyNames, listAuditEntries as listRows, recordNames } from '../../storage/accounts.ts';
import type { AuditRow, Connection } from '../../storage/database.ts';
import { deliveriesOfOrder } from '../../storage/deliveries.ts';
import { driverNames } from '../../storage/drivers.ts';
import { listOrders, loadOrder } from '../../storage/orders.ts';
import type { Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { instant } from '../runtime/time.ts';

/** The maximum number of orders with one reference whose entries are listed. */
const max_orders = 10;

export const pageOfAuditEntries: Handler<typeof listAuditEntries> = async ({ service, caller, query }) => {
  const { actor, key_id, operation, record_id, order_id, external_order_ref } = query;
  const operations = operation?.split(',').map((name) => name.trim());
  operations?.forEach(requireAudited);
  const isAdmin = caller.permission === 'admin';
  const isOfOrder = order_id !== undefined || external_order_ref !== undefined;
  if (!isAdmin && !isOfOrder && !/^(?:dlv|ord|rte)_/.test(record_id ?? '')) throw notAllowed();
  return service.storage.read(async (db) => {
    const orders =
      external_order_ref === undefined
        ? []
        : (await listOrders(db, { ...caller.scope, external_order_ref, limit: max_orders })).rows;
    const order_ids = [...(order_id === undefined ? [] : [order_id]), ...orders.map(({ id }) => id)];
    const parts = await Promise.all(order_ids.map((id) => recordsOfOrder(db, id)));
    const record_ids = isOfOrder ? parts.flat() : undefined;
    const filters = { actor, key_id, operations, record_id, record_ids };
    const page = await listRows(db, { ...caller.scope, ...pageRequest(query, 'aud'), ...filters });
    const idsOf = (field: 'driver_id' | 'key_id' | 'record_id') => [
      ...new Set(page.rows.flatMap((row) => row[field] ?? [])),
    ];
    const names = new Map([
      ...(await driverNames(db, [...idsOf('driver_id'), ...idsOf('record_id')])),
      ...(await keyNames(db, idsOf('key_id'))),
      ...(await recordNames(db, idsOf('record_id'))),
    ]);
    return toPage(page, (row) => {
      const entry = viewOf(row, names);
      return isAdmin ? entry : { ...entry, address: null };
    });
  });
};

/** A key without admin permission reads who changed what it can read itself. */
function notAllowed(): Problem {
  const message =
    'Without admin permission the audit log is read for one record: give record_id or order_id.';
  return new Problem('unauthorized', message);
}

/** The IDs of an order, the batch with which it was sent, its deliveries and their routes. */
async function recordsOfOrder(db: Connection, order_id: string): Promise<string[]> {
  const batch_id = (await loadOrder(db, order_id))?.batch_id ?? null;
  const deliveries = await deliveriesOfOrder(db, order_id);
  const ofDeliveries = new Set(deliveries.flatMap(({ id, route_id }) => [id, route_id]));
  return [order_id, ...(batch_id === null ? [] : [batch_id]), ...ofDeliveries];
}

/** Throws `invalid_request` for an operation that leaves no entries. */
function requireAudited(operation: string): void {
  const requested = Object.values<Readonly<Record<string, ServedOperation>>>(operations).flatMap((verbs) =>
    Object.values(verbs)
      .filter(isAudited)
      .map(({ id }) => id),
  );
  const choices: string[] = [...requested, courier_report, ...operatorActions];
  if (choices.includes(operation)) return;
  const [near] = nearNames(operation, choices);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  const message = `must be an operation that changes something, such as CancelDelivery${hint}`;
  const fault = { path: 'operation', message };
  throw new Problem('invalid_request', `Unknown operation ${operation}.`, [fault], { choices });
}

/** Drivers, keys and records are shown by the name that they have now; a driver who has left the fleet has none. */
function viewOf(
  { id, test_mode, created_at, ...row }: AuditRow,
  names: ReadonlyMap<string, string>,
): AuditEntry {
  const { actor, driver_id, operation, record_id, detail, address } = row;
  const isKey = actor === 'key';
  const named = isKey ? row.key_id : driver_id;
  const actor_name = named === null ? row.actor_name : (names.get(named) ?? null);
  return {
    id,
    object: 'audit_entry',
    operation,
    record_id,
    record_name: names.get(record_id ?? '') ?? null,
    detail,
    actor,
    actor_name,
    key_id: isKey ? row.key_id : null,
    key_last_four: isKey ? row.key_last_four : null,
    driver_id,
    address,
    request_id: isKey ? id.replace('aud_', 'req_') : null,
    test_mode: test_mode === 1,
    created_at: instant(created_at),
  };
}
