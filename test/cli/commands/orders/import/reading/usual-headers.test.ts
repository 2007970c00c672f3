import { expect, test } from 'vitest';
import {
  looksLikeValues,
  usualColumns,
} from '../../../../../../src/cli/commands/orders/import/reading/usual-headers.ts';

/** The headers of a file, in turn, and the fields that they are taken for; empty for none. */
test.each<[headers: string, fields: string]>([
  ['Name, Billing Name, Shipping Name', ', , name'],
  ['Customer Name, Recipient Name', ', name'],
  ['Sender Phone, Recipient Tel', ', phone_number'],
  ['Home Phone, Cell Phone', ', phone_number'],
  ['First Name, Last Name', 'name, name'],
  ['Patient Last, Patient First', 'name, name'],
  ['Full Name, First Name', 'name, '],
  ['Ship To, Customer', 'address, name'],
  ['Ship To, Address', 'name, address'],
  ['Street Address, City', 'street, city'],
  ['Street Address', 'address'],
  ['Address, Zip', 'street, zip'],
  ['Address 1, Address 2, Town, St', 'street, unit, city, state'],
  ['shippingAddress.line1, shippingAddress.city, shippingAddress.postalCode', 'street, city, zip'],
  ['ship-address-1, ship-postal-code', 'street, zip'],
  ['Pickup Address, Delivery Address', ', address'],
  ['Store Phone, Driver, Merchant', ', , '],
  ['Address, Delivery Instructions', 'address, notes'],
])('%s', (headers, fields) => {
  const names = headers.split(', ');
  const found = usualColumns(names);
  const field = (name: string) =>
    found.find(([header]) => header === name)?.[1].replace('dropoff_', '') ?? '';
  expect(names.map(field).join(', ')).toBe(fields);
});

test.each<[headers: string, fields: string]>([
  ['Quantity, Line item Name, Line item Quantity', ', item_name, item_quantity'],
  ['Products, Package count', 'items_description, '],
  ['Order Total, Order#, Order Date', ', external_order_ref, '],
  ['Customer ID, Invoice No.', ', external_order_ref'],
])('%s of the order', (headers, fields) => {
  const names = headers.split(', ');
  const found = new Map(usualColumns(names));
  expect(names.map((name) => found.get(name) ?? '').join(', ')).toBe(fields);
});

test.each([
  [['1001', 'Joe', '312-555-0142'], true],
  [['Joe', '233 S Wacker Dr, Chicago, IL 60606'], true],
  [['Address 1', 'Phone 2', 'Tax 2026'], false],
])('%j look like values: %s', (headers, expected) => {
  expect(looksLikeValues(headers)).toBe(expected);
});
