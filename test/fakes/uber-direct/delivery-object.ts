import { type JsonFields, textAt, toFields } from '../../../src/providers/json-messages.ts';
import { type DeliveryRecord, hasEnded, isoTime, type State } from './records.ts';

/** A delivery as answers and webhooks show it. */
export function deliveryObject(state: State, delivery: DeliveryRecord): JsonFields {
  const { request, related } = delivery;
  return {
    id: delivery.id,
    kind: 'delivery',
    ...(delivery.quote_id !== null && { quote_id: delivery.quote_id }),
    external_id: textAt(request, 'external_id') ?? '',
    status: delivery.status,
    complete: hasEnded(delivery),
    courier_imminent: delivery.courier_imminent,
    ...(delivery.courier !== null && { courier: delivery.courier }),
    created: isoTime(delivery.created),
    updated: isoTime(delivery.updated),
    currency: 'usd',
    fee: delivery.fee,
    tip: delivery.tip,
    live_mode: state.account.live_mode,
    tracking_url: `https://www.ubereats.com/orders/${delivery.id}`,
    pickup: waypoint(request, 'pickup'),
    dropoff: dropoff(delivery),
    pickup_eta: isoTime(delivery.pickup_eta),
    dropoff_eta: isoTime(delivery.dropoff_eta),
    manifest_items: request.manifest_items,
    undeliverable_reason: delivery.undeliverable_reason,
    related_deliveries: related === null ? [] : [related],
    ...returnWaypoint(state, delivery),
    ...(delivery.refund !== null && { refund: delivery.refund }),
    ...(delivery.cancelation_reason !== null && {
      cancelation_reason: { primary_reason: delivery.cancelation_reason, secondary_reason: '' },
    }),
  };
}

function waypoint(request: JsonFields, side: 'pickup' | 'dropoff'): JsonFields {
  return {
    name: request[`${side}_name`],
    phone_number: request[`${side}_phone_number`],
    address: request[`${side}_address`],
    notes: textAt(request, `${side}_notes`) ?? '',
  };
}

function dropoff({ request, dropoff_ended: ended, proof, pin }: DeliveryRecord): JsonFields {
  const wanted = toFields(request.dropoff_verification);
  const isPicture =
    wanted.picture === true || request.deliverable_action === 'deliverable_action_leave_at_door';
  const isSigned = toFields(wanted.signature_requirement).enabled === true;
  return {
    ...waypoint(request, 'dropoff'),
    verification_requirements: {
      ...(isSigned && { signature_requirement: wanted.signature_requirement }),
      ...(pin !== null && { pincode: { enabled: true, value: pin } }),
      ...(isPicture && { picture: true }),
    },
    verification: {
      ...(isPicture && { picture: { image_url: proof.picture_url } }),
      ...(isSigned && { signature: { image_url: proof.signature_url, name: proof.signer } }),
      ...(pin !== null && { pin_code: { entered: proof.pin_entered } }),
    },
    ...(ended !== null && { status: ended.status, status_timestamp: isoTime(ended.at) }),
  };
}

/** The way back of a returned parcel: the pickup place, with the outcome of the journey back. */
function returnWaypoint(state: State, { request, related }: DeliveryRecord): JsonFields {
  if (related?.relationship !== 'returned') return {};
  const ended = state.deliveries.get(related.id)?.dropoff_ended;
  return {
    return: {
      ...waypoint(request, 'pickup'),
      ...(ended && { status: ended.status, status_timestamp: isoTime(ended.at) }),
    },
  };
}
