import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSealing, keysInMemory } from '../../../src/service/runtime/sealing.ts';
import { sendEvent } from '../../../src/service/webhooks/delivery/attempt.ts';
import { createWebhookClient } from '../../../src/service/webhooks/delivery/sender.ts';
import type { WebhookEndpointRow } from '../../../src/storage/database.ts';
import type { LoggedEvent } from '../../../src/storage/events.ts';
import { fakeTimers, fakeWeb, local, publicAddress } from './fake-web.ts';
import { type Answering, startReceiver } from './receiver.ts';

const secret = `whsec_${btoa('0123456789ABCDEFGHIJabcdefghij01')}`;
const previous_secret = `whsec_${btoa('abcdefghij0123456789ABCDEFGHIJ01')}`;
const scope = { account_id: 'acc_1', test_mode: 1 } as const;

const event: LoggedEvent = {
  ...scope,
  id: 'evt_01KJ',
  position: 7,
  type: 'delivery.updated',
  delivery_id: 'dlv_1',
  batch_id: null,
  order_id: null,
  sequence: 3,
  data: JSON.stringify({ id: 'dlv_1', object: 'delivery', dropoff_name: 'Dana Ōmi 🍣' }),
  created_at: Date.parse('2026-03-02T12:00:00.000Z'),
  tracking_token: 'token',
  promised_at: null,
};

const endpoint: WebhookEndpointRow = {
  ...scope,
  id: 'whe_1',
  url: 'https://shop.example/hook',
  events: '["*"]',
  description: '',
  status: 'enabled',
  disabled_reason: '',
  disabled_at: null,
  secret,
  previous_secrets: '[]',
  created_at: 0,
  updated_at: 0,
};

const rotatedUntil = (until: number) => ({
  previous_secrets: JSON.stringify([{ secret: previous_secret, until }]),
});

/** A service with a receiver at shop.example. Service time is 1,000. */
async function startService(answer?: Answering) {
  const receiver = await startReceiver(answer);
  const wall = { now: () => Date.now() };
  const web = fakeWeb({ 'shop.example': () => [publicAddress] }, () => local(receiver.port));
  const webhook_client = createWebhookClient({
    web,
    wall,
    timers: fakeTimers(),
    loopback_webhooks: 'refused',
  });
  const faults: unknown[] = [];
  const service = {
    ...{ webhook_client, wall, clock: { now: () => 1_000 }, sealing: createSealing(keysInMemory()) },
    onFault: (fault: unknown) => faults.push(fault),
  };
  const seal = (each: string) => service.sealing.seal(endpoint.id, each);
  const send = async (changes: Partial<WebhookEndpointRow> = {}) => {
    const row = { ...endpoint, ...changes };
    const previous: { secret: string; until: number }[] = JSON.parse(row.previous_secrets);
    const sealed = previous.map(async (each) => ({ ...each, secret: await seal(each.secret) }));
    const secrets = {
      secret: await seal(row.secret),
      previous_secrets: JSON.stringify(await Promise.all(sealed)),
    };
    return sendEvent(service, { ...row, ...secrets }, { event, publicUrl: 'https://waybill.example' });
  };
  return { receiver, faults, send, close: () => Promise.all([webhook_client.close(), receiver.close()]) };
}

function isVerified(by: string): Answering {
  return ({ body, headers }) => {
    const given = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    try {
      new Webhook(by).verify(body, Object.fromEntries(given));
      return { status: 204 };
    } catch (fault) {
      return { status: 401, body: String(fault) };
    }
  };
}

test('a receiver with only the published library verifies an event', async () => {
  const { receiver, send, close } = await startService(isVerified(secret));
  expect(await send()).toMatchObject({ status_code: 204, reason: '' });
  expect(receiver.received).toMatchObject([
    {
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json', 'user-agent': 'waybill', 'webhook-id': 'evt_01KJ' },
      event: {
        id: 'evt_01KJ',
        object: 'event',
        type: 'delivery.updated',
        created_at: '2026-03-02T12:00:00.000Z',
        test_mode: true,
        sequence: 3,
        data: {
          object: 'delivery',
          dropoff_name: 'Dana Ōmi 🍣',
          tracking_url: 'https://waybill.example/track/token',
        },
      },
    },
  ]);
  await close();
});

test('a receiver with the previous secret verifies events until that expires', async () => {
  const { send, close } = await startService(isVerified(previous_secret));
  const posted = [await send(rotatedUntil(1_001)), await send(rotatedUntil(1_000)), await send()];
  expect(posted.map(({ status_code }) => status_code)).toEqual([204, 401, 401]);
  expect(posted[2]?.response).toMatch(/No matching signature found/);
  await close();
});

test('the headers contain no secret', async () => {
  const { receiver, send, close } = await startService();
  await send(rotatedUntil(1_001));
  const sent = JSON.stringify(receiver.received);
  for (const each of [secret, previous_secret]) expect(sent).not.toContain(each.slice('whsec_'.length));
  await close();
});

test('an event that cannot be signed is a failed attempt and reported as a fault', async () => {
  const { receiver, faults, send, close } = await startService();
  expect(await send({ secret: 'whsec_' })).toMatchObject({
    status_code: null,
    reason: 'the service failed to send it',
  });
  expect([receiver.received.length, faults.length]).toEqual([0, 1]);
  await close();
});

test('a closed client can be used again', async () => {
  const { send, close, receiver } = await startService();
  const wall = { now: () => 0 };
  const web = fakeWeb({ 'shop.example': () => [publicAddress] }, () => local(receiver.port));
  const webhook_client = createWebhookClient({
    web,
    wall,
    timers: fakeTimers(),
    loopback_webhooks: 'refused',
  });
  const post = { url: endpoint.url, headers: {}, body: '{}' };
  expect((await webhook_client.post(post)).reason).toBe('');
  await webhook_client.close();
  expect((await webhook_client.post(post)).reason).toBe('');
  await webhook_client.close();
  expect((await send()).reason).toBe('');
  await close();
});
