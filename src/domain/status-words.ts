/** Statuses in words for people, and the statuses that a person's words mean. */
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { isEditable, isPickedUp } from './delivery-states.ts';

/** Words for statuses whose names do not tell people what they mean. */
const statusWords: Readonly<Record<string, string>> = {
  delivery_created: 'waiting for a driver',
  burq_canceled: 'canceled by the service',
};

/** Each status in a sentence, after `is`. */
const statusPhrases: Readonly<Record<DeliveryStatus, string>> = {
  request: 'stored and not sent yet',
  delivery_created: 'waiting for a driver',
  scheduled: 'scheduled',
  driver_assigned: 'assigned to a driver',
  enroute_pickup: 'with a driver on the way to the pickup',
  arrived_at_pickup: 'with a driver at the pickup',
  pickup_complete: 'picked up',
  enroute_dropoff: 'on the way to the recipient',
  arrived_at_dropoff: 'at the dropoff',
  dropoff_complete: 'dropped off',
  driver_not_assigned: 'waiting for another driver',
  delivered: 'delivered',
  disputed: 'disputed',
  provider_canceled: 'canceled by the courier',
  customer_canceled: 'canceled by the merchant',
  burq_canceled: 'canceled by the service',
  failed: 'failed',
  enroute_to_return: 'on the way back',
  returned: 'returned',
};

/** Other words for all that is dispatched and not picked up, a driver coming or not. */
const waitingForPickup: ReadonlySet<string> = new Set([
  'not_yet_picked_up',
  'not_picked_up_yet',
  'waiting_for_pickup',
  'awaiting_pickup',
  'to_be_picked_up',
  'before_pickup',
]);

/** The reason of a cancellation after which the same order is sent again at another time. */
export const rescheduled_reason = 'Rescheduled';

/** Whether a delivery was canceled only to be sent again at another time. */
export function isRescheduled(delivery: { status: string; cancellation_reason: string | null }): boolean {
  return delivery.status === 'customer_canceled' && delivery.cancellation_reason === rescheduled_reason;
}

/** The status of a delivery for people: `rescheduled` if it was canceled only to be sent at another time. */
export function shownStatus(delivery: { status: string; cancellation_reason: string | null }): string {
  return isRescheduled(delivery) ? 'rescheduled' : delivery.status;
}

/** The word for a status, for people. */
export function statusWord(status: string): string {
  return statusWords[status] ?? status;
}

/** A status in a sentence, after `is`. A newer service may have others. */
export function statusPhrase(status: string): string {
  return new Map(Object.entries(statusPhrases)).get(status) ?? status;
}

/** What a status means, for people who do not know it. */
export function statusMeaning(status: DeliveryStatus): string {
  const meanings: Partial<Record<DeliveryStatus, string>> = {
    scheduled: 'booked for later, without a driver so far',
    delivered: 'handed over, or left where the recipient wanted it',
    disputed: 'delivered, and the merchant says that something was wrong',
    failed: 'ended without a handover',
    enroute_to_return: 'not handed over, on the way back to the pickup',
    returned: 'brought back to the pickup',
  };
  return meanings[status] ?? statusPhrases[status];
}

/** The words for a status with the name that programs have, where that is another: `waiting for a driver (delivery_created)`. */
export function statusWithName(status: string): string {
  const word = statusWord(status);
  return word === status ? status : `${word} (${status})`;
}

/** The name of a status by its word, phrase or name, as people write them: `Waiting for a driver`, `in transit`. */
export function statusNamed(text: string): string {
  const plain = text.toLowerCase().replaceAll('_', ' ').trim();
  if (plain === 'rescheduled') return 'customer_canceled';
  if (plain === 'done') return 'delivered';
  const [found] = Object.entries(statusPhrases).find(([, phrase]) => phrase === plain) ?? [];
  const name = found ?? plain.replaceAll(/[ -]+/g, '_');
  return waitingForPickup.has(name) ? 'not_picked_up' : name;
}

/** Why a delivery can no longer be edited, or its pickup; null if it can. */
export function editFault(
  delivery: { id: string; status: DeliveryStatus; service: string | null },
  isOfPickup: boolean,
): string | null {
  const { id, status } = delivery;
  if (isEditable(delivery) && !(isOfPickup && isPickedUp(status))) return null;
  return `Delivery ${id} is ${statusPhrase(status)} and can no longer be edited.`;
}
