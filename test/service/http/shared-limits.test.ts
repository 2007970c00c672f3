import { expect, test } from 'vitest';
import { realTimers, type Timers } from '../../../src/service/runtime/time.ts';
import { orderRequest } from '../fixture.ts';
import { open, post, serve } from './raw-http.ts';

const mebibyte = 1024 * 1024;
/** For a busy machine. */
test.each([
  ["a driver's link", 'POST', '/drive/nobody/taps'],
  ['a tracking link', 'PATCH', '/track/nobody'],
  ['the address of a courier', 'POST', '/couriers/nobody'],
])('%s that does not exist is refused before the body is sent', async (_what, method, path) => {
  const server = await serve();
  const head = post(path, '', 'Content-Length: 8000').replace('POST', method);
  const { seen, closed } = open(server, head);
  await expect.poll(seen).toMatch(/^HTTP\/1.1 404 .*connection: close.*"record_not_found"/is);
  await closed;
});

test('a page that takes no body does not read one', async () => {
  const server = await serve();
  const head = `GET /health HTTP/1.1\r\nHost: shop.example\r\nContent-Length: ${8 * mebibyte}`;
  const { seen, closed } = open(server, head);
  await expect.poll(seen).toMatch(/^HTTP\/1.1 200 .*connection: close/is);
  await closed;
});

test('a client that expects 100 Continue sends its body only if it will be read', async () => {
  const server = await serve();
  const body = JSON.stringify({ orders: [orderRequest()] });
  const header = `Content-Length: ${body.length}\r\nExpect: 100-continue`;
  const refused = open(server, post('/v2/orders/create', 'wb_test_0123456789', header));
  await expect.poll(refused.seen).toMatch(/^HTTP\/1.1 401 /);
  const taken = open(server, post('/v2/orders/create', server.key, header));
  await expect.poll(taken.seen).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  taken.socket.write(body);
  await expect.poll(taken.seen).toContain('"object":"order"');
});

test('a body that hardly arrives is cut with 408 before the time limit of the request', async () => {
  const after: Timers['after'] = (ms, wake) => realTimers.after(ms === 4_000 ? 1_000 : ms, wake);
  const server = await serve({ parts: { timers: { ...realTimers, after } } });
  const head = post('/v2/orders/create', server.key, `Content-Length: ${mebibyte}`);
  const [stalled, slow] = [open(server, head), open(server, head)];
  stalled.socket.write(' '.repeat(mebibyte - 1));
  const drip = setInterval(() => slow.socket.write(' '.repeat(512)), 500);
  await Promise.all([stalled.closed, slow.closed]);
  clearInterval(drip);
  expect([stalled.seen(), slow.seen()]).toEqual([
    expect.stringMatching(/^HTTP\/1.1 408 .*Timed out while receiving the request/s),
    expect.stringMatching(/^HTTP\/1.1 408 .*Timed out while receiving the request/s),
  ]);
  const body = JSON.stringify({ orders: [orderRequest()] });
  const patient = open(server, post('/v2/orders/create', server.key, `Content-Length: ${100_000}`));
  for (let sent = 0; sent < 5; sent += 1) {
    patient.socket.write((sent === 0 ? body : '').padEnd(20_000));
    await new Promise((resolve) => realTimers.after(60, () => resolve(null)));
  }
  await expect.poll(patient.seen).toContain('"object":"order"');
});

test('one account and mode has a quarter of the memory for bodies; others still find room', async () => {
  const server = await serve({ limits: { max_body_bytes: 32 * mebibyte } });
  const large = (key: string) => {
    const talk = open(server, post('/v2/orders/create', key, `Content-Length: ${5 * mebibyte}`));
    talk.socket.write(' '.repeat(5 * mebibyte - 1));
    return talk;
  };
  const two = [large(server.key), large(server.key)];
  const refused = () =>
    two.filter(({ seen }) => /^HTTP\/1.1 429 .*retry-after: 1.*"rate_limited"/is.test(seen()));
  await expect.poll(refused).toHaveLength(1);
  const other = large(server.keys?.live ?? '');
  other.socket.write('{');
  await expect.poll(other.seen).toContain('The body is not valid JSON.');
  for (const { socket } of two) socket.destroy();
  const next = large(server.key);
  next.socket.write('{');
  await expect.poll(next.seen).toContain('The body is not valid JSON.');
});

test('an address with many connections does not keep others out', async () => {
  const server = await serve({ limits: { max_connections: 20 } });
  const head = 'GET /health HTTP/1.1\r\nHost: shop.example';
  const first = open(server, head);
  await expect.poll(first.seen).toContain('200 OK');
  const crowd = Array.from({ length: 40 }, () => open(server));
  await Promise.all(crowd.slice(30).map(({ closed }) => closed));
  for (const address of ['127.0.0.2', '127.0.0.3']) {
    const other = open(server, head, address);
    await expect.poll(other.seen).toContain('200 OK');
  }
  expect(crowd.filter(({ socket }) => !socket.destroyed).length).toBeLessThanOrEqual(17);
  first.socket.write(`${head}\r\n\r\n`);
  await expect.poll(() => first.seen().match(/200 OK/g)).toHaveLength(2);
});
