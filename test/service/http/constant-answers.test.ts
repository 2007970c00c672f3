import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { forCaller } from '../../../src/service/http/constant-answers.ts';
import { startFixture } from '../fixture.ts';
import { serve } from './raw-http.ts';

const answer = { status: 200, body: JSON.stringify({ text: 'description '.repeat(100) }), headers: {} };
const client_address = '127.0.0.1';

/** Whether a client takes gzip, by its header. */
const encodings = [
  ['gzip, deflate, br', true],
  ['br;q=1.0, gzip;q=0.8', true],
  ['*', true],
  ['GZIP', true],
  ['gzip;q=0', false],
  ['gzip; q=0.0', false],
  ['br', false],
  ['identity', false],
  ['', false],
] as const;

test.each(encodings)('accept-encoding %j', async (header, isCompressed) => {
  const sent = await forCaller(answer, { headers: { 'accept-encoding': header }, client_address });
  expect(sent.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
  const body = isCompressed ? gunzipSync(Buffer.from(sent.body, 'base64')).toString() : sent.body;
  expect(body).toBe(answer.body);
  expect(sent.headers.vary).toBe('accept-encoding, accept-language');
});

test('what a client has is not sent again', async () => {
  const { headers } = await forCaller(answer, { headers: {}, client_address });
  const tag = headers.etag ?? '';
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
    const sent = await forCaller(answer, { headers: { 'if-none-match': known }, client_address });
    expect([known, sent.status, sent.body]).toEqual([known, 304, '']);
  }
  const other = await forCaller(answer, { headers: { 'if-none-match': '"other"' }, client_address });
  expect([other.status, other.body]).toEqual([200, answer.body]);
});

test('within one process the answer is the whole text', async () => {
  expect(await forCaller(answer, { headers: { 'accept-encoding': 'gzip' } })).toBe(answer);
});

test('the description is small on its way, and a repeat is answered with 304', async () => {
  const { url } = await serve();
  const response = await fetch(`${url}/openapi.json`, { headers: { 'accept-encoding': 'gzip' } });
  const text = await response.text();
  expect(Number(response.headers.get('content-length'))).toBeLessThanOrEqual(65_000);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(500_000);
  expect(JSON.parse(text).openapi).toBe('3.1.1');
  const tag = response.headers.get('etag') ?? '';
  const again = await fetch(`${url}/openapi.json`, { headers: { 'if-none-match': tag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('pages of any site may read the description and the probes, and nothing else', async () => {
  const { service, keys } = await startFixture();
  const allowed = async (path: string) => {
    const headers = { origin: 'https://shop.example', 'x-api-key': keys.test };
    const asked = { method: 'GET', path, headers, body: '', client_address };
    return (await service.fetch(asked)).headers['access-control-allow-origin'] ?? null;
  };
  for (const [path, origin] of [
    ['/openapi.json', '*'],
    ['/health', '*'],
    ['/health/live', '*'],
    ['/health/ready', '*'],
    ['/v2/account', null],
    ['/v2/orders', null],
    ['/board', null],
  ] as const)
    expect([path, await allowed(path)]).toEqual([path, origin]);
});
