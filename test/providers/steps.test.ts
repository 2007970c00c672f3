import { expect, test } from 'vitest';
import { deliveryStatuses } from '../../src/contract/vocabulary.ts';
import { drivenStatuses } from '../../src/domain/delivery-states.ts';
import { positionAt } from '../../src/domain/positions.ts';
import type { AcceptedRoute } from '../../src/providers/port.ts';
import { acceptedRoute, MINUTE, names, now, ordersFrom, provider, tomorrow } from './requests.ts';

const route = acceptedRoute(ordersFrom('60611', '60606', '60614'));
const later = now + 7 * MINUTE;

function step(status: (typeof deliveryStatuses)[number], from: AcceptedRoute = route, at = later) {
  return provider('swiftly').reportOf(from, { order_id: 'ord_1', status, now: at });
}

test('every courier can be told to be at every status, now', () => {
  for (const name of names) {
    const ids = deliveryStatuses.map((status) => {
      const report = provider(name).reportOf(route, { order_id: 'ord_1', status, now: later });
      expect(report).toMatchObject({ order_id: 'ord_1', status, occurred_at: later });
      const isDriven = [...drivenStatuses, 'delivered', 'enroute_to_return', 'returned'].includes(status);
      expect('driver' in report && 'way' in report).toBe(isDriven);
      return report.id;
    });
    expect(new Set(ids).size).toBe(deliveryStatuses.length);
  }
});

test('the report of a step is named by order, status and instant', () => {
  expect(step('enroute_pickup')).toEqual(step('enroute_pickup'));
  expect(step('enroute_pickup').id).toBe(`dsp_1:ord_1:enroute_pickup:step-${later}`);
  expect(step('enroute_pickup', route, later + 1).id).not.toBe(step('enroute_pickup').id);
  const fed = new Set(
    provider('swiftly')
      .feed(route)
      .map(({ report }) => report.id),
  );
  expect(fed.has(step('enroute_pickup').id)).toBe(false);
});

test('the driver is where the status says', () => {
  const [pickup, , dropoff] = route.stops;
  const place = (stop: { lat: number; lng: number } | undefined) => ({ lat: stop?.lat, lng: stop?.lng });
  const position = (status: Parameters<typeof step>[0], from = route) =>
    positionAt(step(status, from).way ?? [], later);
  expect(position('arrived_at_pickup')).toEqual(place(pickup));
  expect(position('pickup_complete')).toEqual(place(pickup));
  expect(position('arrived_at_dropoff')).toEqual(place(dropoff));
  expect(position('delivered')).toEqual(place(dropoff));
  expect(position('enroute_to_return')).toEqual(place(dropoff));
  expect(position('returned')).toEqual(place(pickup));
  for (const scenario of ['customer_refused', 'return_stuck'] as const) {
    const refused = acceptedRoute(ordersFrom('60611', '60606', '60614'), [{ scenario }, { scenario }]);
    expect(position('delivered', refused)).toEqual(place(dropoff));
    expect(position('returned', refused)).toEqual(place(pickup));
  }
  expect(position('driver_assigned')).toEqual(place(step('driver_assigned').way?.[0]));
});

test('what is ahead at a status is told anew', () => {
  const assigned = step('driver_assigned');
  expect(assigned.pickup_eta).toBe(later + 400_000);
  expect(assigned.way?.[0]?.at).toBe(later);
  expect(step('enroute_pickup').pickup_eta).toBe(later + 400_000 - MINUTE / 2);
  expect(step('arrived_at_pickup')).not.toHaveProperty('pickup_eta');
  expect(step('enroute_dropoff').dropoff_eta).toBeGreaterThan(later);
  expect(step('arrived_at_dropoff')).not.toHaveProperty('dropoff_eta');
});

test('a driver sent early for an agreed time keeps it', () => {
  const agreed = { ...route, pickup_at: tomorrow };
  const report = step('driver_assigned', agreed);
  expect(report.pickup_eta).toBe(tomorrow);
  expect(positionAt(report.way ?? [], later)).not.toBeNull();
});

test('steps keep to what the scenario tells and give reasons', () => {
  const of = (scenario: AcceptedRoute['orders'][number]['scenario']) =>
    acceptedRoute(ordersFrom('60611', '60606', '60614'), [{ scenario }, { scenario }]);
  expect(step('driver_assigned', of('no_location')).way).toEqual([]);
  expect(step('driver_assigned', of('no_courier_details')).driver?.name).toBeNull();
  expect(step('delivered', of('proof_missing'))).not.toHaveProperty('proof');
  expect(step('delivered', of('proof_late')).proof).toHaveLength(2);
  expect(step('enroute_to_return', of('customer_refused')).reason).toBe('The recipient refused the parcel');
  expect(step('delivered', of('customer_refused')).proof).toHaveLength(2);
  for (const status of ['failed', 'returned', 'provider_canceled', 'burq_canceled'] as const) {
    expect(step(status).reason).toBeTruthy();
  }
  const replaced = of('driver_reassigned');
  const names = [now, now + 60 * MINUTE].map((at) => step('driver_assigned', replaced, at).driver?.name);
  expect(new Set(names).size).toBe(2);
});

test('an order that is not on the route cannot be told anything', () => {
  const ask = () => provider('swiftly').reportOf(route, { order_id: 'ord_9', status: 'delivered', now });
  expect(ask).toThrow('order ord_9 is not on the route');
});
