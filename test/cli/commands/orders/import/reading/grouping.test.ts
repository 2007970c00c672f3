import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf } from '../../../../harness.ts';
import { newStore, sandbox } from '../../../../sandbox.ts';
import { importFolder } from '../import-folder.ts';

// The people are invented. The columns are those of the order files of Etsy, eBay and Squarespace, and of our own.

const box = await sandbox();
const store = await newStore(box, 'Grill');
let files = 0;

const map = [
  'Order ID = external_order_ref',
  'Ship Name = dropoff_name',
  'Phone = dropoff_phone_number',
  'Address = dropoff_address',
  'Item = item_name',
  'Qty = item_quantity',
  'Total = order_value',
  'Note = dropoff_notes',
].join('\n');

/** Imports rows below these columns. References are those of this file alone: `R` becomes `F1-`. */
function importOf(rows: readonly string[], flags: readonly string[] = []) {
  files += 1;
  const text = ['Order ID,Ship Name,Phone,Address,Item,Qty,Total,Note', ...rows].join('\n');
  const prefix = `F${files}-`;
  const { home, run, beside } = importFolder(box, `${text.replace(/\bR(?=\d)/g, prefix)}\n`);
  writeFileSync(join(home, 'shop.map'), map);
  const line = ['--map', 'shop.map', '--store', store, ...flags];
  return { prefix, beside, run: (more: readonly string[] = []) => run([...line, ...more]) };
}

async function ordersWith(prefix: string): Promise<Record<string, unknown>[]> {
  const { stdout } = await box.run(['orders', 'list', '--limit', '100', '--json']);
  const orders: { external_order_ref: string }[] = JSON.parse(stdout);
  return orders.filter(({ external_order_ref: ref }) => ref.startsWith(prefix));
}

const boston = '"12 Main St, Boston, MA 02108"';
const joe = '"233 S Wacker Dr, Chicago, IL 60606"';
const ann = (ref: string, rest: string) => `${ref},Ann Lee,617-555-0142,${boston},${rest}`;

test.each<[what: string, rows: string[], orders: string[][]]>([
  ['two rows of one order', [ann('R1', 'Soup,2,,'), ann('R1', 'Bread,1,,')], [['Soup', 'Bread']]],
  ['two orders', [ann('R1', 'Soup,2,,'), ann('R2', 'Bread,1,,')], [['Soup'], ['Bread']]],
  [
    'a recipient that is written otherwise',
    [ann('R1', 'Soup,1,,'), 'R1,ANN  LEE,(617) 555 0142,"12 main street, Boston MA 02108",Bread,1,,'],
    [['Soup', 'Bread']],
  ],
  [
    'a row that leaves the recipient out, as Squarespace does',
    [ann('R1', 'Soup,1,20.00,'), 'R1,,,,Bread,1,,'],
    [['Soup', 'Bread']],
  ],
  [
    'a row that leaves everything out but the item',
    [ann('R1', 'Soup,1,20.00,'), ',,,,Bread,1,,', ann('R2', 'Tea,1,,')],
    [['Soup', 'Bread'], ['Tea']],
  ],
  [
    'the cells of the order in each of its rows',
    [ann('R1', 'Soup,1,20.00,Ring'), ann('R1', 'Bread,1,20.00,Ring')],
    [['Soup', 'Bread']],
  ],
])('%s', async (_, rows, orders) => {
  const { prefix, run } = importOf(rows);
  const { exit, stderr } = await run();
  expect(exit, stderr).toBe(0);
  const made = (await ordersWith(prefix)).reverse();
  expect(made.map(({ items }) => items)).toEqual(
    orders.map((names) => names.map((name) => expect.objectContaining({ name }))),
  );
});

test('notes of the rows are joined', async () => {
  const { prefix, run } = importOf([ann('R1', 'Soup,1,,Ring'), ann('R1', 'Bread,1,,No nuts')]);
  expect((await run()).exit).toBe(0);
  expect(await ordersWith(prefix)).toMatchObject([{ dropoff_notes: 'Ring; No nuts' }]);
});

test.each<[what: string, rows: string[], fault: string]>([
  [
    'another recipient',
    [ann('R1', 'Soup,1,,'), `R1,Joe Diner,312-555-0142,${joe},Bread,1,,`],
    'line 3, Order ID (external_order_ref): is also that of line 2: for another recipient',
  ],
  [
    'another address of the same person',
    [ann('R1', 'Soup,1,,'), `R1,Ann Lee,617-555-0142,${joe},Bread,1,,`],
    'line 3, Order ID (external_order_ref): is also that of line 2: for another recipient',
  ],
  [
    'rows that stand apart',
    [ann('R1', 'Soup,1,,'), ann('R2', 'Tea,1,,'), ann('R1', 'Bread,1,,')],
    'line 4, Order ID (external_order_ref): is also that of line 2: put all rows of an order next to each other',
  ],
  [
    'another value of the order',
    [ann('R1', 'Soup,1,20.00,'), ann('R1', 'Bread,1,5.00,')],
    'line 3, Total (order_value): is another than on line 2 of the same order',
  ],
])('refused: %s', async (_, rows, fault) => {
  const { prefix, run } = importOf(rows);
  const { exit, stderr } = await run();
  expect([exit, stderr]).toEqual([2, expect.stringContaining(fault)]);
  expect(await ordersWith(prefix)).toEqual([]);
});

test('an order for each row is made on purpose only', async () => {
  const rows = [ann('R1', 'Soup,1,,'), ann('R1', 'Bread,1,,')];
  const single = importOf(rows, ['--one-order-per-row']);
  expect(await single.run()).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('is also that of line 2'),
  });
  expect((await single.run(['--allow-duplicate-ref'])).exit).toBe(0);
  expect(await ordersWith(single.prefix)).toHaveLength(2);
});

test('all rows of a refused order are in the file of failed rows, which makes one order once corrected', async () => {
  const bad = [ann('R1', 'Soup,1,,'), ann('R1', 'Bread,1,,')].map((row) => row.replace('02108', '00000'));
  const { prefix, run, beside } = importOf([...bad, ann('R2', 'Tea,1,,')]);
  const { exit, stderr } = await run(['--skip-invalid']);
  expect([exit, stderr]).toEqual([10, expect.stringContaining('line 2, Address (dropoff_address): ')]);
  expect(stderr).not.toContain('line 3');
  const failed = beside('.failed.csv');
  expect(failed.split('\n')).toHaveLength(4);
  const { home, run: again } = importFolder(box, failed.replaceAll('00000', '02108'));
  writeFileSync(join(home, 'shop.map'), map);
  expect((await again(['--map', 'shop.map', '--store', store])).exit).toBe(0);
  expect(await ordersWith(prefix)).toMatchObject([
    { items: [{ name: 'Soup' }, { name: 'Bread' }] },
    { items: [{ name: 'Tea' }] },
  ]);
});

test('rows of our own columns are orders in the same way, and objects of JSON need a reference each', async () => {
  const header = 'external_order_ref,dropoff_address,dropoff_name,dropoff_phone_number,items_description';
  const row = (items: string) => `own-1,${joe},Joe Diner,3125550142,${items}`;
  const { run } = importFolder(box, `${header}\n${row('Soup')}\n${row('Bread')}\n`);
  expect((await run(['--store', store])).exit).toBe(0);
  expect(await ordersWith('own-1')).toMatchObject([{ items_description: 'Soup; Bread' }]);
  const order = {
    ...{ external_order_ref: 'json-1', dropoff_name: 'Joe', dropoff_phone_number: '+13125550142' },
    ...{ dropoff_address: '233 S Wacker Dr, Chicago, IL 60606', items_description: 'Soup' },
  };
  const json = importFolder(box, JSON.stringify([order, order]), 'orders.json');
  const { exit, stderr } = await json.run(['--store', store, '--json']);
  expect([exit, JSON.stringify(errorOf(stderr).details)]).toEqual([
    2,
    expect.stringContaining('external_order_ref'),
  ]);
});

test.each<[only: string[], made: number, left: string | null]>([
  [['--only', 'Item=soup'], 1, 'Left out: 2 orders (not Item=soup, such as F'],
  [['--only', 'Item=Soup', '--only', 'item = Tea'], 2, 'Left out: 1 order (not Item=Soup or Tea: F'],
  [['--only', 'Item=Soup', '--only', 'Qty=2'], 0, null],
])('%j takes %i of three orders', async (only, made, left) => {
  const rows = [ann('R1', 'Soup,1,,'), ann('R2', 'Bread,2,,'), ann('R3', 'Tea,1,,')];
  const { prefix, run } = importOf(rows, only);
  const { stderr } = await run();
  expect(await ordersWith(prefix)).toHaveLength(made);
  expect(stderr).toContain(left ?? 'There is no order to import');
});

test('--only chooses whole orders: one of which some rows are wanted is refused', async () => {
  const rows = [ann('R1', 'Soup,2,,sent'), ann('R1', 'Bread,1,,'), ann('R2', 'Tea,1,,')];
  const { run } = importOf(rows, ['--only', 'Note=']);
  expect(await run()).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('line 2, row: has Note= in some rows of its order only'),
  });
  const blank = importOf([ann('R1', 'Soup,2,20.00,Ring'), 'R1,,,,Bread,1,,'], ['--only', 'Note=ring']);
  expect((await blank.run()).exit).toBe(0);
  expect(await ordersWith(blank.prefix)).toMatchObject([{ items: [{ name: 'Soup' }, { name: 'Bread' }] }]);
});

test.each([
  [['--only', 'Item'], '--only "Item" is not COLUMN=VALUE'],
  [['--only', 'Items=Soup'], 'has no column "Items", which --only names'],
  [['--status', 'paid'], '--status needs --preset'],
])('%j is refused', async (flags, message) => {
  const { run } = importOf([ann('R1', 'Soup,1,,')], flags);
  expect(await run()).toMatchObject({ exit: 2, stderr: expect.stringContaining(message) });
});
