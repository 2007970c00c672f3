import { Webhook } from 'standardwebhooks';
import {
  CourierDelivery,
  type DeliveryEventType,
  Rejection,
} from '../../src/contract/courier-protocol/schemas.ts';
import {
  type Callback,
  type Case,
  eventsIn,
  eventTypes,
  faultIn,
  fieldsIn,
  jsonIn,
  type Probe,
  Skipped,
  statusFault,
  textIn,
  timeIn,
} from './probe.ts';

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

/** A delivery after simulated events, as the last of them was answered. */
async function simulateEvents(probe: Probe, events: readonly DeliveryEventType[]): Promise<unknown> {
  const { orderId } = await probe.book(events.slice(0, -1));
  const last = events.at(-1);
  const answer = await probe.simulate(orderId, last ?? 'PICKUP_ONGOING');
  if (answer.status !== 200) throw new Skipped(`${last} could not be simulated (status ${answer.status})`);
  return answer.body;
}

async function canceledLate(probe: Probe) {
  const { orderId } = await probe.book(toPickup);
  return probe.cancel(orderId);
}

/** The cases about the events that the courier posts. */
export const callbackCases: readonly Case[] = [
  {
    name: 'callback-arrives',
    demand: 'posts an event',
    test: async (probe) => ((await callbacksOfOneEvent(probe)).length > 0 ? null : 'no request has arrived'),
  },
  {
    name: 'callback-signed',
    demand: 'signs events with the secret',
    test: async (probe) => {
      const { headers, body } = await firstPosted(probe);
      const id = headers['webhook-id'] ?? '';
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      if (Number.isNaN(at.getTime())) return 'webhook-timestamp is not in seconds';
      const expected = new Webhook(probe.options.webhookSecret).sign(id, at, body);
      const signatures = (headers['webhook-signature'] ?? '').split(' ');
      return signatures.includes(expected) ? null : 'webhook-signature does not match the raw body';
    },
  },
  {
    name: 'callback-time',
    demand: 'dates each attempt',
    test: async (probe) => {
      const { headers } = await firstPosted(probe);
      const age = probe.now() / 1000 - Number(headers['webhook-timestamp']);
      return Math.abs(age) > max_age_seconds ? 'webhook-timestamp is more than five minutes off' : null;
    },
  },
  {
    name: 'callback-body',
    demand: 'posts the delivery as it can be read',
    test: async (probe) => faultIn(CourierDelivery, jsonIn((await firstPosted(probe)).body)),
  },
  {
    name: 'callback-events',
    demand: 'posts all events so far',
    test: async (probe) => {
      const { orderId } = await bookWithCallbacks(probe);
      const [first] = await awaitCallbacks(probe, orderId, 1);
      if (first === undefined) throw new Skipped('no request has arrived');
      const types = eventTypes(jsonIn(first.body));
      return types.at(-1) === 'PICKUP_ONGOING' && types.length > 1
        ? null
        : `the posted events are ${types.join(', ')}`;
    },
  },
  {
    name: 'callback-ids',
    demand: 'gives the requests of different events different IDs',
    test: async (probe) => {
      const { orderId } = await bookWithCallbacks(probe);
      const [first] = await awaitCallbacks(probe, orderId, 1);
      if (first === undefined) throw new Skipped('no request has arrived');
      await probe.simulate(orderId, 'ARRIVED_AT_MERCHANT');
      const second = (await awaitCallbacks(probe, orderId, 2))[1];
      if (second === undefined) throw new Skipped('no second request has arrived');
      return first.headers['webhook-id'] === second.headers['webhook-id']
        ? 'two events have the same webhook-id'
        : null;
    },
  },
  {
    name: 'callback-retried',
    demand: 'repeats a request that failed',
    test: async (probe) => {
      const attempts = await callbacksAfterFailure(probe);
      return attempts.length > 1 ? null : 'a request that was answered 500 was not repeated';
    },
  },
  {
    name: 'callback-retry-id',
    demand: 'repeats a request under its ID',
    test: async (probe) => {
      const ids = (await callbacksAfterFailure(probe)).map(({ headers }) => headers['webhook-id']);
      return new Set(ids).size > 1 ? 'the repeat has another webhook-id' : null;
    },
  },
];

/** The age that Standard Webhooks allows. */
const max_age_seconds = 300;

async function bookWithCallbacks(probe: Probe, failures = 0) {
  const { callbacks, webhookSecret } = probe.options;
  if (fieldsIn((await probe.describe()).body).trackingMode === 'pull')
    throw new Skipped('trackingMode is pull');
  if (webhookSecret === '') throw new Skipped('the settings have no webhook_secret');
  if (callbacks === null) throw new Skipped('the courier cannot reach this machine; see --callback-url');
  return probe.book(['PICKUP_ONGOING'], failures);
}

async function awaitCallbacks(probe: Probe, orderId: string, count: number): Promise<readonly Callback[]> {
  return (await probe.options.callbacks?.received(orderId, count)) ?? [];
}

/** The requests about one event; the wait for them is shared by the cases. */
function callbacksOfOneEvent(probe: Probe): Promise<readonly Callback[]> {
  return probe.once('posted', async () => awaitCallbacks(probe, (await bookWithCallbacks(probe)).orderId, 1));
}

/** The requests about one event whose first one failed. */
function callbacksAfterFailure(probe: Probe): Promise<readonly Callback[]> {
  return probe.once('retried', async () => {
    const { orderId } = await bookWithCallbacks(probe, 1);
    const attempts = await awaitCallbacks(probe, orderId, 2);
    if (attempts.length === 0) throw new Skipped('no request has arrived');
    return attempts;
  });
}

async function firstPosted(probe: Probe): Promise<Callback> {
  const [first] = await callbacksOfOneEvent(probe);
  if (first === undefined) throw new Skipped('no request has arrived');
  return first;
}
