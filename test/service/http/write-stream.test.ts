import { createServer, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { RequestLog, WireResponse, WireStream } from '../../../src/contract/operation.ts';
import { defaultLimits, type HttpLimits } from '../../../src/domain/operator-settings.ts';
import { serveHttp } from '../../../src/service/http/http-server.ts';
import { realTimers, wallClock } from '../../../src/service/runtime/time.ts';
import { listenLocally } from '../../local-server.ts';
import { open, serve } from './raw-http.ts';

const get = 'GET / HTTP/1.1\r\nHost: shop.example';
const follow = (key: string, method = 'GET') =>
  `${method} /v2/events/stream HTTP/1.1\r\nHost: shop.example\r\nX-API-Key: ${key}`;

test('the headers and the first events are sent at once, and the request is logged then', async () => {
  const server = await serve();
  const { seen } = open(server, follow(server.key));
  await expect.poll(seen).toContain(': open\nretry: 1000\n');
  const [head = ''] = seen().split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(head).toMatch(/transfer-encoding: chunked/i);
  expect(head).toMatch(/content-type: text\/event-stream; charset=utf-8/);
  expect(head).not.toMatch(/content-length/i);
  expect(server.log).toMatchObject([
    { type: 'request', method: 'GET', path: '/v2/events/stream', status: 200 },
  ]);
});

test('HEAD gets only the headers', async () => {
  const server = await serve();
  const { seen, closed } = open(server, `${follow(server.key, 'HEAD')}\r\nConnection: close`);
  await closed;
  expect(seen()).toMatch(/content-type: text\/event-stream/);
  expect(seen().split('\r\n\r\n')[1]).toBe('');
});

test('stopping the server ends its streams without waiting for clients', async () => {
  // Clients that it waits for are never cut off.
  const after: typeof realTimers.after = (ms, wake) => (ms === 5_000 ? () => {} : realTimers.after(ms, wake));
  const server = await serve({ parts: { timers: { ...realTimers, after } } });
  const agent = open(server, follow(server.key));
  await expect.poll(agent.seen).toContain(': open');
  await server.stop();
  await agent.closed;
  expect(agent.seen()).toMatch(/\r\n0\r\n\r\n$/);
});

/** A server that gives one response to everything, until the end of the test. */
async function answering(response: WireResponse, limits: Partial<HttpLimits> = {}) {
  const log: RequestLog[] = [];
  const http = createServer();
  serveHttp(http, async () => response, {
    log: (line) => log.push(line),
    isStopping: () => false,
    timers: realTimers,
    limits: { ...defaultLimits, ...limits },
    ...{ clock: wallClock, wall: wallClock, monotonic: wallClock },
  });
  const { port, close } = await listenLocally(http);
  onTestFinished(close);
  const connections = () =>
    new Promise<number>((resolve) => http.getConnections((_fault, count) => resolve(count)));
  return { url: `http://127.0.0.1:${port}`, log, connections };
}

/** A server that responds with a stream of a number of chunks, and then nothing until it is closed. */
async function pouring(most = Number.POSITIVE_INFINITY, limits: Partial<HttpLimits> = {}) {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const chunk = 'x'.repeat(65_536);
  let made = 0;
  let isOver = false;
  async function* chunks() {
    while (!isOver && made < most) {
      made += 1;
      yield chunk;
    }
    await closed;
  }
  const end = () => {
    isOver = true;
    resolve();
  };
  const stream: WireStream = { chunks: chunks(), close: end, ended: closed };
  const headers = { 'content-type': 'text/event-stream' };
  const server = await answering({ status: 200, headers, body: '', stream }, limits);
  return { ...server, made: () => made, end, closed };
}

/** Waits until no more chunks are created. */
async function settled(made: () => number): Promise<number> {
  await expect.poll(made).toBeGreaterThan(0);
  for (let before = -1; ; ) {
    await new Promise((resolve) => realTimers.after(100, () => resolve(null)));
    if (made() === before) return before;
    before = made();
  }
}

test('a client that does not read pauses its stream, and one that disconnects ends it', async () => {
  const { url, made, closed, log } = await pouring();
  const { socket } = open({ url }, get);
  socket.pause();
  const before = await settled(made);
  expect(before).toBeLessThan(200);
  socket.resume();
  await expect.poll(made).toBeGreaterThan(before + 100);
  socket.destroy();
  await closed;
  expect(log.filter(({ type }) => type === 'fault')).toEqual([]);
});

test('a client that does not read is disconnected when the stream ends', async () => {
  const { url, made, end, connections } = await pouring();
  const { socket } = open({ url }, get);
  socket.pause();
  await settled(made);
  expect(await connections()).toBe(1);
  end();
  await expect.poll(connections).toBe(0);
});

test('a client that disconnects ends an idle stream', async () => {
  const { url, made, closed } = await pouring(1);
  const { socket } = open({ url }, get);
  await settled(made);
  socket.destroy();
  await closed;
});

test('a client that disconnected before the response causes no work', async () => {
  const { url, closed } = await pouring();
  const asked = request(url);
  asked.on('error', () => {});
  asked.on('response', () => asked.destroy());
  asked.end();
  await closed;
});

test('a client that reads nothing of a stream for too long is disconnected', async () => {
  const { url, made, closed, connections } = await pouring(Number.POSITIVE_INFINITY, {
    response_timeout_ms: 300,
  });
  const { socket } = open({ url }, get);
  socket.pause();
  await settled(made);
  await closed;
  await expect.poll(connections).toBe(0);
});

test('a client that does not read its responses is disconnected; a slow reader gets them whole', async () => {
  const body = 'ä😀'.repeat(1_500_000);
  const response = { status: 200, headers: {}, body };
  const { url, connections } = await answering(response, { response_timeout_ms: 15_000 });
  const stalled = open({ url }, get);
  stalled.socket.pause();
  const slow = open({ url }, `${get}\r\nConnection: close`);
  slow.socket.pause();
  await new Promise((resolve) => realTimers.after(100, () => resolve(null)));
  slow.socket.resume();
  await slow.closed;
  expect(slow.seen().split('\r\n\r\n')[1] === body).toBe(true);
  await expect.poll(connections).toBe(0);
});
