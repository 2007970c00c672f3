import { type DeliveryRecord, type Fields, fieldsOf, isoTime, type State, textOf } from './records.ts';

/** A delivery as answers and webhooks show it. */
export function deliveryObject(state: State, delivery: DeliveryRecord): Fields {
  const { request, windows, related } = delivery;
  return {
    id: delivery.id,
    uuid: delivery.id.slice(4).padStart(32, '0').toUpperCase(),
    kind: 'delivery',
    ...(delivery.quote_id !== null && { quote_id: delivery.quote_id }),
    external_id: textOf(request, 'external_id') ?? '',
    status: delivery.status,
    complete: ['delivered', 'canceled', 'returned'].includes(delivery.status),
    courier_imminent: delivery.courier_imminent,
    ...(delivery.courier !== null && { courier: delivery.courier }),
    created: isoTime(delivery.created),
    updated: isoTime(delivery.updated),
    currency: 'usd',
    fee: delivery.fee,
    tip: delivery.tip,
    live_mode: state.account.live_mode,
    tracking_url: `https://www.ubereats.com/orders/${delivery.id}`,
    deliverable_action: textOf(request, 'deliverable_action') ?? 'deliverable_action_meet_at_door',
    pickup: pickup(delivery),
    dropoff: dropoff(delivery),
    pickup_eta: isoTime(delivery.pickup_eta),
    pickup_ready: isoTime(windows.pickup_ready),
    pickup_deadline: isoTime(windows.pickup_deadline),
    dropoff_eta: isoTime(delivery.dropoff_eta),
    dropoff_ready: isoTime(windows.dropoff_ready),
    dropoff_deadline: isoTime(windows.dropoff_deadline),
    dropoff_identifier: '',
    manifest: {
      reference: textOf(request, 'manifest_reference') ?? '',
      total_value: request.manifest_total_value ?? 0,
    },
    manifest_items: request.manifest_items,
    undeliverable_action: delivery.undeliverable_action,
    undeliverable_reason: delivery.undeliverable_reason,
    related_deliveries: related === null ? [] : [related],
    ...returnWaypoint(state, delivery),
    ...(delivery.refund !== null && { refund: delivery.refund }),
    ...(delivery.cancelation_reason !== null && {
      cancelation_reason: { primary_reason: delivery.cancelation_reason, secondary_reason: '' },
    }),
  };
}

function waypoint(request: Fields, side: 'pickup' | 'dropoff'): Fields {
  const address = textOf(request, `${side}_address`) ?? '';
  return {
    name: request[`${side}_name`],
    phone_number: request[`${side}_phone_number`],
    address,
    notes: textOf(request, `${side}_notes`) ?? '',
    seller_notes: '',
    courier_notes: '',
    location: {
      lat: request[`${side}_latitude`] ?? 40.7,
      lng: request[`${side}_longitude`] ?? -74,
    },
    external_store_id: textOf(request, 'external_store_id') ?? '',
  };
}

function pickup({ request, pickup_completed_at: at }: DeliveryRecord): Fields {
  const ended = at === null ? {} : { status: 'completed', status_timestamp: isoTime(at) };
  return { ...waypoint(request, 'pickup'), ...ended };
}

function dropoff({ request, dropoff_ended: ended, proof, pin }: DeliveryRecord): Fields {
  const wanted = fieldsOf(request.dropoff_verification);
  const isPicture =
    wanted.picture === true || request.deliverable_action === 'deliverable_action_leave_at_door';
  const isSigned = fieldsOf(wanted.signature_requirement).enabled === true;
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
function returnWaypoint(state: State, { request, related }: DeliveryRecord): Fields {
  if (related?.relationship !== 'returned') return {};
  const back = state.deliveries.get(related.id);
  const ended = back?.dropoff_ended;
  return {
    return: {
      ...waypoint(request, 'pickup'),
      ...(ended && { status: ended.status, status_timestamp: isoTime(ended.at) }),
    },
  };
}
