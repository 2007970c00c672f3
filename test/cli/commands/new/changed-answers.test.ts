import { expect, test } from 'vitest';
import { freshHome } from '../../harness.ts';
import { newOrder, newStore, sandbox } from '../../sandbox.ts';
import { type Asked, back, person, type Reply, typedOrder } from './person.ts';

const box = await sandbox();
type Replies = readonly (readonly [string, Reply])[];

async function walk(replies: Replies, flags: readonly string[] = []) {
  const prompts = person(replies);
  const outcome = await box.run(['new', ...flags], { home: freshHome(), tty: true, prompts, ...box.passing });
  return { ...outcome, asked: prompts.asked, left: prompts.left() };
}

const ids = (text: string, prefix: string) => [
  ...new Set(text.match(new RegExp(`${prefix}_[0-9A-Z]{26}`, 'g'))),
];
const orders = 'What would you like to send?';

test('back at each question and step: earlier input is proposed, existing records are kept', async () => {
  const proposed: unknown[] = [];
  const seen = (reply: Reply) => (asked: Asked) => {
    proposed.push(asked.initial);
    return reply;
  };
  const tooHigh = ({ check }: Asked) => {
    expect(check?.('500')).toMatch(/^The tip must be at most \$100\.00/);
    return '3';
  };
  const { exit, stderr, left } = await walk([
    ...typedOrder.slice(0, 4),
    ['Dropoff address', back],
    ['Pickup phone', back],
    ['Pickup name', seen('')],
    ['Pickup phone', seen('+13125550103')],
    ...typedOrder.slice(4, 9),
    ['Create this order?', back],
    ['What is it?', seen('')],
    ['Another item?', ''],
    ['Create this order?', 'Create order'],
    [orders, 'Continue: create'],
    ['2 stops', back],
    [orders, 'Continue: create'],
    ['2 stops', 'Request'],
    ['Choose a quote', back],
    ['2 stops', 'Request'],
    ['Choose a quote', 'metrobike'],
    ['Dispatch with metrobike', back],
    ['Choose a quote', seen('poolride')],
    ['Dispatch with poolride', 'Add a tip'],
    ['Tip in dollars', back],
    ['Dispatch with poolride', 'Add a tip'],
    ['Tip in dollars', tooHigh],
    ['Dispatch with poolride for $9.47 (includes $3.00 tip)?', 'Dispatch it'],
  ]);
  expect([exit, left, stderr]).toMatchObject([0, 0, expect.stringContaining('Dispatched to poolride')]);
  expect(proposed).toEqual([
    ...['Grill', '+13125550101', 'Brisket Classic:4:small', expect.stringContaining('metrobike')],
  ]);
  expect([ids(stderr, 'ord'), ids(stderr, 'rte')].map(({ length }) => length)).toEqual([1, 1]);
  expect(stderr).toMatch(/waybill dispatch rte_\w+ --quote rq_\w+ --tip 3\.00\n/);
  expect(stderr).toContain('--pickup-phone-number +13125550103');
});

test('several orders, a store, open orders, the order of the stops', async () => {
  const open = await newOrder(box, '--dropoff-address', '1060 W Addison St, Chicago, IL 60613');
  const other = await newOrder(box);
  const id = await newStore(box, 'Ohio Grill');
  const { exit, stderr, left } = await walk([
    [orders, 'Create a new order'],
    ['Where is it picked up?', 'Ohio Grill'],
    ...typedOrder.slice(4, 9),
    ['Create this order?', 'Edit'],
    ['Which field?', 'Dropoff notes'],
    ['Dropoff notes', 'Ring twice'],
    ['Which field?', 'Request signature'],
    ['Request signature', 'yes'],
    ['Which field?', 'Dropoff notes: Ring twice'],
    ['Dropoff notes', '-'],
    ['Which field?', 'Vehicle'],
    ['Vehicle', back],
    ['Which field?', 'Done'],
    ['Create this order?', 'Create order'],
    [orders, 'Add open orders'],
    ['Which orders?', []],
    [orders, 'Add open orders'],
    ['Which orders?', [open, other]],
    [orders, 'Remove an order'],
    ['Which order?', other],
    [`What should happen to ${other}`, 'Cancel it'],
    [orders, 'Continue: create a route of 2 orders'],
    ['3 stops', 'Keep the stops'],
    ['3 stops', 'Request'],
    ['Choose a quote', 'swiftly'],
    ['Dispatch with', 'Dispatch it'],
  ]);
  await box.json(['stores', 'delete', id, '--yes']);
  expect([exit, left, stderr]).toMatchObject([0, 0, expect.any(String)]);
  expect(stderr).toContain('No order was selected.\n');
  expect(stderr).toContain('From: Ohio Grill, 43 E Ohio St, Chicago, IL 60611, USA\n');
  expect(stderr).toContain(`--store ${id} --dropoff-address`);
  expect(stderr).toContain(`--request-signature\n`);
  expect(stderr).not.toContain('--dropoff-notes');
  expect(stderr).toMatch(new RegExp(`\\$ waybill routes create ord_\\w+ ${open} --no-optimize\n`));
  expect(stderr).toContain(`order_2=$(waybill orders create --like ${open} -o id)`);
  expect(stderr).toContain('waybill routes create "$order_1" "$order_2" --no-optimize -o id');
  expect(await box.json(['orders', 'get', other])).toMatchObject({ status: 'canceled' });
});

test('items are changed, added and removed one by one, and the last one cannot be removed', async () => {
  const seen: string[][] = [];
  const menu = (reply: Reply) => (asked: Asked) => {
    seen.push(asked.choices);
    return reply;
  };
  const { exit, stderr, left, asked } = await walk([
    ...typedOrder.slice(0, 8),
    ['Another item?', 'Bread'],
    ['Another item?', 'Soup:2'],
    ['Another item?', ''],
    ['Create this order?', 'Edit'],
    ['Which field?', 'Item'],
    ['Which item?', menu(back)],
    ['Which field?', 'Item'],
    ['Which item?', '1 x Bread'],
    ['What is it?', 'Rye Bread:3'],
    ['Which item?', menu('2 x Soup')],
    ['What is it?', back],
    ['Which item?', '2 x Soup'],
    ['What is it?', '-'],
    ['Which item?', menu('Add an item')],
    ['What is it?', 'Tea:1:large'],
    ['Which item?', menu('Done')],
    ['Which field?', 'Done'],
    ['Create this order?', 'Create order'],
    [orders, 'Leave'],
  ]);
  expect([exit, left]).toEqual([3, 0]);
  const brisket = '4 x Brisket Classic (small)';
  expect(seen).toEqual([
    ['Done', brisket, '1 x Bread', '2 x Soup', 'Add an item'],
    ['Done', brisket, '3 x Rye Bread', '2 x Soup', 'Add an item'],
    ['Done', brisket, '3 x Rye Bread', 'Add an item'],
    ['Done', brisket, '3 x Rye Bread', '1 x Tea (large)', 'Add an item'],
  ]);
  expect(asked.find(({ initial }) => initial === 'Bread')?.message).toContain('What is it?');
  const made = await box.json(['orders', 'get', ids(stderr, 'ord')[0] ?? '']);
  expect(made.items).toMatchObject([
    { name: 'Brisket Classic', quantity: 4, size: 'small' },
    { name: 'Rye Bread', quantity: 3 },
    { name: 'Tea', quantity: 1, size: 'large' },
  ]);
  const last = await walk([
    ...typedOrder.slice(0, 9),
    ['Create this order?', 'Edit'],
    ['Which field?', 'Item'],
    ['Which item?', brisket],
    ['What is it?', '-'],
  ]);
  expect(last.stderr).toContain('It is the only item: add another one before you remove it.');
});

test('an order changed after its route is created again, and the old one canceled', async () => {
  const { exit, stderr, left } = await walk([
    ...typedOrder,
    [orders, 'Continue: create'],
    ['2 stops', back],
    [orders, 'Edit an order'],
    ['Which field?', 'Done'],
    [orders, 'Edit an order'],
    ['Which field?', 'Dropoff name: Joe Diner'],
    ['Dropoff name', 'Ada'],
    ['Which field?', back],
    ['Create this order?', 'Create order'],
    [orders, 'Continue: create a route'],
    ['2 stops', 'Request'],
    ['Choose a quote', 'poolride'],
    ['Dispatch with', 'Dispatch it'],
  ]);
  expect([exit, left]).toEqual([0, 0]);
  const [first = '', second = ''] = ids(stderr, 'ord');
  expect(stderr).toContain(`No changes: ${first} stays as it is.\n`);
  const stands = await Promise.all([first, second].map((id) => box.json(['orders', 'get', id])));
  expect(stands).toMatchObject([{ status: 'canceled' }, { status: 'dispatched', dropoff_name: 'Ada' }]);
  expect(ids(stderr, 'rte')).toHaveLength(2);
});

test('a refusal of the service returns to the invalid field', async () => {
  const { exit, stderr, left, asked } = await walk([
    ...typedOrder.slice(0, 4),
    ['Dropoff address', '1 Nowhere St, Nowhere, ZZ 00000'],
    ['Dropoff name', 'Joe Diner'],
    ['Dropoff phone', '+13125550142'],
    ...typedOrder.slice(7),
    ['Dropoff address', '233 S Wacker Dr, Chicago, IL 60606'],
    ['Create this order?', 'Edit'],
    ['Which field?', 'Dropoff phone'],
    ['Dropoff phone', '+44 999'],
    ['Which field?', 'Done'],
    ['Create this order?', 'Create order'],
    ['Dropoff phone', '+13125550142'],
    ['Create this order?', 'Create order'],
    [orders, 'Leave'],
  ]);
  expect([exit, left]).toEqual([3, 0]);
  expect(stderr).toContain('The order was not accepted:\n  Dropoff address: ');
  expect(stderr).toMatch(/\n {2}Dropoff phone number: has too few digits/);
  expect(ids(stderr, 'ord')).toHaveLength(1);
  const proposed = asked.map(({ initial }) => initial).filter((initial) => initial !== undefined);
  expect(proposed).toContain('1 Nowhere St, Nowhere, ZZ 00000');
});
