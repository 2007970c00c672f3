import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { fakeWeb, local, portOf, publicAddress, startShop, until, webhookClientOn } from './fake-web.ts';

const url = 'http://shop.example/hook';

test('an event arrives unchanged', async () => {
  const shop = await startShop();
  const posted = await shop.post('http://shop.example:8080/hook?a=1&b=%20#part', '{"name":"Ōmi 🍣"}');
  expect(posted).toEqual({
    status_code: 200,
    reason: '',
    response: '',
    retry_after_ms: undefined,
    duration_ms: 0,
  });
  expect(shop.received).toMatchObject([
    {
      method: 'POST',
      path: '/hook?a=1&b=%20',
      body: '{"name":"Ōmi 🍣"}',
      event: { name: 'Ōmi 🍣' },
      headers: { host: 'shop.example:8080', 'content-type': 'application/json', 'content-length': '20' },
    },
  ]);
  expect(shop.web.targets).toEqual([{ address: publicAddress, port: 8080, servername: null }]);
});

test.each([
  [204, ''],
  [299, ''],
  [300, 'redirects are not followed (300)'],
  [304, 'redirects are not followed (304)'],
  [410, 'the endpoint returned 410'],
  [999, 'the endpoint returned 999'],
])('status %i means: %j', async (status, reason) => {
  const shop = await startShop(() => ({ status, body: status === 204 || status === 304 ? '' : 'why' }));
  const response = reason === '' || status === 304 ? '' : 'why';
  expect(await shop.post(url)).toMatchObject({ status_code: status, reason, response });
});

test('the start of a failed response is stored without control characters', async () => {
  const body = `\u001b[31mno\u0000\r\n\u202eway\u2028${'🍣'.repeat(600)}`;
  const shop = await startShop(() => ({ status: 500, body }));
  const { response } = await shop.post(url);
  expect(response).toBe(`[31mno way ${'🍣'.repeat(489)}`);
  expect([...response]).toHaveLength(500);
});

test.each([
  ['120', 120_000],
  ['0', 0],
  ['Mon, 02 Mar 2026 12:01:00 GMT', 60_000],
  ['Monday, 02-Mar-26 12:01:00 GMT', 60_000],
  ['Mon Mar  2 12:01:00 2026', 60_000],
  ['Mon, 02 Mar 2026 11:59:59 GMT', 0],
  ['-5', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['soon', undefined],
  ['2026', 2_026_000],
  ['9'.repeat(400), undefined],
  ['', undefined],
])('Retry-After: %s', async (text, ms) => {
  const shop = await startShop(() => ({ status: 503, headers: { 'retry-after': text, date: '' } }));
  expect((await shop.post(url)).retry_after_ms).toBe(ms);
});

test('a successful response asks for no wait', async () => {
  const shop = await startShop(() => ({ headers: { 'retry-after': '5' } }));
  expect((await shop.post(url)).retry_after_ms).toBeUndefined();
});

test('an endpoint has 15 s to respond', async () => {
  const shop = await startShop(() => 'hang');
  const posting = shop.post(url);
  await until(() => shop.received.length === 1);
  shop.timers.pass(14_999);
  expect(await Promise.race([posting, realTimers.turn()])).toBeUndefined();
  shop.timers.pass(1);
  expect(await posting).toMatchObject({ status_code: null, reason: 'no response within 15 s' });
  expect(shop.timers.waiting()).toBe(0);
});

test.each([
  [200, '', ''],
  [500, 'the endpoint returned 500', 'so far'],
])('an endless %i response does not block', async (status, reason, response) => {
  const shop = await startShop(() => ({ status, headers: { 'content-length': '9' }, body: 'so far' }));
  const posting = shop.post(url);
  await until(() => shop.received.length === 1);
  for (let turn = 0; turn < 20; turn += 1) await realTimers.turn();
  shop.timers.pass(15_000);
  expect(await posting).toMatchObject({ status_code: status, reason, response });
  expect(shop.timers.waiting()).toBe(0);
});

test.each([
  [200, '', 0],
  [500, 'the endpoint returned 500', 500],
])('part of an endless %i response is read', async (status, reason, length) => {
  const shop = await startShop(() => ({ status, endless: true }));
  const posted = await shop.post(url);
  expect(posted).toMatchObject({ status_code: status, reason });
  expect(posted.response).toHaveLength(length);
  await until(() => shop.timers.waiting() === 0);
});

test('a broken connection is a failed attempt, and the next request opens a new one', async () => {
  const shop = await startShop((_, nth) => (nth === 1 ? 'reset' : {}));
  expect(await shop.post(url)).toMatchObject({
    status_code: null,
    reason: 'the connection was closed before the response was complete',
  });
  expect((await shop.post(url)).reason).toBe('');
  expect(shop.received).toHaveLength(2);
});

test('a response that breaks off counts by its status', async () => {
  const cut = (status: number) => `HTTP/1.1 ${status} X\r\ncontent-length: 9\r\n\r\nso`;
  const answers = [
    'nonsense\r\n\r\n',
    cut(200),
    cut(503),
    'HTTP/1.1 103 Hints\r\n\r\n',
    'HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 204 X\r\n\r\n',
  ];
  const server = createServer((socket) => socket.once('data', () => socket.end(answers.shift() ?? '')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const webhook_client = webhookClientOn(
    fakeWeb({ 'shop.example': () => [publicAddress] }, () => local(portOf(server))),
  );
  const posted = [];
  for (let nth = 0; nth < 5; nth += 1) posted.push(await webhook_client.post(url));
  expect(posted.map(({ status_code, reason }) => [status_code, reason])).toEqual([
    [null, 'its response is not valid HTTP/1.1'],
    [200, ''],
    [503, 'the endpoint returned 503'],
    [null, 'the connection was closed before the response was complete'],
    [204, ''],
  ]);
  server.close();
});

test('a connection is reused', async () => {
  const shop = await startShop();
  for (let nth = 0; nth < 5; nth += 1) {
    expect((await shop.post(url)).reason).toBe('');
    await realTimers.turn();
  }
  expect(shop.connections()).toBeLessThan(3);
  expect(shop.received).toHaveLength(5);
});

test.each(['', 'file:///etc/passwd'])('nothing is sent to %j', async (strange) => {
  const web = fakeWeb();
  const webhook_client = webhookClientOn(web);
  expect(await webhook_client.post(strange)).toMatchObject({ status_code: null });
  expect([web.asked, web.targets]).toEqual([[], []]);
});
