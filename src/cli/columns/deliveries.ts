import type { Delivery } from '../../contract/deliveries.ts';
import type { CellValue, Column, ColumnKind } from '../result.ts';
import { itemText } from './orders.ts';

type Field = Column<Delivery>;

/** How deliveries are shown. */
export const deliveryColumns: readonly Field[] = [
  shown('id', 'ID', 'id', ({ id }) => id),
  shown('status', 'Status', 'status', ({ status }) => status),
  { ...shown('service', 'Provider', 'text', ({ service }) => service), spare: 3 },
  shown('external_order_ref', 'Ref', 'text', ({ external_order_ref }) => external_order_ref),
  { ...shown('dropoff_name', 'Dropoff', 'text', dropoff('dropoff_name')), spare: 2 },
  shown('dropoff_eta', 'Dropoff ETA', 'time', dropoff('dropoff_eta')),
  { ...shown('payment_amount', 'Charged', 'money', ({ payment_amount }) => payment_amount), spare: 1 },
  wide('created_at', 'Created', 'time', ({ created_at }) => created_at),
  wide('failure_reason', 'Failed because', 'text', ({ failure_reason }) => failure_reason),
  wide('cancellation_reason', 'Canceled because', 'text', ({ cancellation_reason }) => cancellation_reason),
  wide('tracking_url', 'Tracking', 'text', ({ tracking_url }) => tracking_url),
  wide('order_id', 'Order', 'id', ({ order_id }) => order_id),
  wide('route_id', 'Route', 'id', ({ route_id }) => route_id),
  wide('quote_id', 'Quote', 'id', ({ quote_id }) => quote_id),
  wide('tip', 'Tip', 'money', ({ tip }) => tip),
  wide('refunded_amount', 'Refunded', 'money', ({ refunded_amount }) => refunded_amount || null),
  wide('order_value', 'Order value', 'money', ({ order_value }) => order_value),
  wide('pickup_name', 'Pickup', 'text', ({ pickup_name }) => pickup_name),
  wide('pickup_address', 'From', 'text', ({ pickup_address }) => pickup_address),
  wide('pickup_unit', 'Pickup unit', 'text', ({ pickup_unit }) => pickup_unit),
  wide('pickup_phone_number', 'Pickup phone', 'text', ({ pickup_phone_number }) => pickup_phone_number),
  wide('pickup_notes', 'Pickup notes', 'text', ({ pickup_notes }) => pickup_notes),
  wide('pickup_at', 'Pickup at', 'time', ({ pickup_at }) => pickup_at),
  wide('pickup_eta', 'Pickup ETA', 'time', ({ pickup_eta }) => pickup_eta),
  wide('dropoff_address', 'To', 'text', dropoff('dropoff_address')),
  wide('dropoff_unit', 'Dropoff unit', 'text', dropoff('dropoff_unit')),
  wide('dropoff_phone_number', 'Dropoff phone', 'text', dropoff('dropoff_phone_number')),
  wide('dropoff_notes', 'Dropoff notes', 'text', dropoff('dropoff_notes')),
  wide('dropoff_at', 'Dropoff at', 'time', dropoff('dropoff_at')),
  wide('items', 'Items', 'text', ({ items }) => items.map(itemText)),
  wide('items_description', 'Description', 'text', ({ items_description }) => items_description),
  wide('courier_name', 'Courier', 'text', ({ courier_name }) => courier_name),
  wide('courier_phone_number', 'Courier phone', 'text', ({ courier_phone_number }) => courier_phone_number),
  wide('courier_vehicle_type', 'Courier vehicle', 'text', ({ courier_vehicle_type }) => courier_vehicle_type),
  wide('proof_of_delivery', 'Proof', 'text', ({ proof_of_delivery }) =>
    proof_of_delivery.map(({ url }) => url),
  ),
  wide('test_mode', 'Test mode', 'text', ({ test_mode }) => test_mode),
  wide('updated_at', 'Updated', 'time', ({ updated_at }) => updated_at),
];

/** One delivery, with each status it entered on a line of its own. */
export function deliveryFields(delivery: Delivery): Field[] {
  const history = delivery.status_history.map(({ status, created_at }, index) =>
    shown(`status_history.${index}`, status, 'time', () => created_at),
  );
  return [...deliveryColumns, ...history];
}

function shown(field: string, header: string, kind: ColumnKind, value: Field['value']): Field {
  return { field, header, kind, value };
}

function wide(field: string, header: string, kind: ColumnKind, value: Field['value']): Field {
  return { field, header, kind, value, wide: true };
}

function dropoff(field: keyof Delivery['dropoffs'][number]): (delivery: Delivery) => CellValue {
  return ({ dropoffs }) => dropoffs[0]?.[field];
}
