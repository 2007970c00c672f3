import { expect, test } from 'vitest';
import { StorageUnavailable } from '../../src/storage/storage.ts';
import { orderRequest, startFixture } from './fixture.ts';

test('a hosted service limits each key to a burst of 100 and 20 requests a second', async () => {
  const fixture = await startFixture({ sandbox: false });
  const statuses: number[] = [];
  for (let index = 0; index < 101; index++) statuses.push((await fixture.send('GET', '/v2/account')).status);
  expect(statuses.slice(0, 100).every((status) => status === 200)).toBe(true);
  const refused = await fixture.send('GET', '/v2/account');
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'rate_limited' });
  expect(refused.headers).toMatchObject({ 'retry-after': '1', ratelimit: '"default";r=0;t=1' });
  expect(
    (await fixture.send('GET', '/v2/account', { headers: { 'x-api-key': fixture.keys.live } })).status,
  ).toBe(200);
  fixture.passWall(1_000);
  expect((await fixture.send('GET', '/v2/account')).status).toBe(200);
});

test('a client slightly above the limit is slowed to 20 requests per second and not refused', async () => {
  const fixture = await startFixture({ sandbox: false });
  for (let index = 0; index < 100; index++) await fixture.send('GET', '/v2/account');
  let answered = 0;
  for (let index = 0; index < 250; index++) {
    fixture.passWall(40);
    if ((await fixture.send('GET', '/v2/account')).status === 200) answered++;
  }
  expect(answered).toBeGreaterThan(195);
  expect(answered).toBeLessThanOrEqual(200);
});

test('a sandbox has no rate limit', async () => {
  const fixture = await startFixture();
  for (let index = 0; index < 150; index++) {
    expect((await fixture.send('GET', '/v2/account')).status).toBe(200);
  }
});

test('a hosted service refuses scenarios', async () => {
  const fixture = await startFixture({ sandbox: false });
  const answer = await fixture.send('POST', '/v2/orders/create', {
    body: { orders: [orderRequest()] },
    headers: { 'x-simulation': 'happy_path' },
  });
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'simulation_not_allowed' });
});

test('unavailable storage is a 503 and an internal error a 500, both without details', async () => {
  const failing = async (fault: Error) => {
    const gazetteer = () => Promise.reject(fault);
    const fixture = await startFixture({ parts: { gazetteer } });
    const body = { orders: [orderRequest()] };
    return { fixture, answer: await fixture.send('POST', '/v2/orders/create', { body }) };
  };
  const { answer: refused } = await failing(new StorageUnavailable('/secret/path is unreadable'));
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'storage_unavailable' });
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2']);
  const { fixture, answer: failed } = await failing(new Error('secret detail'));
  expect([failed.status, JSON.parse(failed.body)]).toMatchObject([500, { code: 'internal_error' }]);
  expect(`${refused.body}${failed.body}`).not.toContain('secret');
  expect(fixture.faults).toHaveLength(1);
});
