import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { deliveryEvents, problemReasons } from '../../../src/contract/courier-protocol/schemas.ts';
import type { CourierPushAnswer } from '../../../src/providers/courier.ts';
import { httpCourier } from '../../../src/providers/http-courier/adapter.ts';
import { portsTo } from '../../fakes/courier-ports.ts';
import { exampleSecret } from '../../fakes/http-courier/example.ts';

const start = Date.UTC(2026, 10, 22, 18);
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();

const deliveryOf = (events: readonly unknown[], more: object = {}) => ({
  orderId: 'key_1',
  deliveryId: 'theirs-1',
  events,
  ...more,
});

function receive(
  body: string,
  { secret = exampleSecret, at: signed = Date.now(), webhook_secret = exampleSecret } = {},
) {
  const courier = httpCourier.connect({ url: 'https://courier.example', webhook_secret }, portsTo({}));
  const time = new Date(signed);
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(signed / 1000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', time, body),
  };
  return courier.receive?.({ headers, body: Buffer.from(body), now: signed });
}

const reportsOf = (delivery: object) => {
  const answer = receive(JSON.stringify(delivery));
  if (answer?.kind !== 'authentic') throw new Error('The event was refused');
  return answer.reports;
};

const reasonOf = (answer: CourierPushAnswer | undefined) =>
  answer?.kind === 'refused' ? answer.reason : null;

describe('events of the courier protocol', () => {
  it('are read without NUL, which PostgreSQL does not store', () => {
    const [report] = reportsOf(
      deliveryOf([{ id: 'e1', type: 'CANCELLED', datetime: at(0), message: 'a\0b' }]),
    );
    expect(report?.reason).toBe('ab');
  });

  it('are read in full', () => {
    const events = [
      { id: 'e1', type: 'ACCEPTED', datetime: at(0) },
      { id: 'e2', type: 'PICKUP_ONGOING', datetime: at(4) },
    ];
    const delivery = deliveryOf(events, {
      liveMode: true,
      deliveryPrice: { value: 850, currency: 'USD' },
      // Cents of another currency are not those of dollars.
      returnPrice: { value: 500, currency: 'BRL' },
      eta: { pickupEtaDatetime: at(10), deliveryEtaDatetime: at(30) },
      deliveryPerson: { name: 'Sam Lee', phone: '+1 312 555 7803', pictureURL: 'https://a.example/s.jpg' },
      geoLocalization: { latitude: 41.9, longitude: -87.6, datetime: at(5) },
      proofs: [
        { type: 'PHOTO', url: 'https://a.example/p.jpg' },
        { type: 'SIGNATURE', url: 'https://a.example/s.png' },
        { type: 'VIDEO', url: 'https://a.example/v.mp4' },
      ],
    });
    const common = { key: 'key_1', reference: 'theirs-1', live: true };
    expect(reportsOf(delivery)).toEqual([
      { ...common, id: 'key_1:e1', status: 'delivery_created', occurred_at: start },
      { ...common, id: 'key_1:e2', status: 'enroute_pickup', occurred_at: start + 4 * 60_000 },
      {
        ...common,
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        status: null,
        occurred_at: start + 5 * 60_000,
        driver: {
          name: 'Sam Lee',
          image: 'https://a.example/s.jpg',
          phone: '13125557803',
          vehicle_type: null,
          vehicle: null,
        },
        position: { lat: 41.9, lng: -87.6 },
        pickup_eta: start + 10 * 60_000,
        dropoff_eta: start + 30 * 60_000,
        costs: { at: start + 5 * 60_000, price: 850 },
        proofs: [
          { type: 'photo', url: 'https://a.example/p.jpg' },
          { type: 'signature', url: 'https://a.example/s.png' },
        ],
      },
    ]);
  });

  const statuses = {
    PENDING: 'delivery_created',
    ACCEPTED: 'delivery_created',
    REJECTED: 'provider_canceled',
    PICKUP_ONGOING: 'enroute_pickup',
    ARRIVED_AT_MERCHANT: 'arrived_at_pickup',
    ORDER_PICKED: 'pickup_complete',
    DELIVERY_ONGOING: 'enroute_dropoff',
    ARRIVED_AT_CUSTOMER: 'arrived_at_dropoff',
    ORDER_DELIVERED: 'delivered',
    RETURNING_TO_MERCHANT: 'enroute_to_return',
    RETURNED_TO_MERCHANT: 'returned',
    DELIVERY_FINISHED: null,
    CANCELLED: 'provider_canceled',
  };

  it.each(deliveryEvents)('%s is a status', (type) => {
    const [report] = reportsOf(deliveryOf([{ id: 'e', type, datetime: at(0) }]));
    expect(report?.status).toBe(statuses[type]);
  });

  const failures = {
    DELIVERYPERSON_OCCURRENCE: 'courier_failed',
    PAYMENT_PROBLEMS: 'handover_failed',
    WRONG_PRODUCT_OR_ITEM: 'recipient_refused',
    ORDER_DELAYED: 'recipient_refused',
    ORDER_DAMAGED_OR_VIOLATED: 'courier_failed',
    CUSTOMER_DID_NOT_PLACE_ORDER: 'recipient_refused',
    CUSTOMER_ADDRESS_UNKNOWN: 'wrong_address',
    ORDER_MISSING_ITEMS: 'recipient_refused',
    NOBODY_TO_RECEIVE: 'recipient_unreachable',
    DELIVERYPERSON_WAITING_PAYMENT_FOR_ALREADY_PAID_ORDER: 'handover_failed',
    ORDER_DELIVERED_WITHOUT_PAYMENT: 'handover_failed',
    FRAUD_OR_THEFT: 'courier_failed',
    OTHER: 'handover_failed',
  };

  it.each(problemReasons)('%s is why it comes back', (reason) => {
    const event = { id: 'e', type: 'RETURNING_TO_MERCHANT', datetime: at(0), reason };
    expect(reportsOf(deliveryOf([event]))[0]?.failure_reason).toBe(failures[reason]);
  });

  it('have no phone number of a text without digits', () => {
    const event = { id: 'e', type: 'PICKUP_ONGOING', datetime: at(0) };
    const deliveryPerson = { name: 'Sam Lee', phone: 'not available' };
    expect(reportsOf(deliveryOf([event], { deliveryPerson }))[1]?.driver?.phone).toBeNull();
  });

  it('have a message for people, or else the reason', () => {
    const event = { id: 'e', type: 'CANCELLED', datetime: at(0), reason: 'NO_SHOW' };
    expect(reportsOf(deliveryOf([event]))[0]).toMatchObject({ reason: 'no show' });
    const said = { ...event, message: 'The shop was closed.' };
    expect(reportsOf(deliveryOf([said]))[0]).toMatchObject({ reason: 'The shop was closed.' });
  });

  it.each([
    ['PICKUP_ONGOING', 'driver_not_assigned'],
    ['ARRIVED_AT_MERCHANT', 'driver_not_assigned'],
    ['ACCEPTED', 'delivery_created'],
  ])('look for another driver after %s, or for the first one', (before, status) => {
    const types = ['ACCEPTED', before, 'PENDING'];
    const events = types.map((type, index) => ({ id: `e${index}`, type, datetime: at(index) }));
    expect(reportsOf(deliveryOf(events))[2]).toMatchObject({ status });
  });

  it('fail a return that is given up', () => {
    const events = ['ORDER_PICKED', 'RETURNING_TO_MERCHANT', 'CANCELLED'].map((type, index) => ({
      id: `e${index}`,
      type,
      datetime: at(index),
    }));
    expect(reportsOf(deliveryOf(events))[2]).toMatchObject({
      status: 'failed',
      failure_reason: 'return_not_completed',
    });
  });

  it('leave out what cannot be read', () => {
    const event = { id: 'e', type: 'ACCEPTED', datetime: at(0) };
    const broken = [
      { ...event, id: '' },
      { ...event, datetime: 'soon' },
      { ...event, type: 'TELEPORTED' },
      7,
    ];
    expect(reportsOf(deliveryOf([...broken, event])).map(({ id }) => id)).toEqual([
      'key_1:e',
      expect.any(String),
    ]);
    expect(reportsOf(deliveryOf(broken))).toEqual([]);
    expect(reportsOf({ events: [event] })).toEqual([]);
  });

  it('are taken only with a valid signature', () => {
    const body = JSON.stringify(deliveryOf([{ id: 'e', type: 'ACCEPTED', datetime: at(0) }]));
    expect(receive(body)).toMatchObject({ kind: 'authentic' });
    expect(reasonOf(receive(body, { secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }))).toMatch(
      /signature/i,
    );
    expect(reasonOf(receive(body, { at: Date.now() - 600_000 }))).toMatch(/timestamp/i);
    expect(reasonOf(receive(body, { webhook_secret: '' }))).toBe(
      'The settings of http have no webhook_secret.',
    );
  });
});
