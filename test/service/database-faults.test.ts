import { once } from 'node:events';
import { createServer } from 'node:net';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.ts';
import { newDatabase } from '../databases.ts';
import { certificate } from '../fakes/smtp/certificate.ts';
import { startTcpProxy } from '../tcp-proxy.ts';
import { batchNow, newBatch } from './auto-dispatch/batches.ts';
import { startFixture } from './fixture.ts';
import { serve } from './http/raw-http.ts';

async function behindProxy() {
  const proxy = await startTcpProxy(await newDatabase());
  onTestFinished(proxy.close);
  const database = `${proxy.url}?response_timeout=700&connect_timeout=1`;
  return { proxy, server: await serve({ database }) };
}

async function healthOf({ url }: { url: string }): Promise<number> {
  return (await fetch(`${url}/health`)).status;
}

test('stalled database connections are replaced, and /health reports them meanwhile', async () => {
  const { proxy, server } = await behindProxy();
  const faults = () => server.log.flatMap((line) => (line.type === 'fault' ? [String(line.fault)] : []));
  // A busy machine may not answer in the time of the connection.
  await expect.poll(() => healthOf(server)).toBe(200);
  proxy.silence();
  expect(await healthOf(server)).toBe(503);
  await expect.poll(() => faults().length).toBeGreaterThan(1);
  expect(faults().at(-1)).toMatch(/^StorageUnavailable: /);
  proxy.restore();
  await expect.poll(() => healthOf(server)).toBe(200);
});

test('a server whose database stalls can be stopped and leaves no connection open', async () => {
  const { proxy, server } = await behindProxy();
  const hanging = healthOf(server).then(() => {
    proxy.silence();
    return healthOf(server).catch(() => 0);
  });
  await hanging;
  await server.stop();
});

test('closing the storage aborts a stalled statement', async () => {
  const proxy = await startTcpProxy(await newDatabase());
  onTestFinished(proxy.close);
  const storage = await openStorage(proxy.url);
  proxy.silence();
  const reading = storage.run((db) => db.selectFrom('accounts').selectAll().execute());
  const outcome = expect(reading).rejects.toMatchObject({ name: 'StorageUnavailable' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await storage.close();
  await outcome;
});

test.each([
  ['pool_size=0', /pool_size of the database URL is 0: expected a number of connections/],
  ['response_timeout=1s', /response_timeout of the database URL is 1s: expected a number of milliseconds/],
  ['connect_timeout=', /connect_timeout of the database URL is : expected a number of seconds/],
])('the parameter %s of a database URL is refused', async (parameter, message) => {
  await expect(openStorage(`${await newDatabase()}?${parameter}`)).rejects.toThrow(message);
});

test('a server without TLS, or with a certificate that is not trusted, is unavailable to those who require it', async () => {
  const url = new URL(await newDatabase());
  url.searchParams.set('sslmode', 'require');
  const opening = () => openStorage(url.href);
  const warn = vi.spyOn(process, 'emitWarning');
  onTestFinished(() => warn.mockRestore());
  await expect(opening()).rejects.toMatchObject({
    name: 'StorageUnavailable',
    message: 'The server does not support SSL connections',
    advice: expect.stringContaining('Turn ssl on in postgresql.conf'),
  });
  // It would be no line of the log.
  expect(warn).not.toHaveBeenCalled();
  const server = createServer((socket) => {
    // The client asks for TLS first.
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => {});
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  await expect(opening()).rejects.toMatchObject({
    name: 'StorageUnavailable',
    message: expect.stringContaining('self-signed'),
  });
});

test('a locked database does not count as a provider that does not quote', async () => {
  const url = await newDatabase();
  const fixture = await startFixture({
    location: `${url}?lock_timeout=20`,
  });
  const locker = new pg.Client({ connectionString: url });
  await locker.connect();
  onTestFinished(async () => {
    await locker.end();
    await fixture.storage.close();
  });
  const client = fixture.client();
  const batch_id = await newBatch(client, [{}]);
  await locker.query('begin');
  await locker.query('lock table quotes, quote_declines in access exclusive mode');
  const faults: string[] = [];
  for (let second = 0; second < 40; second += 1) {
    await fixture.pass(1_000).catch((fault: Error) => faults.push(fault.name));
  }
  expect(new Set(faults)).toEqual(new Set(['StorageUnavailable']));
  await locker.query('rollback');
  // Claimed tasks are free once the lease expires, by the server's clock.
  await locker.query('update tasks set claimed_until = 0');
  for (let second = 0; second < 30; second += 1) await fixture.pass(1_000);
  expect((await batchNow(client, batch_id)).counts).toMatchObject({ dispatched: 1, unfulfilled: 0 });
  const declined = await fixture.storage.run((db) =>
    db.selectFrom('quote_declines').select('code').where('code', '=', 'no_answer').execute(),
  );
  expect(declined).toEqual([]);
});
