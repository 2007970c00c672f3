import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { wallClock } from '../../../src/service/runtime/time.ts';
import { newBatch, withScenario } from '../auto-dispatch/batches.ts';
import { startFixture } from '../fixture.ts';
import { publishedEvents } from './received-events.ts';
import { type Received, startReceiver } from './receiver.ts';

// The receiver only has a secret and the library published with the specification.

const fates = ['happy_path', 'customer_refused', 'no_driver', 'no_capacity', 'no_quotes'] as const;

async function receiving() {
  const fixture = await startFixture({ parts: { wall: wallClock } });
  const receiver = await startReceiver();
  onTestFinished(async () => {
    await fixture.service.stop();
    await receiver.close();
  });
  const client = fixture.client();
  const { data } = await client.webhooks.create({ body: { url: receiver.url } });
  return { fixture, client, receiver, params: { webhook_endpoint_id: data.id }, secret: data.secret ?? '' };
}

function isVerified(secret: string, { body, headers }: Pick<Received, 'body' | 'headers'>): boolean {
  try {
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return JSON.stringify(new Webhook(secret).verify(body, given)) === body;
  } catch {
    return false;
  }
}

const day = 24 * 3600;

test('a receiver verifies every event of a batch with the published library, through a rotation', async () => {
  const { fixture, client, receiver, params, secret } = await receiving();
  await newBatch(client, fates.map(withScenario));
  await client.clock.advance({ body: { by: 1_200 } });
  const { data } = await client.webhooks.rotate({ params });
  const after = data.secret ?? '';
  const before = receiver.received.length;
  await client.clock.advance({ body: { by: 2 * 3600 } });
  expect(before).toBeGreaterThan(10);
  const during = receiver.received.length;
  expect(during).toBeGreaterThan(before + 5);
  expect(receiver.received).toHaveLength((await publishedEvents(fixture)).length);
  // A receiver with the old secret loses nothing, and one with the new secret works too.
  for (const one of receiver.received) expect(isVerified(secret, one)).toBe(true);
  for (const one of receiver.received.slice(before)) expect(isVerified(after, one)).toBe(true);
  for (const one of receiver.received.slice(0, before)) expect(isVerified(after, one)).toBe(false);
  await client.clock.advance({ body: { by: day } });
  await newBatch(client, [withScenario('happy_path')]);
  await client.clock.advance({ body: { by: 3600 } });
  const late = receiver.received.slice(during).filter(({ body }) => !isOfBefore(body));
  expect(late.length).toBeGreaterThan(5);
  for (const one of late) {
    expect(isVerified(after, one)).toBe(true);
    expect(isVerified(secret, one)).toBe(false);
  }

  function isOfBefore(body: string): boolean {
    const { created_at }: { created_at: string } = JSON.parse(body);
    return Date.parse(created_at) < fixture.now() + day * 1000;
  }
});

test('a changed body, an old timestamp and a wrong secret are refused', async () => {
  const { client, receiver, params, secret } = await receiving();
  await client.webhooks.test({ params });
  const [received] = receiver.received;
  if (received === undefined) throw new Error('nothing came');
  expect(isVerified(secret, received)).toBe(true);
  const { body, headers } = received;
  expect(isVerified(secret, { headers, body: body.replace('webhook.test', 'webhook.Test') })).toBe(false);
  const old = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 301) };
  expect(isVerified(secret, { body, headers: old })).toBe(false);
  expect(isVerified(secret, { body, headers: { ...headers, 'webhook-id': 'evt_another' } })).toBe(false);
  expect(isVerified(`whsec_${btoa('another secret of the same kind')}`, received)).toBe(false);
});
