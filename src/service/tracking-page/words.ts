import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import type { Journey } from './journey.ts';

/** The texts of a status for the recipient. */
interface Words {
  headline: string;
  sentence: string;
}

type Names = { merchant: string; courier: string };

/** The texts of each status. `burq_canceled` is a cancellation by the operator of the service. */
const statusWords: Readonly<Record<DeliveryStatus, (names: Names) => Words>> = {
  request: ({ merchant }) => ({
    headline: 'Order received',
    sentence: `${merchant} has your order and will request a courier.`,
  }),
  delivery_created: ({ merchant }) => ({
    headline: 'Looking for a courier',
    sentence: `We are looking for a courier to pick up your order from ${merchant}.`,
  }),
  scheduled: ({ merchant }) => ({
    headline: 'Delivery scheduled',
    sentence: `A courier will pick up your order from ${merchant} at the scheduled time.`,
  }),
  driver_assigned: ({ merchant, courier }) => ({
    headline: 'Courier assigned',
    sentence: `${courier} will pick up your order from ${merchant}.`,
  }),
  enroute_pickup: ({ merchant, courier }) => ({
    headline: 'Courier on the way to the pickup',
    sentence: `${courier} is on the way to ${merchant} to pick up your order.`,
  }),
  arrived_at_pickup: ({ merchant, courier }) => ({
    headline: 'Courier at the pickup',
    sentence: `${courier} is at ${merchant} to pick up your order.`,
  }),
  pickup_complete: ({ courier }) => ({
    headline: 'Picked up',
    sentence: `${courier} has your order. There may be other stops before yours.`,
  }),
  enroute_dropoff: ({ courier }) => ({
    headline: 'On the way to you',
    sentence: `${courier} is bringing your order.`,
  }),
  arrived_at_dropoff: ({ courier }) => ({
    headline: 'Your courier is here',
    sentence: `${courier} has arrived with your order.`,
  }),
  dropoff_complete: () => ({
    headline: 'Handed over',
    sentence: 'Your order has been handed over. The courier is finishing the delivery.',
  }),
  driver_not_assigned: ({ merchant }) => ({
    headline: 'Finding another courier',
    sentence: `Your courier is no longer available. We are looking for another one to pick up your order from ${merchant}.`,
  }),
  delivered: ({ merchant }) => ({
    headline: 'Delivered',
    sentence: `Your order from ${merchant} has been delivered.`,
  }),
  disputed: ({ merchant }) => ({
    headline: 'Delivered',
    sentence: `Your order was reported as delivered. A problem with it was reported and is being investigated. For updates, contact ${merchant}.`,
  }),
  provider_canceled: ({ merchant }) => ({
    headline: 'Delivery canceled',
    sentence: `The courier company canceled this delivery. Please contact ${merchant} about the next steps.`,
  }),
  customer_canceled: ({ merchant }) => ({
    headline: 'Delivery canceled',
    sentence: `${merchant} canceled this delivery. Please contact them if you did not expect this.`,
  }),
  burq_canceled: ({ merchant }) => ({
    headline: 'Delivery canceled',
    sentence: `The delivery service canceled this delivery. Please contact ${merchant} about the next steps.`,
  }),
  failed: ({ merchant }) => ({
    headline: 'Could not be delivered',
    sentence: `Your order could not be delivered. Please contact ${merchant} about the next steps.`,
  }),
  enroute_to_return: ({ merchant }) => ({
    headline: 'Going back to the sender',
    sentence: `Your order could not be handed over and is on its way back to ${merchant}. Please contact them about a new delivery.`,
  }),
  returned: ({ merchant }) => ({
    headline: 'Returned to the sender',
    sentence: `Your order could not be handed over and is back at ${merchant}. Please contact them about a new delivery.`,
  }),
};

/** The texts for the state of a delivery. */
export function wordsFor({ status, merchant, courier }: Journey): Words {
  return statusWords[status]({ merchant, courier: courier?.name ?? 'Your courier' });
}

const stepWords: Readonly<Record<DeliveryStatus, string>> = {
  request: 'Order received',
  delivery_created: 'Order confirmed',
  scheduled: 'Delivery scheduled',
  driver_assigned: 'Courier assigned',
  enroute_pickup: 'Courier on the way to the pickup',
  arrived_at_pickup: 'Courier at the pickup',
  pickup_complete: 'Picked up',
  enroute_dropoff: 'On the way to you',
  arrived_at_dropoff: 'Courier arrived',
  dropoff_complete: 'Handed over',
  driver_not_assigned: 'Courier changed',
  delivered: 'Delivered',
  disputed: 'Problem reported',
  provider_canceled: 'Delivery canceled',
  customer_canceled: 'Delivery canceled',
  burq_canceled: 'Delivery canceled',
  failed: 'Could not be delivered',
  enroute_to_return: 'Could not be handed over',
  returned: 'Returned to the sender',
};

/** The name of a status in the timeline. */
export function stepName(status: DeliveryStatus): string {
  return stepWords[status];
}
