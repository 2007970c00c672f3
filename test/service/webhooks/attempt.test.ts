import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSealing } from '../../../src/service/runtime/sealing.ts';
import { keysInMemory } from '../../../src/service/runtime/secret-keys.ts';
import { wallClock } from '../../../src/service/runtime/time.ts';
import { secretsInForce, signatureHeaders } from '../../../src/service/webhooks/delivery/attempt.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { start } from '../fixture.ts';
import { attemptsIn, receiving } from './endpoint-fixture.ts';
import { insertEndpoint } from './received-events.ts';
import type { Answering } from './receiver.ts';

// Receivers use only the published library, which reads the real clock.
const secret = `whsec_${btoa('0123456789ABCDEFGHIJabcdefghij01')}`;
const previous_secret = `whsec_${btoa('abcdefghij0123456789ABCDEFGHIJ01')}`;

test('the example of the Standard Webhooks specification', () => {
  // standardwebhooks.com, reference vector of its libraries.
  const headers = signatureHeaders(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', now: 1_614_265_330_999 },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('the secret before a rotation signs until it expires', async () => {
  const sealing = createSealing(keysInMemory());
  const seal = (each: string) => sealing.seal('whe_1', each);
  const previous_secrets = JSON.stringify([{ secret: await seal(previous_secret), until: 1_000 }]);
  const endpoint = { id: 'whe_1', secret: await seal(secret), previous_secrets };
  expect(await secretsInForce(sealing, endpoint, 999)).toEqual([secret, previous_secret]);
  expect(await secretsInForce(sealing, endpoint, 1_000)).toEqual([secret]);
});

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

/** A new delivery's first event, sent to an endpoint with these secrets; the attempt for it. */
async function sent(secrets: { secret: string; previous_secrets?: string }, answer?: Answering) {
  const { fixture, receiver, client } = await receiving(answer, { parts: { wall: wallClock } });
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]', ...secrets });
  await startedDelivery(client, 'happy_path', { dropoff_name: 'Dana Ōmi 🍣' });
  await fixture.service.send();
  const [attempt] = await attemptsIn(fixture);
  return { fixture, received: receiver.received, attempt };
}

const rotated = {
  secret,
  previous_secrets: JSON.stringify([{ secret: previous_secret, until: start + 1 }]),
};

test.each([
  ['the secret', secret],
  ['the previous secret', previous_secret],
])('during a rotation a receiver with %s and only the published library verifies an event', async (_, by) => {
  const { received, attempt } = await sent(rotated, isVerified(by));
  expect(attempt).toMatchObject({ status_code: 204, reason: '' });
  expect(received).toMatchObject([
    {
      headers: {
        ...{ 'content-type': 'application/json', 'user-agent': 'waybill' },
        'webhook-id': attempt?.event_id,
      },
      event: { object: 'event', data: { dropoffs: [{ dropoff_name: 'Dana Ōmi 🍣' }] } },
    },
  ]);
  const text = JSON.stringify(received);
  for (const each of [secret, previous_secret]) expect(text).not.toContain(each.slice('whsec_'.length));
});

test('a receiver with another secret does not verify an event', async () => {
  const { attempt } = await sent(rotated, isVerified(`whsec_${btoa('third')}`));
  expect(attempt?.status_code).toBe(401);
  expect(attempt?.response).toMatch(/No matching signature found/);
});

test('an event that cannot be signed is a failed attempt and reported as a fault', async () => {
  const { fixture, received, attempt } = await sent({ secret: 'whsec_' });
  expect(attempt).toMatchObject({ status_code: null, reason: 'the service failed to send it' });
  expect([received.length, fixture.faults.length]).toEqual([0, 1]);
});
