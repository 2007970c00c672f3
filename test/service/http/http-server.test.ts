import { expect, test } from 'vitest';
import { realTimers, type Timers, wallClock } from '../../../src/service/runtime/time.ts';
import { open, type Served, serve } from './raw-http.ts';

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

function moment(): Promise<void> {
  return new Promise((resolve) => realTimers.after(100, resolve));
}

/** Sends raw bytes on a new connection, and reads until the server closes it. */
async function sendRaw(server: Served, bytes: string): Promise<Answer> {
  const { socket, seen, closed } = open(server);
  socket.write(bytes);
  await closed;
  const [head = '', body = ''] = seen().split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line) => [line.split(': ')[0]?.toLowerCase() ?? '', line.split(': ')[1] ?? '']);
  return { status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), body };
}

function requestTo(target: string, method = 'GET', header = ''): string {
  return `${method} ${target} HTTP/1.1\r\nHost: shop.example\r\n${header}Connection: close\r\n\r\n`;
}

test('HEAD is answered like GET, without a body', async () => {
  const server = await serve();
  const { status, headers, body } = await sendRaw(server, requestTo('/health/live'));
  const head = await sendRaw(server, requestTo('/health/live', 'HEAD'));
  expect([head.status, head.body]).toEqual([status, '']);
  expect(head.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'x-request-id': expect.stringMatching(/^req_/),
  });
  expect(Object.keys(head.headers)).toEqual(Object.keys(headers));
  expect(server.log.map((line) => (line.type === 'request' ? line.method : line.type))).toEqual([
    'GET',
    'HEAD',
  ]);
});

test('a request takes no less than no time while the clock is set back', async () => {
  let now = wallClock.now();
  const wall = {
    now: () => {
      now -= 60_000;
      return now;
    },
  };
  const server = await serve({ parts: { wall } });
  await sendRaw(server, requestTo('/health/live'));
  const [line] = server.log;
  expect(line?.type === 'request' ? line.duration_ms : null).toBeGreaterThanOrEqual(0);
});

test.each([
  ['http://shop.example/health', 200],
  ['HTTPS://shop.example:4010/health?probe=1', 400],
  ['http://shop.example', 404],
  ['/health', 200],
])('the request target %s is handled like any other path', async (target, status) => {
  const server = await serve();
  expect((await sendRaw(server, requestTo(target))).status).toBe(status);
  expect(server.log).toMatchObject([{ path: new URL(target, 'http://shop.example').pathname }]);
});

test.each([
  ['bytes that are no request', 'GARBAGE\r\n\r\n', 400],
  ['a URL that is too long', requestTo(`/${'x'.repeat(20_000)}`), 431],
  ['a URL that is far too long', requestTo(`/${'x'.repeat(2_000_000)}`), 431],
  ['headers that are too long', requestTo('/health', 'GET', `X-Long: ${'x'.repeat(20_000)}\r\n`), 431],
  ['a length that is no number', requestTo('/health', 'POST', 'Content-Length: x\r\n'), 400],
  ['a request without Host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['a request with two hosts', requestTo('/health', 'GET', 'Host: other.example\r\n'), 400],
  ['an expectation that is not met', requestTo('/health', 'GET', 'Expect: tea\r\n'), 417],
])('%s: refused like anything else', async (_what, bytes, status) => {
  const server = await serve();
  const answer = await sendRaw(server, bytes);
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(answer.body)),
    'x-service-time': expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    connection: 'close',
  });
  expect(JSON.parse(answer.body)).toEqual({
    object: 'error',
    code: 'invalid_request',
    message: expect.any(String),
    request_id: answer.headers['x-request-id'],
  });
  const line = { type: 'request', status, request_id: answer.headers['x-request-id'] };
  expect(server.log).toEqual([expect.objectContaining(line)]);
});

test.each([
  '/track/secret',
  '/%74rack/secret',
  '/shop//track/secret',
  '/TRACK/secret?x=secret',
  '/track/%ff/secret',
])('the log does not contain the token of a tracking page: %s', async (target) => {
  const server = await serve();
  await sendRaw(server, requestTo(target));
  expect(server.log).toHaveLength(1);
  expect(JSON.stringify(server.log)).toContain('/track/...');
  expect(JSON.stringify(server.log)).not.toContain('secret');
});

test('responses forbid caching and content sniffing', async () => {
  const server = await serve();
  for (const [path, caching] of [
    ['/health', 'no-store'],
    ['/v2/account', 'no-store'],
    // It never changes while the service runs, and has a tag.
    ['/openapi.json', 'public, no-cache'],
  ] as const) {
    expect((await sendRaw(server, requestTo(path))).headers).toMatchObject({
      'cache-control': caching,
      'x-content-type-options': 'nosniff',
    });
  }
});

test('a path has one spelling, and encoded bodies are refused', async () => {
  const server = await serve();
  expect((await sendRaw(server, requestTo('/%76%32/account'))).status).toBe(404);
  expect((await sendRaw(server, requestTo('/v2%2Faccount'))).status).toBe(404);
  const key = `X-API-Key: ${server.keys?.test}\r\n`;
  const encoded = `${key}Content-Type: application/json\r\nContent-Encoding: br\r\nContent-Length: 2\r\n`;
  const answer = await sendRaw(server, `${requestTo('/v2/routes', 'POST', encoded)}{}`);
  expect(answer.status).toBe(415);
  expect(JSON.parse(answer.body)).toMatchObject({
    code: 'unsupported_media_type',
    message: 'Unsupported Content-Encoding br: send the body uncompressed.',
  });
});

test('HTTP/1.0 requests need no Host header', async () => {
  const server = await serve();
  expect((await sendRaw(server, 'GET /health HTTP/1.0\r\n\r\n')).status).toBe(200);
});

test('stopping waits five seconds for a client that sent half a body', async () => {
  const graces: (() => void)[] = [];
  const after: Timers['after'] = (delay_ms, wake) => {
    if (delay_ms !== 5_000) return realTimers.after(delay_ms, wake);
    graces.push(wake);
    return () => {};
  };
  const server = await serve({ parts: { timers: { ...realTimers, after } } });
  const key = `X-API-Key: ${server.keys?.test}\r\n`;
  const half = requestTo('/v2/routes', 'POST', `Content-Length: 1000\r\n${key}`);
  const answered = sendRaw(server, `${half}{"order_ids": [`).catch(() => null);
  // A response to this request shows that the previous one was received.
  await sendRaw(server, requestTo('/health'));
  let stopped = false;
  // Transactions have such a time-out, too.
  graces.length = 0;
  const stopping = server.stop().then(() => {
    stopped = true;
  });
  await moment();
  expect([stopped, graces.length]).toEqual([false, 1]);
  graces[0]?.();
  await Promise.all([stopping, answered]);
  await moment();
  expect(server.log.filter(({ type }) => type === 'fault')).toEqual([]);
});
