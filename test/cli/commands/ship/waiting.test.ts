import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { account } from '../../fake-service.ts';
import { contextLine, errorOf, freshHome, jsonOf, waybill } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();

function ship(...flags: string[]) {
  box.advance(1);
  return box.run(['ship', ...orderLine.slice(2), '--cheapest', ...flags], box.passing);
}

test('--wait ends when the delivery has reached the given or a later status', async () => {
  const { stdout, stderr, exit } = await ship('--wait', 'arrived_at_pickup', '--json');
  expect([exit, jsonOf(stdout)]).toMatchObject([
    0,
    { status: 'dispatched', deliveries: [{ status: 'pickup_complete' }] },
  ]);
  expect(stderr).toBe(contextLine);
  const people = await ship('--wait', 'delivered');
  expect([people.exit, people.stdout.split('\t')[1]]).toEqual([0, 'delivered']);
  expect(people.stderr).toContain('Dispatched to poolride for $6.47');
});

test('exit 9 at once after a failure, and 8 after the time-out, each with the deliveries', async () => {
  const bad = await ship('--wait', 'delivered', '--simulate', 'no_driver', '--json');
  expect([bad.exit, errorOf(bad.stderr).code]).toEqual([9, 'delivery_provider_canceled']);
  expect(jsonOf(bad.stdout)).toMatchObject({ deliveries: [{ status: 'provider_canceled' }] });
  const late = await ship('--wait', 'delivered', '--timeout', '3m', '--json');
  const { deliveries } = jsonOf(late.stdout);
  const [{ id }] = Array.isArray(deliveries) ? deliveries : [];
  expect([late.exit, errorOf(late.stderr)]).toMatchObject([
    8,
    {
      message: expect.stringContaining('Time ran out after 3m: '),
      next: [{ command: `waybill deliveries wait ${id} --until delivered` }],
    },
  ]);
});

const places = ['60606', '60614', '60657'];
const orders = places.map((zip, index) => ({
  ...{ pickup_address: '43 E Ohio St, Chicago, IL 60611', pickup_name: 'Grill', items_description: 'Soup' },
  ...{
    pickup_phone_number: '+13125550101',
    dropoff_name: 'Joe',
    dropoff_address: `1 A St, Chicago, IL ${zip}`,
  },
  dropoff_phone_number: index === 1 ? '+13125550136' : '+13125550142',
}));

test('several are waited for together: until all arrive or one is lost', async () => {
  const file = join(freshHome(), 'orders.json');
  writeFileSync(file, JSON.stringify([orders[0], orders[2]]));
  const line = ['ship', '--file', file, '--cheapest', '--wait', 'delivered', '--timeout', '3h', '--json'];
  const all = await box.run(line, box.passing);
  expect([all.exit, jsonOf(all.stdout)]).toMatchObject([
    0,
    { deliveries: [{ status: 'delivered' }, { status: 'delivered' }] },
  ]);
  writeFileSync(file, JSON.stringify(orders));
  const lost = await box.run(line, box.passing);
  expect(lost.exit).toBe(9);
  expect(jsonOf(lost.stdout)).toMatchObject({ deliveries: [{}, { status: 'enroute_to_return' }, {}] });
});

test('in live mode it requires --yes with --max-cost, before anything is created', async () => {
  const posted: string[] = [];
  const transport: Transport = async ({ method, path }) => {
    if (method === 'POST') posted.push(path);
    const body = path === '/v2/account' ? { ...account, test_mode: false } : {};
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  };
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_live_madeup' };
  const line = ['ship', ...orderLine.slice(2), '--cheapest', '--json'];
  for (const [flags, missing] of [
    [[], ['--yes', '--max-cost']],
    [['--yes'], ['--max-cost']],
    [['--max-cost', '9'], ['--yes']],
  ] as const) {
    const { exit, stderr } = await waybill([...line, ...flags], { transport, env });
    expect([exit, errorOf(stderr).missing]).toEqual([2, missing]);
  }
  expect(posted).toEqual([]);
  await waybill([...line, '--yes', '--max-cost', '9'], { transport, env });
  expect(posted).toEqual(['/orders/create']);
});
