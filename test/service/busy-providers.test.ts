import { expect, test } from 'vitest';
import { simulatedProviders } from '../../src/providers/directory.ts';
import { type Provider, ProviderBusy } from '../../src/providers/port.ts';
import { memoryRecords } from '../providers/simulated/memory-records.ts';
import { dispatchRoute, draftRoute, start, startFixture } from './fixture.ts';
import { couriers } from './remote-couriers.ts';

test('a busy provider is called again after the time that it asked for', async () => {
  const asked: number[] = [];
  const providers = simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    create: async (request: Parameters<Provider['create']>[0]) => {
      asked.push(request.now - start);
      if (asked.length < 3) throw new ProviderBusy('too many calls', 7);
      return provider.create(request);
    },
  }));
  const fixture = await startFixture({ parts: { providers } });
  await dispatchRoute(fixture);
  await fixture.pass(60_000);
  expect(asked).toEqual([5_000, 12_000, 19_000]);
});

test('the Retry-After of a remote provider counts from the time of its response', async () => {
  const asked: number[] = [];
  const providers = couriers(
    () => true,
    async (name) => {
      if (name !== 'swiftly') return;
      asked.push(fixture.now() - start);
      if (asked.length < 3) throw new ProviderBusy('too many calls', 7);
    },
  );
  const fixture = await startFixture({ parts: { providers } });
  const { id: route_id } = await draftRoute(fixture.client());
  await fixture.client().quotes.request({ params: { route_id } });
  for (const ms of [60_000, 6_999, 1, 6_999, 1]) await fixture.pass(ms);
  expect(asked).toEqual([60_000, 67_000, 74_000]);
});
