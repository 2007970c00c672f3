import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { RequestLog, WireStream } from '../../../src/contract/operation.ts';
import { defaultLimits, type HttpLimits } from '../../../src/domain/service-limits.ts';
import { serveHttp } from '../../../src/service/http/http-server.ts';
import { realTimers, wallClock } from '../../../src/service/runtime/time.ts';
import { type RunningServer, startServer } from '../../../src/service/server.ts';

const closing: (() => unknown)[] = [];
const log: RequestLog[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  log.length = 0;
});

async function served(): Promise<{ server: RunningServer; key: string }> {
  const options = { host: '127.0.0.1', port: 0, publicUrl: null, sandbox: null, seed: null };
  const server = await startServer({ ...options, database: ':memory:', log: (line) => log.push(line) });
  return { server, key: server.keys?.test ?? '' };
}

/** Sends a request on a new connection; collects the response as text. */
function sent(url: string, head: string): { socket: Socket; seen: () => string; ended: Promise<void> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.write(`${head}\r\n\r\n`);
  closing.push(() => socket.destroy());
  const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  return { socket, seen: () => text, ended };
}

const follow = (key: string, method = 'GET') =>
  `${method} /v2/events/stream HTTP/1.1\r\nHost: shop.example\r\nX-API-Key: ${key}`;

test('the headers and the first events are sent at once, and the request is logged then', async () => {
  const { server, key } = await served();
  closing.push(server.stop);
  const { seen } = sent(server.url, follow(key));
  await expect.poll(seen).toContain(': open\nretry: 1000\n');
  const [head = ''] = seen().split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(head).toMatch(/transfer-encoding: chunked/i);
  expect(head).toMatch(/content-type: text\/event-stream; charset=utf-8/);
  expect(head).not.toMatch(/content-length/i);
  expect(log).toMatchObject([{ type: 'request', method: 'GET', path: '/v2/events/stream', status: 200 }]);
});

test('HEAD gets only the headers', async () => {
  const { server, key } = await served();
  closing.push(server.stop);
  const { seen, ended } = sent(server.url, `${follow(key, 'HEAD')}\r\nConnection: close`);
  await ended;
  expect(seen()).toMatch(/content-type: text\/event-stream/);
  expect(seen().split('\r\n\r\n')[1]).toBe('');
});

test('stopping the server ends its streams without waiting for clients', async () => {
  const { server, key } = await served();
  const agent = sent(server.url, follow(key));
  await expect.poll(agent.seen).toContain(': open');
  const started_at = wallClock.now();
  await server.stop();
  await agent.ended;
  expect(wallClock.now() - started_at).toBeLessThan(4_000);
  expect(agent.seen()).toMatch(/\r\n0\r\n\r\n$/);
});

interface Pouring {
  url: string;
  made: () => number;
  end: () => void;
  closed: Promise<void>;
  connections: () => Promise<number>;
}

/** A server that responds with a stream of a number of chunks, and then nothing until it is closed. */
async function pouring(most = Number.POSITIVE_INFINITY, limits: Partial<HttpLimits> = {}): Promise<Pouring> {
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
  const close = () => {
    isOver = true;
    resolve();
  };
  const stream: WireStream = { chunks: chunks(), close, ended: closed };
  const http = createServer();
  const headers = { 'content-type': 'text/event-stream' };
  const tools = {
    log: (line: RequestLog) => log.push(line),
    timers: realTimers,
    isStopping: () => false,
    limits: { ...defaultLimits, ...limits },
  };
  serveHttp(http, async () => ({ status: 200, headers, body: '', stream }), {
    ...tools,
    clock: wallClock,
    wall: wallClock,
    monotonic: wallClock,
  });
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    http.closeAllConnections();
    http.close();
  });
  const address = http.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const connections = () =>
    new Promise<number>((resolve) => http.getConnections((_fault, count) => resolve(count)));
  return { url: `http://127.0.0.1:${port}`, made: () => made, end: close, closed, connections };
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
  const { url, made, closed } = await pouring();
  const { socket } = sent(url, 'GET / HTTP/1.1\r\nHost: shop.example');
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
  const { socket } = sent(url, 'GET / HTTP/1.1\r\nHost: shop.example');
  socket.pause();
  await settled(made);
  expect(await connections()).toBe(1);
  end();
  await expect.poll(connections).toBe(0);
});

test('a client that disconnects ends an idle stream', async () => {
  const { url, made, closed } = await pouring(1);
  const { socket } = sent(url, 'GET / HTTP/1.1\r\nHost: shop.example');
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
  const { socket } = sent(url, 'GET / HTTP/1.1\r\nHost: shop.example');
  socket.pause();
  await settled(made);
  await closed;
  await expect.poll(connections).toBe(0);
});

test('a client that does not read its responses is disconnected; a slow reader gets them whole', async () => {
  const body = 'ä😀'.repeat(1_500_000);
  const http = createServer();
  const tools = {
    log: () => {},
    isStopping: () => false,
    timers: realTimers,
    clock: wallClock,
    wall: wallClock,
    monotonic: wallClock,
  };
  const limits = { ...defaultLimits, response_timeout_ms: 2_000 };
  serveHttp(http, async () => ({ status: 200, headers: {}, body }), { ...tools, limits });
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
  closing.push(() => {
    http.closeAllConnections();
    http.close();
  });
  const address = http.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  const stalled = sent(url, 'GET / HTTP/1.1\r\nHost: shop.example');
  stalled.socket.pause();
  const slow = sent(url, 'GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close');
  slow.socket.pause();
  await new Promise((resolve) => realTimers.after(100, () => resolve(null)));
  slow.socket.resume();
  await slow.ended;
  expect(slow.seen().split('\r\n\r\n')[1] === body).toBe(true);
  const open = () => new Promise((resolve) => http.getConnections((_fault, count) => resolve(count)));
  await expect.poll(open, { timeout: 10_000 }).toBe(0);
});
