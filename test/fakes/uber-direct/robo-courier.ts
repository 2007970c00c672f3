import { type JsonFields, toFields } from '../../../src/providers/json-messages.ts';
import { Refused } from './errors.ts';
import type { CourierRecord, DeliveryRecord, State } from './records.ts';

const courier: CourierRecord = {
  name: 'Robo C.',
  vehicle_type: 'car',
  phone_number: '+16283337630',
  location: { lat: 40.7, lng: -74.001 },
  img_href: 'https://d1w2poirtb3as9.cloudfront.net/default.jpeg',
};

/** The changes that a courier makes, in order; each one is a webhook. */
const steps = [
  { status: 'pending', courier_imminent: false },
  { status: 'pickup', courier_imminent: false },
  { status: 'pickup', courier_imminent: true },
  { status: 'pickup_complete', courier_imminent: false },
  { status: 'dropoff', courier_imminent: false },
  { status: 'dropoff', courier_imminent: true },
  { status: 'delivered', courier_imminent: false },
] as const;

/** Takes a delivery one step further. A test account has only robo couriers, and only for those who ask for one. */
export function stepCourier(state: State, delivery: DeliveryRecord, skip: readonly string[] = []): void {
  if (!state.account.live_mode && !delivery.id.startsWith('ret_') && !hasRoboCourier(delivery.request))
    throw new Refused('robo_couriers_busy');
  const place = steps.findIndex(
    (step) => step.status === delivery.status && step.courier_imminent === delivery.courier_imminent,
  );
  const next = place === -1 ? undefined : steps.slice(place + 1).find(({ status }) => !skip.includes(status));
  if (next === undefined) throw new Error(`${delivery.id} has ended: ${delivery.status}`);
  Object.assign(delivery, next, { updated: state.now(), courier });
  if (next.status === 'delivered') complete(state, delivery);
}

function hasRoboCourier(request: JsonFields): boolean {
  const robo = toFields(toFields(request.test_specifications).robo_courier_specification);
  return robo.mode === 'auto' || robo.mode === 'custom';
}

/** Hands the parcel over, with the proofs that the request asks for. */
function complete(state: State, delivery: DeliveryRecord): void {
  const wanted = toFields(delivery.request.dropoff_verification);
  const is_left = delivery.request.deliverable_action === 'deliverable_action_leave_at_door';
  const is_signed = toFields(wanted.signature_requirement).enabled === true;
  delivery.dropoff_ended = { status: 'completed', at: state.now() };
  delivery.proof = {
    picture_url:
      is_left || wanted.picture === true ? `https://tb-static.uber.com/pod/${delivery.id}.png` : '',
    signature_url: is_signed ? `https://tb-static.uber.com/signature/${delivery.id}.png` : '',
    signer: is_signed ? 'Joan' : '',
    pin_entered: delivery.pin ?? '',
  };
}

/** Cancels a delivery from the courier's side. */
export function cancelByCourier(state: State, delivery: DeliveryRecord, reason: string): void {
  Object.assign(delivery, { status: 'canceled', cancelation_reason: reason, updated: state.now() });
}

/** Ends a delivery that could not be handed over, and creates the journey back to the sender. */
export function sendBack(state: State, delivery: DeliveryRecord, reason: string): DeliveryRecord {
  const now = state.now();
  const back: DeliveryRecord = {
    ...delivery,
    id: `ret_${state.next()}`,
    status: 'pickup_complete',
    courier_imminent: false,
    created: now,
    updated: now,
    dropoff_ended: null,
    fee: 450,
    tip: 0,
    refund: null,
    related: { id: delivery.id, relationship: 'original' },
  };
  Object.assign(delivery, {
    status: 'returned',
    courier_imminent: false,
    updated: now,
    undeliverable_reason: reason,
    dropoff_ended: { status: 'failed', at: now },
    related: { id: back.id, relationship: 'returned' },
  });
  state.deliveries.set(back.id, back);
  return back;
}
