import { expect, test } from 'vitest';
import { errorOf } from '../harness.ts';
import { newOrder, sandbox } from '../sandbox.ts';

const box = await sandbox();

test('a route of orders, from words and from stdin', async () => {
  const [first, second] = [await newOrder(box), await newOrder(box)];
  const route = await box.json(['routes', 'create', first]);
  expect(route).toMatchObject({ status: 'draft', order_ids: [first], distance_miles: 1.9 });
  const piped = await box.run(['routes', 'create', '-', '-o', 'id'], { stdin: `${second}\n` });
  expect(piped.stdout).toMatch(/^rte_\w+\n$/);
  expect(piped.stderr).toContain(`Next: waybill routes quote ${piped.stdout.trim()} --watch`);
  expect(JSON.parse(box.requests.at(-1)?.body ?? '')).toEqual({ order_ids: [second], optimize: true });
  const nothing = await box.run(['routes', 'create', '-'], { stdin: '\n' });
  expect(nothing).toMatchObject({ exit: 2, stderr: expect.stringContaining('Nothing came on stdin') });
});

test('--no-optimize keeps the order given', async () => {
  const order = await newOrder(box);
  await box.json(['routes', 'create', order, '--no-optimize']);
  expect(JSON.parse(box.requests.at(-1)?.body ?? '')).toEqual({ order_ids: [order], optimize: false });
});

test('a route without an order, and of one already in a route, is refused', async () => {
  const nothing = await box.run(['routes', 'create', '--json']);
  expect([nothing.exit, errorOf(nothing.stderr).missing]).toEqual([2, ['ORDER']]);
  const order = await newOrder(box);
  await box.json(['routes', 'create', order]);
  const again = await box.run(['routes', 'create', order, '--json']);
  expect([again.exit, errorOf(again.stderr).code]).toEqual([6, 'order_not_open']);
});

test('routes are listed and shown stop by stop', async () => {
  const order = await newOrder(box);
  const { id } = await box.json(['routes', 'create', order]);
  const drafts = await box.run(['routes', 'list', '--status', 'draft', '--limit', '1', '-o', 'id']);
  expect(drafts.stdout.trim()).toBe(id);
  expect(drafts.stderr).toMatch(/waybill .*routes list --status draft --limit 1 --cursor /);
  const { stdout } = await box.run(['routes', 'get', String(id)]);
  expect(stdout).toContain('stops.1\tpickup at 43 E Ohio St, Chicago, IL 60611, USA\n');
  expect(stdout).toContain('stops.2\tdropoff after 1.9 mi at 233 S Wacker Dr, Chicago, IL 60606, USA\n');
});

test('deleting a draft gives its orders back', async () => {
  const order = await newOrder(box);
  const { id } = await box.json(['routes', 'create', order]);
  expect(await box.json(['routes', 'rm', String(id)])).toEqual({ id, object: 'route', deleted: true });
  expect(await box.json(['orders', 'get', order])).toMatchObject({ status: 'open' });
  expect((await box.run(['routes', 'get', String(id)])).exit).toBe(5);
});
