import { describe, expect, test } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import { type Fixture, startFixture } from '../fixture.ts';
import { phone } from '../fleet/fleet.ts';

/** The status of a request with a key from an address. */
async function ask({ service }: Fixture, key: string, client_address = '192.0.2.1'): Promise<number> {
  const headers = { 'x-api-key': key };
  const { status } = await service.fetch({
    method: 'GET',
    path: '/v2/account',
    headers,
    body: '',
    client_address,
  });
  return status;
}

async function askWrong(fixture: Fixture, count: number, address?: string): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) {
    statuses.push(await ask(fixture, `wb_test_${index}`, address));
  }
  return statuses;
}

describe.each([
  ['a sandbox', true],
  ['a hosted service', false],
])('%s limits unknown keys by address', (_what, sandbox) => {
  test('60 per minute and address, then a refusal with the seconds to wait', async () => {
    const fixture = await startFixture({ sandbox });
    const statuses = await askWrong(fixture, 200);
    expect(statuses.slice(0, 60).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(60).every((status) => status === 429)).toBe(true);
    const path = '/v2/account';
    const headers = { 'x-api-key': 'wb_test_other' };
    const refused = await fixture.service.fetch({
      ...{ method: 'GET', path, headers, body: '' },
      client_address: '192.0.2.1',
    });
    expect(refused.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"unknown-keys";r=0;t=1' });
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'rate_limited' });
    expect(await ask(fixture, 'wb_test_other', '192.0.2.2')).toBe(401);
    fixture.passWall(1_000);
    expect(await askWrong(fixture, 2)).toEqual([401, 429]);
  });

  test('a recently accepted key passes during the limit; others must wait', async () => {
    const fixture = await startFixture({ sandbox });
    expect(await ask(fixture, fixture.keys.test)).toBe(200);
    await askWrong(fixture, 100);
    expect(await ask(fixture, fixture.keys.test)).toBe(200);
    expect(await ask(fixture, fixture.keys.live)).toBe(429);
    expect(await ask(fixture, fixture.keys.live, '192.0.2.2')).toBe(200);
    expect(await ask(fixture, fixture.keys.live)).toBe(200);
  });
});

test('accepted keys do not count, nor do keys without the permission', async () => {
  const fixture = await startFixture();
  const { data } = await fixture.client().keys.create({ body: { permission: 'read' } });
  for (let index = 0; index < 100; index++) {
    expect(await ask(fixture, fixture.keys.test)).toBe(200);
    const refused = await fixture.service.fetch({
      ...{ method: 'PATCH', path: '/v2/account', headers: { 'x-api-key': data.key ?? '' } },
      ...{ body: '', client_address: '192.0.2.1' },
    });
    expect(refused.status).toBe(401);
  }
  expect(await ask(fixture, 'wb_test_wrong')).toBe(401);
});

test('nor do keys that the database could not look up', async () => {
  const fixture = await startFixture();
  const { config, storage, keys } = fixture;
  const gone = () => Promise.reject(new Error('the database is gone'));
  let isGone = true;
  const failing: typeof storage = {
    ...storage,
    first: (lookup, ...parameters) => (isGone ? gone() : storage.first(lookup, ...parameters)),
  };
  const another = { ...fixture, service: createService({ ...config, storage: failing }) };
  for (let index = 0; index < 61; index++) expect(await ask(another, keys.test)).toBe(500);
  isGone = false;
  expect(await ask(another, keys.test)).toBe(200);
});

test('the embedded service has no limit of unknown keys', async () => {
  const fixture = await startFixture({ sandbox: false });
  for (let index = 0; index < 200; index++) {
    const headers = { 'x-api-key': `wb_test_${index}` };
    expect((await fixture.send('GET', '/v2/account', { headers })).status).toBe(401);
  }
});

test('additional keys of an account do not raise its limit', async () => {
  const fixture = await startFixture({ sandbox: false });
  const { data } = await fixture.client().keys.create({ body: { permission: 'admin' } });
  const statuses: number[] = [];
  for (let index = 0; index < 102; index++) {
    statuses.push(await ask(fixture, index % 2 === 0 ? fixture.keys.test : (data.key ?? '')));
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(99);
  expect(statuses.at(-1)).toBe(429);
  expect(await ask(fixture, fixture.keys.live)).toBe(200);
});

test('both limits can be set', async () => {
  const rate_limits = { requests_per_second: 1, wrong_keys_per_minute: 2 };
  const fixture = await startFixture({ parts: { rate_limits } });
  expect(await askWrong(fixture, 3)).toEqual([401, 401, 429]);
  const statuses: number[] = [];
  for (let index = 0; index < 6; index++) {
    statuses.push(await ask(fixture, fixture.keys.test, '192.0.2.2'));
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
});

describe('writes by links', () => {
  async function sendTaps({ service }: Fixture, token: string, client_address = '192.0.2.1') {
    const { status } = await service.fetch({
      ...{ method: 'POST', path: `/drive/${token}/taps`, headers: { 'content-type': 'application/json' } },
      ...{ body: JSON.stringify({ sent_at: '2026-03-02T12:00:00.000Z', taps: [] }), client_address },
    });
    return status;
  }

  const tally = (statuses: readonly number[]) =>
    Object.fromEntries(
      [...new Set(statuses)].map((each) => [each, statuses.filter((s) => s === each).length]),
    );

  test('one link counts as one, however its path is written', async () => {
    const fixture = await startFixture();
    const { token } = await phone(fixture, 'Ana', { duty: false });
    const statuses: number[] = [];
    for (let written = 0; written < 300; written++) {
      const letters = [...token].map((letter, index) =>
        ((written >> (index % 9)) & 1) === 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter,
      );
      statuses.push(await sendTaps(fixture, letters.join(''), `192.0.2.${written % 200}`));
    }
    expect(tally(statuses)).toEqual({ 200: 60, 429: 240 });
  });

  test('unknown links are limited by address, and stop no known one there or elsewhere', async () => {
    const fixture = await startFixture();
    const { token } = await phone(fixture, 'Ana', { duty: false });
    const statuses: number[] = [];
    for (let index = 0; index < 100; index++) statuses.push(await sendTaps(fixture, `guess-${index}`));
    expect(tally(statuses)).toEqual({ 404: 60, 429: 40 });
    expect(await sendTaps(fixture, token)).toBe(200);
    expect(await sendTaps(fixture, token, '192.0.2.2')).toBe(200);
    expect(await sendTaps(fixture, 'guess', '192.0.2.2')).toBe(404);
  });

  test('the refusal names the window of a limit that was set in whole seconds', async () => {
    const fixture = await startFixture({ parts: { rate_limits: { wrong_keys_per_minute: 11 } } });
    const guess = (index: number) =>
      fixture.service.fetch({
        ...{ method: 'POST', path: `/drive/guess-${index}/taps`, headers: {} },
        ...{ body: '', client_address: '192.0.2.1' },
      });
    for (let index = 0; index < 11; index++) await guess(index);
    const { headers } = await guess(11);
    expect(headers['ratelimit-policy']).toBe('"unknown-links";q=11;w=60');
  });

  test('all links of one address have a limit together', async () => {
    const fixture = await startFixture();
    const statuses: number[] = [];
    for (let index = 0; index < 13; index++) {
      const { token } = await phone(fixture, `Driver ${index}`, { duty: false });
      for (let count = 0; count < 50; count++) statuses.push(await sendTaps(fixture, token));
    }
    expect(tally(statuses)).toEqual({ 200: 600, 429: 50 });
    const { token } = await phone(fixture, 'Ana', { duty: false });
    expect(await sendTaps(fixture, token, '192.0.2.2')).toBe(200);
  });
});

const limited: readonly [what: string, method: string, path: string, status: number, left: RegExp | null][] =
  [
    ['an answer', 'GET', '/v2/account', 200, /^"default";r=99;t=1$/],
    ['a list', 'GET', '/v2/orders', 200, /^"default";r=98;t=1$/],
    ['an invalid request', 'POST', '/v2/routes', 400, /^"default";r=97;t=1$/],
    ['what is not there', 'GET', '/v2/orders/ord_none', 404, /^"default";r=96;t=1$/],
    ['a stream', 'GET', '/v2/events/stream', 200, /^"default";r=95;t=1$/],
    ['a write by a link', 'POST', '/drive/none/taps', 404, null],
    ['the description', 'GET', '/openapi.json', 200, null],
    ['a probe', 'GET', '/health/live', 200, null],
  ];

test('every answer says what is left of its limit, and a refused key how it is sent', async () => {
  const fixture = await startFixture({ sandbox: false });
  const send = (method: string, path: string, headers: Record<string, string>) =>
    fixture.service.fetch({ method, path, headers, body: '{}', client_address: '192.0.2.1' });
  for (const [what, method, path, status, left] of limited) {
    const answer = await send(method, path, { 'x-api-key': fixture.keys.test });
    answer.stream?.close();
    const { ratelimit = '', 'ratelimit-policy': policy = null } = answer.headers;
    expect([what, answer.status, ratelimit]).toEqual([
      what,
      status,
      left === null ? '' : expect.stringMatching(left),
    ]);
    expect(policy).toBe(left === null ? null : '"default";q=100;w=5');
  }
  for (const [headers, message] of [
    [{}, 'No API key was sent.'],
    [{ 'x-api-key': 'wb_test_none' }, 'unknown or revoked'],
    [{ authorization: `Bearer ${fixture.keys.test}` }, 'in the x-api-key header, not as Authorization'],
  ] as const) {
    const refused = await send('GET', '/v2/account', headers);
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('ApiKey realm="waybill", header="x-api-key"');
    expect(JSON.parse(refused.body).message).toContain(message);
  }
});
