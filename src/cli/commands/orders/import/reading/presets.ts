/**
 * How the exports of shop systems are read as orders. Columns are found by name, as the systems add columns over time.
 * Orders that need no courier are left out with a reason. The billing address is never used for the dropoff.
 */
import { type Fields, isFields } from '../../../../../domain/fields.ts';
import { parseDollars } from '../../../../../domain/money.ts';
import { type Layout, type PresetName, presetNames } from '../source.ts';
import { type Attribute, attributesIn, chosenTime, isDeliveryTimeColumn } from './delivery-dates.ts';
import { createExportOrder, type ExportedOrder } from './export-order.ts';
import {
  currencyReason,
  methodReason,
  paidStatuses,
  squareStatuses,
  statusReason,
  unfulfilledStatuses,
  wooStatuses,
} from './ready-orders.ts';

/** The cells of a row by column; empty for a column that the file does not have. */
export interface Cells {
  (column: string): string;
  columns: readonly string[];
}

/** The cells of the columns that are named like the date or time of a delivery. */
function timeCells(row: Cells): Attribute[] {
  return row.columns.filter(isDeliveryTimeColumn).map((column) => [column, row(column)] as const);
}

interface Preset {
  title: string;
  /** The columns without which a file is not this export. */
  columns: readonly string[];
  /** Rows with the same key that follow each other are one order; null: the row belongs to the one before. */
  keyOf(row: Cells): string | null;
  referenceOf(row: Cells): string;
  /** Reads the rows of an order: one for each item. */
  orderOf(row: Cells, rows: readonly Cells[], layout: Layout): ExportedOrder;
}

export const presets: Readonly<Record<PresetName, Preset>> = {
  shopify: {
    title: "Shopify's orders export",
    columns: ['Name', 'Lineitem name', 'Lineitem quantity', 'Shipping Address1', 'Shipping Zip'],
    keyOf: (row) => row('Name'),
    referenceOf: (row) => row('Name'),
    orderOf: shopifyOrder,
  },
  squarespace: {
    title: "Squarespace's orders export",
    columns: ['Order ID', 'Lineitem name', 'Lineitem quantity', 'Shipping Address1', 'Shipping Zip'],
    keyOf: (row) => row('Order ID'),
    referenceOf: (row) => row('Order ID'),
    orderOf: shopifyOrder,
  },
  square: {
    title: "Square's Orders export",
    columns: ['Order', 'Fulfillment Type', 'Recipient Address', 'Recipient Postal Code', 'Item Name'],
    // The name of an order is not unique: all those of a marketplace can have the same.
    keyOf: (row) =>
      JSON.stringify(
        ['Order', 'Fulfillment Date', 'Recipient Name', 'Order Total'].map((column) => row(column)),
      ),
    referenceOf: squareReference,
    orderOf: squareOrder,
  },
  woocommerce: {
    title: "WooCommerce's Advanced Order Export",
    columns: ['Order Number', 'Order Status', 'Address 1&2 (Shipping)', 'Postcode (Shipping)', 'Item Name'],
    keyOf: (row) => row('Order Number') || null,
    referenceOf: (row) => row('Order Number'),
    orderOf: wooOrder,
  },
};

const squareInstead =
  'It has no addresses: export Orders in the Square Dashboard, and import that file with --preset square.';

const toastInstead =
  "Toast's exports have no addresses: add a column with them and name it with --map 'Address=dropoff_address'.";

/** Exports that have no addresses, by their columns. */
const exportsWithoutAddress: readonly { title: string; columns: readonly string[]; instead: string }[] = [
  {
    title: "Square's item file",
    columns: ['Transaction ID', 'Price Point Name', 'Dining Option'],
    instead: squareInstead,
  },
  {
    title: "Square's transactions file",
    columns: ['Transaction ID', 'Total Collected', 'Card Brand'],
    instead: squareInstead,
  },
  {
    title: "Toast's order file",
    columns: ['Order Id', 'Order #', 'Dining Options'],
    instead: toastInstead,
  },
  {
    title: "Toast's item file",
    columns: ['Order Id', 'Item Selection Id', 'Menu Item'],
    instead: toastInstead,
  },
  {
    title: "Toast's check file",
    columns: ['Check Id', 'Customer Phone', 'Opened Date'],
    instead: toastInstead,
  },
];

/** Names the export that a file with these columns is, and the way to import it; null if it is none of these. */
export function recognizeExport(headers: readonly string[]): string | null {
  const names = headers.map(foldedColumn);
  const has = ({ columns }: { columns: readonly string[] }) =>
    columns.every((column) => names.includes(foldedColumn(column)));
  const known = presetNames.find((name) => has(presets[name]));
  if (known !== undefined) return `This looks like ${presets[known].title}: pass --preset ${known}.`;
  const other = exportsWithoutAddress.find(has);
  return other === undefined ? null : `This looks like ${other.title}. ${other.instead}`;
}

export function missingColumns(name: PresetName, headers: readonly string[]): string[] {
  const names = headers.map(foldedColumn);
  return presets[name].columns.filter((column) => !names.includes(foldedColumn(column)));
}

/** Column names are compared without case and outer blanks. */
export function foldedColumn(column: string): string {
  return column.trim().toLowerCase();
}

/** Squarespace exports the columns of Shopify, but for the reference. */
function shopifyOrder(row: Cells, rows: readonly Cells[], layout: Layout): ExportedOrder {
  const attributes = ['Note Attributes', 'Lineitem properties'].flatMap((column) =>
    attributesIn(row(column)),
  );
  const goods = rows.filter((each) => foldedColumn(each('Lineitem requires shipping')) !== 'false');
  const left = goods.filter((each) => foldedColumn(each('Lineitem fulfillment status')) !== 'fulfilled');
  const [, checkout = ''] = attributes.find(([name]) => /^checkout.method$/i.test(name)) ?? [];
  const reason =
    (row('Cancelled at') === '' ? null : { left_out: 'canceled' }) ??
    statusReason(row('Financial Status'), paidStatuses, layout) ??
    statusReason(row('Fulfillment Status'), unfulfilledStatuses, layout) ??
    methodReason(checkout === 'shipping' ? 'by post' : checkout, layout, null) ??
    methodReason(row('Shipping Method'), layout, 'Shipping Method') ??
    currencyReason(row('Currency')) ??
    (goods.length === 0 ? { left_out: 'nothing to deliver' } : null) ??
    (left.length === 0 ? { left_out: 'fulfilled already' } : null);
  if (reason !== null) return reason;
  const tips = rows.filter((each) => foldedColumn(each('Lineitem name')) === 'tip' && !goods.includes(each));
  const order = createExportOrder(layout);
  order.address({
    street: row('Shipping Address1'),
    city: row('Shipping City'),
    state: row('Shipping Province'),
    zip: row('Shipping Zip'),
    country: row('Shipping Country'),
  });
  order.recipient({
    name: row('Shipping Name') || row('Billing Name'),
    company: row('Shipping Company'),
    unit: row('Shipping Address2'),
  });
  order.text('dropoff_phone_number', row('Shipping Phone') || row('Phone') || row('Billing Phone'));
  order.email(row('Email'));
  order.text('dropoff_notes', row('Notes'));
  order.text('external_order_ref', row('Name') || row('Order ID'));
  order.money('order_value', [row('Subtotal')]);
  order.money('tip', ...tips.map((each) => [each('Lineitem price'), each('Lineitem quantity')] as const));
  order.items(left.map((each) => ({ name: each('Lineitem name'), quantity: each('Lineitem quantity') })));
  order.dropoffTime(chosenTime([...attributes, ...timeCells(row)], layout));
  return order.result();
}

/** `Pickup` rows are also those of marketplaces, whose couriers come by themselves. */
const squareLeftOutReasons: Readonly<Record<string, string>> = {
  pickup: 'picked up',
  curbside: 'picked up',
  '': 'no fulfillment',
};

/** Marketplaces and payment links give the same name to all their orders: time and total tell them apart. */
function squareReference(row: Cells): string {
  const name = row('Order');
  return /\d/.test(name) ? name : [name, row('Fulfillment Date'), row('Order Total')].join(', ');
}

function squareOrder(row: Cells, rows: readonly Cells[], layout: Layout): ExportedOrder {
  const type = foldedColumn(row('Fulfillment Type'));
  if (type !== 'delivery') return { left_out: squareLeftOutReasons[type] ?? `fulfillment "${type}"` };
  const reason =
    statusReason(row('Fulfillment Status'), squareStatuses, layout) ?? currencyReason(row('Currency'));
  if (reason !== null) return reason;
  const [total, refunded] = [parseDollars(row('Order Total')), parseDollars(row('Order Refunded Amount'))];
  if (total !== null && refunded !== null && refunded > 0 && refunded >= total)
    return { left_out: 'refunded' };
  const order = createExportOrder(layout);
  order.address({
    street: row('Recipient Address'),
    city: row('Recipient City'),
    state: row('Recipient Region'),
    zip: row('Recipient Postal Code'),
    country: row('Recipient Country'),
  });
  order.text('dropoff_unit', row('Recipient Address 2'));
  order.text('dropoff_name', row('Recipient Name'));
  order.text('dropoff_phone_number', row('Recipient Phone'));
  order.email(row('Recipient Email'));
  order.text('dropoff_notes', row('Fulfillment Notes'));
  order.text('external_order_ref', squareReference(row));
  order.money('order_value', [row('Order Subtotal')]);
  order.items(
    rows.map((each) => {
      const variation = foldedColumn(each('Item Variation')) === 'regular' ? '' : each('Item Variation');
      const parts = [each('Item Name'), variation, each('Item Modifiers')];
      return { name: parts.filter(Boolean).join(', '), quantity: each('Item Quantity') };
    }),
  );
  const [date = '', time = ''] = row('Fulfillment Date').split(',');
  order.dropoffTime({ date: date.trim(), time, unused: [] });
  return order.result();
}

function wooOrder(row: Cells, rows: readonly Cells[], layout: Layout): ExportedOrder {
  const column = 'Shipping Method Title';
  const reason =
    statusReason(row('Order Status'), wooStatuses, layout) ?? methodReason(row(column), layout, column);
  if (reason !== null) return reason;
  const order = createExportOrder(layout);
  order.address({
    street: row('Address 1&2 (Shipping)'),
    city: row('City (Shipping)'),
    state: row('State Code (Shipping)'),
    zip: row('Postcode (Shipping)'),
    country: row('Country Code (Shipping)'),
  });
  const nameOf = (end: string) => `${row(`First Name (${end})`)} ${row(`Last Name (${end})`)}`.trim();
  order.recipient({
    name: nameOf('Shipping') || nameOf('Billing'),
    company: row('Company (Shipping)'),
    unit: '',
  });
  order.text('dropoff_phone_number', row('Phone (Shipping)') || row('Phone (Billing)'));
  order.email(row('Email (Billing)'));
  order.text('dropoff_notes', row('Customer Note'));
  order.text('external_order_ref', row('Order Number'));
  order.money('order_value', [row('Order Subtotal Amount') || row('Order Total Amount')]);
  order.items(
    rows.map((each) => ({
      name: each('Item Name'),
      quantity: each('Quantity (- Refund)') || each('Quantity'),
    })),
  );
  order.dropoffTime(chosenTime(timeCells(row), layout));
  return order.result();
}

/** Reads an order as the REST interface of WooCommerce has it; its webhooks send the same. */
export function wooJsonOrder(given: Fields, layout: Layout): ExportedOrder {
  const [shipping, billing] = [fieldsAt(given, 'shipping'), fieldsAt(given, 'billing')];
  const lines = listAt(given, 'line_items');
  const methods = listAt(given, 'shipping_lines').flatMap((way) =>
    ['method_id', 'method_title'].map((name) => textAt(way, name)),
  );
  const reason =
    statusReason(textAt(given, 'status'), wooStatuses, layout) ??
    methods.map((method) => methodReason(method, layout, null)).find((each) => each !== null) ??
    currencyReason(textAt(given, 'currency'));
  if (reason !== null) return reason;
  const order = createExportOrder(layout);
  order.address({
    street: textAt(shipping, 'address_1'),
    city: textAt(shipping, 'city'),
    state: textAt(shipping, 'state'),
    zip: textAt(shipping, 'postcode'),
    country: textAt(shipping, 'country'),
  });
  const nameOf = (end: Fields) => `${textAt(end, 'first_name')} ${textAt(end, 'last_name')}`.trim();
  order.recipient({
    name: nameOf(shipping) || nameOf(billing),
    company: textAt(shipping, 'company'),
    unit: textAt(shipping, 'address_2'),
  });
  order.text('dropoff_phone_number', textAt(shipping, 'phone') || textAt(billing, 'phone'));
  order.email(textAt(billing, 'email'));
  order.text('dropoff_notes', textAt(given, 'customer_note'));
  order.text('external_order_ref', textAt(given, 'number') || textAt(given, 'id'));
  order.money('order_value', ...lines.map((line) => [textAt(line, 'subtotal')] as const));
  order.money(
    'tip',
    ...listAt(given, 'fee_lines')
      .filter(isTip)
      .map((fee) => [textAt(fee, 'total')] as const),
  );
  order.items(lines.map((line) => ({ name: textAt(line, 'name'), quantity: textAt(line, 'quantity') })));
  order.dropoffTime(chosenTime([given, ...lines].flatMap(metadataOf), layout));
  return order.result();
}

/** Fees of plugins for tips are named so by shops. */
function isTip(fee: Fields): boolean {
  return /\b(tips?|gratuity|propina|trinkgeld|pourboire)\b/i.test(textAt(fee, 'name'));
}

/** Fields that shop plugins add to an order or an item. */
function metadataOf(record: Fields): Attribute[] {
  return listAt(record, 'meta_data').map((each) => [
    textAt(each, 'display_key') || textAt(each, 'key'),
    textAt(each, 'value'),
  ]);
}

function fieldsAt(fields: Fields, name: string): Fields {
  const { [name]: value } = fields;
  return isFields(value) ? value : {};
}

function listAt(fields: Fields, name: string): Fields[] {
  const { [name]: value } = fields;
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function textAt(fields: Fields, name: string): string {
  const { [name]: value } = fields;
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
