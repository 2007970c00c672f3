import { expect, onTestFinished, test, vi } from 'vitest';
import type { BodyCheck } from '../../../src/contract/operation.ts';
import { readJsonBody } from '../../../src/service/http/request-body.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { isWhole, oneOf } from '../../in-part.ts';
import { orderRequest, startFixture } from '../fixture.ts';
import { open, post, serve, type Talk } from './raw-http.ts';

const eight_mebibytes = 8 * 1024 * 1024;

test.each([
  ['no key', '', 401, 'unauthorized'],
  ['a key that nobody has', 'wb_test_0123456789', 401, 'unauthorized'],
])('%s is refused before the body is sent', async (_what, key, status, code) => {
  const server = await serve();
  const { seen, closed } = open(server, post('/v2/orders/create', key, `Content-Length: ${eight_mebibytes}`));
  await expect.poll(seen).toContain(`"${code}"`);
  expect(seen()).toMatch(new RegExp(`^HTTP/1.1 ${status} .*connection: close`, 'is'));
  await closed;
});

test('unknown paths and wrong methods are refused before the body is sent', async () => {
  const server = await serve();
  const unknown = open(server, post('/v2/nothing', '', 'Content-Length: 1000'));
  await expect.poll(unknown.seen).toContain('"not_found"');
  const wrong = open(server, post('/v2/account', '', 'Content-Length: 1000'));
  await expect.poll(wrong.seen).toContain('"method_not_allowed"');
});

test('a client that keeps sending a refused body still gets the response', async () => {
  const server = await serve();
  const head = post('/v2/orders/create', '', `Content-Length: ${eight_mebibytes}`);
  const { socket, seen, closed } = open(server, head);
  const piece = Buffer.alloc(64 * 1024, 32);
  for (let sent = 0; sent < eight_mebibytes; sent += piece.length) socket.write(piece);
  await closed;
  expect(seen()).toContain('"unauthorized"');
});

test('a Content-Length above the limit is refused immediately; only orders may have 8 MiB', async () => {
  const server = await serve();
  const routes = open(server, post('/v2/routes', server.key, 'Content-Length: 1048577'));
  await expect.poll(routes.seen).toContain('The body is larger than 1 MiB: send it in parts.');
  const orders = open(
    server,
    post('/v2/orders/create', server.key, `Content-Length: ${eight_mebibytes + 1}`),
  );
  await expect.poll(orders.seen).toContain('The body is larger than 8 MiB: send it in parts.');
  const most = open(server, post('/v2/orders/create', server.key, `Content-Length: ${eight_mebibytes}`));
  const body = JSON.stringify({ orders: [orderRequest()] });
  most.socket.write(body.padEnd(eight_mebibytes));
  await expect.poll(most.seen).toContain('"object":"order"');
});

test('a body without a length is refused when it exceeds the limit', async () => {
  const server = await serve();
  const { socket, seen } = open(server, post('/v2/routes', server.key, 'Transfer-Encoding: chunked'));
  const size = 600_000;
  const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
  socket.write(chunk);
  socket.write(chunk);
  await expect.poll(seen).toContain('"payload_too_large"');
});

test('a body that is not UTF-8 is refused, whatever charset it names', async () => {
  const server = await serve();
  const body = Buffer.from(JSON.stringify({ orders: [orderRequest({ dropoff_name: 'Café' })] }), 'latin1');
  for (const charset of ['', '; charset=iso-8859-1']) {
    const headers = { 'x-api-key': server.key, 'content-type': `application/json${charset}` };
    const answer = await fetch(`${server.url}/v2/orders/create`, { method: 'POST', headers, body });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'invalid_request',
        message: 'The body is not UTF-8. Send it as UTF-8.',
      }),
    ]);
  }
});

test('a slow body ends with 408, and so do slow headers', async () => {
  const server = await serve({ limits: { request_timeout_ms: 200 } });
  const body = open(server, post('/v2/routes', server.key, 'Content-Length: 100'));
  const head = open(server);
  head.socket.write('GET /health HTTP/1.1\r\nHost: shop');
  await Promise.all([body.closed, head.closed]);
  expect([body.seen(), head.seen()]).toEqual([
    expect.stringMatching(/^HTTP\/1.1 408 /),
    expect.stringMatching(/^HTTP\/1.1 408 /),
  ]);
  expect(server.log.map((line) => (line.type === 'request' ? line.status : line.type))).toEqual([408, 408]);
});

test('a connection without requests is closed after the idle time', async () => {
  const server = await serve({ limits: { idle_timeout_ms: 100 } });
  const { seen, closed } = open(server, 'GET /health HTTP/1.1\r\nHost: shop.example');
  await expect.poll(seen).toMatch(/^HTTP\/1.1 200 /);
  await closed;
});

test('connections over the limit are closed, and new ones are accepted when others close', async () => {
  const server = await serve({ limits: { max_connections: 2 } });
  const head = 'GET /health HTTP/1.1\r\nHost: shop.example';
  const [first, second] = [open(server, head), open(server, head)];
  await expect.poll(() => [first.seen(), second.seen()].every((text) => text.includes('200 OK'))).toBe(true);
  const third = open(server, head);
  await third.closed;
  expect(third.seen()).toBe('');
  first.socket.destroy();
  await first.closed;
  await expect
    .poll(async () => {
      const next = open(server, `${head}\r\nConnection: close`);
      await next.closed;
      return next.seen();
    })
    .toContain('200 OK');
});

test('all bodies share one memory limit: excess is refused until there is room', async () => {
  const server = await serve({ limits: { max_body_bytes: 4_000 } });
  const order = { ...orderRequest(), pickup_notes: 'x'.repeat(300) };
  const body = JSON.stringify({ orders: [order] });
  const create = post('/v2/orders/create', server.key, `Content-Length: ${body.length}`);
  const slow = open(server, create);
  slow.socket.write(body.slice(0, 600));
  const answered = async () => {
    const { socket, seen } = open(server, create);
    socket.write(body);
    await expect.poll(seen).toMatch(/^HTTP/);
    return seen();
  };
  // Once the first part of the slow request has arrived.
  await expect.poll(answered).toMatch(/^HTTP\/1.1 429 .*retry-after: 1.*"rate_limited"/is);
  slow.socket.write(body.slice(600));
  await expect.poll(slow.seen).toContain('"object":"order"');
  expect(await answered()).toContain('"object":"order"');
});

/** A number of unknown fields as JSON, without the braces. */
function junk(count: number): string {
  return Array.from({ length: count }, (_, index) => `"junk_${index}":1`).join(',');
}

interface Refusal {
  message: string;
  details?: { path: string; message: string }[];
}

/** The refusal of a body, and how often a text as long as the body was parsed. */
async function refused(body: string): Promise<{ error: Refusal; parsed: number }> {
  const fixture = await startFixture();
  const parse = vi.spyOn(JSON, 'parse');
  const answer = await fixture.send('POST', '/v2/orders/create', { body });
  const parsed = parse.mock.calls.filter(([text]) => text.length >= body.length).length;
  parse.mockRestore();
  expect(answer.status).toBe(400);
  return { error: JSON.parse(answer.body), parsed };
}

const long_bodies: [what: string, made: () => string][] = [
  ['500,000 unknown fields', () => `{${junk(500_000)}}`],
  ['500,000 unknown fields of an order', () => `{"orders":[{${junk(480_000)}}]}`],
  ['2 million orders', () => `{"orders":[${'1,'.repeat(2_000_000)}1]}`],
  ['4 million arrays in each other', () => `${'['.repeat(4_000_000)}${']'.repeat(4_000_000)}`],
];

test.each(long_bodies.filter(oneOf(2)))('%s are refused without parsing', async (_what, made) => {
  const { error, parsed } = await refused(made());
  expect(error.message).toBe('The body has more than 75000 values.');
  expect(parsed).toBe(0);
});

test('at most a hundred unknown fields are reported, and an oversized array immediately', async () => {
  const many = await refused(`{"orders":[{${junk(50_000)}}]}`);
  expect(many.error.message).toContain('too many errors; these are the first 100');
  expect(many.error.details).toHaveLength(100);
  expect(many.error.details?.[99]).toEqual({
    path: 'orders[0].junk_99',
    message: 'is not a field of this request',
  });
  expect(many.parsed).toBe(1);
  const long = await refused(JSON.stringify({ orders: Array.from({ length: 50_000 }, () => 1) }));
  expect(long.error.details).toEqual([{ path: 'orders', message: 'must not have more than 300 items' }]);
  expect(long.parsed).toBe(1);
});

test('values are counted in the same way however the body is divided, but for commas and brackets in strings', async () => {
  const text = (values: number) => `[${Array.from({ length: values - 1 }, () => '"\\\\\\",[{"').join()}]`;
  const read = (body: string, size: number) => {
    const bytes = Buffer.from(body);
    const pieces = async (check: BodyCheck) => {
      for (let from = 0; from < bytes.length; from += size)
        check.checkChunk(bytes.subarray(from, from + size));
      return body;
    };
    return readJsonBody({ headers: {}, body: pieces }, { body_limit: 8e6 }, ['holder'], realTimers);
  };
  for (const size of [3, 1, 1_000_000, 2, 7].filter(oneOf(2))) {
    expect(await read(text(75_000), size)).toHaveLength(74_999);
    await expect(read(text(75_001), size)).rejects.toThrow('more than 75000 values');
  }
});

test('long names are shortened in errors', async () => {
  const { error } = await refused(JSON.stringify({ ['x'.repeat(1_000_000)]: 1 }));
  expect(JSON.stringify(error).length).toBeLessThan(600);
});

test('unknown keys are limited by the address that a trusted proxy reports', async () => {
  const server = await serve({ limits: { trusted_proxies: ['127.0.0.1'] } });
  const status = async (client: string) => {
    const lines = ['GET /v2/account HTTP/1.1', 'Host: shop.example', 'X-API-Key: wb_test_none'];
    const talk = open(server, [...lines, `X-Forwarded-For: ${client}`, 'Connection: close'].join('\r\n'));
    await talk.closed;
    return Number(talk.seen().split(' ')[1]);
  };
  const statuses: number[] = [];
  // Each second allows one more, so that a busy machine needs more than sixty.
  while (statuses.at(-1) !== 429 && statuses.length < 600) statuses.push(await status('203.0.113.5'));
  expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
  expect(await status('203.0.113.6')).toBe(401);
});

test('the OpenAPI description is built once, only when it is requested', async () => {
  const stringify = vi.spyOn(JSON, 'stringify');
  onTestFinished(() => stringify.mockRestore());
  const built = () => stringify.mock.calls.filter(([value]) => value?.openapi !== undefined).length;
  const server = await serve({ limits: { response_timeout_ms: 2_000 } });
  expect(built()).toBe(0);
  const first = open(server, 'GET /openapi.json HTTP/1.1\r\nHost: shop.example\r\nConnection: close');
  await first.closed;
  const ask = 'GET /openapi.json HTTP/1.1\r\nHost: shop.example\r\n\r\n';
  const memory = process.memoryUsage();
  const clients = Array.from({ length: 50 }, () => {
    const { socket } = open(server);
    socket.pause();
    socket.write(ask.repeat(16));
    return socket;
  });
  await expect.poll(() => server.log.length).toBeGreaterThan(50);
  await new Promise((resolve) => realTimers.after(1_000, () => resolve(null)));
  expect(built()).toBe(1);
  // The clients share one copy of the answer.
  expect(process.memoryUsage().rss - memory.rss).toBeLessThan(150e6);
  for (const socket of clients) socket.destroy();
});

test('pipelined requests are all answered, in order', async () => {
  const server = await serve();
  const paths = ['/health', '/v2/account', '/openapi.json', '/nothing', '/health'];
  const asked = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: shop.example\r\n\r\n`);
  const talk = open(server);
  talk.socket.write(asked.join(''));
  const statuses = ({ seen }: Talk) =>
    [...seen().matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => Number(status));
  await expect.poll(() => statuses(talk)).toEqual([200, 401, 200, 404, 200]);
  const many = open(server);
  const count = isWhole ? 3_000 : 600;
  const pieces = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? '/health' : '/nothing'));
  many.socket.write(pieces.map((path) => `GET ${path} HTTP/1.1\r\nHost: shop.example\r\n\r\n`).join(''));
  await expect.poll(() => statuses(many).length).toBe(count);
  expect(statuses(many)).toEqual(pieces.map((path) => (path === '/health' ? 200 : 404)));
});

test('requests that wait for earlier responses are bounded, for each connection and for all', async () => {
  const gate = Promise.withResolvers<void>();
  const server = await serve({
    parts: { timers: { ...realTimers, turn: () => gate.promise.then(realTimers.turn) } },
  });
  const ask = 'GET /health HTTP/1.1\r\nHost: shop.example\r\n\r\n';
  const endless = open(server);
  endless.socket.write(ask.repeat(400_000));
  await new Promise((resolve) => realTimers.after(1_000, () => resolve(null)));
  // The service stops reading after the first piece.
  expect(endless.socket.writableLength).toBeGreaterThan(0);
  let closed = 0;
  const others = Array.from({ length: 20 }, () => open(server));
  for (const { socket } of others) {
    socket.on('close', () => {
      closed += 1;
    });
    socket.write(ask.repeat(1_400));
  }
  await expect.poll(() => closed).toBeGreaterThan(2);
  const small = open(server);
  small.socket.write(ask.repeat(10));
  endless.socket.destroy();
  gate.resolve();
  await expect.poll(() => small.seen().split('HTTP/1.1 200').length - 1).toBe(10);
  expect(closed).toBeLessThan(18);
});
