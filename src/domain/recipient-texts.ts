/** What the recipient of a delivery is told about it, on the tracking page and in a message. */
import type { DeliveryStatus } from '../contract/vocabulary.ts';

/** The names in the texts of a status. */
export interface Names {
  /** The shop. */
  merchant: string;
  /** The first name of the courier, or a general term. */
  courier: string;
}

export interface StatusTexts {
  headline: string;
  sentence: (names: Names) => string;
  /** Its name in the timeline, if that is not the headline. */
  step?: string;
}

export const recipientTexts: Readonly<Record<DeliveryStatus, StatusTexts>> = {
  request: {
    headline: 'Order received',
    sentence: ({ merchant }) => `${merchant} has your order and will request a courier.`,
  },
  delivery_created: {
    headline: 'Looking for a courier',
    sentence: ({ merchant }) => `We are looking for a courier to pick up your order from ${merchant}.`,
    step: 'Order confirmed',
  },
  scheduled: {
    headline: 'Delivery scheduled',
    sentence: ({ merchant }) => `A courier will pick up your order from ${merchant} at the scheduled time.`,
  },
  driver_assigned: {
    headline: 'Courier assigned',
    sentence: ({ merchant, courier }) => `${courier} will pick up your order from ${merchant}.`,
  },
  enroute_pickup: {
    headline: 'Courier on the way to the pickup',
    sentence: ({ merchant, courier }) => `${courier} is on the way to ${merchant} to pick up your order.`,
  },
  arrived_at_pickup: {
    headline: 'Courier at the pickup',
    sentence: ({ merchant, courier }) => `${courier} is at ${merchant} to pick up your order.`,
  },
  pickup_complete: {
    headline: 'Picked up',
    sentence: ({ courier }) => `${courier} has your order. There may be other stops before yours.`,
  },
  enroute_dropoff: {
    headline: 'On the way to you',
    sentence: ({ courier }) => `${courier} is bringing your order.`,
  },
  arrived_at_dropoff: {
    headline: 'Your courier is here',
    sentence: ({ courier }) => `${courier} has arrived at your address with your order.`,
    step: 'Courier arrived',
  },
  dropoff_complete: {
    headline: 'Dropped off',
    sentence: () => 'Your order has been dropped off. The courier is finishing the delivery.',
  },
  driver_not_assigned: {
    headline: 'Finding another courier',
    sentence: ({ merchant }) =>
      `Your courier is no longer available. We are looking for another one to pick up your order from ${merchant}.`,
    step: 'Courier changed',
  },
  delivered: {
    headline: 'Delivered',
    sentence: ({ merchant }) => `Your order from ${merchant} has been delivered.`,
  },
  disputed: {
    headline: 'Delivered',
    sentence: ({ merchant }) =>
      `Your order was reported as delivered. A problem with it was reported and is being investigated. For updates, contact ${merchant}.`,
    step: 'Problem reported',
  },
  provider_canceled: {
    headline: 'Delivery canceled',
    sentence: ({ merchant }) =>
      `The courier company canceled this delivery. Please contact ${merchant} about the next steps.`,
  },
  customer_canceled: {
    headline: 'Delivery canceled',
    sentence: ({ merchant }) =>
      `${merchant} canceled this delivery. Please contact them if you did not expect this.`,
  },
  burq_canceled: {
    headline: 'Delivery canceled',
    sentence: ({ merchant }) =>
      `The delivery service canceled this delivery. Please contact ${merchant} about the next steps.`,
  },
  failed: {
    headline: 'Could not be delivered',
    sentence: ({ merchant }) =>
      `Your order could not be delivered. Please contact ${merchant} about the next steps.`,
  },
  enroute_to_return: {
    headline: 'Going back to the shop',
    sentence: ({ merchant }) =>
      `Your order could not be handed over and is on its way back to ${merchant}. Please contact them about a new delivery.`,
    step: 'Could not be handed over',
  },
  returned: {
    headline: 'Returned to the shop',
    sentence: ({ merchant }) =>
      `Your order could not be handed over and is back at ${merchant}. Please contact them about a new delivery.`,
  },
};

/** The texts for the orders of a kitchen, where they are others. */
export const recipientTextsOfFood: Partial<Record<DeliveryStatus, StatusTexts>> = {
  enroute_to_return: {
    headline: 'Going back to the kitchen',
    sentence: ({ merchant }) =>
      `Your order could not be handed over and is on its way back to the kitchen. Please call ${merchant} about a new one.`,
    step: 'Could not be handed over',
  },
  returned: {
    headline: 'Back in the kitchen',
    sentence: ({ merchant }) =>
      `Your order could not be handed over and is back in the kitchen. Please call ${merchant} about a new one.`,
  },
};
