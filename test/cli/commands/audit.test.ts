import { expect, test } from 'vitest';
import { objectsIn } from '../harness.ts';
import { newOrder, newStore, orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();
const order = String((await box.json(orderLine)).id);
await box.run(['orders', 'cancel', order, '--yes']);
const key = await box.json(['keys', 'create', '--permission', 'read']);

async function listed(...flags: string[]) {
  const { stdout } = await box.run(['audit', 'list', '-o', 'ndjson', ...flags]);
  return objectsIn(stdout);
}

test('changes are listed newest first, with their records and the key', async () => {
  const entries = await listed();
  expect(entries.map(({ operation, record_id }) => [operation, record_id])).toEqual([
    ['CreateApiKey', key.id],
    ['CancelOrder', order],
    ['CreateOrders', order],
  ]);
  expect(new Set(entries.map(({ key_id }) => key_id)).size).toBe(1);
});

test('changes are filtered by record, operation, key and time', async () => {
  const [first] = await listed();
  expect(await listed('--record', order)).toHaveLength(2);
  for (const operation of ['CancelOrder', 'cancel order', 'cancel-order'])
    expect(await listed('--record', order, '--operation', operation)).toHaveLength(1);
  expect(await listed('--key', String(first?.key_id))).toHaveLength(3);
  expect(await listed('--key', String(key.id))).toEqual([]);
  expect(await listed('--since', '1h')).toHaveLength(3);
  expect(await listed('--until', '1h')).toEqual([]);
});

test('a key is found by its name and its last four characters; an unknown one is refused', async () => {
  const named = await box.json(['keys', 'create', '--name', 'till', '--permission', 'write']);
  const entries = await listed();
  const [last_four] = entries.map((entry) => String(entry.key_last_four));
  expect(await listed('--key', String(last_four))).toEqual(entries);
  expect(await listed('--key', 'till')).toEqual([]);
  expect(await listed('--key', String(named.id))).toEqual([]);
  for (const unknown of ['foo', 'key_01KJPZV280000000FNGRBG34F2']) {
    const { exit, stderr } = await box.run(['audit', 'list', '--key', unknown]);
    expect([exit, stderr]).toEqual([5, expect.stringContaining(`There is no API key "${unknown}".`)]);
    expect(stderr).toContain('waybill keys list');
  }
  await box.json(['keys', 'create', '--name', 'till', '--permission', 'read']);
  const several = await box.run(['audit', 'list', '--key', 'till']);
  expect([several.exit, several.stderr]).toEqual([2, expect.stringContaining('2 API keys match "till"')]);
});

test('ages and durations count from the real time, not from the sandbox clock', async () => {
  const later = (ms: number) => ({ now: () => Date.now() + ms });
  const { stdout } = await box.run(
    ['audit', 'list', '--since', '1h', '-o', 'table', '--time', 'relative'],
    later(30 * 60_000),
  );
  expect(stdout).toMatch(/^3\d min ago +Create api key/m);
  const none = await box.run(['audit', 'list', '--since', '1h'], later(2 * 3_600_000));
  expect(none.stderr).toContain('No changes found.');
  const filtered = ['audit', 'list', '--filter', 'created_at > 1h', '-o', 'id'];
  expect((await box.run(filtered, later(0))).stdout).not.toBe('');
  expect((await box.run(filtered, later(2 * 3_600_000))).stdout).toBe('');
});

test('an order is named by its reference, with all its deliveries and routes', async () => {
  const ship = ['ship', ...orderLine.slice(2), '--ref', '#88', '--provider', 'poolride'];
  const { deliveries } = await box.json(ship, box.passing);
  const [first] = Array.isArray(deliveries) ? deliveries : [];
  await box.json(['deliveries', 'cancel', String(first?.id), '--yes']);
  const second = await box.json(['deliveries', 'retry', '88']);
  await box.run(['deliveries', 'cancel', String(second.id), '--yes']);
  const entries = await listed('--record', '88');
  expect(entries.map(({ operation, record_id }) => [operation, record_id])).toEqual([
    ['CancelDelivery', second.id],
    ['RetryDelivery', first?.id],
    ['CancelDelivery', first?.id],
    ['DispatchRoute', first?.route_id],
    ['GetRouteQuotes', first?.route_id],
    ['CreateRoute', first?.route_id],
    ['CreateOrders', first?.order_id],
  ]);
});

test('the record can be a store by its name, also where its deliveries are found by it', async () => {
  const id = await newStore(box, 'Lakeview Deli');
  await box.json(['stores', 'pause', id]);
  const entries = await listed('--record', 'lakeview deli');
  expect(entries.map(({ operation, record_id }) => [operation, record_id])).toEqual([
    ['UpdateStore', id],
    ['CreateStore', id],
  ]);
  expect(entries.map(({ record_name }) => record_name)).toEqual(['Lakeview Deli', 'Lakeview Deli']);
  await box.json(['stores', 'resume', id]);
  await box.json(['stores', 'pause', id, '--until', '2026-03-02T20:58']);
  await box.json(['stores', 'update', id, '--notes', 'Ring at the back']);
  const { stdout } = await box.run(['audit', 'list', '--record', id], { tty: true, env: { NO_COLOR: '1' } });
  expect(stdout).not.toContain('Ring');
  const said = [/ notes /, / paused until 20:58/, / resumed /, / paused {2}/].map((each) =>
    stdout.search(each),
  );
  expect(said).toEqual(said.toSorted((one, other) => one - other));
  expect(said).not.toContain(-1);
});

test('the record can be named by the reference of a delivery', async () => {
  const { id } = await box.json(['deliveries', 'create', ...orderLine.slice(2), '--ref', '4711']);
  await box.run(['deliveries', 'note', String(id), 'Called twice']);
  const entries = await listed('--record', '4711', '--operation', 'CreateDeliveryNote');
  expect(entries.map(({ record_id }) => record_id)).toEqual([id]);
  expect(await listed('--record', 'uber-direct')).toEqual([]);
  const nobody = await box.run(['audit', 'list', '--record', 'nobody']);
  expect([nobody.exit, nobody.stderr]).toEqual([5, expect.stringContaining('No delivery matches "nobody"')]);
  const none = await box.run(['audit', 'list', '--record', '4712']);
  expect([none.exit, none.stderr]).toEqual([5, expect.stringContaining('No delivery matches "4712".')]);
});

test('who canceled a delivery is said, and where the reason is kept', async () => {
  const { id } = await box.json([
    'deliveries',
    'create',
    ...orderLine.slice(2),
    '--ref',
    'gone',
    '--initiate',
  ]);
  await box.json(['deliveries', 'cancel', String(id), '--yes', '--reason', 'Wrong kitchen']);
  const { stderr } = await box.run(['audit', 'list', '--record', 'gone']);
  const [, line = ''] = /Why it was canceled: waybill (.*)/.exec(stderr) ?? [];
  expect((await box.run(line.split(' '))).stdout).toMatch(/^gone\t.*\tus\tWrong kitchen$/m);
});

test('settings are named: the host of an endpoint, a key, a driver; several operations are one filter', async () => {
  await box.json(['webhooks', 'create', 'https://hooks.shop.example/secret-path']);
  await box.json(['drivers', 'add', 'Sam Lee', '--phone-number', '+13125550142']);
  const named = await listed('--operation', 'create webhook endpoint, CreateDriver,create-api-key');
  const names = named.map(({ operation, record_name }) => [operation, record_name]);
  expect(names.slice(0, 2)).toEqual([
    ['CreateDriver', 'Sam Lee'],
    ['CreateWebhookEndpoint', 'hooks.shop.example'],
  ]);
  expect(names.at(-1)).toEqual(['CreateApiKey', key.name]);
  const { exit, stderr } = await box.run(['audit', 'list', '--operation', 'UpdateStore,UpdateStor']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('did you mean UpdateStore?')]);
});

test('a reference that was used twice lists the changes of both orders', async () => {
  const [one, other] = [await newOrder(box, '--ref', 'twice'), await newOrder(box, '--ref', 'twice')];
  const entries = await listed('--record', 'twice');
  expect(entries.map(({ record_id, record_name }) => [record_id, record_name])).toEqual([
    [other, 'twice'],
    [one, 'twice'],
  ]);
});
