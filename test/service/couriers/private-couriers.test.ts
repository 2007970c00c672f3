import { expect, onTestFinished, test } from 'vitest';
import type { ServerOptions } from '../../../src/service/server.ts';
import { exampleKey, startExample } from '../../fakes/http-courier/example.ts';
import { serve } from '../http/raw-http.ts';

/** The answer of a service to the connection of the courier in the guide, which runs on this machine. */
async function connection(options: Partial<ServerOptions>) {
  const courier = await startExample();
  onTestFinished(courier.close);
  const secretKey = { value: Buffer.alloc(32, 1).toString('base64') };
  const server = await serve({ secretKey, ...options });
  const headers = { 'x-api-key': server.key, 'content-type': 'application/json' };
  const body = JSON.stringify({ settings: { url: courier.url, api_key: exampleKey } });
  const response = await fetch(`${server.url}/v2/couriers/http`, { method: 'PUT', headers, body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test('a served service refuses a courier on its machine, and says how to allow it', async () => {
  const { status, body } = await connection({});
  expect(status).toBe(422);
  expect(body).toMatchObject({
    code: 'courier_check_failed',
    message: expect.stringContaining(
      'is a loopback address, and the service runs without --allow-private-couriers',
    ),
  });
});

test('with permission it connects one', async () => {
  expect(await connection({ allowPrivateCouriers: true })).toMatchObject({
    status: 200,
    body: { name: 'http', state: 'enabled' },
  });
});
