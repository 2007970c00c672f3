import { expect, test } from 'vitest';
import { tapping } from '../../driver-taps.ts';
import { errorOf } from '../../harness.ts';
import { newOrder, orderLine, type Sandbox, sandbox } from '../../sandbox.ts';

const shipLine = ['ship', ...orderLine.slice(2), '--driver'];

/** A sandbox with a driver, on duty unless said otherwise. */
async function withSam({ on }: { on: boolean } = { on: true }): Promise<Sandbox> {
  const box = await sandbox();
  const { link } = await box.json(['drivers', 'add', 'Sam Lee', '--phone', '+13125550133']);
  await tapping(box.transport, link)({ kind: 'duty', on });
  return box;
}

test('ship --driver gives the order to the driver, without an offer', async () => {
  const box = await withSam();
  const { deliveries } = await box.json([...shipLine, 'Sam'], box.passing);
  expect(deliveries).toMatchObject([{ service: 'fleet' }]);
  const [delivery] = Array.isArray(deliveries) ? deliveries : [];
  expect(await box.json(['deliveries', 'get', String(delivery?.id)])).toMatchObject({
    ...{ status: 'driver_assigned', courier_name: 'Sam Lee' },
  });
});

test('dispatch --driver requests the quote if there is none', async () => {
  const box = await withSam();
  const { id } = await box.json(['routes', 'create', await newOrder(box)]);
  const { deliveries } = await box.json(['dispatch', String(id), '--driver', 'Sam'], box.passing);
  expect(deliveries).toMatchObject([{ service: 'fleet' }]);
});

test('while no driver is on duty the refusal says so, and nothing is dispatched', async () => {
  const box = await withSam({ on: false });
  const { exit, stderr } = await box.run([...shipLine, 'Sam', '--json'], box.passing);
  const { code, message } = errorOf(stderr);
  expect([exit, code, message]).toEqual([
    ...[
      5,
      'quote_not_found',
      expect.stringMatching(/^There is no quote of fleet for rte_\w+: no driver is on duty\./),
    ],
  ]);
  expect(stderr).toMatch(/dispatch rte_\w+ --cheapest/);
  const [, continued = ''] = /waybill (dispatch rte_\w+ --driver Sam)"/.exec(stderr) ?? [];
  expect(continued).not.toBe('');
  const { link } = await box.json(['drivers', 'link', 'Sam', '--yes']);
  await tapping(box.transport, link)({ kind: 'duty', on: true });
  const { deliveries } = await box.json(continued.split(' '), box.passing);
  expect(deliveries).toMatchObject([{ service: 'fleet' }]);
});

test('an unknown driver is refused before anything is created', async () => {
  const box = await withSam();
  const before = box.requests.length;
  const { exit, stderr } = await box.run([...shipLine, 'Kim', '--json']);
  expect([exit, errorOf(stderr).code]).toEqual([5, 'record_not_found']);
  expect(box.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a driver and another choice of a quote exclude each other', async () => {
  const { exit, stderr } = await (await sandbox()).run([...shipLine, 'Sam', '--cheapest', '--json']);
  expect([exit, errorOf(stderr).choices]).toEqual([2, ['--cheapest', '--fastest', '--provider', '--driver']]);
});
