import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { presetNames } from '../../../../../../src/cli/commands/orders/import/source.ts';
import { errorOf, jsonOf } from '../../../../harness.ts';
import { newStore, sandbox } from '../../../../sandbox.ts';
import { importFolder } from '../import-folder.ts';

// The people are invented; columns and peculiarities are those of the systems' own exports.

const box = await sandbox();
const store = await newStore(box, 'Grill');

/** A file with these rows; cells that are not named are empty. */
function csvOf(columns: readonly string[], rows: readonly Cells[]): string {
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((row) => columns.map((column) => quoted(row[column] ?? '')).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

const shopifyColumns =
  'Name,Email,Financial Status,Paid at,Fulfillment Status,Subtotal,Total,Shipping Method,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem requires shipping,Lineitem fulfillment status,Billing Name,Billing Address1,Billing City,Billing Zip,Billing Phone,Shipping Name,Shipping Street,Shipping Address1,Shipping Address2,Shipping Company,Shipping City,Shipping Zip,Shipping Province,Shipping Country,Shipping Phone,Notes,Note Attributes,Cancelled at,Phone,Id'.split(
    ',',
  );
const item = (Name: string, quantity: number, name: string, price = '10.00') => ({
  ...{ Name, 'Lineitem name': name, 'Lineitem quantity': String(quantity), 'Lineitem price': price },
  'Lineitem requires shipping': 'true',
});
const ada = {
  ...{
    'Shipping Name': 'Ada Lovelace',
    'Shipping Address1': '233 S Wacker Dr',
    'Shipping Address2': 'Apt 4B',
  },
  ...{
    'Shipping City': 'Chicago',
    'Shipping Zip': "'60606",
    'Shipping Province': 'IL',
    'Shipping Country': 'US',
  },
  ...{ 'Billing Phone': '(312) 555-0142', 'Billing Address1': '1 Elsewhere St', Email: 'ada@mail.example' },
  ...{ 'Financial Status': 'paid', Subtotal: '42.5', Total: '50.00' },
};
const tip = { 'Lineitem requires shipping': 'false' };
const shopify = csvOf(shopifyColumns, [
  { ...ada, ...item('#1001', 2, 'Soup, large'), Notes: 'Ring "twice"\nplease' },
  item('#1001', 1, 'Bread'),
  { ...item('#1001', 1, 'Tip', '3.00'), ...tip },
  { ...ada, ...item('#1002', 1, 'Soup'), 'Cancelled at': '2026-03-01 10:00:00 -0500' },
  { ...ada, ...item('#1003', 1, 'Soup'), 'Shipping Method': 'Local Pickup' },
  { ...ada, ...item('#1004', 1, 'Soup'), 'Note Attributes': 'Checkout-Method: pickup' },
  {
    ...{ ...ada, ...item('#1005', 1, 'Stew') },
    'Note Attributes': 'Checkout-Method: delivery\nDelivery-Date: 2026-03-05\nDelivery-Time: 13:00 - 14:00',
  },
]);

const squareColumns =
  'Order,Order Date,Currency,Order Subtotal,Order Shipping Price,Order Tax Total,Order Total,Order Refunded Amount,Fulfillment Date,Fulfillment Type,Fulfillment Status,Channels,Fulfillment Location,Fulfillment Notes,Recipient Name,Recipient Email,Recipient Phone,Recipient Address,Recipient Address 2,Recipient Postal Code,Recipient City,Recipient Region,Recipient Country,Item Quantity,Item Name,Item SKU,Item Variation,Item Modifiers,Item Price,Item Options Total Price,Item Total Price'.split(
    ',',
  );
const grace = {
  ...{ Order: 'Payment Link', 'Fulfillment Date': '03/18/2026, 1:58 PM', 'Fulfillment Type': 'Delivery' },
  ...{ 'Recipient Name': 'Grace Hopper', 'Recipient Phone': '+1 312-555-0143', 'Order Subtotal': '37.9' },
  ...{ 'Recipient Address': '1060 W Addison St', 'Recipient City': 'Chicago', 'Recipient Region': 'IL' },
  ...{ 'Recipient Postal Code': '60613', 'Recipient Country': 'US', 'Order Total': '45' },
};
const joan = {
  ...{ 'Recipient Name': 'Joan Clarke', 'Order Total': '9' },
  ...{ 'Item Name': 'Fries', 'Item Quantity': '1' },
};
const square = csvOf(squareColumns, [
  {
    ...grace,
    'Item Name': 'Burger',
    'Item Variation': 'Regular',
    'Item Quantity': '2',
    'Item Modifiers': '1 x Cheese',
  },
  { ...grace, 'Item Name': 'Cola', 'Item Variation': 'Large', 'Item Quantity': '1' },
  // The same name and time, for another person.
  { ...grace, ...joan },
  { ...grace, Order: 'DOORDASH', 'Fulfillment Type': 'Pickup', 'Item Name': 'Fries', 'Item Quantity': '1' },
  { ...grace, Order: 'Counter', 'Fulfillment Type': '', 'Item Name': 'Fries', 'Item Quantity': '1' },
]);

const wooColumns =
  'Order Number,Order Status,Order Date,Customer Note,First Name (Billing),Last Name (Billing),Email (Billing),Phone (Billing),First Name (Shipping),Last Name (Shipping),Address 1&2 (Shipping),City (Shipping),State Code (Shipping),Postcode (Shipping),Country Code (Shipping),Shipping Method Title,Order Subtotal Amount,Order Total Amount,Item #,Item Name,Quantity (- Refund),Item Cost'.split(
    ',',
  );
const linus = {
  ...{
    'Order Number': '812',
    'Order Status': 'Processing',
    'Customer Note': 'Gate 5',
    'Order Subtotal Amount': '20',
  },
  ...{ 'First Name (Shipping)': 'Linus', 'Last Name (Shipping)': 'Pauling', 'Phone (Billing)': '3125550144' },
  ...{ 'Address 1&2 (Shipping)': '350 W Mart Center Dr, Floor 2', 'City (Shipping)': 'Chicago' },
  ...{ 'State Code (Shipping)': 'IL', 'Postcode (Shipping)': '60654', 'Country Code (Shipping)': 'US' },
};
const woo = csvOf(wooColumns, [
  { ...linus, 'Item Name': 'Tea', 'Quantity (- Refund)': '3' },
  { 'Item Name': 'Cup', 'Quantity (- Refund)': '1' },
  {
    ...linus,
    'Order Number': '813',
    'Order Status': 'Cancelled',
    'Item Name': 'Tea',
    'Quantity (- Refund)': '1',
  },
  { ...linus, 'Order Number': '814', 'Shipping Method Title': 'Local pickup', 'Item Name': 'Tea' },
]);
const wooJson = JSON.stringify([
  {
    ...{ id: 900, number: '900', status: 'processing', customer_note: '', total: '24.00' },
    billing: { first_name: 'Linus', last_name: 'Pauling', phone: '3125550144', email: 'linus@mail.example' },
    shipping: {
      ...{
        first_name: 'Linus',
        last_name: 'Pauling',
        address_1: '350 W Mart Center Dr',
        address_2: 'Floor 2',
      },
      ...{ city: 'Chicago', state: 'IL', postcode: '60654', country: 'US' },
    },
    line_items: [
      { name: 'Tea', quantity: 3, subtotal: '18.00' },
      { name: 'Cup', quantity: 1, subtotal: '2.5' },
    ],
    shipping_lines: [{ method_id: 'flat_rate' }],
  },
  { id: 901, number: '901', status: 'processing', shipping_lines: [{ method_id: 'local_pickup' }] },
]);

type Cells = Readonly<Record<string, string>>;

/** Imports these rows of an export of Shopify. */
const fromShopify = (...rows: Cells[]) =>
  importFolder(box, csvOf(shopifyColumns, rows)).run(['--preset', 'shopify', '--store', store]);

async function imported(content: string, preset: string, name?: string) {
  const { run } = importFolder(box, content, name);
  const { exit, stderr } = await run(['--preset', preset, '--store', store]);
  expect([exit, stderr]).toEqual([0, expect.any(String)]);
  return stderr;
}

async function orderOf(ref: string): Promise<Record<string, unknown>> {
  const { stdout } = await box.run(['orders', 'list', '--ref', ref, '--json']);
  return JSON.parse(stdout)[0];
}

test('Shopify: rows are grouped, tips are tips, and billing is not where it goes', async () => {
  const stderr = await imported(shopify, 'shopify');
  expect(stderr).toContain(
    'Left out: 1 order (canceled: #1002), 2 orders (picked up by the customer, such as #1003, "Local Pickup").',
  );
  expect(stderr).toContain('2 orders, for manual dispatch.');
  expect(await orderOf('#1001')).toMatchObject({
    ...{ dropoff_address: '233 S Wacker Dr, Chicago, IL 60606, USA', dropoff_unit: 'Apt 4B' },
    ...{
      dropoff_name: 'Ada Lovelace',
      dropoff_phone_number: '13125550142',
      dropoff_email: 'ada@mail.example',
    },
    ...{ dropoff_notes: 'Ring "twice"\nplease', tip: 300, order_value: 4250, pickup_store_id: store },
    items: [
      { name: 'Soup, large', quantity: 2, size: 'small' },
      { name: 'Bread', quantity: 1, size: 'small' },
    ],
  });
  // 13:00 in Chicago, on winter time.
  expect(await orderOf('#1005')).toMatchObject({ dropoff_at: '2026-03-05T19:00:00.000Z' });
});

test('Shopify: an order without a shipping address is a fault, whatever its billing address', async () => {
  const row = { ...ada, ...item('#1', 1, 'Soup'), 'Shipping Address1': '', 'Shipping Zip': '' };
  const { exit, stderr } = await fromShopify(row);
  expect(exit).toBe(2);
  expect(stderr).toContain('the shipping address is empty, and the billing address is not used instead');
});

test('Square: only deliveries, and orders of one name are told apart', async () => {
  const stderr = await imported(square, 'square');
  expect(stderr).toContain(
    'Left out: 1 order (picked up: DOORDASH, 03/18/2026, 1:58 PM, 45), 1 order (no fulfillment: Counter',
  );
  expect(await orderOf('Payment Link, 03/18/2026, 1:58 PM, 9')).toMatchObject({
    ...{ dropoff_name: 'Joan Clarke', items: [{ name: 'Fries', quantity: 1 }] },
  });
  expect(await orderOf('Payment Link, 03/18/2026, 1:58 PM, 45')).toMatchObject({
    ...{ dropoff_name: 'Grace Hopper', dropoff_phone_number: '13125550143', order_value: 3790 },
    dropoff_address: '1060 W Addison St, Chicago, IL 60613, USA',
    items: [
      { name: 'Burger, 1 x Cheese', quantity: 2 },
      { name: 'Cola, Large', quantity: 1 },
    ],
  });
});

test('Square: the fulfillment date is the time of the dropoff, and a refunded order is left out', async () => {
  const row = (Order: string, more: Record<string, string>) => ({
    ...{ ...grace, Order, 'Order Total': '45', 'Item Name': 'Cake', 'Item Quantity': '1' },
    ...more,
  });
  const stderr = await imported(
    csvOf(squareColumns, [
      row('Order 1', { 'Fulfillment Date': '2026/03/08, 10:00 AM', 'Order Refunded Amount': '0' }),
      row('Order 2', { 'Order Refunded Amount': '5' }),
      row('Order 3', { 'Order Refunded Amount': '45.0' }),
      row('Order 4', { 'Order Total': '0', 'Order Refunded Amount': '0', 'Fulfillment Date': '' }),
    ]),
    'square',
  );
  expect(stderr).toContain('Left out: 1 order (refunded: Order 3).');
  // 10:00 in Chicago, on the day on which summer time begins.
  expect(await orderOf('Order 1')).toMatchObject({ dropoff_at: '2026-03-08T15:00:00.000Z' });
  expect(await orderOf('Order 2')).toMatchObject({ dropoff_at: '2026-03-18T18:58:00.000Z' });
  expect(await orderOf('Order 4')).toMatchObject({ dropoff_at: null });
  const undated = csvOf(squareColumns, [row('Order 5', { 'Fulfillment Date': '03/08/2026' })]);
  const { stderr: refused } = await importFolder(box, undated).run([
    ...['--preset', 'square', '--store', store],
  ]);
  expect(refused).toContain('dropoff_at: must have a time of day, such as "03/08/2026 6pm"');
});

test('Shopify: of an order that is fulfilled in part, only the rest is sent', async () => {
  const done = { 'Lineitem fulfillment status': 'fulfilled' };
  const stderr = await imported(
    csvOf(shopifyColumns, [
      { ...ada, ...item('#3001', 1, 'Soup'), ...done, 'Fulfillment Status': 'partial' },
      { ...item('#3001', 2, 'Bread'), 'Lineitem fulfillment status': 'pending' },
      { ...ada, ...item('#3002', 1, 'Soup'), ...done, 'Fulfillment Status': 'partial' },
      { ...item('#3002', 1, 'Voucher'), ...tip },
    ]),
    'shopify',
  );
  expect(stderr).toContain('Left out: 1 order (fulfilled already: #3002).');
  expect(await orderOf('#3001')).toMatchObject({ items: [{ name: 'Bread', quantity: 2 }] });
});

test('the company of an address precedes its unit, and is the name if there is none', async () => {
  const company = { 'Shipping Company': 'Analytical Engines' };
  await imported(
    csvOf(shopifyColumns, [
      { ...ada, ...item('#3101', 1, 'Soup'), ...company },
      { ...ada, ...item('#3102', 1, 'Soup'), ...company, 'Shipping Name': '' },
    ]),
    'shopify',
  );
  expect(await orderOf('#3101')).toMatchObject({
    ...{ dropoff_name: 'Ada Lovelace', dropoff_unit: 'Analytical Engines, Apt 4B' },
  });
  expect(await orderOf('#3102')).toMatchObject({
    ...{ dropoff_name: 'Analytical Engines', dropoff_unit: 'Apt 4B' },
  });
  const [order] = JSON.parse(wooJson);
  const office = { ...order, number: '3103', shipping: { ...order.shipping, company: 'Bond Lab' } };
  await imported(JSON.stringify([office]), 'woocommerce', 'orders.json');
  expect(await orderOf('3103')).toMatchObject({ dropoff_unit: 'Bond Lab, Floor 2' });
  const rows = [
    { ...linus, 'Order Number': '3104', 'Company (Shipping)': 'Bond Lab', 'Item Name': 'Tea' },
  ].map((row) => ({ ...row, 'Quantity (- Refund)': '1' }));
  await imported(csvOf([...wooColumns, 'Company (Shipping)'], rows), 'woocommerce');
  expect(await orderOf('3104')).toMatchObject({ dropoff_unit: 'Bond Lab' });
});

test('WooCommerce: blank cells repeat the order above, in CSV; the REST interface in JSON', async () => {
  expect(await imported(woo, 'woocommerce')).toContain(
    'Left out: 1 order (status "Cancelled": 813), 1 order (picked up by the customer: 814, "Local pickup").',
  );
  expect(await orderOf('812')).toMatchObject({
    ...{ dropoff_name: 'Linus Pauling', order_value: 2000, dropoff_notes: 'Gate 5' },
    dropoff_address: '350 W Mart Center Dr, Floor 2, Chicago, IL 60654, USA',
    items: [
      { name: 'Tea', quantity: 3 },
      { name: 'Cup', quantity: 1 },
    ],
  });
  await imported(wooJson, 'woocommerce', 'orders.json');
  expect(await orderOf('900')).toMatchObject({
    ...{ dropoff_name: 'Linus Pauling', dropoff_unit: 'Floor 2', order_value: 2050 },
    dropoff_phone_number: '13125550144',
  });
});

test('WooCommerce: what plugins add says when, and what the tip is', async () => {
  const [order] = JSON.parse(wooJson);
  const plugins = {
    ...{
      ...order,
      number: '3201',
      fee_lines: [
        { name: 'Tip (15%)', total: '3.00' },
        { name: 'Bag', total: '1' },
      ],
    },
    meta_data: [
      { key: '_paid_date', value: '2026-03-01 10:00' },
      { key: '_delivery_date', value: '03/05/2026' },
      { key: '_delivery_time_frame', value: '1:00 PM - 2:00 PM' },
      { key: 'Event', value: '2026-03-09' },
    ],
  };
  const stderr = await imported(JSON.stringify([plugins]), 'woocommerce', 'orders.json');
  expect(stderr).toContain(`Not read: "Event", which looks like a time: --date-attribute 'Event'`);
  expect(await orderOf('3201')).toMatchObject({ tip: 300, dropoff_at: '2026-03-05T19:00:00.000Z' });
  const onItem = {
    ...order,
    number: '3202',
    line_items: [{ ...order.line_items[0], meta_data: plugins.meta_data }],
  };
  await imported(JSON.stringify([onItem]), 'woocommerce', 'orders.json');
  expect(await orderOf('3202')).toMatchObject({ dropoff_at: '2026-03-05T19:00:00.000Z' });
});

test('an attribute that is named holds the time, and --date-attribute needs a preset', async () => {
  const row = { ...ada, ...item('#3301', 1, 'Stew'), 'Note Attributes': 'Party on: 2026-03-05 1 PM' };
  const { run } = importFolder(box, csvOf(shopifyColumns, [row]));
  const flags = ['--preset', 'shopify', '--store', store, '--date-attribute', 'party ON'];
  expect((await run(flags)).exit).toBe(0);
  expect(await orderOf('#3301')).toMatchObject({ dropoff_at: '2026-03-05T19:00:00.000Z' });
  const refused = await importFolder(box, shopify).run(['--store', store, '--date-attribute', 'x']);
  expect([refused.exit, refused.stderr]).toEqual([
    2,
    expect.stringContaining('--date-attribute needs --preset'),
  ]);
});

test('a row of an export that cannot be sent keeps its columns in the file of failed rows', async () => {
  const rows = [
    { ...ada, ...item('#3401', 1, 'Soup'), 'Billing Phone': '555-0142' },
    item('#3401', 1, 'Bread'),
    { ...ada, ...item('#3402', 1, 'Tea') },
  ];
  const { run, beside } = importFolder(box, csvOf(shopifyColumns, rows));
  const flags = ['--preset', 'shopify', '--store', store];
  expect((await run([...flags, '--skip-invalid'])).exit).toBe(10);
  const failed = beside('.failed.csv');
  expect(failed.split('\n')[0]).toBe([...shopifyColumns, 'line', 'error'].join(','));
  const mended = importFolder(box, failed.replace('555-0142', '(312) 555-0142'), 'mended.csv');
  expect((await mended.run(flags)).exit).toBe(0);
  expect(await orderOf('#3401')).toMatchObject({
    items: [{ name: 'Soup' }, { name: 'Bread' }],
    order_value: 4250,
  });
});

test('a wrong preset, a missing one, and exports without addresses are noticed before anything is sent', async () => {
  const squarespace = shopify.replace('Name,', 'Order ID,');
  const files = { shopify, square, squarespace, woocommerce: woo };
  const refusal = async (content: string, ...flags: string[]) => {
    const { exit, stderr } = await importFolder(box, content).run(['--store', store, '--json', ...flags]);
    expect(exit).toBe(2);
    return `${errorOf(stderr).message} ${errorOf(stderr).hint}`;
  };
  const before = box.requests.filter(({ method }) => method === 'POST').length;
  for (const name of presetNames) {
    expect(await refusal(files[name])).toContain(`pass --preset ${name}`);
    for (const other of presetNames.filter((each) => each !== name))
      expect(await refusal(files[name], '--preset', other)).toMatch(
        new RegExp(`orders\\.csv is not .*it has no column .*pass --preset ${name}`),
      );
  }
  const squareItems = 'Date,Time,Item,Qty,Price Point Name,Transaction ID,Dining Option\n';
  expect(await refusal(squareItems, '--preset', 'square')).toMatch(
    /Square's item file\. It has no addresses/,
  );
  const toast = 'Location,Order Id,Order #,Opened,Dining Options,Tab Names\n';
  expect(await refusal(toast)).toMatch(/Toast's order file.*--map 'Address=dropoff_address'/);
  expect(box.requests.filter(({ method }) => method === 'POST')).toHaveLength(before);
});

test('an export is checked first, with what is left out, and its failed orders are imported again', async () => {
  const { run, beside } = importFolder(box, shopify.replace("'60606", "'00000"));
  const flags = ['--preset', 'shopify', '--store', store];
  const checked = await importFolder(box, shopify).run([...flags, '--validate-only', '--json']);
  expect(jsonOf(checked.stdout)).toMatchObject({
    ...{ rows: 2, tip: 300 },
    left_out: [
      { reason: 'canceled', orders: 1, example: '#1002' },
      { reason: 'picked up by the customer', orders: 2, example: '#1003, "Local Pickup"' },
    ],
  });
  expect((await run(flags)).exit).toBe(2);
  const { exit, stderr } = await run([...flags, '--skip-invalid']);
  expect([exit, stderr]).toEqual([10, expect.stringContaining('orders import orders.csv.failed.csv')]);
  const again = importFolder(box, beside('.failed.csv').replaceAll('00000', '60606'), 'again.csv');
  expect((await again.run(flags)).exit).toBe(0);
});

test('a map is kept in a file, and its mistakes name their line', async () => {
  const content =
    'Kunde;Adresse;Telefon;Was\nMax Planck;"233 S Wacker Dr, Chicago, IL 60606";3125550145;Buch\n';
  const { home, run } = importFolder(box, content);
  const lines = [
    '# Our shop',
    'Kunde = dropoff_name',
    'Adresse = dropoff_address',
    'Telefon=dropoff_phone_number',
  ];
  writeFileSync(join(home, 'shop.map'), lines.join('\n'));
  const flags = ['--map', 'shop.map', '--map', 'Was=items_description', '--store', store];
  expect(await run(flags)).toMatchObject({ exit: 0 });
  writeFileSync(join(home, 'shop.map'), 'Kunde\n');
  const { exit, stderr } = await run([...flags, '--restart']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('shop.map, line 1 is not HEADER=FIELD')]);
});

test('an order that is there twice is pointed out, and a reference if it is allowed', async () => {
  const header = 'external_order_ref,dropoff_address,dropoff_name,dropoff_phone_number,items_description';
  const row = (ref: string, name: string) =>
    `${ref},"233 S Wacker Dr, Chicago, IL 60606",${name},+13125550142,Lunch`;
  const rows = [row('1', 'Ada'), row('2', 'Max'), row('3', 'ADA'), row('4', 'Ada'), row('2', 'Eve')];
  const content = `${[header, ...rows].join('\n')}\n`;
  const people = await importFolder(box, content).run(['--store', store, '--allow-duplicate-ref']);
  expect(people.stderr).toContain(
    'Lines 2 and 4 have the same recipient, address and items; line 5 also repeats an earlier one. Is that order there twice?',
  );
  expect(people.stderr).toContain('Lines 3 and 6 have the same reference. Is that order there twice?');
  expect(people.stdout).toContain('\nrepeated\t3\n');
  const bad = await importFolder(box, content).run(['--store', store, '--validate-only']);
  expect([bad.exit, bad.stderr]).toEqual([
    2,
    expect.stringContaining('Lines 2 and 4 have the same recipient'),
  ]);
  const made = await importFolder(box, content).run(['--store', store, '--allow-duplicate-ref', '--json']);
  const check = ['--store', store, '--allow-duplicate-ref', '--validate-only', '--json'];
  const { stdout, stderr } = await importFolder(box, content).run(check);
  expect(stderr).toContain('Lines 3 and 6 have the same reference.');
  const repeated = [
    { line: 4, same_as: 2, what: 'order' },
    { line: 5, same_as: 2, what: 'order' },
    { line: 6, same_as: 3, what: 'reference' },
  ];
  expect([jsonOf(stdout).repeated, jsonOf(made.stdout).repeated]).toEqual([repeated, repeated]);
});

test.each([
  ['2026-03-05', '9:00 AM - 10:00 AM', '15:00'],
  ['2026/03/05', '1:30pm', '19:30'],
  ['03/05/2026', '13:00 - 14:00', '19:00'],
  ['2026-03-05', '9:00 - 10:00', '15:00'],
])('a delivery on %s at %s is agreed for %s UTC', async (date, time, utc) => {
  const attributes = `Delivery-Date: ${date}\nDelivery-Time: ${time}`;
  const ref = `#${date} ${time}`;
  await imported(
    csvOf(shopifyColumns, [{ ...ada, ...item(ref, 1, 'Stew'), 'Note Attributes': attributes }]),
    'shopify',
  );
  expect(await orderOf(ref)).toMatchObject({ dropoff_at: `2026-03-05T${utc}:00.000Z` });
});

test('amounts and quantities are read as written, or refused', async () => {
  const tips = (quantity: string) => ({
    ...item('#7', 1, 'Tip', '1,50'),
    ...tip,
    'Lineitem quantity': quantity,
  });
  const order = { ...ada, ...item('#7', 2, 'Soup'), Subtotal: '12,50' };
  await imported(csvOf(shopifyColumns, [order, tips('2.0')]), 'shopify');
  expect(await orderOf('#7')).toMatchObject({ order_value: 1250, tip: 300, items: [{ quantity: 2 }] });
  const faults = async (...rows: Cells[]) => (await fromShopify(...rows)).stderr;
  expect(await faults(order, tips('1e12'))).toContain('line 2, tip: was bought "1e12" times');
  expect(await faults({ ...order, 'Lineitem quantity': 'some' })).toContain(
    'items: the quantity of "Soup" must be a whole number, not "some"',
  );
});

test('rows of one order that stand apart are refused: they would be two orders', async () => {
  const rows = [
    { ...ada, ...item('#8', 1, 'Soup') },
    { ...ada, ...item('#9', 1, 'Soup') },
    item('#8', 1, 'Bread'),
  ];
  const { exit, stderr } = await fromShopify(...rows);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('line 4, row: belongs to an order further up')]);
});

test('an order of which nothing is left to deliver is left out', async () => {
  const rows = [
    { ...linus, 'Order Number': '820', 'Item Name': 'Tea', 'Quantity (- Refund)': '0' },
    { ...linus, 'Order Number': '821', 'Item Name': 'Tea', 'Quantity (- Refund)': '1' },
  ];
  expect(await imported(csvOf(wooColumns, rows), 'woocommerce')).toContain(
    'Left out: 1 order (nothing left to deliver: 820).',
  );
});

test('an import goes on only as it was begun', async () => {
  const { run } = importFolder(box, shopify.replaceAll('#100', '#200'));
  expect((await run(['--preset', 'shopify', '--store', store])).exit).toBe(0);
  expect(await run(['--preset', 'square', '--resume'])).toMatchObject({
    exit: 6,
    stderr: expect.stringContaining('It was started with another --preset.'),
  });
  expect((await run(['--resume'])).exit).toBe(0);
});
