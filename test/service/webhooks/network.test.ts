import { once } from 'node:events';
import { createServer } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { systemWeb } from '../../../src/service/runtime/network.ts';
import { realTimers, type Timers } from '../../../src/service/runtime/time.ts';
import {
  fakeTimers,
  fakeWeb,
  local,
  otherPublicAddress,
  portOf,
  publicAddress,
  startShop,
  systemFault,
  until,
  webhookClientOn,
} from './fake-web.ts';
import { startReceiver } from './receiver.ts';

const url = 'http://shop.example/hook';

test.each([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed before the response was complete'],
  ['ETIMEDOUT', 'the connection timed out'],
  ['ENETUNREACH', 'its address is unreachable'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another host name'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate not trusted (self-signed)'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the TLS handshake failed'],
  ['UND_ERR_SOCKET', 'the connection was closed before the response was complete'],
  ['EWHATEVER', 'it could not be sent (EWHATEVER)'],
])('when connecting fails with %s: %s', async (code, reason) => {
  const web = fakeWeb({ 'shop.example': () => [publicAddress] }, async () => {
    throw systemFault(code);
  });
  const webhook_client = webhookClientOn(web);
  expect(await webhook_client.post('https://shop.example/')).toMatchObject({ status_code: null, reason });
  expect(web.targets).toHaveLength(1);
});

test.each([
  ['ENOTFOUND', 'shop.example has no address'],
  ['EAI_AGAIN', 'the address lookup of shop.example failed (EAI_AGAIN)'],
])('when the name cannot be resolved, %s: %s', async (code, reason) => {
  const web = fakeWeb({
    'shop.example': () => {
      throw systemFault(code);
    },
  });
  const webhook_client = webhookClientOn(web);
  expect((await webhook_client.post(url)).reason).toBe(reason);
  expect(web.targets).toEqual([]);
});

test.each([
  ['ENOTFOUND', [1, 1, 2]],
  ['EAI_AGAIN', [1, 2, 3]],
])('after %s a name is looked up again: after five seconds if it does not exist', async (code, counts) => {
  const timers = fakeTimers();
  const web = fakeWeb({
    'shop.example': () => {
      throw systemFault(code);
    },
  });
  const webhook_client = webhookClientOn(web, { timers });
  for (const [index, passed_ms] of [0, 4_999, 1].entries()) {
    timers.pass(passed_ms);
    expect((await webhook_client.post(url)).status_code).toBeNull();
    expect(web.asked).toHaveLength(counts[index] ?? 0);
  }
  await webhook_client.close();
  expect(timers.waiting()).toBe(0);
});

test('when the first address is unreachable, the next one is used', async () => {
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  const addresses = [publicAddress, otherPublicAddress, '2606:4700::1111'];
  const timers = fakeTimers();
  const web = fakeWeb({ 'shop.example': () => addresses }, ({ address }) => {
    if (address === publicAddress) throw systemFault('ECONNREFUSED');
    return address === otherPublicAddress ? new Promise(() => {}) : local(receiver.port);
  });
  const posting = webhookClientOn(web, { timers }).post(url);
  await until(() => web.targets.length === 2);
  timers.pass(5_000);
  expect((await posting).reason).toBe('');
  expect(web.targets.map(({ address }) => address)).toEqual(addresses);
});

test('the certificate is verified against the name, although an address is connected to', async () => {
  const { web, post } = await startShop();
  for (const each of [
    'https://shop.example/a',
    'https://shop.example:8443/b',
    'https://[2606:4700::1111]/c',
  ]) {
    expect((await post(each)).reason).toBe('');
  }
  expect(web.targets).toEqual([
    { address: publicAddress, port: 443, servername: 'shop.example' },
    { address: publicAddress, port: 8443, servername: 'shop.example' },
    { address: '2606:4700::1111', port: 443, servername: '2606:4700::1111' },
  ]);
});

test('many connect at once, one look-up per name at a time; a stalled connection blocks no other', async () => {
  const shop = await startShop(({ path }) => (path === '/dead' ? 'hang' : {}));
  const dead = Array.from({ length: 60 }, () => shop.post('http://shop.example/dead'));
  const live = await Promise.all(Array.from({ length: 60 }, () => shop.post('http://shop.example/live')));
  expect(live.filter(({ reason }) => reason === '')).toHaveLength(60);
  expect(shop.web.asked.length).toBeLessThan(5);
  await until(() => shop.received.length === 120);
  shop.timers.pass(15_000);
  expect(new Set((await Promise.all(dead)).map(({ reason }) => reason))).toEqual(
    new Set(['no response within 15 s']),
  );
});

/** A request to an address that connects once the test lets it. */
async function connectingLate(timers: Timers) {
  const late = Promise.withResolvers<Duplex>();
  const written: unknown[] = [];
  const stream = new Duplex({ read() {}, write: (chunk, _, done) => done(void written.push(chunk)) });
  const web = fakeWeb({ 'shop.example': () => [publicAddress] }, () => late.promise);
  const posting = webhookClientOn(web, { timers }).post(url);
  await until(() => web.targets.length === 1);
  const opened = async () => {
    late.resolve(stream);
    await until(() => stream.destroyed);
    return written;
  };
  return { posting, opened };
}

test('a connection that opens too late is closed unused', async () => {
  const timers = fakeTimers();
  const { posting, opened } = await connectingLate(timers);
  timers.pass(15_000);
  expect(await posting).toMatchObject({ status_code: null, reason: 'no connection within 15 s' });
  expect(await opened()).toEqual([]);
  expect(timers.waiting()).toBe(0);
});

test('an expired request is not sent on a connection that opens after all', async () => {
  const wakes: (() => void)[] = [];
  const after = (_: number, wake: () => void) => {
    wakes.push(wake);
    return () => {};
  };
  const { posting, opened } = await connectingLate({ ...realTimers, after });
  // Only the request itself times out: the connector has time left.
  wakes[0]?.();
  expect((await posting).reason).toBe('no connection within 15 s');
  expect(await opened()).toEqual([]);
});

test('closing ends requests and connection attempts', async () => {
  const shop = await startShop(() => 'hang');
  const out = shop.post(url);
  await until(() => shop.received.length === 1);
  const signals: AbortSignal[] = [];
  const web = fakeWeb({ 'shop.example': () => [publicAddress] }, (_, signal) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  const timers = fakeTimers();
  const webhook_client = webhookClientOn(web, { timers });
  const connecting = webhook_client.post(url);
  await until(() => signals.length === 1);
  await Promise.all([shop.closePoster(), webhook_client.close()]);
  for (const posted of [await out, await connecting, await webhook_client.post(url)]) {
    expect(posted).toMatchObject({ status_code: null, reason: 'sending was stopped' });
  }
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  await until(() => timers.waiting() === 0);
});

test('the system’s network reaches this machine without TLS, and reports missing TLS', async () => {
  const receiver = await startReceiver();
  const webhook_client = webhookClientOn(systemWeb, { sandbox: true });
  expect((await webhook_client.post(receiver.url)).reason).toBe('');
  expect((await webhook_client.post(receiver.url.replace('http:', 'https:'))).reason).toMatch(/TLS/);
  await receiver.close();
  expect((await webhook_client.post(receiver.url)).reason).toMatch(/refused|closed/);
});

test('the system’s network stops connecting when aborted', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const target = { address: '127.0.0.1', port: portOf(silent), servername: 'shop.example' };
  const ending = new AbortController();
  const connecting = systemWeb.connect(target, ending.signal);
  const [socket] = await once(silent, 'connection');
  ending.abort(new Error('too late'));
  await expect(connecting).rejects.toThrow('too late');
  if (!socket.closed)
    await once(
      socket.resume().on('error', () => {}),
      'close',
    );
  await expect(systemWeb.connect(target, ending.signal)).rejects.toThrow('too late');
  silent.close();
});
