import { expect, test } from 'vitest';
import { createMetrics } from '../../../src/service/metrics/service-metrics.ts';
import { draftRoute } from '../fixture.ts';
import { failingHost, startFailing } from './failing-courier.ts';

test('a courier that fails repeatedly is listed as not called, until it works again', async () => {
  const { check, listed, now, pass, recover, requests } = await startFailing();
  await check(4);
  expect((await listed())?.calls_paused_until).toBeNull();
  await check(1);
  const until = new Date(now() + 30_000).toISOString();
  expect((await listed())?.calls_paused_until).toBe(until);
  pass(10_000);
  const before = requests();
  await check(1);
  expect([(await listed())?.calls_paused_until, requests()]).toEqual([until, before]);
  pass(20_000);
  expect((await listed())?.calls_paused_until).toBeNull();
  await check(1);
  expect((await listed())?.calls_paused_until).toBe(new Date(now() + 30_000).toISOString());
  pass(30_000);
  recover();
  await check(1);
  expect((await listed())?.calls_paused_until).toBeNull();
  expect(requests()).toBe(before + 2);
});

test('a courier that is not connected, or calls another host, is not listed as paused', async () => {
  const { check, fixture, listed } = await startFailing();
  await check(5);
  expect(await listed(fixture.keys.live)).toMatchObject({ state: 'not_connected', calls_paused_until: null });
  const { data } = (await fixture.client().couriers.list()).data;
  expect(data.filter(({ calls_paused_until }) => calls_paused_until !== null)).toHaveLength(1);
});

test('a check of a courier that is not called says so, and does not blame the settings', async () => {
  const { check, fixture } = await startFailing();
  await check(5);
  await expect(fixture.client().couriers.check({ params: { name: 'http' } })).rejects.toMatchObject({
    code: 'courier_check_failed',
    message: expect.stringMatching(/could not be checked: courier\.example has failed repeatedly/),
  });
});

test('the metrics have the state of each host', async () => {
  const { check, fixture, pass, recover } = await startFailing();
  const metrics = createMetrics(fixture.service.measure);
  const scrape = async () => {
    const lines = (await metrics.text()).split('\n');
    const value = (name: string) =>
      lines.find((line) => line.startsWith(`waybill_${name}{host="${failingHost}"}`))?.split(' ')[1];
    return [value('courier_circuit_open'), value('courier_paused_seconds')];
  };
  expect(await scrape()).toEqual([undefined, undefined]);
  await check(1);
  expect(await scrape()).toEqual(['0', '0']);
  await check(4);
  pass(6_000);
  expect(await scrape()).toEqual(['1', '24']);
  pass(24_000);
  expect(await scrape()).toEqual(['1', '0']);
  recover();
  await check(1);
  expect(await scrape()).toEqual([undefined, undefined]);
});

test('a fault in the log names the courier, its host, the account and the task', async () => {
  const { fixture } = await startFailing();
  const client = fixture.client();
  const route = await draftRoute(client);
  await client.quotes.request({ params: { route_id: route.id } });
  await fixture.pass(1_000);
  await expect.poll(() => fixture.faults).not.toEqual([]);
  const { data: account } = await client.account.get();
  const fault = new RegExp(
    `^task tsk_\\w+ \\(quote\\.ask ${route.id}\\): http for account ${account.account_id} in test mode: courier\\.example .+$`,
  );
  expect(fixture.faults).toEqual([expect.stringMatching(fault)]);
});
