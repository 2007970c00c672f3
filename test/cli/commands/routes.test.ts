import { expect, test } from 'vitest';
import { errorOf, failureOf } from '../harness.ts';
import { newOrder, orderLine, sandbox } from '../sandbox.ts';
import { person } from './new/person.ts';

const box = await sandbox();

test('a route of orders, from arguments and from stdin', async () => {
  const [first, second] = [await newOrder(box), await newOrder(box)];
  const route = await box.json(['routes', 'create', first]);
  expect(route).toMatchObject({ status: 'draft', order_ids: [first], distance_miles: 1.9 });
  const piped = await box.run(['routes', 'create', '-', '-o', 'id'], { stdin: `${second}\n` });
  expect(piped.stdout).toMatch(/^rte_\w+\n$/);
  expect(piped.stderr).toContain(`Next: waybill routes quote ${piped.stdout.trim()} --watch`);
  expect(JSON.parse(box.requests.at(-1)?.body ?? '')).toEqual({ order_ids: [second] });
  const nothing = await box.run(['routes', 'create', '-'], { stdin: '\n' });
  expect(nothing).toMatchObject({ exit: 2, stderr: expect.stringContaining('Nothing on stdin') });
});

test('orders are given by their references and by the ids of their deliveries', async () => {
  const first = await newOrder(box, '--ref', '#1042');
  const second = await newOrder(box, '--ref', 'table 7');
  const third = await newOrder(box);
  const made = { order_ids: [first, second, third] };
  const words = ['routes', 'create', '#1042', 'table 7', third, '--no-optimize'];
  const { id } = await box.json(words);
  expect(JSON.parse(box.requests.at(-1)?.body ?? '')).toEqual({ ...made, optimize: false });
  await box.json(['routes', 'delete', String(id)]);
  const stdin = `#1042\r\ntable 7\n\n ${third}\n`;
  expect(await box.json(['routes', 'create', '-', '--no-optimize'], { stdin })).toMatchObject(made);
  const both = await box.run(['routes', 'create', first, '-', '--dry-run', '--json'], { stdin: second });
  expect(JSON.parse(both.stdout).body.order_ids).toEqual([first, second]);
  const side = await box.run(['routes', 'create', '-', '--dry-run'], { stdin: `${first} ${second}` });
  expect(side.stdout).toContain(`"${first}"`);
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate'];
  const { id: delivery, order_id } = await box.json(line);
  const taken = await box.run(['routes', 'create', String(delivery), '--json']);
  expect(taken.exit).toBe(6);
  expect(String(errorOf(taken.stderr).message)).toContain(String(order_id));
});

test('an unknown or ambiguous reference creates no route, and at most 25 are looked up', async () => {
  await newOrder(box, '--ref', 'twice');
  await newOrder(box, '--ref', 'twice');
  const known = await newOrder(box);
  const before = box.requests.length;
  expect(await failureOf(box.run(['routes', 'create', known, 'twice', '--json']))).toMatchObject({
    exit: 2,
    choices: [expect.any(String), expect.any(String)],
  });
  const nobody = await box.run(['routes', 'create', known, 'nobody', '--json']);
  expect([nobody.exit, errorOf(nobody.stderr).message]).toEqual([5, 'No order matches "nobody".']);
  expect(box.requests.slice(before).filter(({ method }) => method === 'POST')).toEqual([]);
  const looked = box.requests.length;
  const stdin = Array.from({ length: 26 }, (_, number) => `#${number}\n`).join('');
  const many = await box.run(['routes', 'create', '-'], { stdin });
  expect([many.exit, many.stderr]).toEqual([2, expect.stringContaining('at most 25 orders, not 26')]);
  expect(box.requests.slice(looked).filter(({ path }) => path.startsWith('/v2/orders'))).toEqual([]);
});

test('a route without orders, or with one already in a route, is refused', async () => {
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
  expect(stdout).toContain(
    'stops.2\tdropoff after about 1.9 mi at 233 S Wacker Dr, Chicago, IL 60606, USA\n',
  );
});

test('deleting a draft reopens its orders', async () => {
  const order = await newOrder(box);
  const { id } = await box.json(['routes', 'create', order]);
  expect(await box.json(['routes', 'rm', String(id)])).toEqual({ id, object: 'route', deleted: true });
  expect(await box.json(['orders', 'get', order])).toMatchObject({ status: 'open' });
  expect((await box.run(['routes', 'get', String(id)])).exit).toBe(5);
});

test('only open orders are offered for a route', async () => {
  const [routed, open] = [await newOrder(box, '--ref', 'in a route'), await newOrder(box, '--ref', 'free')];
  await box.json(['routes', 'create', routed]);
  const prompts = person([['', open]]);
  const { exit } = await box.run(['routes', 'create'], { tty: true, prompts });
  const offered = prompts.asked[0]?.choices.join('\n') ?? '';
  expect([exit, offered.includes('free'), offered.includes('in a route')]).toEqual([0, true, false]);
});

test('each command of a route takes the ID or the reference of an order in it', async () => {
  const order = await newOrder(box, '--ref', 'table 9');
  const { id } = await box.json(['routes', 'create', order]);
  for (const word of ['table 9', order]) {
    expect(await box.json(['routes', 'get', word])).toMatchObject({ id });
    expect(await box.json(['routes', 'quote', word])).toMatchObject({ route_id: id });
  }
  expect(await box.json(['routes', 'delete', order])).toMatchObject({ id });
});
