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
  ['House No, Street Name, Zip', ', street, zip'],
  ['First Name (Billing), First Name (Shipping)', ', name'],
  ['Contact #, Customer No., Billing Phone', 'phone_number, , '],
  ['Name, billing_phone', 'name, phone_number'],
  ['Dirección de entrega, C.P., Piso', 'street, zip, unit'],
  ['Ship To Street, Ship To CSZ', 'street, city'],
  ['Street & No., City', 'street, city'],
  ['deliver_to.address.street1, deliver_to.address.city', 'street, city'],
  ['Endereço, CEP', 'street, zip'],
  ['Nom, Prénom, Ville', 'name, name, city'],
  ['Visit Name, Company', 'name, '],
  ['ShipTo_CompanyOrName', 'name'],
  ['Nome do Cliente, Endereço, UF', 'name, address, state'],
  ['Pt Last, Pt First, Home Ph', 'name, name, phone_number'],
  ['address.number, address.street, address.city', ', street, city'],
  ['Recipient ID, destination.id', ', '],
  ['Recip Name, Cust Name', 'name, '],
  ['Telefone, Nome para a entrega, Telefone para a entrega', ', name, phone_number'],
])('%s', (headers, fields) => {
  const names = headers.split(', ');
  const found = usualColumns(names.map((header) => ({ header, values: [] })));
  const field = (name: string) =>
    found.find(([header]) => header === name)?.[1].replace('dropoff_', '') ?? '';
  expect(names.map(field).join(', ')).toBe(fields);
});

test.each<[headers: string, fields: string]>([
  ['Quantity, Line item Name, Line item Quantity', ', item_name, item_quantity'],
  ['Products, Package count', 'items, '],
  ['Item Name, Item Number, Qty', 'item_name, , item_quantity'],
  ['Driver Tip, Staff Notes, Shipping Total', 'tip_dollars, , '],
  ['order_id, order_number', ', external_order_ref'],
  ['Nº de pedido, Artículo, Cantidad', 'external_order_ref, item_name, item_quantity'],
  ['Order Total, Order#, Order Date', 'order_value_dollars, external_order_ref, '],
  ['What would you like to order?, How many?', 'item_name, item_quantity'],
  ['orderItem.name, orderItem.quantity', 'item_name, item_quantity'],
  ['Order Lines/Product, Order Lines/Quantity', 'item_name, item_quantity'],
  ['Customer ID, Invoice No.', ', external_order_ref'],
  ['Nome do Produto, Quantidade', 'item_name, item_quantity'],
  ['Nombre del producto, Cantidad', 'item_name, item_quantity'],
  ['Auftragsnummer', 'external_order_ref'],
])('%s of the order', (headers, fields) => {
  const names = headers.split(', ');
  const found = new Map(usualColumns(names.map((header) => ({ header, values: [] }))));
  expect(names.map((name) => found.get(name) ?? '').join(', ')).toBe(fields);
});

test.each([
  [['1001', 'Joe', '312-555-0142'], true],
  [['Joe', '233 S Wacker Dr, Chicago, IL 60606'], true],
  [['Address 1', 'Phone 2', 'Tax 2026'], false],
])('%j look like values: %s', (headers, expected) => {
  expect(looksLikeValues(headers)).toBe(expected);
});

test('the values of columns tell which of them is meant', () => {
  const given: [header: string, ...values: string[]][] = [
    ['delivery_phone', '', ''],
    ['delivery_phone_mobile', '312-555-0142', ''],
    ['Province', '', ''],
    ['State', 'IL', ''],
    ['Unit', 'pcs', 'pcs'],
    ['Customer', '10012', '10013'],
    ['Delivered on', '', ''],
    ['Delivery Date', '12/05/2026', '12/06/2026'],
    ['Window start', '9:00 AM', '10:00 AM'],
    ['Delivery Time', '5:30 PM', ''],
    ['Where', '233 S Wacker Dr, Chicago, IL 60606', ''],
    ['Item', '1 family platter', ''],
    ['Total', '2550', '900'],
    ['Subtotal', '25', '9.00'],
    ['Tip Amount', '200', '0'],
  ];
  expect(usualColumns(given.map(([header, ...values]) => ({ header, values })))).toEqual([
    ['delivery_phone_mobile', 'dropoff_phone_number'],
    ['State', 'dropoff_state'],
    ['Subtotal', 'order_value_dollars'],
    ['Where', 'dropoff_address'],
    ['Delivery Date', 'dropoff_at'],
    ['Delivery Time', 'dropoff_at'],
    ['Item', 'items_description'],
  ]);
});
