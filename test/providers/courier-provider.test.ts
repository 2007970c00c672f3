import { expect, test } from 'vitest';
import type { CourierSettings } from '../../src/providers/courier.ts';
import { courierProvider } from '../../src/providers/courier-provider.ts';
import type { ProviderScope } from '../../src/providers/port.ts';
import { uberDirect as adapter } from '../../src/providers/uber-direct/adapter.ts';

test('a connection is kept while its settings stay the same', async () => {
  let settings: CourierSettings | null = { client_id: 'a' };
  const connected: [CourierSettings, boolean][] = [];
  const load = async (): Promise<typeof adapter> => ({
    ...adapter,
    connect: (given, ports) => {
      connected.push([given, ports.test_mode]);
      return adapter.connect(given, ports);
    },
  });
  const provider = courierProvider(
    { name: 'uber-direct', load },
    {
      settings: async () => settings && { ...settings },
      bookings: { ofDispatch: async () => [], write: async () => {} },
      http: () => () => Promise.reject(new Error('not called')),
      now: () => 0,
    },
  );
  const use = async ({ account_id, test_mode }: ProviderScope) =>
    provider.cancelTerms({
      ...{ account_id, test_mode, reference: 'dsp_1', order_id: 'ord_1', now: 0, status: 'delivery_created' },
      ...{ accepted_at: 0, pickup_eta: 0, cost_of_delivery: 0, scenario: 'happy_path' },
    });
  const one = { account_id: 'acc_1', test_mode: true };
  await use(one);
  await use(one);
  expect(connected).toEqual([[{ client_id: 'a' }, true]]);
  await use({ ...one, test_mode: false });
  await use({ ...one, account_id: 'acc_2' });
  expect(connected.map(([, test_mode]) => test_mode)).toEqual([true, false, true]);
  settings = { client_id: 'b' };
  await use(one);
  expect(connected.at(-1)).toEqual([{ client_id: 'b' }, true]);
  settings = null;
  await use(one);
  expect(connected).toHaveLength(4);
});
