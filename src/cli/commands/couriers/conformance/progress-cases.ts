import {
  CourierDelivery,
  type DeliveryEventType,
  Rejection,
} from '../../../../contract/courier-protocol/schemas.ts';
import { faultIn, fieldsIn, textIn, timeIn } from './answer-fields.ts';
import type { Case } from './case.ts';
import { statusFault } from './courier-cases.ts';
import { eventsIn, eventTypes, type Probe, Skipped } from './probe.ts';

/** The events of an ordinary delivery after its creation. */
const drive: readonly DeliveryEventType[] = [
  'PICKUP_ONGOING',
  'ARRIVED_AT_MERCHANT',
  'ORDER_PICKED',
  'DELIVERY_ONGOING',
  'ARRIVED_AT_CUSTOMER',
  'ORDER_DELIVERED',
  'DELIVERY_FINISHED',
];
const toPickup = drive.slice(0, 3);

/** The cases about the events of a delivery, which are simulated. */
export const progressCases: readonly Case[] = [
  {
    name: 'events-complete',
    demand: 'keeps every event in its order',
    test: async (probe) => {
      const types = eventTypes(await simulateEvents(probe, drive)).slice(-drive.length);
      return types.join() === drive.join() ? null : `the last events are ${types.join(', ')}`;
    },
  },
  {
    name: 'events-times',
    demand: 'dates events in their order and not in the future',
    test: async (probe) => {
      const times = eventsIn(await simulateEvents(probe, drive)).map(
        (event) => timeIn(event, 'datetime') ?? 0,
      );
      if (times.some((time, index) => time < (times[index - 1] ?? 0)))
        return 'an event is before an earlier one';
      return times.every((time) => time <= probe.now() + 60_000) ? null : 'an event is in the future';
    },
  },
  {
    name: 'events-ids',
    demand: 'gives each event an ID of its own',
    test: async (probe) => {
      const ids = eventsIn(await simulateEvents(probe, drive)).map(({ id }) => id);
      return new Set(ids).size === ids.length ? null : 'two events have the same ID';
    },
  },
  {
    name: 'events-driver',
    demand: 'names the driver who is on the way',
    test: async (probe) => {
      const { deliveryPerson } = fieldsIn(await simulateEvents(probe, ['PICKUP_ONGOING']));
      return textIn(fieldsIn(deliveryPerson), 'name') === null ? 'deliveryPerson has no name' : null;
    },
  },
  {
    name: 'events-return',
    demand: 'brings back what cannot be delivered, with the reason',
    test: async (probe) => {
      const { orderId } = await probe.book(toPickup);
      const returning = await probe.simulate(orderId, 'RETURNING_TO_MERCHANT', 'NOBODY_TO_RECEIVE');
      const returned = await probe.simulate(orderId, 'RETURNED_TO_MERCHANT');
      const event = eventsIn(returned.body).find(({ type }) => type === 'RETURNING_TO_MERCHANT');
      return (
        statusFault(returning.status, 200, 'the status of RETURNING_TO_MERCHANT') ??
        statusFault(returned.status, 200, 'the status of RETURNED_TO_MERCHANT') ??
        (event?.reason === 'NOBODY_TO_RECEIVE' ? null : `the reason is ${event?.reason ?? 'missing'}`)
      );
    },
  },
  {
    name: 'events-in-turn',
    demand: 'answers 409 to a simulated event that cannot follow the last one',
    test: async (probe) => {
      const { orderId } = await probe.book(['PICKUP_ONGOING']);
      return statusFault((await probe.simulate(orderId, 'ORDER_DELIVERED')).status, 409);
    },
  },
  {
    name: 'cancel-answers',
    demand: 'cancels a delivery',
    test: async (probe) => {
      const { orderId } = await probe.book();
      const { status, body } = await probe.cancel(orderId);
      return statusFault(status, 200) ?? faultIn(CourierDelivery, body);
    },
  },
  {
    name: 'cancel-visible',
    demand: 'shows a canceled delivery as CANCELLED',
    test: async (probe) => {
      const { orderId } = await probe.book();
      await probe.cancel(orderId);
      const last = eventTypes((await probe.read(orderId)).body).at(-1);
      return last === 'CANCELLED' ? null : `the last event is ${last}`;
    },
  },
  {
    name: 'cancel-repeated',
    demand: 'answers a repeated cancellation as the first one',
    test: async (probe) => {
      const { orderId } = await probe.book();
      await probe.cancel(orderId);
      return statusFault((await probe.cancel(orderId)).status, 200);
    },
  },
  {
    name: 'cancel-once',
    demand: 'cancels a delivery only once',
    test: async (probe) => {
      const { orderId } = await probe.book();
      await probe.cancel(orderId);
      await probe.cancel(orderId);
      const count = eventTypes((await probe.read(orderId)).body).filter(
        (type) => type === 'CANCELLED',
      ).length;
      return count > 1 ? `it has ${count} events CANCELLED` : null;
    },
  },
  {
    name: 'cancel-too-late',
    demand: 'answers 409 to a cancellation after the pickup',
    test: async (probe) => statusFault((await canceledLate(probe)).status, 409),
  },
  {
    name: 'cancel-reason',
    demand: 'gives a known reason against a cancellation',
    test: async (probe) => {
      const { status, body } = await canceledLate(probe);
      return status === 409 ? faultIn(Rejection, body) : null;
    },
  },
  {
    name: 'cancel-unknown',
    demand: 'answers 404 to the cancellation of an order that it does not know',
    test: async (probe) => statusFault((await probe.cancel(probe.orderId())).status, 404),
  },
];

async function canceledLate(probe: Probe) {
  const { orderId } = await probe.book(toPickup);
  return probe.cancel(orderId);
}

/** A delivery after simulated events, as the last of them was answered. */
async function simulateEvents(probe: Probe, events: readonly DeliveryEventType[]): Promise<unknown> {
  const { orderId } = await probe.book(events.slice(0, -1));
  const last = events.at(-1);
  const answer = await probe.simulate(orderId, last ?? 'PICKUP_ONGOING');
  if (answer.status !== 200) throw new Skipped(`${last} could not be simulated (status ${answer.status})`);
  return answer.body;
}
