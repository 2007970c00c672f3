import type { Delivery } from '../../../contract/deliveries.ts';
import type { AnyDelivery } from '../../../contract/delivery-details.ts';
import type { DeliveryStatus } from '../../../contract/vocabulary.ts';
import { max_wrong_pins } from '../../../domain/order-rules.ts';
import type { Show } from '../../kit/result/result.ts';
import { failureText } from '../orders/delivery-ending.ts';

/** Formats a time and a phone number in a sentence. */
export type Wording = Pick<Show, 'at' | 'phone'>;

/** Formats times for programs. */
export const timeOfRecord: Wording['at'] = (iso, word = 'at') => `${word} ${iso}`;

interface Words {
  /** For a delivery that entered this status. */
  plain(delivery: AnyDelivery): string;
  /** For a delivery that is in this status now. */
  now?(delivery: Delivery, wording: Wording): string;
}

/** A short description of each status. */
const words: Readonly<Record<DeliveryStatus, Words>> = {
  request: { plain: () => 'stored; not sent to a courier yet' },
  delivery_created: {
    plain: handoverText,
    now: (delivery) => `${providerOf(delivery)} looks for a driver`,
  },
  scheduled: {
    plain: handoverText,
    now: (delivery, { at }) => {
      const time = delivery.pickup_at ?? delivery.pickup_eta;
      return `${providerOf(delivery)} comes for it${time === '' ? '' : ` ${at(time)}`}`;
    },
  },
  driver_assigned: {
    plain: () => 'a driver is found',
    now: (delivery, { phone }) => courierText(delivery, phone),
  },
  enroute_pickup: {
    plain: () => 'going to the pickup',
    now: (delivery, { at }) => `going to ${pickupOf(delivery)}${thereText(delivery.pickup_eta, at)}`,
  },
  arrived_at_pickup: { plain: (delivery) => `at ${pickupOf(delivery)}` },
  pickup_complete: { plain: () => 'the parcel is picked up' },
  enroute_dropoff: {
    plain: () => 'going to the dropoff',
    now: (delivery, { at }) => `going to ${recipientOf(delivery)}${thereText(etaOf(delivery), at)}`,
  },
  arrived_at_dropoff: { plain: (delivery) => `at ${recipientOf(delivery)}` },
  dropoff_complete: { plain: () => 'handed over' },
  driver_not_assigned: {
    plain: () => 'the driver is gone',
    now: () => 'the driver is gone; another is looked for',
  },
  delivered: { plain: proofText },
  disputed: { plain: ({ dispute_reason }) => dispute_reason ?? '' },
  provider_canceled: { plain: ({ cancellation_reason }) => cancellation_reason ?? 'no reason was given' },
  customer_canceled: { plain: ({ cancellation_reason }) => cancellation_reason ?? '' },
  burq_canceled: { plain: ({ cancellation_reason }) => cancellation_reason ?? '' },
  failed: { plain: (delivery) => failureText(delivery) ?? 'no reason was given' },
  enroute_to_return: {
    plain: (delivery) => failureText(delivery) ?? 'the handover could not be made',
  },
  returned: { plain: (delivery) => `back at ${pickupOf(delivery)}` },
};

const unexplained: Words = { plain: () => '' };

/**
 * Describes a status that a delivery entered. The current status has more detail: the driver and the ETA of the next
 * stop.
 */
export function wordsOf(status: DeliveryStatus, delivery: AnyDelivery, wording: Wording | null): string {
  // A status from a newer service has no description.
  const { plain, now } = Object.hasOwn(words, status) ? words[status] : unexplained;
  return wording === null || now === undefined ? plain(delivery) : now(delivery, wording);
}

/** A delivery that failed without a driver may never have been accepted; an unpaid one is not even sent. */
function handoverText(delivery: Delivery): string {
  const { failure_reason } = delivery;
  const service = providerOf(delivery);
  if (!failedUntaken(delivery)) return `${service} has it`;
  const isSent = failure_reason !== 'payment_declined' && failure_reason !== 'no_provider_available';
  return isSent ? `meant for ${service}` : `meant for ${service}, and never sent`;
}

/** True if it failed before a driver was assigned: it is unknown whether the provider ever accepted it. */
export function failedUntaken({ status, status_history }: Delivery): boolean {
  return status === 'failed' && status_history.every((entry) => untaken.has(entry.status));
}

const untaken: ReadonlySet<DeliveryStatus> = new Set(['request', 'delivery_created', 'scheduled', 'failed']);

/** The PIN that the recipient gives the driver, and whether wrong ones have locked the handover. */
export function pinText({ handover_pin, details }: AnyDelivery): string {
  if (!handover_pin) return '';
  const lock = details?.pin_locked === true ? `; locked after ${max_wrong_pins} wrong ones` : '';
  const unverified =
    details?.pin_unverified === true ? '; the driver had another one, and no connection' : '';
  return `${handover_pin}, on the tracking page, for the recipient to tell the driver${lock}${unverified}`;
}

/** The driver, as far as the provider reports: `Ana P., car, +1 312 *** **99`. */
export function courierText(delivery: Delivery, phone: Show['phone']): string {
  const { courier_name, courier_vehicle_type, courier_phone_number } = delivery;
  const number = courier_phone_number ? phone(courier_phone_number) : null;
  const parts = [courier_name, courier_vehicle_type, number];
  const known = parts.filter((part) => part !== null && part !== '');
  return known.length === 0 ? 'a driver is found' : known.join(', ');
}

/** `proof: photo, signature; PIN not verified`; empty without a proof. */
function proofText({ proof_of_delivery, details }: AnyDelivery): string {
  const types = [...new Set(proof_of_delivery.map(({ type }) => type))];
  const missing = details?.no_photo_reason ?? '';
  return [
    ...(types.length === 0 ? [] : [`proof: ${types.join(', ')}`]),
    ...(details?.pin_unverified === true ? ['PIN not verified'] : []),
    ...(missing === '' ? [] : [`no photo: ${missing}`]),
  ].join('; ');
}

function recipientOf({ dropoffs }: Delivery): string {
  return dropoffs[0]?.dropoff_name || 'the dropoff';
}

function pickupOf({ pickup_name }: Delivery): string {
  return pickup_name || 'the pickup';
}

function providerOf({ service }: Delivery): string {
  return service || 'the provider';
}

/** A service may not report a time. */
function thereText(eta: string, at: Wording['at']): string {
  return eta === '' ? '' : `, there ${at(eta, 'about')}`;
}

function etaOf({ dropoffs, pickup_eta }: Delivery): string {
  return dropoffs[0]?.dropoff_eta ?? pickup_eta;
}
