import { createHmac } from 'node:crypto';
import { deliveryObject } from './delivery-object.ts';
import { type DeliveryRecord, isoTime, type State } from './records.ts';

/** A webhook as sent. */
export interface Push {
  headers: Record<string, string>;
  body: string;
}

export function statusPush(state: State, delivery: DeliveryRecord): Push {
  return signed(state, {
    id: `evt_${state.next()}`,
    kind: 'event.delivery_status',
    status: delivery.status,
    created: isoTime(state.now()),
    live_mode: state.account.live_mode,
    delivery_id: delivery.id,
    customer_id: state.account.customer_id,
    developer_id: 'dev_1',
    account_id: 'acc_1',
    route_id: 'rte_1',
    data: deliveryObject(state, delivery),
  });
}

/** A position: it names no status outside of the delivery, and has no ID of its own. */
export function positionPush(state: State, delivery: DeliveryRecord): Push {
  return signed(state, {
    kind: 'event.courier_update',
    location: delivery.courier?.location,
    created: isoTime(state.now()),
    live_mode: state.account.live_mode,
    delivery_id: delivery.id,
    job_id: delivery.id,
    data: deliveryObject(state, delivery),
  });
}

/** A refund: its data is no delivery. */
export function refundPush(state: State, delivery: DeliveryRecord): Push {
  return signed(state, {
    ...{ id: `evt_${state.next()}`, kind: 'event.refund_request', created: isoTime(state.now()) },
    ...{ live_mode: state.account.live_mode, delivery_id: delivery.id, external_id: '' },
    data: delivery.refund,
  });
}

function signed({ account }: State, event: object): Push {
  const body = JSON.stringify(event);
  const signature = createHmac('sha256', account.signing_key).update(body).digest('hex');
  return { headers: { 'content-type': 'application/json', 'x-uber-signature': signature }, body };
}
