import { expect, test } from 'vitest';
import { sandbox } from '../sandbox.ts';

const box = await sandbox();
const id = '01KJPZV280000000FNGRBG34F2';

test.each([
  ['routes get', 'dlv', 'a delivery ID, not a route', 'deliveries get'],
  ['routes delete', 'ord', 'an order ID, not a route', 'orders get'],
  ['quotes list', 'bat', 'a batch ID, not a route', 'batches get'],
  ['batches get', 'rte', 'a route ID, not a batch', 'routes get'],
  ['orders get', 'rte', 'a route ID, not an order', 'routes get'],
  ['deliveries get', 'evt', 'an event ID, not a delivery', 'events get'],
  ['events get', 'dlv', 'a delivery ID, not an event', 'deliveries get'],
  ['webhooks get', 'str', 'a store ID, not a webhook endpoint', 'stores get'],
])('%s %s_…: says that it is %s', async (command, prefix, fault, instead) => {
  const word = `${prefix}_${id}`;
  const { exit, stderr } = await box.run([...command.split(' '), word]);
  expect([exit, stderr]).toEqual([5, expect.stringContaining(`Error: ${word} is ${fault}.\n`)]);
  expect(stderr).toContain(`  waybill ${instead} ${word}   (see the `);
  expect(stderr).not.toContain('whoami');
});

test('a reference in place of a route or batch is searched among deliveries', async () => {
  for (const noun of ['routes', 'batches']) {
    const { exit, stderr } = await box.run([noun, 'get', '#1001']);
    expect([exit, stderr]).toEqual([
      5,
      expect.stringContaining("  waybill deliveries get '#1001'   (find a"),
    ]);
    expect(stderr).toContain(`  waybill ${noun} list   (see what there is)`);
  }
});

test('an order in place of a route leads to a route of it', async () => {
  for (const word of ['1042', `ord_${id}`]) {
    for (const line of [
      ['dispatch', word, '--cheapest'],
      ['routes', 'quote', word],
    ]) {
      const { exit, stderr } = await box.run(line);
      expect([exit, stderr]).toEqual([
        5,
        expect.stringContaining(`  waybill routes create ${word}   (make a`),
      ]);
    }
  }
});

test('the ID of an unknown record of the right kind leads to the list and the profile', async () => {
  const { stderr } = await box.run(['webhooks', 'get', `whe_${id}`]);
  expect(stderr).toContain(`There is no webhook endpoint whe_${id}.`);
  expect(stderr).toContain('  waybill webhooks list   (see what there is)');
  expect(stderr).toContain('`waybill whoami`');
});

test('a delivery ID may identify an order, so it is not of another kind', async () => {
  const { stderr } = await box.run(['orders', 'get', `dlv_${id}`]);
  expect(stderr).toContain(`There is no delivery dlv_${id}.`);
});
