import { Webhook } from 'standardwebhooks';
import { CourierDelivery } from '../../../../contract/courier-protocol/schemas.ts';
import { faultIn, fieldsIn, jsonIn } from './answer-fields.ts';
import type { Case } from './case.ts';
import { type Callback, eventTypes, type Probe, Skipped } from './probe.ts';

/** The age that Standard Webhooks allows. */
const max_age_seconds = 300;

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
