/** Refuses a change if the record is no longer as the caller saw it: two people may work on it at the same time. */
import { Problem } from '../../contract/errors.ts';
import { type DeliveryStatus, nobody } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import type { Connection, DeliveryRow, OrderRow, Scope } from '../../storage/database.ts';
import { assignmentOfRoute, loadDriver } from '../../storage/drivers.ts';
import { loadOrder } from '../../storage/orders.ts';

/** What a caller has seen of a delivery; what is not named may be anything. */
export interface SeenDelivery {
  from_driver_id?: string | undefined;
  if_status?: DeliveryStatus | undefined;
}

/**
 * Requires that a delivery is as the caller saw it, in the transaction of the change. Throws `record_changed`, which says
 * how it is now. `countsPlanned`: a driver who gets a scheduled delivery later has it, too.
 */
export async function requireAsSeen(
  db: Connection,
  row: DeliveryRow,
  { from_driver_id, if_status }: SeenDelivery,
  { countsPlanned = false } = {},
): Promise<void> {
  if (from_driver_id !== undefined) {
    const held = countsPlanned ? ['accepted', 'planned'] : ['accepted'];
    await requireDriver(db, row, { seen_id: from_driver_id, held });
  }
  if (if_status === undefined) return;
  if (row.status !== if_status)
    throw changed(`Delivery ${row.id} is ${row.status}, not ${if_status}`, [row.id]);
  const order = isEnded(row.status) ? await loadOrder(db, row.order_id) : undefined;
  const other = order?.delivery_id ?? row.id;
  if (other !== row.id) throw changed(`Delivery ${row.id} was tried again as ${other}`, [row.id, other]);
}

/** `held` are the states of an assignment whose driver counts. */
async function requireDriver(
  db: Connection,
  row: DeliveryRow,
  { seen_id, held }: { seen_id: string; held: readonly string[] },
): Promise<void> {
  const assignment = await assignmentOfRoute(db, row.route_id);
  const holder_id = assignment !== undefined && held.includes(assignment.state) ? assignment.driver_id : null;
  if ((holder_id ?? nobody) === seen_id) return;
  const holder = await nameOf(db, row, holder_id);
  const seen = await nameOf(db, row, seen_id === nobody ? null : seen_id);
  const related_ids = [row.id, ...(holder_id === null ? [] : [holder_id])];
  throw changed(`Delivery ${row.id} is with ${holder}, not with ${seen}`, related_ids);
}

/** The name of a driver of the same account and mode. */
async function nameOf(db: Connection, scope: Scope, driver_id: string | null): Promise<string> {
  if (driver_id === null) return 'no driver';
  const driver = await loadDriver(db, driver_id);
  const isOwn = driver?.account_id === scope.account_id && driver.test_mode === scope.test_mode;
  return isOwn ? driver.name : driver_id;
}

/** Requires that an order is as the caller saw it. Throws `record_changed`. */
export function requireOrderAsSeen(
  { id, status }: OrderRow,
  { if_status }: { if_status?: string | undefined },
): void {
  if (if_status !== undefined && status !== if_status)
    throw changed(`Order ${id} is ${status}, not ${if_status}`, [id]);
}

function changed(how: string, related_ids: readonly string[]): Problem {
  return new Problem('record_changed', `${how}: look again.`, [], { related_ids });
}
