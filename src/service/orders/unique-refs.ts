/** Refuses orders whose reference is in use, if the request asks for that. */
import { type Fault, Problem } from '../../contract/errors.ts';
import { reference_use_ms } from '../../domain/references.ts';
import type { Connection, OrderRow } from '../../storage/database.ts';
import { loadOrders } from '../../storage/orders.ts';
import { lockReferences, ordersByReferenceInUse } from '../../storage/references.ts';
import type { CallBase } from '../http/handler.ts';

/**
 * Refuses new orders whose reference another one of them has, or a record of the last 30 days that is not known to have
 * ended badly. An order that came back counts as well: only a person knows whether it should be sent again. Called in
 * the transaction that inserts the orders, before it: requests with the same reference wait for each other. `at` is the
 * path of an order in the request. Throws `duplicate_ref`.
 */
export async function requireUniqueRefs(
  db: Connection,
  { caller, now }: Pick<CallBase, 'caller' | 'now'>,
  orders: readonly Pick<OrderRow, 'external_order_ref'>[],
  at: (index: number) => string = (index) => `orders[${index}].`,
): Promise<void> {
  const refs = orders.map(({ external_order_ref: ref }) => ref);
  const given = [...new Set(refs)].filter((ref) => ref !== '');
  if (given.length === 0) return;
  await lockReferences(db, caller.scope, given);
  const used = await ordersByReferenceInUse(db, caller.scope, { refs: given, since: now - reference_use_ms });
  const holders = await loadOrders(db, [...used.values()]);
  const faults = refs.flatMap((ref, index): Fault[] => {
    const path = `${at(index)}external_order_ref`;
    const first = refs.indexOf(ref);
    if (ref === '') return [];
    const holder = holders.find(({ id }) => id === used.get(ref));
    if (holder !== undefined) return [{ path, ...useOf(holder) }];
    if (first === index) return [];
    const conflicts_with = `${at(first)}external_order_ref`;
    return [{ path, message: `is the same as ${conflicts_with}`, conflicts_with }];
  });
  const [fault, ...others] = faults;
  if (fault === undefined) return;
  const text =
    others.length === 0 ? `${fault.path} ${fault.message}` : `${faults.length} references are in use`;
  const related_ids = [...new Set(faults.flatMap((each) => each.related_ids ?? []))];
  throw new Problem('duplicate_ref', `${text}. Nothing was created.`, faults, { related_ids });
}

/**
 * Refuses to dispatch orders of which another one with the same reference is sent, or is sent by auto dispatch: it was
 * created again meanwhile, and would be delivered twice. Throws `duplicate_ref`.
 */
export async function requireSentOnce(
  db: Connection,
  { caller, now }: Pick<CallBase, 'caller' | 'now'>,
  orders: readonly Pick<OrderRow, 'id' | 'external_order_ref'>[],
): Promise<void> {
  const refs = [...new Set(orders.map(({ external_order_ref: ref }) => ref))].filter((ref) => ref !== '');
  if (refs.length === 0) return;
  await lockReferences(db, caller.scope, refs);
  const beside = orders.map(({ id }) => id);
  const used = await ordersByReferenceInUse(db, caller.scope, {
    refs,
    since: now - reference_use_ms,
    beside,
  });
  const [holder] = await loadOrders(db, [...used.values()]);
  if (holder === undefined) return;
  const { message, related_ids = [] } = useOf(holder);
  const path = 'unique_ref';
  const text = `${message}. Nothing was dispatched.`;
  throw new Problem('duplicate_ref', text, [{ path, message, related_ids }], { related_ids });
}

/** The order that has a reference, with the delivery that is its latest. */
function useOf({ id, external_order_ref, status, delivery_id }: OrderRow): Omit<Fault, 'path'> {
  const ids = delivery_id === null ? [id] : [id, delivery_id];
  return {
    message: `"${external_order_ref}" is in use by order ${ids.join(', ')} (${status})`,
    related_ids: ids,
  };
}
