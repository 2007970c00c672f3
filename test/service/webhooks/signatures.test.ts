import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSealing, keysInMemory } from '../../../src/service/runtime/sealing.ts';
import { secretsInForce, signatureHeaders } from '../../../src/service/webhooks/delivery/attempt.ts';

// Receivers use only the published library, which reads the real clock.
const secret = `whsec_${Buffer.from('0123456789ABCDEFGHIJabcdefghij01').toString('base64')}`;
const other = `whsec_${Buffer.from('abcdefghij0123456789ABCDEFGHIJ01').toString('base64')}`;
const body = JSON.stringify({ id: 'evt_1', data: { name: 'Ōmi 🍣' } });

function headersOf(secrets: readonly string[], now = Date.now()) {
  return signatureHeaders({ id: 'evt_1', body, now }, secrets);
}

function verify(text: string, headers: Record<string, string>, by = secret): unknown {
  return new Webhook(by).verify(text, headers);
}

test('the published library verifies a signature', () => {
  expect(verify(body, headersOf([secret]))).toEqual(JSON.parse(body));
});

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

test('during a rotation both secrets verify, and no other', () => {
  const headers = headersOf([secret, other]);
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
  expect(verify(body, headers)).toEqual(JSON.parse(body));
  expect(verify(body, headers, other)).toEqual(JSON.parse(body));
  const third = `whsec_${Buffer.from('third').toString('base64')}`;
  expect(() => verify(body, headers, third)).toThrow('No matching signature found');
});

test('the secret before a rotation signs until it expires', async () => {
  const sealing = createSealing(keysInMemory());
  const seal = (each: string) => sealing.seal('whe_1', each);
  const previous_secrets = JSON.stringify([{ secret: await seal(other), until: 1_000 }]);
  const endpoint = { id: 'whe_1', secret: await seal(secret), previous_secrets };
  expect(await secretsInForce(sealing, endpoint, 999)).toEqual([secret, other]);
  expect(await secretsInForce(sealing, endpoint, 1_000)).toEqual([secret]);
});
