import { describe, expect, it, test } from 'vitest';
import type { DeliveryStatus, FailureReason } from '../../../src/contract/vocabulary.ts';
import { statusReport } from '../../../src/providers/uber-direct/reports.ts';

const at = Date.UTC(2026, 10, 22, 18);
const created = '2026-11-22T17:00:00.000Z';
const updated = '2026-11-22T17:30:00.000Z';

function reportOf(fields: Record<string, unknown>) {
  return statusReport({ id: 'del_1', external_id: 'dsp_1_0', created, updated, ...fields }, { at });
}

describe('the status of an Uber delivery', () => {
  it.each<[DeliveryStatus, Record<string, unknown>]>([
    ['delivery_created', { status: 'pending', updated: created }],
    ['driver_not_assigned', { status: 'pending' }],
    ['enroute_pickup', { status: 'pickup', courier_imminent: false }],
    ['enroute_pickup', { status: 'pickup' }],
    ['arrived_at_pickup', { status: 'pickup', courier_imminent: true }],
    ['pickup_complete', { status: 'pickup_complete' }],
    ['enroute_dropoff', { status: 'dropoff', courier_imminent: false }],
    ['arrived_at_dropoff', { status: 'dropoff', courier_imminent: true }],
    ['delivered', { status: 'delivered' }],
    ['provider_canceled', { status: 'canceled' }],
    ['enroute_to_return', { status: 'returned' }],
    ['enroute_to_return', { status: 'returned', return: { status: 'failed' } }],
    ['returned', { status: 'returned', return: { status: 'completed' } }],
  ])('is %s for %j', (status, fields) => {
    expect(reportOf(fields)).toMatchObject({ status, key: 'dsp_1_0', reference: 'del_1' });
  });

  it.each([{ status: 'new_status' }, {}, { status: 7 }])('is no report for %j', (fields) => {
    expect(reportOf(fields)).toBeNull();
  });

  it.each<[DeliveryStatus, string, object]>([
    ['enroute_to_return', 'pickup_complete', {}],
    ['enroute_to_return', 'dropoff', {}],
    ['returned', 'delivered', {}],
    ['failed', 'canceled', { failure_reason: 'return_not_completed' }],
  ])('is %s while the journey back is %s', (status, back, reason) => {
    const related_deliveries = [{ id: 'del_1', relationship: 'original' }];
    const report = reportOf({ id: 'ret_1', status: back, related_deliveries, fee: 500, tip: 0 });
    expect(report).toEqual({
      id: `ret_1:${status}:${Date.parse(updated)}:500`,
      costs: { at: Date.parse(updated), return: 500 },
      key: null,
      reference: 'del_1',
      status,
      occurred_at: Date.parse(updated),
      ...reason,
    });
  });

  it('finds the original delivery of a journey back that names one alone', () => {
    const related_deliveries = { id: 'del_1', relationship: 'original' };
    expect(reportOf({ id: 'ret_1', status: 'dropoff', related_deliveries })).toMatchObject({
      reference: 'del_1',
    });
  });
});

test('a report has driver, position, times, proofs, PIN and price', () => {
  const report = reportOf({
    status: 'delivered',
    courier: {
      name: 'Alex I.',
      vehicle_type: 'bicycle',
      phone_number: '+16283337630',
      img_href: 'https://images/alex.jpg',
      location: { lat: 41.8, lng: -87.6 },
      public_phone_info: { pin_code: '99' },
    },
    pickup_eta: '2026-11-22T17:10:00Z',
    dropoff_eta: '2026-11-22T17:29:00Z',
    live_mode: true,
    fee: 1075,
    tip: 300,
    dropoff: {
      verification_requirements: { pincode: { enabled: true, value: '0417' } },
      verification: {
        picture: { image_url: 'https://images/photo.png' },
        signature: { image_url: 'https://images/signature.png', name: 'Joan' },
      },
    },
  });
  expect(report).toEqual({
    id: `del_1:delivered:${Date.parse(updated)}:775`,
    key: 'dsp_1_0',
    reference: 'del_1',
    status: 'delivered',
    occurred_at: Date.parse(updated),
    driver: {
      name: 'Alex I.',
      image: 'https://images/alex.jpg',
      phone: '16283337630',
      vehicle_type: 'bicycle',
      vehicle: null,
    },
    position: { lat: 41.8, lng: -87.6 },
    pickup_eta: Date.parse('2026-11-22T17:10:00Z'),
    dropoff_eta: Date.parse('2026-11-22T17:29:00Z'),
    proofs: [
      { type: 'photo', url: 'https://images/photo.png' },
      { type: 'signature', url: 'https://images/signature.png' },
    ],
    signer: 'Joan',
    pin: '0417',
    costs: { at: Date.parse(updated), price: 775 },
    live: true,
  });
});

test('a report leaves out what is unknown', () => {
  const empty = {
    courier: null,
    pickup_eta: '',
    fee: 1075,
    dropoff: { verification: { picture: { image_url: '' } } },
  };
  expect(reportOf({ status: 'delivered', ...empty })).toEqual({
    id: `del_1:delivered:${Date.parse(updated)}`,
    key: 'dsp_1_0',
    reference: 'del_1',
    status: 'delivered',
    occurred_at: Date.parse(updated),
  });
});

test.each<[string, FailureReason]>([
  ['NO_SECURE_LOCATION_TO_DROPOFF', 'handover_failed'],
  ['CUSTOMER_UNAVAILABLE', 'recipient_unreachable'],
  ['recipient_refused', 'recipient_refused'],
  ['WRONG_ADDRESS', 'wrong_address'],
  ['MINIMUM_AGE_NOT_VERIFIED', 'age_check_failed'],
  ['PACKAGE_DAMAGED', 'handover_failed'],
])('%s is the failure %s', (undeliverable_reason, failure_reason) => {
  expect(reportOf({ status: 'returned', undeliverable_reason })).toMatchObject({
    failure_reason,
    reason: `Uber Direct: ${undeliverable_reason.replaceAll('_', ' ').toLowerCase()}`,
  });
  expect(reportOf({ status: 'delivered', undeliverable_reason })).not.toHaveProperty('reason');
});

test('a cancellation has its reason', () => {
  const cancelation_reason = { primary_reason: 'COURIER_ISSUE', secondary_reason: '' };
  expect(reportOf({ status: 'canceled', cancelation_reason })).toMatchObject({
    reason: 'Uber Direct: courier issue',
  });
  expect(reportOf({ status: 'canceled' })).not.toHaveProperty('reason');
});
