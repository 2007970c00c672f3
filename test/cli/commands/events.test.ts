import { expect, test } from 'vitest';
import { newOrder, quotedRoute, sandbox } from '../sandbox.ts';

const box = await sandbox();

test('events list tells what happened to a delivery, by its id or the own reference', async () => {
  const route = await quotedRoute(box, '--ref', 'A-77');
  await box.json(['dispatch', route, '--cheapest']);
  const { stdout, exit } = await box.run(['events', 'list', '--delivery', 'A-77']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(exit).toBe(0);
  expect(rows.map(([, type, of, status]) => [type, of?.slice(0, 4), status])).toEqual([
    ['order.dispatched', 'ord_', 'dispatched'],
    ['delivery.created', 'dlv_', 'delivery_created'],
  ]);
  const quotes = await box.run(['events', 'list', '--type', 'route_quotes.completed', '-o', 'tsv']);
  expect(quotes.stdout).toContain(`route_quotes.completed\t${route}\tCOMPLETE`);
});

test('events get shows one whole, and an unknown one is exit 5', async () => {
  await newOrder(box);
  const { stdout } = await box.run(['events', 'list', '--limit', '1', '-o', 'id']);
  const event = await box.json(['events', 'get', stdout.trim()]);
  expect(event).toMatchObject({ id: stdout.trim(), object: 'event', data: {} });
  expect((await box.run(['events', 'get', 'evt_none'])).exit).toBe(5);
  // Charges show their ids in the wide table alone, too.
  const charges = await box.run(['charges', 'list', '--limit', '1', '-o', 'id']);
  expect(charges.stdout).toMatch(/^chg_\w{26}\n$/);
});
