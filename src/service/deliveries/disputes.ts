/** Disputes of deliveries: raised up to 30 days after the handover, and resolved with or without a refund. */
import type { Dispute, getDispute, listDisputes, resolveDispute } from '../../contract/accounting.ts';
import type { disputeDelivery } from '../../contract/delivery-changes.ts';
import { Problem } from '../../contract/errors.ts';
import { sumAmounts } from '../../domain/charges.ts';
import { disputable_ms } from '../../domain/delivery-states.ts';
import { dollars } from '../../domain/money.ts';
import { statusPhrase } from '../../domain/status-words.ts';
import type { Connection, DeliveryRow, DisputeRow } from '../../storage/database.ts';
import {
  chargesOfDelivery,
  chargesOfSeveral,
  findDispute,
  insertDispute,
  listDisputes as listRows,
  loadDeliveries,
  resolveDispute as writeOutcome,
} from '../../storage/deliveries.ts';
import { markErased } from '../../storage/orders.ts';
import { invalidField } from '../http/answers.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { instant, instantOrNull } from '../runtime/time.ts';
import { requireAsSeen } from './as-seen.ts';
import { lockDeliveryFor } from './delivery.ts';
import { applyTransition, charge, refuseTransition, saveDelivery } from './delivery-transitions.ts';
import { createViewpoint, deliveryRecord, deliveryView, namesOf } from './delivery-view.ts';

export const pageOfDisputes: Handler<typeof listDisputes> = async ({ service, caller, query }) => {
  const wanted = { ...caller.scope, ...pageRequest(query, 'dlv'), status: query.status };
  return service.storage.read(async (db) => {
    const page = await listRows(db, wanted);
    const ids = page.rows.map(({ id }) => id);
    const charges = ids.length === 0 ? [] : await chargesOfSeveral(db, ids);
    const charged = Map.groupBy(charges, ({ delivery_id }) => delivery_id);
    const deliveries = await loadDeliveries(db, ids);
    return toPage(page, (row) =>
      disputeView(row, {
        charges: charged.get(row.id) ?? [],
        delivery: deliveries.find(({ id }) => id === row.id),
      }),
    );
  });
};

export const readDispute: Handler<typeof getDispute> = async (call) =>
  call.service.storage.read(async (db) => {
    const row = await disputeFor(db, call, call.params.deliveryid);
    const [delivery] = await loadDeliveries(db, [row.id]);
    return disputeView(row, { charges: await chargesOfDelivery(db, row.id), delivery });
  });

/** Resolves a dispute; with the outcome `refunded`, what was paid is refunded in whole or in part. */
export const closeDispute: Handler<typeof resolveDispute> = async (call) => {
  const { service, params, body, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const delivery = await lockDeliveryFor(db, call, params.deliveryid);
    const dispute = await disputeFor(db, call, delivery.id);
    if (dispute.outcome !== null) throw notOpen(dispute);
    const charged = await chargesOfDelivery(db, delivery.id);
    const amount = refundOf(call, sumAmounts(charged));
    const { outcome, note = '' } = body;
    const change = { id: dispute.id, outcome, amount, note, resolved_at: now };
    if (!(await writeOutcome(db, change))) throw notOpen(dispute);
    const context = { db, chance, now, providers: service.providers };
    if (amount > 0) await charge(context, delivery, [{ kind: 'refund', amount: -amount }], charged);
    const before = deliveryRecord(delivery);
    const refunded_amount = before.refunded_amount + amount;
    await saveDelivery(context, delivery, { ...before, refunded_amount, dispute_outcome: outcome });
    return disputeView({ ...dispute, ...change }, { charges: [...charged, { amount: -amount }], delivery });
  }, 'read committed');
};

function notOpen({ id }: DisputeRow): Problem {
  return new Problem('dispute_not_open', `The dispute of ${id} is already resolved.`);
}

/** The amount to refund in cents. Throws `invalid_request` for one that does not fit the outcome. */
function refundOf(
  { body }: Pick<Parameters<Handler<typeof resolveDispute>>[0], 'body'>,
  paid: number,
): number {
  const { outcome, amount } = body;
  if (outcome !== 'refunded') {
    if (amount !== undefined) throw invalidField('amount', 'is only possible with the outcome refunded');
    return 0;
  }
  if (amount !== undefined && amount > paid)
    throw invalidField('amount', `must be at most ${dollars(paid)} (${paid} cents), the amount paid`);
  return amount ?? Math.max(0, paid);
}

/** The caller's dispute of a delivery. Throws `record_not_found`. */
async function disputeFor(db: Connection, { caller }: CallBase, id: string): Promise<DisputeRow> {
  const row = await findDispute(db, caller.scope, id);
  if (row === undefined) throw new Problem('record_not_found', `Delivery ${id} has no dispute.`);
  return row;
}

function disputeView(
  row: DisputeRow,
  { charges, delivery }: { charges: readonly { amount: number }[]; delivery: DeliveryRow | undefined },
): Dispute {
  const { id, reason, outcome, amount, note, test_mode, created_at, resolved_at } = row;
  return {
    object: 'dispute',
    delivery_id: id,
    ...namesOf(delivery),
    reason,
    status: outcome === null ? 'open' : 'resolved',
    outcome,
    amount,
    paid: sumAmounts(charges),
    note,
    test_mode: test_mode === 1,
    created_at: instant(created_at),
    resolved_at: instantOrNull(resolved_at),
  };
}

/** Disputes a delivery up to 30 days after it was delivered. Throws `delivery_not_disputable`. */
export const raiseDispute: Handler<typeof disputeDelivery> = async (call) => {
  const { service, params, body, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const row = await lockDeliveryFor(db, call, params.deliveryid);
    await requireAsSeen(db, row, body);
    if (row.status === 'delivered' && now - (row.ended_at ?? now) > disputable_ms) {
      throw notDisputable(row.id, 'was delivered more than 30 days ago');
    }
    const context = { db, chance, now, providers: service.providers };
    const record = { dispute_reason: body.reason };
    const disputed = await applyTransition(context, row, 'disputed', { record }).catch(
      refuseTransition((status) =>
        notDisputable(row.id, `is ${statusPhrase(status)}: only a completed delivery can be disputed`),
      ),
    );
    await insertDispute(db, {
      id: row.id,
      ...call.caller.scope,
      reason: body.reason,
      outcome: null,
      amount: 0,
      note: '',
      created_at: now,
      resolved_at: null,
    });
    // The texts of a dispute may be about people: people who were erased by age are erased again after it.
    await markErased(db, { order_id: row.order_id, now: null });
    return deliveryView(disputed, createViewpoint(call));
  }, 'read committed');
};

function notDisputable(id: string, why: string): Problem {
  return new Problem('delivery_not_disputable', `Delivery ${id} ${why}.`);
}
