import type { Texts } from './page-texts.ts';

export const english: Texts = {
  language: 'English',
  locale: 'en-US',
  statuses: {
    request: {
      headline: 'Order received',
      sentence: ({ merchant }) => `${merchant} has your order and will request a courier.`,
      step: 'Order received',
    },
    delivery_created: {
      headline: 'Looking for a courier',
      sentence: ({ merchant }) => `We are looking for a courier to pick up your order from ${merchant}.`,
      step: 'Order confirmed',
    },
    scheduled: {
      headline: 'Delivery scheduled',
      sentence: ({ merchant }) => `A courier will pick up your order from ${merchant} at the scheduled time.`,
      step: 'Delivery scheduled',
    },
    driver_assigned: {
      headline: 'Courier assigned',
      sentence: ({ merchant, courier }) => `${courier} will pick up your order from ${merchant}.`,
      step: 'Courier assigned',
    },
    enroute_pickup: {
      headline: 'Courier on the way to the pickup',
      sentence: ({ merchant, courier }) => `${courier} is on the way to ${merchant} to pick up your order.`,
      step: 'Courier on the way to the pickup',
    },
    arrived_at_pickup: {
      headline: 'Courier at the pickup',
      sentence: ({ merchant, courier }) => `${courier} is at ${merchant} to pick up your order.`,
      step: 'Courier at the pickup',
    },
    pickup_complete: {
      headline: 'Picked up',
      sentence: ({ courier }) => `${courier} has your order. There may be other stops before yours.`,
      step: 'Picked up',
    },
    enroute_dropoff: {
      headline: 'On the way to you',
      sentence: ({ courier }) => `${courier} is bringing your order.`,
      step: 'On the way to you',
    },
    arrived_at_dropoff: {
      headline: 'Your courier is here',
      sentence: ({ courier }) => `${courier} has arrived with your order.`,
      step: 'Courier arrived',
    },
    dropoff_complete: {
      headline: 'Handed over',
      sentence: () => 'Your order has been handed over. The courier is finishing the delivery.',
      step: 'Handed over',
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
      step: 'Delivered',
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
      step: 'Delivery canceled',
    },
    customer_canceled: {
      headline: 'Delivery canceled',
      sentence: ({ merchant }) =>
        `${merchant} canceled this delivery. Please contact them if you did not expect this.`,
      step: 'Delivery canceled',
    },
    burq_canceled: {
      headline: 'Delivery canceled',
      sentence: ({ merchant }) =>
        `The delivery service canceled this delivery. Please contact ${merchant} about the next steps.`,
      step: 'Delivery canceled',
    },
    failed: {
      headline: 'Could not be delivered',
      sentence: ({ merchant }) =>
        `Your order could not be delivered. Please contact ${merchant} about the next steps.`,
      step: 'Could not be delivered',
    },
    enroute_to_return: {
      headline: 'Going back to the sender',
      sentence: ({ merchant }) =>
        `Your order could not be handed over and is on its way back to ${merchant}. Please contact them about a new delivery.`,
      step: 'Could not be handed over',
    },
    returned: {
      headline: 'Returned to the sender',
      sentence: ({ merchant }) =>
        `Your order could not be handed over and is back at ${merchant}. Please contact them about a new delivery.`,
      step: 'Returned to the sender',
    },
  },
  tracking: 'Delivery tracking',
  test: 'Test delivery',
  sender: 'the sender',
  courier: 'Your courier',
  your_courier: 'Your courier',
  delivered_by: 'Delivered by',
  no_name: 'Name not given',
  vehicles: new Map(),
  delivered_at: 'Delivered',
  expected_at: 'Estimated arrival',
  was_expected_at: 'Was expected',
  late: 'Running late',
  in_minutes: (minutes) => `in about ${minutes} min`,
  in_hours: (hours, minutes) => `in about ${hours} h${minutes === 0 ? '' : ` ${minutes} min`}`,
  miles: (distance) => `${distance} miles`,
  one_mile: '1 mile',
  under_a_tenth: 'less than 0.1 miles',
  away: (distance) => `${distance} away`,
  proofs: { photo: 'Photo taken', signature: 'Signature taken', pin: 'PIN confirmed' },
  at: ' at ',
  show_picture: { photo: 'Show the photo', signature: 'Show the signature' },
  picture: { photo: 'Photo of the delivery', signature: 'Signature' },
  pin: 'Your PIN',
  pin_hint: 'Tell it to the courier when you receive your order.',
  call_courier: 'Call the courier',
  call_shop: (merchant) => `Call ${merchant}`,
  your_order: 'Your order',
  reference: 'Order number',
  notes: 'Instructions for the courier',
  notes_hint: 'Such as the floor, a gate code or a safe place. You can change them until the pickup.',
  save: 'Save',
  saved: 'Saved.',
  not_saved: 'Not saved. Please try again.',
  too_late: 'Not saved: the courier has already picked up your order.',
  too_often: 'Not saved: too many changes. Please wait a few minutes.',
  needs_script: 'To change the instructions, turn on JavaScript or contact the shop.',
  timeline: 'Timeline',
  about: 'about',
  still_to_come: 'still to come',
  you: 'You',
  map_title: (merchant) => `Map of the route from ${merchant} to you`,
  map_same_area: (merchant) => `${merchant} is in your area.`,
  map_distance: (merchant, distance) => `${merchant} is ${distance} from you.`,
  map_courier: (distance) => `The courier is ${distance} from you.`,
  no_location: 'This courier does not share their location.',
  not_to_scale: 'Map not to scale.',
  updated_at: 'Updated at',
  times_are_in: 'Times are in',
  stale: 'Cannot load updates right now. Retrying automatically.',
  reloads: 'This page reloads by itself.',
  invalid_link: "This tracking link isn't valid",
  invalid_link_hint: 'Check that you copied the whole link, or ask the shop for a new one.',
};
