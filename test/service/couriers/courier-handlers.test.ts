import { expect, onTestFinished, test } from 'vitest';
import type { CourierPorts } from '../../../src/providers/courier.ts';
import { ProviderFault } from '../../../src/providers/port.ts';
import type { ServiceConfig } from '../../../src/service/runtime/context.ts';
import { createSealing } from '../../../src/service/runtime/sealing.ts';
import { readSecretKeys } from '../../../src/service/runtime/secret-keys.ts';
import type { ServerOptions } from '../../../src/service/server.ts';
import { acceptingCouriers, doorDashSettings } from '../../fakes/courier-check.ts';
import { exampleKey, startExample } from '../../fakes/http-courier/example.ts';
import { everythingStored, startClient } from '../fixture.ts';
import { serve } from '../http/raw-http.ts';
import { refusalOf } from '../webhooks/endpoint-fixture.ts';

const secret = doorDashSettings('sandbox').signing_secret;
const params = { name: 'doordash-drive' };

async function startCouriers(
  http: CourierPorts['http'] = acceptingCouriers,
  parts: Partial<ServiceConfig> = {},
) {
  const requests: string[] = [];
  const courier_http: CourierPorts['http'] = (request) => {
    requests.push(`${request.method} ${request.url}`);
    return http(request);
  };
  const { fixture, client } = await startClient({ parts: { courier_http: () => courier_http, ...parts } });
  const connect = async (settings: Record<string, string>, by = client) =>
    (await by.couriers.connect({ params, body: { settings } })).data;
  const state = async (by = client) =>
    (await by.couriers.list()).data.data.find(({ name }) => name === params.name)?.state;
  return { fixture, client, requests, connect, state };
}

test('a courier is listed before it is connected, with its settings and abilities', async () => {
  const { client, requests } = await startCouriers();
  const { data } = (await client.couriers.list()).data;
  expect(data.map(({ name }) => name)).toEqual(expect.arrayContaining(['uber-direct', 'doordash-drive']));
  for (const { settings, ...courier } of data) {
    expect(courier).toMatchObject({
      ...{ object: 'courier', state: 'not_connected', push_url: null, test_mode: true },
    });
    expect(settings.every(({ is_set, value }) => !is_set && value === null)).toBe(true);
    expect(settings.some(({ is_secret }) => is_secret)).toBe(true);
  }
  expect(requests).toEqual([]);
});

test('a courier is checked, then connected: its secrets are stored encrypted and never returned', async () => {
  const { fixture, client, connect, requests } = await startCouriers();
  const courier = await connect(doorDashSettings('sandbox'));
  expect(requests).toHaveLength(2);
  expect(courier).toMatchObject({
    ...{ name: 'doordash-drive', state: 'enabled', last_push_at: null, test_mode: true },
    push_url: expect.stringMatching(/^https:\/\/shop\.example\/couriers\/[0-9A-Za-z]{22}$/),
    ...{ connected_at: expect.any(String), checked_at: expect.any(String) },
  });
  const setting = (name: string) => courier.settings.find((each) => each.name === name);
  expect(setting('signing_secret')).toMatchObject({ is_set: true, value: null });
  expect(setting('developer_id')).toMatchObject({ is_set: true, value: 'dev-1' });
  expect(setting('webhook_authorization')).toMatchObject({ is_set: false, value: null });
  const read = [
    await client.couriers.list(),
    await client.couriers.check({ params }),
    await client.couriers.disable({ params }),
    await client.events.list({}),
  ];
  const shown = JSON.stringify([courier, ...read, fixture.faults]) + (await everythingStored(fixture));
  expect(shown).toContain('doordash-drive');
  expect(shown).not.toContain(secret);
  expect((await client.account.get()).data.providers).not.toContain('doordash-drive');
  await client.couriers.enable({ params });
  expect((await client.account.get()).data.providers).toContain('doordash-drive');
});

test('a courier that is disabled while new settings are checked stays disabled', async () => {
  let meanwhile = async () => {};
  const { client, connect, state } = await startCouriers(async (request) => {
    await meanwhile();
    return acceptingCouriers(request);
  });
  await connect(doorDashSettings('sandbox'));
  meanwhile = async () => {
    await client.couriers.disable({ params });
  };
  expect(await connect({ webhook_authorization: 'Basic c2hvcA==' })).toMatchObject({ state: 'disabled' });
  expect(await state()).toBe('disabled');
});

test('of settings that two people change at once both are kept, and none that are removed meanwhile', async () => {
  let meanwhile: (() => Promise<unknown>) | null = null;
  const { client, connect, state } = await startCouriers(async (request) => {
    const act = meanwhile;
    meanwhile = null;
    await act?.();
    return acceptingCouriers(request);
  });
  await connect(doorDashSettings('sandbox'));
  meanwhile = () => connect({ developer_id: 'dev-2' });
  const { settings } = await connect({ webhook_authorization: 'Basic c2hvcA==' });
  const setting = (wanted: string) => settings.find(({ name }) => name === wanted);
  expect(setting('developer_id')).toMatchObject({ value: 'dev-2' });
  expect(setting('webhook_authorization')).toMatchObject({ is_set: true });
  meanwhile = () => client.couriers.remove({ params });
  const changed = connect({ webhook_authorization: 'Basic c2hvcA==' });
  await expect(changed).rejects.toMatchObject({ status: 400, code: 'invalid_request' });
  expect(await state()).toBe('not_connected');
});

test('settings that are left out stay, an empty text removes an optional one, and the address stays', async () => {
  const { client, connect } = await startCouriers();
  const settings = { ...doorDashSettings('sandbox'), webhook_authorization: 'Basic c2hvcA==' };
  const { push_url } = await connect(settings);
  await client.couriers.disable({ params });
  const changed = await connect({ webhook_authorization: '' });
  expect(changed).toMatchObject({ state: 'disabled', push_url });
  const isSet = Object.fromEntries(changed.settings.map(({ name, is_set }) => [name, is_set]));
  expect(isSet).toMatchObject({ signing_secret: true, webhook_authorization: false });
  await expect(connect({ signing_secret: ' ' })).rejects.toMatchObject({
    ...{ code: 'invalid_request', param: 'settings.signing_secret' },
  });
});

test('a new server of a courier is not sent the secrets of the one before', async () => {
  const sent: string[] = [];
  const { client } = await startCouriers(async ({ url, headers }) => {
    sent.push(`${new URL(url).origin} ${headers.authorization}`);
    const body = { protocol: 'waybill-courier/1', name: 'Anna', liveMode: false };
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  });
  const connect = (settings: Record<string, string>) =>
    client.couriers.connect({ params: { name: 'http' }, body: { settings } });
  const webhook_secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  await connect({ url: 'https://anna.example/a', api_key: 'key-1', webhook_secret });
  await connect({ url: 'https://anna.example/b' });
  for (const url of ['https://evil.example/a', 'https://anna.example:8443/a', 'http://anna.example/a']) {
    const message = 'must be given again for another server';
    await expect(connect({ url })).rejects.toMatchObject({
      status: 400,
      details: ['settings.api_key', 'settings.webhook_secret'].map((path) => ({ path, message })),
    });
  }
  expect(sent.map((each) => each.split(' ')[0])).toEqual(['https://anna.example', 'https://anna.example']);
  const moved = { url: 'https://new.example/a', api_key: 'key-2', webhook_secret: '' };
  await connect(moved);
  expect(sent.at(-1)).toBe('https://new.example Bearer key-2');
});

test('settings that are missing, unknown or not one of the choices are refused before the courier is called', async () => {
  const { client, connect, requests } = await startCouriers();
  const refused = connect({ developer_id: 'dev-1', colour: 'red', environment: 'moon' });
  expect((await refusalOf(refused)).toSorted()).toEqual([
    ...['invalid_request', 'settings.colour', 'settings.environment', 'settings.key_id'],
    'settings.signing_secret',
  ]);
  const pigeon = client.couriers.connect({ params: { name: 'pigeon' }, body: { settings: {} } });
  await expect(pigeon).rejects.toMatchObject({
    ...{ status: 404, code: 'courier_unknown', choices: expect.arrayContaining(['doordash-drive']) },
  });
  expect(requests).toEqual([]);
});

test('a check that fails names the setting, repeats no secret, and stores nothing', async () => {
  const { fixture, client } = await startCouriers(async () => ({
    status: 401,
    headers: {},
    body: JSON.stringify({ code: 'authentication_error', message: `bad secret ${secret}` }),
  }));
  const body = { settings: doorDashSettings('sandbox') };
  const refused = await fixture.send('PUT', '/v2/couriers/doordash-drive', { body });
  expect([refused.status, JSON.parse(refused.body)]).toMatchObject([
    422,
    { code: 'courier_check_failed', param: 'settings.signing_secret' },
  ]);
  expect(refused.body).not.toContain(secret);
  await expect(client.couriers.check({ params })).rejects.toMatchObject({ code: 'courier_not_connected' });
});

test('a courier that does not answer is not connected', async () => {
  const { connect } = await startCouriers(async () => {
    throw new ProviderFault('openapi.doordash.com did not answer within 8 s');
  });
  await expect(connect(doorDashSettings('sandbox'))).rejects.toMatchObject({
    ...{ status: 422, code: 'courier_check_failed' },
    message: expect.stringContaining('did not answer within 8 s'),
  });
});

test.each([
  ['test', 'production'],
  ['live', 'sandbox'],
] as const)('a %s key takes no settings of the %s environment', async (mode, environment) => {
  const { fixture, connect, state } = await startCouriers();
  const client = fixture.client(fixture.keys[mode]);
  const refused = connect(doorDashSettings(environment), client);
  await expect(refused).rejects.toMatchObject({ status: 409, code: 'courier_mode_mismatch' });
  expect(await state(client)).toBe('not_connected');
});

test('test and live connections are apart, and so is removing one', async () => {
  const { fixture, client, connect, state } = await startCouriers();
  const live = fixture.client(fixture.keys.live);
  await connect(doorDashSettings('sandbox'));
  await connect(doorDashSettings('production'), live);
  const { data } = await client.couriers.remove({ params });
  expect(data).toEqual({ name: 'doordash-drive', object: 'courier', deleted: true });
  expect([await state(), await state(live)]).toEqual(['not_connected', 'enabled']);
  await expect(client.couriers.remove({ params })).rejects.toMatchObject({ status: 409 });
});

test('without a secret key no courier is connected, and the courier is not called', async () => {
  const sealing = createSealing(readSecretKeys('postgres://localhost/waybill'));
  const { connect, requests } = await startCouriers(acceptingCouriers, { sealing });
  const refused = connect(doorDashSettings('sandbox'));
  await expect(refused).rejects.toMatchObject({ status: 409, code: 'secret_key_missing' });
  expect(requests).toEqual([]);
});

/** The answer of a service to the connection of the courier in the guide, which runs on this machine. */
async function connection(options: Partial<ServerOptions>) {
  const courier = await startExample();
  onTestFinished(courier.close);
  const secretKey = { value: Buffer.alloc(32, 1).toString('base64') };
  const server = await serve({ secretKey, ...options });
  const headers = { 'x-api-key': server.key, 'content-type': 'application/json' };
  const body = JSON.stringify({ settings: { url: courier.url, api_key: exampleKey } });
  const response = await fetch(`${server.url}/v2/couriers/http`, { method: 'PUT', headers, body });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

test('a served service refuses a courier on its machine, and says how to allow it', async () => {
  const { status, body } = await connection({});
  expect(status).toBe(422);
  expect(body).toMatchObject({
    code: 'courier_check_failed',
    message: expect.stringContaining(
      'is a loopback address, and the service runs without --allow-private-couriers',
    ),
  });
});

test('with permission it connects one', async () => {
  expect(await connection({ allowPrivateCouriers: true })).toMatchObject({
    status: 200,
    body: { name: 'http', state: 'enabled' },
  });
});
