import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTable } from '../cases/read-table.ts';
import { freshHome, type Home, waybill } from '../program/run.ts';

/** The built program imports the tables of addresses and phone numbers, which every run reads in test/domain and test/service. */

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** A file of orders, one for each address and phone number, by their place. */
function fileOf(home: Home, name: string, rows: readonly { address?: string; phone?: string }[]): string {
  const lines = rows.map(
    ({ address = '233 S Wacker Dr, Chicago, IL 60606', phone = '+13125550142' }, index) =>
      [`R${index}`, quoted(address), 'Joe', quoted(phone), 'Box'].join(','),
  );
  const header = 'external_order_ref,dropoff_address,dropoff_name,dropoff_phone_number,items_description';
  const file = join(home.folder, name);
  writeFileSync(file, [header, ...lines, ''].join('\n'));
  return file;
}

async function store(home: Home): Promise<string> {
  const place = ['--name', 'Shop', '--address', '43 E Ohio St, Chicago, IL 60611', '--phone', '+13125550100'];
  return (await waybill(home, 'stores', 'create', ...place, '-o', 'id')).stdout.trim();
}

interface Listed {
  external_order_ref: string;
  dropoff_address: string;
  dropoff_phone_number: string;
  dropoff_notes: string;
}

/** The orders of an import, in the order of its rows. */
async function imported(home: Home, file: string): Promise<Listed[]> {
  const line = ['orders', 'import', file, '--store', await store(home), '--yes'];
  const { exit, stderr } = await waybill(home, ...line);
  expect(exit, stderr).toBe(0);
  const { stdout } = await waybill(home, 'orders', 'list', '--all', '--json');
  const orders: Listed[] = JSON.parse(stdout);
  const placeOf = ({ external_order_ref }: Listed) => Number(external_order_ref.slice(1));
  return orders.toSorted((left, right) => placeOf(left) - placeOf(right));
}

/** The reasons of the rows that are refused, in their order. */
async function refusals(home: Home, file: string): Promise<string[]> {
  const line = ['orders', 'import', file, '--store', await store(home), '--validate-only'];
  expect((await waybill(home, ...line)).exit).not.toBe(0);
  const failed = readFileSync(`${file}.failed.csv`, 'utf8');
  return [...failed.matchAll(/dropoff_(?:address|phone_number)(?: \([^)]*\))?: ([^\n]*)/g)].map(
    ([, why = '']) => why,
  );
}

const folded = (text: string) =>
  text
    .replace(/[\s,.]+/g, ' ')
    .trim()
    .toLowerCase();

test('addresses are stored with the city, state and ZIP code that are meant', async () => {
  const cases = readTable('addresses.tsv', (cell) => ({
    address: cell('text'),
    city: cell('city'),
    area: `${cell('state')} ${cell('zip')}`.trim(),
  }));
  const home = freshHome();
  const orders = await imported(home, fileOf(home, 'addresses.csv', cases));
  expect(orders).toHaveLength(cases.length);
  const wrong = cases.filter(({ city, area }, index) => {
    const parts = (orders[index]?.dropoff_address ?? '').replace(/, USA$/, '').split(', ');
    const isCity = city === '' || folded(parts.at(-2) ?? '') === folded(city);
    return !isCity || !(parts.at(-1) ?? '').includes(area);
  });
  expect(wrong).toEqual([]);
});

test('addresses to which no courier can go are refused, each with its reason', async () => {
  const cases = readTable('addresses-refused.tsv', (cell) => ({
    address: cell('text'),
    reason: cell('reason'),
  }));
  const home = freshHome();
  const reasons = await refusals(home, fileOf(home, 'refused.csv', cases));
  expect(reasons).toEqual(cases.map(({ reason }) => expect.stringContaining(reason)));
});

test('phone numbers are stored as they are meant, with what stands beside them in the notes', async () => {
  const all = readTable('phones.tsv', (cell) => ({
    phone: cell('text'),
    stored: cell('stored'),
    beside: cell('beside'),
    reason: cell('refused_with'),
  }));
  const home = freshHome();
  const cases = all.filter(({ stored }) => stored !== '');
  const orders = await imported(home, fileOf(home, 'phones.csv', cases));
  expect(orders.map((each) => [each.dropoff_phone_number, each.dropoff_notes])).toEqual(
    cases.map(({ stored, beside }) => [stored, beside === '' ? '' : `Phone ${beside}`]),
  );
  const refused = all.filter(({ stored }) => stored === '');
  const reasons = await refusals(home, fileOf(home, 'no-phones.csv', refused));
  expect(reasons).toEqual(refused.map(({ reason }) => expect.stringContaining(reason)));
});
