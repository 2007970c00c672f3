import { expect, test } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import { countStatements } from '../../cost/count-statements.ts';
import { engines } from '../../databases.ts';
import { type Fixture, orderMade, orderRequest, start, startFixture } from '../fixture.ts';

const at = (ms: number) => new Date(start + ms).toISOString();

/** When the keys of a mode were last used, by their permission. */
async function usesOf(fixture: Fixture, key?: string) {
  const { data } = (await fixture.client(key).keys.list({})).data;
  return Object.fromEntries(data.map(({ permission, last_used_at }) => [permission, last_used_at]));
}

/** A read over HTTP, which does not wait until its use is written. */
async function read(fixture: Fixture, key: string): Promise<void> {
  const headers = { 'x-api-key': key };
  const request = { method: 'GET', path: '/v2/account', headers, body: '', client_address: '203.0.113.7' };
  await fixture.service.fetch(request);
  await new Promise(setImmediate);
  // Waits for the write, because one transaction runs at a time, or the connection is the same.
  await fixture.storage.transaction(async (db) => db.selectFrom('settings').selectAll().execute());
}

const change = (fixture: Fixture, key?: string) =>
  fixture.client(key).account.update({ body: { tip_limit: 500 } });

test.each(['sqlite', 'postgres'] as const)(
  'on %s, a key shows when it was last used, in its account and mode only',
  async (engine) => {
    const fixture = await startFixture({ location: await engines[engine]() });
    expect(await usesOf(fixture)).toEqual({ admin: null });
    const { data } = await fixture.client().keys.create({ body: { permission: 'write' } });
    expect(data.last_used_at).toBeNull();
    expect(await usesOf(fixture)).toEqual({ admin: at(0), write: null });
    expect(await usesOf(fixture, fixture.keys.live)).toEqual({ admin: null });
    fixture.passWall(90_000);
    await orderMade(fixture.client(data.key ?? '').orders.create({ body: { orders: [orderRequest()] } }));
    expect(await usesOf(fixture)).toEqual({ admin: at(0), write: at(90_000) });
    await fixture.storage.close();
  },
);

test('a use is written once a minute, whatever process answers', async () => {
  const fixture = await startFixture();
  const another = createService(fixture.config);
  await change(fixture);
  const headers = { 'x-api-key': fixture.keys.test, 'content-type': 'application/json' };
  const request = { method: 'PATCH', path: '/v2/account', headers, body: '{"tip_limit":500}' };
  const cost = await countStatements(async () => {
    for (let seconds = 0; seconds < 59; seconds += 10) {
      fixture.passWall(seconds === 0 ? 0 : 10_000);
      await change(fixture);
      await another.fetch(request);
    }
  });
  const writes = [...cost.texts.keys()].filter((text) => /update "api_keys"/.test(text));
  expect(writes).toEqual([]);
  expect(await usesOf(fixture)).toEqual({ admin: at(0) });
  fixture.passWall(10_000);
  await another.fetch(request);
  expect(await usesOf(fixture)).toEqual({ admin: at(60_000) });
});

test('a read over HTTP counts as a use, a read within the process does not', async () => {
  const fixture = await startFixture();
  await fixture.client().account.get({});
  expect(await usesOf(fixture)).toEqual({ admin: null });
  await read(fixture, fixture.keys.test);
  expect(await usesOf(fixture)).toEqual({ admin: at(0) });
});

test('a refused key is not used, and a request that fails is a use all the same', async () => {
  const fixture = await startFixture();
  const { data } = await fixture.client().keys.create({ body: { permission: 'read' } });
  const headers = { 'x-api-key': data.key ?? '' };
  expect((await fixture.send('PATCH', '/v2/account', { body: {}, headers })).status).toBe(401);
  expect(await usesOf(fixture)).toEqual({ admin: at(0), read: null });
  fixture.passWall(60_000);
  expect((await fixture.send('POST', '/v2/orders/ord_none/cancel')).status).toBe(404);
  expect(await usesOf(fixture)).toEqual({ admin: at(60_000), read: null });
});
