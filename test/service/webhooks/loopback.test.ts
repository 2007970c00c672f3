import { expect, onTestFinished, test } from 'vitest';
import type { ServerOptions } from '../../../src/service/server.ts';
import { serve } from '../http/raw-http.ts';
import { startReceiver } from './receiver.ts';

/** The attempts recorded by a service at a host for a local endpoint that responds with a secret and a redirect. */
async function answersOf(options: Partial<ServerOptions>) {
  const location = 'http://127.0.0.1/secret-place';
  const receiver = await startReceiver(() => ({ status: 302, headers: { location }, body: 'secret' }));
  onTestFinished(receiver.close);
  const server = await serve(options);
  const post = async (path: string, body: object) => {
    const headers = { 'x-api-key': server.key, 'content-type': 'application/json' };
    const url = new URL(path, server.url.replace('0.0.0.0', '127.0.0.1'));
    return JSON.parse(
      await (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).text(),
    );
  };
  const made = await post('/v2/webhook_endpoints', { url: receiver.url });
  if (made.code !== undefined) return { made, tested: null, received: receiver.received.length };
  const tested = await post(`/v2/webhook_endpoints/${made.id}/test`, {});
  return { made, tested, received: receiver.received.length };
}

test.each([{}, { publicUrl: 'http://localhost:4010' }, { publicUrl: 'http://[::1]:4010/shop' }])(
  'a sandbox on loopback with %o sends to this machine and stores the responses',
  async (options) => {
    const { tested, received } = await answersOf({ ...options, host: '127.0.0.1', sandbox: true });
    expect(tested).toMatchObject({ status_code: 302, response: 'secret' });
    expect(received).toBe(1);
  },
);

test.each([
  { host: '0.0.0.0', sandbox: true },
  { host: '127.0.0.1', sandbox: false },
  { host: '0.0.0.0', sandbox: false },
  // A proxy passes requests of others on to it.
  { host: '127.0.0.1', sandbox: true, publicUrl: 'https://deliveries.example.com' },
  { host: '127.0.0.1', sandbox: true, limits: { trusted_proxies: ['127.0.0.1'] } },
])('a service with %o sends nothing to this machine', async (options) => {
  const { made, received } = await answersOf(options);
  expect(made).toMatchObject({ code: 'invalid_request', details: [{ path: 'url' }] });
  expect(made.details[0].message).toMatch(
    /^127\.0\.0\.1 is a loopback address, which is not allowed: .* or run the service with --allow-loopback-webhooks$/,
  );
  expect(received).toBe(0);
});

test.each([
  { host: '0.0.0.0', sandbox: true },
  { host: '0.0.0.0', sandbox: false },
  { host: '127.0.0.1', sandbox: false },
])('with permission a service with %o sends to this machine and stores no responses', async (options) => {
  const { tested, received } = await answersOf({ ...options, allowLoopbackWebhooks: true });
  expect(tested).toMatchObject({ status_code: 302, response: '' });
  expect(JSON.stringify(tested)).not.toContain('secret');
  expect(received).toBe(1);
});
