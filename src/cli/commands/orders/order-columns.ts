import type { Order } from '../../../contract/orders.ts';
import type { Column } from '../../kit/result/result.ts';
import { itemText } from './item-text.ts';
import { storeZone } from './store-zone.ts';

/** Columns of orders. */
export const orderColumns: readonly Column<Order>[] = inStoreZone([
  { field: 'id', header: 'ID', kind: 'id', value: (order) => order.id },
  { field: 'status', header: 'Status', kind: 'status', value: (order) => order.status },
  { field: 'external_order_ref', header: 'Ref', kind: 'text', value: (order) => order.external_order_ref },
  { field: 'pickup_name', header: 'Pickup', kind: 'text', spare: 1, value: (order) => order.pickup_name },
  { field: 'dropoff_name', header: 'Dropoff', kind: 'text', value: (order) => order.dropoff_name },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 2, value: (order) => order.created_at },
  ...wide([
    { field: 'route_id', header: 'Route', kind: 'id', value: (order) => order.route_id },
    { field: 'delivery_id', header: 'Delivery', kind: 'id', value: (order) => order.delivery_id },
    { field: 'batch_id', header: 'Batch', kind: 'id', value: (order) => order.batch_id },
    { field: 'dropoff_address', header: 'To', kind: 'text', value: (order) => order.dropoff_address },
    { field: 'pickup_address', header: 'From', kind: 'text', value: (order) => order.pickup_address },
    { field: 'pickup_unit', header: 'Pickup unit', kind: 'text', value: (order) => order.pickup_unit },
    {
      field: 'pickup_phone_number',
      header: 'Pickup phone',
      kind: 'phone',
      value: (order) => order.pickup_phone_number,
    },
    { field: 'pickup_store_id', header: 'Store', kind: 'id', value: (order) => order.pickup_store_id },
    { field: 'pickup_notes', header: 'Pickup notes', kind: 'text', value: (order) => order.pickup_notes },
    { field: 'pickup_at', header: 'Pickup at', kind: 'time', value: (order) => order.pickup_at },
    { field: 'dropoff_unit', header: 'Dropoff unit', kind: 'text', value: (order) => order.dropoff_unit },
    {
      field: 'dropoff_phone_number',
      header: 'Dropoff phone',
      kind: 'phone',
      value: (order) => order.dropoff_phone_number,
    },
    {
      field: 'dropoff_email',
      header: 'Dropoff e-mail',
      kind: 'email',
      unlessEmpty: true,
      value: (order) => order.dropoff_email,
    },
    { field: 'dropoff_notes', header: 'Dropoff notes', kind: 'text', value: (order) => order.dropoff_notes },
    { field: 'dropoff_at', header: 'Dropoff at', kind: 'time', value: (order) => order.dropoff_at },
    {
      field: 'items',
      header: 'Items',
      kind: 'text',
      only: 'people',
      value: ({ items }) => items.map(itemText),
    },
    {
      field: 'items',
      header: 'Items',
      kind: 'text',
      only: 'programs',
      value: ({ items }) => (items.length === 0 ? null : JSON.stringify(items)),
    },
    {
      field: 'items_description',
      header: 'Description',
      kind: 'text',
      value: (order) => order.items_description,
    },
    {
      field: 'order_value',
      rawCsvField: 'order_value_cents',
      header: 'Value',
      kind: 'money',
      value: (order) => order.order_value,
    },
    { field: 'tip', rawCsvField: 'tip_cents', header: 'Tip', kind: 'money', value: (order) => order.tip },
    { field: 'vehicle', header: 'Vehicle', kind: 'text', value: (order) => order.vehicle },
    {
      field: 'request_signature',
      header: 'Signature',
      kind: 'text',
      value: (order) => order.request_signature,
    },
    {
      field: 'request_contactless',
      header: 'Contactless',
      kind: 'text',
      value: (order) => order.request_contactless,
    },
    { field: 'test_mode', header: 'Test mode', kind: 'text', value: (order) => order.test_mode },
    { field: 'updated_at', header: 'Updated', kind: 'time', value: (order) => order.updated_at },
  ]),
]);

/** People read the times of an order in the zone of its pickup. */
function inStoreZone(columns: readonly Column<Order>[]): Column<Order>[] {
  return columns.map((column) => ({ ...column, zone: storeZone }));
}

function wide(columns: readonly Column<Order>[]): Column<Order>[] {
  return columns.map((column) => ({ ...column, wide: true }));
}
