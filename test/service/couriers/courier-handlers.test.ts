import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { CourierPorts } from '../../../src/providers/courier.ts';
import { ProviderFault } from '../../../src/providers/port.ts';
import { createSealing, secretKeysOf } from '../../../src/service/runtime/sealing.ts';
import { acceptingCouriers, doorDashSettings } from '../../fakes/courier-check.ts';
import { type Fixture, startFixture } from '../fixture.ts';

const secret = doorDashSettings('sandbox').signing_secret;

async function startCouriers(http: CourierPorts['http'] = acceptingCouriers) {
  const requests: string[] = [];
  const courier_http: CourierPorts['http'] = (request) => {
    requests.push(`${request.method} ${request.url}`);
    return http(request);
  };
  const fixture = await startFixture({ parts: { courier_http: () => courier_http } });
  const request = async (method: string, path: string, body?: unknown, key = fixture.keys.test) => {
    const answer = await fixture.send(method, path, { body, headers: { 'x-api-key': key } });
    return { status: answer.status, body: JSON.parse(answer.body) };
  };
  const connect = (settings: object, key?: string) =>
    request('PUT', '/v2/couriers/doordash-drive', { settings }, key);
  return { fixture, requests, request, connect };
}

async function everythingStored({ storage }: Fixture): Promise<string> {
  return storage.run(async (db) => {
    const rows: unknown[] = [];
    for (const { name } of await db.introspection.getTables())
      rows.push((await sql`select * from ${sql.table(name)}`.execute(db)).rows);
    return JSON.stringify(rows);
  });
}

test('a courier is listed before it is connected, with its settings and abilities', async () => {
  const { request, requests } = await startCouriers();
  const { data } = (await request('GET', '/v2/couriers')).body;
  expect(data.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['uber-direct', 'doordash-drive']),
  );
  for (const courier of data) {
    expect(courier).toMatchObject({
      object: 'courier',
      state: 'not_connected',
      push_url: null,
      test_mode: true,
    });
    expect(
      courier.settings.every(
        ({ is_set, value }: { is_set: boolean; value: unknown }) => !is_set && value === null,
      ),
    ).toBe(true);
    expect(courier.settings.some(({ is_secret }: { is_secret: boolean }) => is_secret)).toBe(true);
  }
  expect(requests).toEqual([]);
});

test('a courier is checked, then connected: its secrets are stored encrypted and never returned', async () => {
  const { fixture, connect, request, requests } = await startCouriers();
  const { status, body } = await connect(doorDashSettings('sandbox'));
  expect([status, requests.length]).toEqual([200, 2]);
  expect(body).toMatchObject({
    ...{ name: 'doordash-drive', state: 'enabled', last_push_at: null, test_mode: true },
    push_url: expect.stringMatching(/^https:\/\/shop\.example\/couriers\/[0-9A-Za-z]{22}$/),
    ...{ connected_at: expect.any(String), checked_at: expect.any(String) },
  });
  const setting = (name: string) => body.settings.find((each: { name: string }) => each.name === name);
  expect(setting('signing_secret')).toMatchObject({ is_set: true, value: null });
  expect(setting('developer_id')).toMatchObject({ is_set: true, value: 'dev-1' });
  expect(setting('webhook_authorization')).toMatchObject({ is_set: false, value: null });
  const read = [
    await request('GET', '/v2/couriers'),
    await request('POST', '/v2/couriers/doordash-drive/check'),
    await request('POST', '/v2/couriers/doordash-drive/disable'),
    await request('GET', '/v2/events'),
  ];
  const shown = JSON.stringify([body, ...read, fixture.faults]) + (await everythingStored(fixture));
  expect(shown).toContain('doordash-drive');
  expect(shown).not.toContain(secret);
  expect((await request('GET', '/v2/account')).body.providers).not.toContain('doordash-drive');
  await request('POST', '/v2/couriers/doordash-drive/enable');
  expect((await request('GET', '/v2/account')).body.providers).toContain('doordash-drive');
});

test('settings that are left out stay, an empty text removes an optional one, and the address stays', async () => {
  const { connect, request } = await startCouriers();
  const first = (await connect({ ...doorDashSettings('sandbox'), webhook_authorization: 'Basic c2hvcA==' }))
    .body;
  await request('POST', '/v2/couriers/doordash-drive/disable');
  const { status, body } = await connect({ webhook_authorization: '' });
  expect([status, body.state, body.push_url]).toEqual([200, 'disabled', first.push_url]);
  const isSet = Object.fromEntries(
    body.settings.map((each: { name: string; is_set: boolean }) => [each.name, each.is_set]),
  );
  expect(isSet).toMatchObject({ signing_secret: true, webhook_authorization: false });
  expect((await connect({ signing_secret: ' ' })).body).toMatchObject({
    ...{ code: 'invalid_request', param: 'settings.signing_secret' },
  });
});

test('a new server of a courier is not sent the secrets of the one before', async () => {
  const sent: string[] = [];
  const { request } = await startCouriers(async ({ url, headers }) => {
    sent.push(`${new URL(url).origin} ${headers.authorization}`);
    const body = { protocol: 'waybill-courier/1', name: 'Anna', liveMode: false };
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  });
  const connect = (settings: object) => request('PUT', '/v2/couriers/http', { settings });
  const webhook_secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  await connect({ url: 'https://anna.example/a', api_key: 'key-1', webhook_secret });
  expect((await connect({ url: 'https://anna.example/b' })).status).toBe(200);
  for (const url of ['https://evil.example/a', 'https://anna.example:8443/a', 'http://anna.example/a']) {
    const { status, body } = await connect({ url });
    expect([status, body.details]).toEqual([
      400,
      [
        { path: 'settings.api_key', message: 'must be given again for another server' },
        { path: 'settings.webhook_secret', message: 'must be given again for another server' },
      ],
    ]);
  }
  expect(sent.map((each) => each.split(' ')[0])).toEqual(['https://anna.example', 'https://anna.example']);
  const moved = { url: 'https://new.example/a', api_key: 'key-2', webhook_secret: '' };
  expect((await connect(moved)).status).toBe(200);
  expect(sent.at(-1)).toBe('https://new.example Bearer key-2');
});

test('settings that are missing, unknown or not one of the choices are refused before the courier is called', async () => {
  const { connect, request, requests } = await startCouriers();
  const { status, body } = await connect({ developer_id: 'dev-1', colour: 'red', environment: 'moon' });
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
    'settings.colour',
    'settings.environment',
    'settings.key_id',
    'settings.signing_secret',
  ]);
  const unknown = await request('PUT', '/v2/couriers/pigeon', { settings: {} });
  expect([unknown.status, unknown.body]).toMatchObject([
    404,
    { code: 'courier_unknown', choices: expect.arrayContaining(['doordash-drive']) },
  ]);
  expect(requests).toEqual([]);
});

test('a check that fails names the setting, repeats no secret, and stores nothing', async () => {
  const refusing: CourierPorts['http'] = async () => ({
    status: 401,
    headers: {},
    body: JSON.stringify({ code: 'authentication_error', message: `bad secret ${secret}` }),
  });
  const { connect, request } = await startCouriers(refusing);
  const { status, body } = await connect(doorDashSettings('sandbox'));
  expect([status, body]).toMatchObject([
    422,
    { code: 'courier_check_failed', param: 'settings.signing_secret' },
  ]);
  expect(JSON.stringify(body)).not.toContain(secret);
  expect((await request('POST', '/v2/couriers/doordash-drive/check')).body.code).toBe(
    'courier_not_connected',
  );
});

test('a courier that does not answer is not connected', async () => {
  const { connect } = await startCouriers(async () => {
    throw new ProviderFault('openapi.doordash.com did not answer within 8 s');
  });
  const { status, body } = await connect(doorDashSettings('sandbox'));
  expect([status, body.code, body.message]).toEqual([
    422,
    'courier_check_failed',
    expect.stringContaining('did not answer within 8 s'),
  ]);
});

test.each([
  ['test', 'production'],
  ['live', 'sandbox'],
] as const)('a %s key takes no settings of the %s environment', async (mode, environment) => {
  const { fixture, connect, request } = await startCouriers();
  const key = fixture.keys[mode];
  const { status, body } = await connect(doorDashSettings(environment), key);
  expect([status, body.code]).toEqual([409, 'courier_mode_mismatch']);
  const { data } = (await request('GET', '/v2/couriers', undefined, key)).body;
  expect(data.every(({ state }: { state: string }) => state === 'not_connected')).toBe(true);
});

test('test and live connections are apart, and so is removing one', async () => {
  const { fixture, connect, request } = await startCouriers();
  await connect(doorDashSettings('sandbox'));
  await connect(doorDashSettings('production'), fixture.keys.live);
  const stateOf = async (key: string) => {
    const { data } = (await request('GET', '/v2/couriers', undefined, key)).body;
    return data.find(({ name }: { name: string }) => name === 'doordash-drive').state;
  };
  const removed = await request('DELETE', '/v2/couriers/doordash-drive');
  expect(removed.body).toEqual({ name: 'doordash-drive', object: 'courier', deleted: true });
  expect([await stateOf(fixture.keys.test), await stateOf(fixture.keys.live)]).toEqual([
    'not_connected',
    'enabled',
  ]);
  expect((await request('DELETE', '/v2/couriers/doordash-drive')).status).toBe(409);
});

test('without a secret key no courier is connected, and the courier is not called', async () => {
  const sealing = createSealing(secretKeysOf('postgres://localhost/waybill'));
  let calls = 0;
  const courier_http: CourierPorts['http'] = (request) => {
    calls += 1;
    return acceptingCouriers(request);
  };
  const fixture = await startFixture({ parts: { sealing, courier_http: () => courier_http } });
  const { status, body } = await fixture.send('PUT', '/v2/couriers/doordash-drive', {
    body: { settings: doorDashSettings('sandbox') },
  });
  expect([status, JSON.parse(body).code, calls]).toEqual([409, 'secret_key_missing', 0]);
});
