import type { DeliveryRecord } from '../../src/service/deliveries/delivery-view.ts';
import { orderRecord } from '../../src/service/orders/order.ts';
import type { DeliveryRow } from '../../src/storage/database.ts';
import { differing, eventFaults } from './audit.ts';
import type { BatchRecords } from './batch-records.ts';
import type { CourierBooked } from './courier-messages.ts';

/** The deliveries that a courier has booked. */
export interface CourierBooks {
  name: string;
  bookings: readonly CourierBooked[];
}

/** Tasks that end without an effect after a delivery has ended, or an offer was answered. */
const timers: readonly string[] = ['courier.poll', 'fleet.check', 'fleet.offer'];

/** Every inconsistency of a complete batch, between the service and the couriers that it uses. */
export function courierFaults(records: BatchRecords, couriers: readonly CourierBooks[]): string[] {
  return [
    ...differing('batch', records.batch.status, 'complete'),
    ...differing('entries', records.entries.length, records.orders.length),
    ...records.entries.flatMap((entry) => [
      ...outcomeFaults(records, entry.order_id),
      ...bookingFaults(records, entry.order_id, couriers),
      ...eventFaults(records, entry),
    ]),
    ...records.tasks
      .filter(({ kind }) => !timers.includes(kind))
      .map(({ kind, subject }) => `task ${kind} of ${subject} is left`),
  ];
}

/** One outcome each, with one delivery if it is dispatched. */
function outcomeFaults({ entries, orders, deliveries, tries }: BatchRecords, order_id: string): string[] {
  const status = entries.find((entry) => entry.order_id === order_id)?.status;
  const order = orders.find(({ id }) => id === order_id);
  const own = deliveries.filter((delivery) => delivery.order_id === order_id && delivery.status !== 'failed');
  const accepted = tries.filter((each) => each.order_id === order_id && each.status === 'dispatched');
  const wanted = status === 'dispatched' ? 1 : 0;
  return [
    ...(status === 'dispatched' || status === 'unfulfilled' || status === 'failed'
      ? []
      : [`${order_id} has the outcome ${status}`]),
    ...differing(`${order_id} itself`, order?.status, status),
    ...differing(`deliveries of ${order_id}`, own.length, wanted),
    ...differing(`accepted attempts of ${order_id}`, accepted.length, wanted),
    ...own
      .filter((delivery) => delivery.status !== 'delivered' && delivery.status !== 'returned')
      .map(({ id, service, status: left }) => `${id} of ${service} is left ${left}`),
  ];
}

/** The courier that carries an order has it once and at the price that is charged; the others do not have it. */
function bookingFaults(records: BatchRecords, order_id: string, couriers: readonly CourierBooks[]): string[] {
  const live = records.deliveries.find(
    (delivery) => delivery.order_id === order_id && delivery.status !== 'failed',
  );
  const order = records.orders.find(({ id }) => id === order_id);
  const phone = order === undefined ? '' : digits(orderRecord(order).dropoff.phone);
  return couriers.flatMap(({ name, bookings }) => {
    const carried = bookings.filter(
      (booking) => digits(booking.phone) === phone && booking.state !== 'canceled',
    );
    return [
      ...differing(`${order_id} at ${name}`, carried.length, live?.service === name ? 1 : 0),
      ...carried.flatMap((booking) => (live === undefined ? [] : priceFaults(records, booking, live))),
    ];
  });
}

function priceFaults(
  { charges, quotes, dispatches }: BatchRecords,
  { id, cost, tip }: CourierBooked,
  live: DeliveryRow,
): string[] {
  const record: DeliveryRecord = JSON.parse(live.record);
  const dispatch = dispatches.find(({ route_id }) => route_id === live.route_id);
  const quote = quotes.find((each) => each.id === dispatch?.quote_id);
  const charged = charges
    .filter(({ delivery_id }) => delivery_id === live.id)
    .reduce((sum, { amount }) => sum + amount, 0);
  return [
    ...differing(`cost of ${live.id}, ${id}`, record.cost_of_delivery, cost),
    ...differing(`tip of ${live.id}, ${id}`, record.tip ?? 0, tip),
    ...differing(`charges of ${live.id}, ${id}`, charged, cost + tip + (quote?.service_fee ?? Number.NaN)),
  ];
}

function digits(phone: string): string {
  return phone.replace(/\D/g, '');
}
