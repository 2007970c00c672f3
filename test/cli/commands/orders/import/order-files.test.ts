import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome } from '../../../harness.ts';
import { newStore, sandbox, startedAt } from '../../../sandbox.ts';

// Order files as shops and spreadsheets write them; the people in them are invented.

const folder = join(import.meta.dirname, '..', '..', '..', '..', 'cases', 'files');
const day_ms = 24 * 60 * 60_000;
const soon = new Date(startedAt + 3 * day_ms).toISOString().slice(0, 10);
const [year = '', month = '', day = ''] = soon.split('-');

/** The text of a file, with its times within the next days. */
function textOf(file: string): string {
  return readFileSync(join(folder, file), file.startsWith('52-') ? 'utf16le' : 'utf8')
    .replaceAll('12/05/2026', `${month}/${day}/${year}`)
    .replaceAll('12/5/26', `${Number(month)}/${Number(day)}/${year.slice(2)}`)
    .replaceAll('2026/12/05', `${year}/${month}/${day}`);
}

/** One service and folder for all files, as most of their orders are of one shop. */
const box = await sandbox();
const home = freshHome();
const store = await newStore(box, 'Grill');

async function importFile(file: string, flags: readonly string[]) {
  const names = flags.filter((flag) => flag.endsWith('.map'));
  for (const name of [file, ...names])
    writeFileSync(join(home, name), textOf(name), name.startsWith('52-') ? 'utf16le' : 'utf8');
  box.advance(1);
  const run = await box.run(['orders', 'import', file, '--store', store, '--restart', ...flags], { home });
  return { ...run, said: `${run.stderr}${run.stdout}` };
}

async function newestOrders(count: number): Promise<Record<string, unknown>[]> {
  const { stdout } = await box.run(['orders', 'list', '--limit', String(count), '--json']);
  const orders: Record<string, unknown>[] = JSON.parse(stdout);
  return orders.reverse();
}

const phone = ['--set', 'dropoff_phone_number=+13125550100'];
const boston = '12 Main St, Boston, MA 02108, USA';
const bothMethods = ['Economy (USPS)', 'Local Delivery'].flatMap((name) => [
  '--only',
  `Shipping Method=${name}`,
]);
const item = (name: string, quantity = 1) => expect.objectContaining({ name, quantity });
const isDated = { dropoff_at: expect.stringContaining(soon) };

/** The flags, what is created of the file (null: refused), and what is said. */
const cases: [file: string, flags: string[], orders: Record<string, unknown>[] | null, said: string[]][] = [
  ['01-rows-of-one-order.csv', ['--map', '01.map'], [{ items: [item('Soup', 2), item('Bread')] }], []],
  [
    '02-shopify.csv',
    ['--preset', 'shopify', '--allow-duplicate-ref'],
    [
      {
        external_order_ref: '#1003',
        dropoff_address: '12 Main St, Boston, MA 02108, USA',
        dropoff_unit: 'Apt 4',
      },
    ],
    ['sent by post: #1007', 'currency CAD: #1002', 'status "pending": #1001', 'status "on_hold": #1006'],
  ],
  [
    '02-shopify.csv',
    ['--preset', 'shopify'],
    [{ external_order_ref: '#1003' }],
    ['One order is there already: #1003'],
  ],
  [
    '06-woo-statuses.csv',
    ['--preset', 'woocommerce'],
    null,
    ['status "Shipped": 1', 'status "Reembolsado": 9'],
  ],
  [
    '04-city-parts.csv',
    ['--allow-duplicate-ref'],
    [
      { dropoff_address: '1 Beach Way, Menlo Park, CA 94025, USA' },
      { dropoff_address: expect.stringContaining('Providence, RI 02903, USA') },
      { dropoff_address: expect.stringContaining('Fairfax, VA 22030, USA') },
      { dropoff_address: '11 W 50th St, New York, NY 10019, USA' },
      { dropoff_address: '44 Stone Way North, Seattle, WA 98103, USA' },
      { dropoff_address: '12 Elm St, Brooklyn, NY 11201, USA' },
    ],
    ['2 changed, such as dropoff_address: "44 Stone Way North, Seattle, King County, WA 98103"'],
  ],
  [
    '05-state-typo-no-check.csv',
    [],
    null,
    ['2 rows of 4', 'ZIP code 90210 is in Beverly Hills, CA, not in Chicago'],
  ],
  ['11-phones.csv', [], null, ['19 rows of 79', 'did you mean +13125550142?']],
  ['07-abroad.csv', ['--map', '07.map'], null, ['line 2, dropoff_address: is in Germany', 'in Malaysia']],
  [
    '08-shopify-dates.csv',
    ['--preset', 'shopify', '--allow-duplicate-ref'],
    [{ external_order_ref: '#1' }, isDated, isDated, { external_order_ref: '#12' }, isDated],
    ['5 orders (picked up by the customer', '2 guessed, such as dropoff_at'],
  ],
  [
    '09-shopify-no-phone.csv',
    ['--preset', 'shopify', '--only', 'Shipping Method=Economy (USPS)'],
    null,
    ['One row has no dropoff_phone_number: --set dropoff_phone_number=+13125550100 gives it one.'],
  ],
  [
    '09-shopify-no-phone.csv',
    ['--preset', 'shopify', '--only', 'Shipping Method=Economy (USPS)', ...phone],
    [{ external_order_ref: '#1007', dropoff_phone_number: '13125550100' }],
    ['1 changed, such as dropoff_phone_number: none as "+13125550100" (line 3)'],
  ],
  ['10-no-phone-column.csv', ['--map', '10.map'], null, ['--set dropoff_phone_number=+13125550100']],
  ['10-no-phone-column.csv', ['--map', '10.map', ...phone], null, ['is in Spain; deliveries are in the USA']],
  ['12-quotes.csv', [], [{ items_description: '24" pizza' }], []],
  ['12-quotes.tsv', [], [{ items_description: '24" pizza' }], []],
  [
    '13-excel-text.csv',
    ['--allow-duplicate-ref'],
    [{ dropoff_address: '1 Main St, Boston, MA 02108, USA' }],
    [],
  ],
  ['14-refs.csv', [], null, ['external_order_ref: is "4.50012E+12": Excel has shortened the number']],
  [
    '15-grocer.csv',
    ['--preset', 'shopify'],
    [{ items: expect.arrayContaining([item('Organic canned tomatoes no. 48')]) }],
    ['"62 items" as "49 items, and one named "and 13 more: ...""'],
  ],
  ['16-sep.csv', ['--allow-duplicate-ref'], [{ external_order_ref: 'A1', dropoff_name: 'José Núñez' }], []],
  [
    '16-total.csv',
    ['--allow-duplicate-ref'],
    [{ external_order_ref: 'A1' }, { external_order_ref: 'A2' }],
    ['Not read: totals and footers (line 4: "Total, 2").'],
  ],
  ['17-zips.csv', [], null, ['One row of 23', '07701 is in New Jersey, not in Texas']],
  [
    '18-ships-by-post.csv',
    ['--preset', 'shopify', '--allow-duplicate-ref'],
    [{ external_order_ref: '#1003', dropoff_address: boston }],
    ['1 order (sent by post: #1007', '1 order (currency CAD: #1002)', '1 order (status "expired": #1005)'],
  ],
  ['19-squarespace.csv', ['--preset', 'shopify'], null, ['pass --preset squarespace']],
  ['19-squarespace.csv', ['--map', '19.map'], null, ['order_value_dollars if "20" is dollars']],
  [
    '19-squarespace.csv',
    ['--map', 'squarespace.map'],
    [{ external_order_ref: '00001', order_value: 2000, items: [item('Cake', 2), item('Candles')] }],
    ['dropoff_zip: "2108" as "02108"'],
  ],
  ['etsy.csv', ['--map', 'etsy.map'], null, ['--set dropoff_phone_number=+13125550100']],
  [
    'ebay.csv',
    ['--map', 'ebay.map'],
    [{ order_value: 102_000, items: [item('Shirt'), item('24" frame', 2)], dropoff_unit: 'Apt 4' }],
    ['totals and footers (2 rows, such as line 8: "1, record(s) downloaded'],
  ],
  [
    'amazon.txt',
    ['--map', 'amazon.map', '--format', 'csv'],
    [{ dropoff_address: boston, items: [item('24" pizza pan'), item('"The Best" knife', 2)] }],
    [],
  ],
  [
    'bigcommerce.csv',
    ['--map', 'bigcommerce.map'],
    [
      {
        ...{ dropoff_address: '12 Main St, Rear building, Boston, MA 02108, USA', order_value: 45_000 },
        dropoff_notes: 'Ring twice\nplease',
      },
    ],
    [],
  ],
  [
    'magento.csv',
    ['--map', 'magento.map', ...phone, '--set', 'items_description=Parcel'],
    [{ external_order_ref: '000000042', dropoff_address: boston, items_description: 'Parcel' }],
    [],
  ],
  [
    'bars.csv',
    [],
    [
      { items_description: '24" pizza', dropoff_at: `${soon}T18:00:00.000Z` },
      { dropoff_at: `${soon}T19:00:00.000Z` },
    ],
    ['the lines above the header (2 rows, such as line 1: "Orders of November 28")', '1 guessed'],
  ],
  ['37-no-header.csv', [], null, ['The first line seems to be an order, as it has 1001']],
  ['stop-list.csv', [], null, ["--map 'Street=dropoff_street'", '--set items_description=Parcel']],
  [
    'stop-list.csv',
    [
      ...['Name=dropoff_name', 'Street=dropoff_street', 'City=dropoff_city', 'State=dropoff_state']
        .concat('Zip=dropoff_zip')
        .flatMap((pair) => ['--map', pair]),
      ...[...phone, '--set', 'items_description=Parcel'],
    ],
    [{ dropoff_address: boston }, { dropoff_address: '14 Main St, Boston, MA 02108, USA' }],
    [],
  ],
  [
    'stop-list.csv',
    [
      ...['--map', 'Name=dropoff_name', '--map', 'Street=dropoff_street', '--map', 'City=dropoff_city'],
      ...[...phone, '--set', 'items_description=Parcel', '--set', `pickup_address=${boston}`],
    ],
    null,
    ['no state and no ZIP code: --set dropoff_state=IL gives one', '--set pickup_name=Kitchen gives each'],
  ],
  [
    '64-danish.csv',
    ['--map', 'Navn=dropoff_name', ...phone, '--set', 'items_description=Suppe'],
    null,
    ["--map 'COLUMN=dropoff_address'", 'Leveringsadresse'],
  ],
  [
    '66-bill-to.csv',
    ['--map', 'Address=dropoff_street'],
    null,
    ['has several columns "Address" with different'],
  ],
  ['65-hebrew.csv', [], null, ["--map 'טלפון=dropoff_phone_number' --map 'כתובת=dropoff_address'"]],
  [
    '67-stops.csv',
    ['--map', '67.map'],
    [{ external_order_ref: 'S1', items: [item('Tea')] }],
    [
      'no delivery in the column Order type, such as S2, "P"',
      'ended in the column Status: S4, "Cancelled"',
      'the column Time window from, which looks like a time',
      'a pickup in the column Pickup/Delivery: S5',
    ],
  ],
  [
    '68-formulas.csv',
    [],
    null,
    [
      '2 rows of 3',
      'line 3, dropoff_notes: is "#REF!": a formula',
      'line 4, dropoff_phone_number: is required',
    ],
  ],
];

test.each(cases)('%s %j', async (file, flags, orders, said) => {
  const run = await importFile(file, flags);
  for (const text of said) expect(run.said).toContain(text);
  expect(run.exit, run.said).toBe(orders === null ? 2 : 0);
  if (orders !== null) expect(await newestOrders(orders.length)).toMatchObject(orders);
});

test.each<[file: string, flags: string[], mended: [from: string, to: string]]>([
  ['etsy.csv', ['--map', 'etsy.map', ...phone], ['Berlin,,10115,Germany', 'Boston,MA,2108,USA']],
  [
    '09-shopify-no-phone.csv',
    ['--preset', 'shopify', '--status', 'pending', ...bothMethods],
    [',,,,,,Massachusetts', ',(617) 555-0145,,,,,Massachusetts'],
  ],
])(
  'the good rows of %s are sent, and the others can be corrected and imported',
  async (file, flags, [from, to]) => {
    const line = [...flags, '--skip-invalid', '--allow-duplicate-ref'];
    const { exit, said } = await importFile(file, line);
    expect([exit, said]).toEqual([10, expect.stringContaining('One order was not created')]);
    const failed = join(home, `${file}.failed.csv`);
    writeFileSync(failed, readFileSync(failed, 'utf8').replace(from, to));
    const again = await box.run(
      ['orders', 'import', `${file}.failed.csv`, '--store', store, ...flags, '--allow-duplicate-ref'],
      { home },
    );
    expect(again.exit, again.stderr).toBe(0);
  },
);

const ring = { dropoff_notes: 'Ring bell', dropoff_unit: 'Apt 4' };

/** What the first of the two orders of a file has beside its recipient. */
const readable: [file: string, first: Record<string, unknown>][] = [
  ...[
    ...[
      '20-shipstation.csv',
      '21-wix.csv',
      '22-shippo.csv',
      '23-ecwid.csv',
      '24-clover.csv',
      '25-route4me.csv',
    ],
    ...['26-circuit.csv', '27-onfleet.csv', '28-optimoroute.csv', '29-tookan.csv', '30-highlevel.csv'],
    ...['31-florist.csv', '32-pharmacy.csv', '33-spanish.csv', '34-german.csv', '35-invoices.csv'],
  ].map((file): [string, Record<string, unknown>] => [file, {}]),
  ['36-stops.csv', {}],
  ['38-wix.csv', { ...isDated, dropoff_notes: 'Ring twice', items: [item('Soup', 2), item('Bread')] }],
  ['39-dispatchtrack.csv', { ...isDated, dropoff_unit: 'Apt 4', items: [item('Sofa')] }],
  ['40-click-n-ship.csv', { dropoff_unit: 'Apt 4', items: [item('Books', 2)] }],
  ['41-dhl.csv', { ...ring, external_order_ref: 'H1', items: [item('Vase')] }],
  ['42-detrack.csv', { dropoff_notes: 'Ring bell', items: [item('Roses', 2), item('Vase')] }],
  ['43-prestashop.csv', { ...ring, items: [item('Mug', 2)] }],
  ['44-ecwid.csv', { ...isDated, external_order_ref: 'E1', tip: 300, order_value: 1600 }],
  ['45-fedex.csv', { dropoff_unit: 'Apt 4', external_order_ref: 'F1' }],
  ['46-titles.csv', { external_order_ref: '1001', order_value: 4500 }],
  ['47-house-number.csv', { dropoff_unit: '4' }],
  ['48-form.csv', {}],
  ['49-spanish.csv', { dropoff_unit: '4', dropoff_notes: 'Tocar timbre', items: [item('Sopa', 2)] }],
  ['50-french.csv', { dropoff_unit: 'Apt 4', external_order_ref: '1', items: [item('Soupe', 2)] }],
  ['51-shopify.json', { ...ring, order_value: 4250, items: [item('Soup', 2), item('Tea')] }],
  ['52-utf-16.txt', { ...isDated, dropoff_notes: 'Ring “twice”' }],
  ['53-woocommerce.csv', { ...ring, external_order_ref: '1001', items: [item('Soup', 2)] }],
  ['54-dropoffs.csv', { ...ring, tip: 300, order_value: 1999, items: [item('Soup', 2)] }],
  ['55-shipday.jsonl', { ...isDated, tip: 250, items: [item('Fries', 2), item('Cola')] }],
  ['56-onfleet.json', { ...ring, external_order_ref: 't1' }],
  ['57-track-pod.json', { external_order_ref: 'T1', items: [item('Lamp', 2), item('Cable')] }],
  ['58-tookan.csv', { ...isDated, items_description: '2 pizzas' }],
  ['59-florist.csv', { ...isDated, ...ring, items: [item('Roses')] }],
  ['60-portuguese.csv', { dropoff_unit: 'Apto 4', external_order_ref: '7', items: [item('Sopa', 2)] }],
  ['61-odoo.csv', { ...isDated, dropoff_unit: 'Apt 4', items: [item('[S] Soup', 2), item('[B] Bread')] }],
  ['62-kitchen.csv', { ...isDated, items: [item('Mango', 2), item('Banana')] }],
  ['69-chinese.csv', { ...ring, external_order_ref: 'Z1', items: [item('茶', 2)] }],
  ['70-japanese.csv', { dropoff_notes: 'Ring bell', dropoff_unit: 'Apt 4' }],
  ['71-arabic.csv', { dropoff_notes: 'Ring bell', external_order_ref: 'R1' }],
  ['72-webshop.csv', { dropoff_unit: 'Apt 4', external_order_ref: '7001' }],
  ['73-quoted-lines.tsv', { ...isDated, dropoff_notes: 'Ring "twice"\nplease' }],
  ['74-manifest.csv', { items: [item('Washer')] }],
  ['75-square.json', { ...ring, external_order_ref: 'web-7', items: [item('Soup', 2), item('Tea')] }],
  ['76-toast.json', ring],
  ['77-clover.json', { ...ring, external_order_ref: 'CL1' }],
  ['63-labels.csv', { external_order_ref: 'L1', items: [item('Blue hat[L]', 2), item('Scarf')] }],
];

test.each(readable)('the columns that are named for %s make it readable', async (file, first) => {
  const flags = ['--yes', '--allow-duplicate-ref', ...(file.endsWith('.txt') ? ['--format', 'csv'] : [])];
  const refused = await importFile(file, flags);
  const maps = [...refused.said.matchAll(/--map '([^']+)'/g)].flatMap(([, map = '']) => ['--map', map]);
  const sets = refused.said.match(/--set [\w=]+/g)?.flatMap((set) => set.split(' ')) ?? [];
  const { exit, said } = await importFile(file, [...maps, ...sets, ...flags]);
  expect(exit, said).toBe(0);
  expect(await newestOrders(2)).toMatchObject([
    {
      dropoff_name: 'Joe Diner',
      dropoff_phone_number: '13125550142',
      dropoff_address: expect.stringMatching(/^233 S Wacker Dr.*, Chicago, IL 60606, USA$/),
      ...first,
    },
    {
      dropoff_name: 'Ann Roe',
      dropoff_phone_number: '13125550143',
      dropoff_address: '600 E Grand Ave, Chicago, IL 60611, USA',
    },
  ]);
});
