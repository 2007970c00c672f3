/** Lists charges and refunds, with the delivery that each belongs to. */
import type { Charge, listCharges } from '../../contract/accounting.ts';
import type { ChargeKind } from '../../contract/vocabulary.ts';
import { hasEndedBadly } from '../../domain/delivery-states.ts';
import type { ChargeRow } from '../../storage/database.ts';
import {
  type ChargedDelivery,
  chargedDeliveries,
  listCharges as listRows,
} from '../../storage/deliveries.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { instant } from '../runtime/time.ts';

export const pageOfCharges: Handler<typeof listCharges> = async ({ service, caller, query }) => {
  const { delivery_id, order_id, store_id, kind } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'chg'), delivery_id, order_id, store_id, kind };
  return service.storage.read(async (db) => {
    const page = await listRows(db, wanted);
    const charged = await chargedDeliveries(db, page.rows);
    return toPage(page, (row) => chargeView(row, charged.get(row.delivery_id)));
  });
};

/** A charge or refund as returned by the API. */
function chargeView(
  { id, delivery_id, kind, reason, amount, test_mode, created_at }: ChargeRow,
  delivery: ChargedDelivery | undefined,
): Charge {
  return {
    id,
    object: 'charge',
    delivery_id,
    order_id: delivery?.order_id ?? '',
    external_order_ref: delivery?.external_order_ref ?? '',
    store_id: delivery?.store_id ?? null,
    store_name: delivery?.store_id ? deliveryRecord(delivery).pickup.name : null,
    service: delivery?.service ?? '',
    kind,
    reason: reason ?? (delivery === undefined ? null : endingReason(kind, delivery)),
    amount,
    service_fee: delivery === undefined || kind !== 'delivery' ? 0 : feeInPrice(delivery),
    given_back: delivery !== undefined && isGivenBack(kind, delivery),
    currency: 'USD',
    test_mode: test_mode === 1,
    created_at: instant(created_at),
  };
}

/** The part of the price of a delivery that is the service fee. */
function feeInPrice(row: ChargedDelivery): number {
  const { payment_amount, cost_of_delivery } = deliveryRecord(row);
  return payment_amount - cost_of_delivery;
}

/** A failed or canceled delivery gives back what was paid for it, if it was refunded at all. */
function isGivenBack(kind: ChargeKind, { status, has_refund }: ChargedDelivery): boolean {
  return (kind === 'delivery' || kind === 'tip') && has_refund && hasEndedBadly(status);
}

/** Why a delivery ended so that this was charged or refunded; null for a price or tip, and without a reason. */
function endingReason(kind: ChargeKind, row: ChargedDelivery): string | null {
  if (kind === 'delivery' || kind === 'tip' || kind === 'adjustment') return null;
  const { failure_message, cancellation_reason, dispute_reason } = deliveryRecord(row);
  const failed = failure_message === '' ? null : failure_message;
  if (kind === 'refund') return dispute_reason ?? cancellation_reason ?? failed;
  return kind === 'return' ? failed : cancellation_reason;
}
