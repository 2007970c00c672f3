import { expect, test } from 'vitest';
import { errorOf, waybill } from '../../harness.ts';

test.each([
  [
    ['deliveries', 'search', 'Joe', 'Diner'],
    "waybill deliveries get 'Joe Diner' or waybill deliveries list --search 'Joe Diner'",
  ],
  [['deliveries', 'find', 'Joe'], 'waybill deliveries get Joe or waybill deliveries list --search Joe'],
  [['search', 'Joe'], 'waybill deliveries get Joe or waybill deliveries list --search Joe'],
  [['find', 'orders', 'Joe'], 'waybill orders get Joe'],
  [['webhooks', 'trigger', 'delivery.updated'], 'waybill webhooks test'],
  [['orders', 'dispatch', '1042'], 'waybill ship 1042'],
  [['orders', 'dispatch', 'rte_01ABCDE'], 'waybill dispatch rte_01ABCDE'],
  [['webhooks', 'disable', 'whe_1'], 'waybill webhooks update whe_1 --disable'],
  [['orders', 'edit', '1042'], 'waybill deliveries edit 1042 or waybill orders create --like 1042'],
  [
    ['orders', 'edit', '1042', '--dropoff-notes', 'Ring'],
    'waybill deliveries edit 1042 or waybill orders create --like 1042',
  ],
  [
    ['orders', 'edit', '--dropoff-notes', 'Ring', '1042'],
    'waybill deliveries edit 1042 or waybill orders create --like 1042',
  ],
  [
    ['orders', 'edit', '--dropoff-notes=Ring', '#1042', '--yes'],
    "waybill deliveries edit '#1042' or waybill orders create --like '#1042'",
  ],
  // A word behind a flag may be its value.
  [
    ['orders', 'edit', '--now', '1042'],
    'waybill deliveries edit ORDER or waybill orders create --like ORDER',
  ],
  [['orders', 'find', 'ord_01ABCDE'], 'waybill orders get ord_01ABCDE'],
  [['deliveries', 'list', '--name', 'Joe'], '--search'],
  [['deliveries', 'list', '--today'], '--since today'],
  [['deliveries', 'list', '--courier', 'swiftly'], '--provider'],
])('%j: the intended command is suggested', async (line, meant) => {
  const { exit, stderr } = await waybill(line);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`Did you mean ${meant}?`)]);
});

test.each([
  [['dispatch', '--route-id', 'rte_1', '--cheapest'], 'ROUTE', ['dispatch', 'rte_1', '--cheapest']],
  [['orders', 'get', '--order-id=ord_1'], 'ORDER', ['orders', 'get', 'ord_1']],
  [['deliveries', 'get', '--deliveryid', 'dlv_1'], 'DELIVERY', ['deliveries', 'get', 'dlv_1']],
  [['routes', 'create', '--order-ids', 'ord_1', 'ord_2'], 'ORDER', ['routes', 'create', 'ord_1', 'ord_2']],
  [['webhooks', 'get', '--webhook-endpoint-id', 'whe_1'], 'ENDPOINT', ['webhooks', 'get', 'whe_1']],
  [['dispatch', '--cheapest', '--route-id'], 'ROUTE', ['dispatch', '--cheapest', 'ROUTE']],
])('%j: a flag named like an argument suggests the argument', async (line, argument, meant) => {
  const error = errorOf((await waybill([...line, '--json'])).stderr);
  expect(error).toMatchObject({
    code: 'unknown_flag',
    param: line.find((word) => /id/.test(word))?.split('=')[0],
  });
  expect(error.hint).toContain(`${error.param} is the argument ${argument}`);
  expect(error.next).toMatchObject([{ args: [...meant, '--json'] }, { when: 'see its flags' }]);
});

test('an address that cannot be edited says what to do instead', async () => {
  const { exit, stderr } = await waybill(['deliveries', 'edit', '#1042', '--dropoff-address', '60606']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining("`waybill deliveries cancel '#1042'`")]);
  expect(stderr).toContain("`waybill ship --like '#1042' --dropoff-address ADDRESS`");
});

test('a short unknown flag is not taken for another short one', async () => {
  const line = ['stores', 'create', '--id', 'X', '--json'];
  expect(errorOf((await waybill(line)).stderr)).toMatchObject({ code: 'unknown_flag', hint: null });
});

test('an unknown flag lists the flags of the command, and its help', async () => {
  const { choices, next } = errorOf((await waybill(['charges', 'list', '--ref', '1042', '--json'])).stderr);
  expect(choices).toContain('--delivery');
  expect(choices).not.toContain('--output');
  expect(next).toMatchObject([{ command: 'waybill charges list --help', when: 'see its flags' }]);
});

test.each([
  [
    ['deliveries', 'list', '--stuck'],
    '--stuck WHEN: Only active deliveries without a change for this long, such as 20m.',
  ],
  [['deliveries', 'list', '--provider'], '--provider PROVIDER: Filter by provider.'],
])('%j: the intended value is suggested', async (line, meaning) => {
  const { exit, stderr } = await waybill(line);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`needs a value.\n${meaning}\n`)]);
});
