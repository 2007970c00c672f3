/**
 * How the exports of shop systems are read as orders. Columns are found by name, as the systems add columns over time.
 * Orders that need no courier are left out with a reason. The billing address is never used for the dropoff.
 */
import type { Fault } from '../../../../contract/errors.ts';
import { normalizeAddress } from '../../../../domain/addresses.ts';
import { type Fields, isFields } from '../../../../domain/fields.ts';
import { zoneOf } from '../../../../domain/time-zones.ts';
import { BadValue } from '../../../kit/args/flags.ts';
import { instantAt, readMoment } from '../../../kit/args/time-arguments.ts';
import { type AddressParts, addressLineOf, phoneIn, Unreadable } from './cell-values.ts';

export const presetNames = ['shopify', 'square', 'woocommerce'] as const;
export type PresetName = (typeof presetNames)[number];

/** The cells of a row by column; empty for a column that the file does not have. */
export type Cells = (column: string) => string;

/** The order of an export, or why it is left out, as in `3 orders (canceled)`. */
export type Found = { fields: Fields; faults: Fault[] } | { left_out: string };

interface Preset {
  title: string;
  /** The columns without which a file is not this export. */
  columns: readonly string[];
  /** Rows with the same key that follow each other are one order; null: the row belongs to the one before. */
  keyOf(row: Cells): string | null;
  /** Reads the rows of an order: one for each item. */
  orderOf(row: Cells, rows: readonly Cells[]): Found;
}

export const presets: Readonly<Record<PresetName, Preset>> = {
  shopify: {
    title: "Shopify's orders export",
    columns: ['Name', 'Lineitem name', 'Lineitem quantity', 'Shipping Address1', 'Shipping Zip'],
    keyOf: (row) => row('Name'),
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
    orderOf: squareOrder,
  },
  woocommerce: {
    title: "WooCommerce's Advanced Order Export",
    columns: ['Order Number', 'Order Status', 'Address 1&2 (Shipping)', 'Postcode (Shipping)', 'Item Name'],
    keyOf: (row) => row('Order Number') || null,
    orderOf: wooOrder,
  },
};

const squareOrders =
  'It has no addresses: export Orders in the Square Dashboard, and import that file with --preset square.';
const toastAddress =
  "Toast's exports have no addresses: add a column with them and name it with --map 'Address=dropoff_address'.";

/** Exports that have no addresses, by their columns. */
const withoutAddress: readonly { title: string; columns: readonly string[]; instead: string }[] = [
  {
    title: "Square's item file",
    columns: ['Transaction ID', 'Price Point Name', 'Dining Option'],
    instead: squareOrders,
  },
  {
    title: "Square's transactions file",
    columns: ['Transaction ID', 'Total Collected', 'Card Brand'],
    instead: squareOrders,
  },
  {
    title: "Toast's order file",
    columns: ['Order Id', 'Order #', 'Dining Options'],
    instead: toastAddress,
  },
  {
    title: "Toast's item file",
    columns: ['Order Id', 'Item Selection Id', 'Menu Item'],
    instead: toastAddress,
  },
  {
    title: "Toast's check file",
    columns: ['Check Id', 'Customer Phone', 'Opened Date'],
    instead: toastAddress,
  },
];

/** What a file seems to be by its columns, and what to do with it; null if it is none of these exports. */
export function recognized(headers: readonly string[]): string | null {
  const names = headers.map(folded);
  const has = ({ columns }: { columns: readonly string[] }) =>
    columns.every((column) => names.includes(folded(column)));
  const known = presetNames.find((name) => has(presets[name]));
  if (known !== undefined) return `This looks like ${presets[known].title}: pass --preset ${known}.`;
  const other = withoutAddress.find(has);
  return other === undefined ? null : `This looks like ${other.title}. ${other.instead}`;
}

/** The columns of a preset that a file lacks. */
export function missingColumns(name: PresetName, headers: readonly string[]): string[] {
  const names = headers.map(folded);
  return presets[name].columns.filter((column) => !names.includes(folded(column)));
}

/** Column names are compared without case and outer blanks. */
export function folded(column: string): string {
  return column.trim().toLowerCase();
}

function shopifyOrder(row: Cells, rows: readonly Cells[]): Found {
  const attributes = attributesIn(row('Note Attributes'));
  const goods = rows.filter((each) => folded(each('Lineitem requires shipping')) !== 'false');
  const way = row('Shipping Method');
  const reason =
    (row('Cancelled at') !== '' && 'canceled') ||
    (/^(refunded|voided)$/i.test(row('Financial Status')) && 'refunded') ||
    (folded(row('Fulfillment Status')) === 'fulfilled' && 'fulfilled already') ||
    ((isPickup(attributes['checkout-method'] ?? '') || isPickup(way)) && 'picked up by the customer') ||
    (goods.length === 0 && 'nothing to deliver');
  if (reason) return { left_out: reason };
  const tips = rows.filter((each) => folded(each('Lineitem name')) === 'tip' && !goods.includes(each));
  const order = createOrder();
  order.address({
    street: row('Shipping Address1'),
    city: row('Shipping City'),
    state: row('Shipping Province'),
    zip: row('Shipping Zip'),
    country: row('Shipping Country'),
  });
  order.text('dropoff_unit', row('Shipping Address2'), 200);
  order.text('dropoff_name', row('Shipping Name') || row('Billing Name') || row('Shipping Company'), 200);
  order.phone(row('Shipping Phone') || row('Phone') || row('Billing Phone'));
  order.email(row('Email'));
  order.text('dropoff_notes', row('Notes'), 500);
  order.text('external_order_ref', row('Name'), 155);
  order.money('order_value', row('Subtotal'));
  order.money(
    'tip',
    ...tips.flatMap((each) => Array(Number(each('Lineitem quantity')) || 1).fill(each('Lineitem price'))),
  );
  order.items(goods.map((each) => ({ name: each('Lineitem name'), quantity: each('Lineitem quantity') })));
  order.agreed(attributes['delivery-date'] ?? '', attributes['delivery-time'] ?? '');
  return order.found();
}

/** The lines `key: value` of the attributes of a cart, with keys in lower case. */
function attributesIn(text: string): Readonly<Record<string, string>> {
  const pairs = text.split('\n').flatMap((line) => {
    const [, key = '', value = ''] = /^\s*([^:]+):\s*(.*?)\s*$/.exec(line) ?? [];
    return key === '' ? [] : [[key.toLowerCase(), value]];
  });
  return Object.fromEntries(pairs);
}

function isPickup(text: string): boolean {
  return /\b(pick[- ]?up|curbside|click (and|&) collect)\b/i.test(text);
}

/** `Pickup` rows are also those of marketplaces, whose couriers come by themselves. */
const squareReasons: Readonly<Record<string, string>> = {
  pickup: 'picked up',
  curbside: 'picked up',
  '': 'no fulfillment',
};

function squareOrder(row: Cells, rows: readonly Cells[]): Found {
  const type = folded(row('Fulfillment Type'));
  if (type !== 'delivery') return { left_out: squareReasons[type] ?? `fulfillment "${type}"` };
  if (/cancel|fail/i.test(row('Fulfillment Status'))) return { left_out: 'canceled' };
  if (/^completed$/i.test(row('Fulfillment Status'))) return { left_out: 'fulfilled already' };
  const order = createOrder();
  order.address({
    street: row('Recipient Address'),
    city: row('Recipient City'),
    state: row('Recipient Region'),
    zip: row('Recipient Postal Code'),
    country: row('Recipient Country'),
  });
  order.text('dropoff_unit', row('Recipient Address 2'), 200);
  order.text('dropoff_name', row('Recipient Name'), 200);
  order.phone(row('Recipient Phone'));
  order.email(row('Recipient Email'));
  order.text('dropoff_notes', row('Fulfillment Notes'), 500);
  order.text('external_order_ref', row('Order'), 155);
  order.money('order_value', row('Order Subtotal'));
  order.items(
    rows.map((each) => {
      const variation = folded(each('Item Variation')) === 'regular' ? '' : each('Item Variation');
      const parts = [each('Item Name'), variation, each('Item Modifiers')];
      return { name: parts.filter(Boolean).join(', '), quantity: each('Item Quantity') };
    }),
  );
  return order.found();
}

/** The reason why an order of this status is left out; null for one to deliver. */
function wooReason(status: string, ways: readonly string[]): string | null {
  if (/cancel|trash|fail/i.test(status)) return 'canceled';
  if (/refund/i.test(status)) return 'refunded';
  if (/complete/i.test(status)) return 'fulfilled already';
  if (/pending|draft/i.test(status)) return 'not paid';
  return ways.some((way) => isPickup(way.replaceAll('_', ' '))) ? 'picked up by the customer' : null;
}

function wooOrder(row: Cells, rows: readonly Cells[]): Found {
  const reason = wooReason(row('Order Status'), [row('Shipping Method Title')]);
  if (reason !== null) return { left_out: reason };
  const order = createOrder();
  order.address({
    street: row('Address 1&2 (Shipping)'),
    city: row('City (Shipping)'),
    state: row('State Code (Shipping)'),
    zip: row('Postcode (Shipping)'),
    country: row('Country Code (Shipping)'),
  });
  const nameOf = (end: string) => `${row(`First Name (${end})`)} ${row(`Last Name (${end})`)}`.trim();
  order.text('dropoff_name', nameOf('Shipping') || nameOf('Billing'), 200);
  order.phone(row('Phone (Shipping)') || row('Phone (Billing)'));
  order.email(row('Email (Billing)'));
  order.text('dropoff_notes', row('Customer Note'), 500);
  order.text('external_order_ref', row('Order Number'), 155);
  order.money('order_value', row('Order Subtotal Amount') || row('Order Total Amount'));
  order.items(
    rows.map((each) => ({
      name: each('Item Name'),
      quantity: each('Quantity (- Refund)') || each('Quantity'),
    })),
  );
  return order.found();
}

/** Reads an order as the REST interface of WooCommerce has it; its webhooks send the same. */
export function wooJsonOrder(given: Fields): Found {
  const [shipping, billing] = [fieldsAt(given, 'shipping'), fieldsAt(given, 'billing')];
  const lines = listAt(given, 'line_items');
  const ways = listAt(given, 'shipping_lines').map((way) => textAt(way, 'method_id'));
  const reason = wooReason(textAt(given, 'status'), ways);
  if (reason !== null) return { left_out: reason };
  const order = createOrder();
  order.address({
    street: textAt(shipping, 'address_1'),
    city: textAt(shipping, 'city'),
    state: textAt(shipping, 'state'),
    zip: textAt(shipping, 'postcode'),
    country: textAt(shipping, 'country'),
  });
  order.text('dropoff_unit', textAt(shipping, 'address_2'), 200);
  const nameOf = (end: Fields) => `${textAt(end, 'first_name')} ${textAt(end, 'last_name')}`.trim();
  order.text('dropoff_name', nameOf(shipping) || nameOf(billing), 200);
  order.phone(textAt(shipping, 'phone') || textAt(billing, 'phone'));
  order.email(textAt(billing, 'email'));
  order.text('dropoff_notes', textAt(given, 'customer_note'), 500);
  order.text('external_order_ref', textAt(given, 'number') || textAt(given, 'id'), 155);
  order.money('order_value', ...lines.map((line) => textAt(line, 'subtotal')));
  order.items(lines.map((line) => ({ name: textAt(line, 'name'), quantity: textAt(line, 'quantity') })));
  return order.found();
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

/** The maximum number of items of an order; more become its description. */
const max_items = 50;

/** Collects the fields of an order of an export, and what cannot be read. */
function createOrder() {
  const fields: Fields = {};
  const faults: Fault[] = [];
  const fault = (path: string, message: string) => faults.push({ path, message });
  return {
    address: ({ country, ...parts }: AddressParts & { country: string }) => {
      if (parts.street === '') {
        fault(
          'dropoff_address',
          'the shipping address is empty, and the billing address is not used instead',
        );
      } else if (!/^(|us|usa|zz|united states.*)$/i.test(country)) {
        fault('dropoff_address', `is in ${country}; deliveries are in the USA`);
      } else fields.dropoff_address = addressLineOf(parts);
    },
    text: (field: string, text: string, max: number) => {
      if (text !== '') fields[field] = text.length > max ? `${text.slice(0, max - 1)}…` : text;
    },
    phone: (text: string) => {
      if (text === '') return;
      const number = phoneIn(text);
      if (number instanceof Unreadable) fault('dropoff_phone_number', number.why);
      else fields.dropoff_phone_number = number;
    },
    /** What is no address is left out: it only serves notices. */
    email: (text: string) => {
      if (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(text)) fields.dropoff_email = text;
    },
    /** The sum of amounts in dollars; nothing without any. */
    money: (field: string, ...texts: readonly string[]) => {
      const given = texts.filter((text) => text !== '');
      const cents = given.map(dollarsIn);
      const wrong = given.find((_, index) => cents[index] === null);
      if (wrong !== undefined) fault(field, `must be dollars such as 4.50, not "${wrong}"`);
      else if (given.length > 0) fields[field] = cents.reduce((sum: number, each) => sum + (each ?? 0), 0);
    },
    items: (rows: readonly { name: string; quantity: string }[]) => {
      const items = rows
        .filter(({ name }) => name !== '')
        .map(({ name, quantity }) => ({ name: name.slice(0, 200), quantity: Math.round(Number(quantity)) }))
        // What was refunded has no quantity left.
        .filter(({ quantity }) => quantity !== 0);
      const text = items.map(({ name, quantity }) => `${quantity} x ${name}`).join(', ');
      if (items.length <= max_items) fields.items = items;
      else fields.items_description = text.length > 500 ? `${text.slice(0, 499)}…` : text;
    },
    /** The time that the customer chose, at the address: the beginning of a window such as `13:00 - 14:00`. */
    agreed: (date: string, time: string) => {
      if (date === '') return;
      const [, clock = ''] = /^(\d{1,2}:\d{2}(?:\s*[ap]m)?)/i.exec(time) ?? [];
      const zone = zoneOf(normalizeAddress(String(fields.dropoff_address ?? ''))?.address ?? '');
      try {
        if (clock === '') throw new BadValue('');
        const at = instantAt(readMoment(`${date.replaceAll('/', '-')} ${clock}`), 0, 'ahead', zone);
        fields.dropoff_at = new Date(at).toISOString();
      } catch (error) {
        if (!(error instanceof BadValue)) throw error;
        fault('dropoff_at', `is on "${date}" at "${time}", which cannot be read`);
      }
    },
    found: (): Found => ({ fields, faults }),
  };
}

/** The cents of `$1,234.50`, `37.9` or `12`; null for any other text. */
function dollarsIn(text: string): number | null {
  const [, whole, part = ''] = /^\$?\s*(\d{1,10})(?:\.(\d{1,2}))?$/.exec(text.replaceAll(',', '')) ?? [];
  return whole === undefined ? null : Number(`${whole}${part.padEnd(2, '0')}`);
}
