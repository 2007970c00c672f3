import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type {
  CourierHttpRequest,
  CourierHttpResponse,
  CourierOrder,
} from '../../../src/providers/courier.ts';
import { type DeclineCode, ProviderBusy, ProviderFault } from '../../../src/providers/port.ts';
import {
  createClient,
  deliveryBody,
  problemOf,
  quoteBody,
  readSettings,
  updateBody,
} from '../../../src/providers/uber-direct/client.ts';
import { type ErrorCode, errorCodes } from '../../fakes/uber-direct/errors.ts';
import { courierOrder } from '../courier-orders.ts';
import { type Connected, connected } from './connected.ts';

const settings = readSettings({ client_id: 'client_1', client_secret: 's&cret', customer_id: 'cus/1' });

/** A client whose requests are answered in turn; the last answer is repeated. */
function scripted(tokens: CourierHttpResponse[], answers: CourierHttpResponse[] = [ok]) {
  const clock = { now: 0 };
  const sent: CourierHttpRequest[] = [];
  const turns = { token: 0, answer: 0 };
  const turn = (kind: 'token' | 'answer') => {
    const list = kind === 'token' ? tokens : answers;
    const answer = list[Math.min(turns[kind]++, list.length - 1)];
    if (answer === undefined) throw new Error('no answer');
    return answer;
  };
  const call = createClient(settings, {
    now: () => clock.now,
    test_mode: true,
    http: async (request) => {
      sent.push(request);
      return turn(request.url.endsWith('/token') ? 'token' : 'answer');
    },
  });
  return { call, clock, sent, tokens: () => turns.token };
}

const ok: CourierHttpResponse = { status: 200, headers: {}, body: '{}' };
const unauthorized: CourierHttpResponse = { status: 401, headers: {}, body: '{"code":"unauthorized"}' };
const token = (text: string): CourierHttpResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ access_token: text, expires_in: 2_592_000, token_type: 'Bearer' }),
});

describe('the token of a connection', () => {
  it('is requested as a form and sent as a bearer token', async () => {
    const { call, sent } = scripted([token('t1')]);
    await call('POST', '/deliveries', { a: 1 });
    expect(sent).toEqual([
      {
        method: 'POST',
        url: 'https://auth.uber.com/oauth/v2/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: 'client_id=client_1&client_secret=s%26cret&grant_type=client_credentials&scope=eats.deliveries',
      },
      {
        method: 'POST',
        url: 'https://api.uber.com/v1/customers/cus%2F1/deliveries',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authorization: 'Bearer t1',
        },
        body: '{"a":1}',
        isAnswer: expect.any(Function),
      },
    ]);
  });

  it('is kept for 30 days, and shared by concurrent calls', async () => {
    const { call, clock, tokens } = scripted([token('t1'), token('t2')]);
    await Promise.all([call('GET', '/deliveries'), call('GET', '/deliveries')]);
    clock.now = 29 * 86_400_000;
    await call('GET', '/deliveries');
    expect(tokens()).toBe(1);
    clock.now = 30 * 86_400_000 - 60_000;
    await Promise.all([call('GET', '/deliveries'), call('GET', '/deliveries')]);
    expect(tokens()).toBe(2);
  });

  it('is renewed once where a kept one is refused', async () => {
    const { call, sent, tokens } = scripted([token('t1'), token('t2')], [ok, unauthorized, ok]);
    await call('GET', '/deliveries');
    expect(await call('GET', '/deliveries')).toEqual(ok);
    expect(tokens()).toBe(2);
    expect(sent.at(-1)?.headers.authorization).toBe('Bearer t2');
  });

  it('is not renewed again and again', async () => {
    const { call, tokens } = scripted([token('t1')], [unauthorized]);
    expect(await call('GET', '/deliveries')).toEqual(unauthorized);
    expect(tokens()).toBe(1);
    expect(await call('GET', '/deliveries')).toEqual(unauthorized);
    expect(tokens()).toBe(2);
  });

  it('is requested without a scope where naming it is refused', async () => {
    const refused = { status: 400, headers: {}, body: '{"error":"invalid_scope"}' };
    const { call, sent } = scripted([refused, token('t1')]);
    expect(await call('GET', '/deliveries')).toEqual(ok);
    expect(sent[1]?.body).toBe('client_id=client_1&client_secret=s%26cret&grant_type=client_credentials');
  });

  it('is asked for again after it was refused or the server failed', async () => {
    const refused = { status: 401, headers: {}, body: '{"error":"invalid_client"}' };
    const failed = { status: 503, headers: {}, body: '' };
    const { call, sent } = scripted([refused, failed, token('t1')]);
    expect(await call('GET', '/deliveries')).toMatchObject({ status: 401 });
    expect(sent).toHaveLength(1);
    await expect(call('GET', '/deliveries')).rejects.toBeInstanceOf(ProviderFault);
    expect(await call('GET', '/deliveries')).toEqual(ok);
  });

  it('is a fault where the response has none', async () => {
    const { call } = scripted([{ status: 200, headers: {}, body: '<html>' }]);
    await expect(call('GET', '/deliveries')).rejects.toBeInstanceOf(ProviderFault);
  });

  it('is used even if it expires at once', async () => {
    const short = { ...token('t1'), body: '{"access_token":"t1","expires_in":0}' };
    const { call, tokens } = scripted([short]);
    expect(await call('GET', '/deliveries')).toEqual(ok);
    expect(await call('GET', '/deliveries')).toEqual(ok);
    expect(tokens()).toBeLessThanOrEqual(3);
  });
});

let uber: Connected;
beforeEach(async () => {
  uber = await connected();
});
afterEach(() => uber.fake.close());

/** Each documented error of a quote or a create: a decline code, or a fault where the effect is unknown. */
const outcomes: Readonly<Record<ErrorCode, DeclineCode | 'fault' | 'busy'>> = {
  invalid_params: 'request_refused',
  unknown_location: 'address_unknown',
  address_undeliverable: 'address_not_served',
  address_undeliverable_limited_couriers: 'no_courier_free',
  pickup_window_too_small: 'scheduled_not_taken',
  pickup_deadline_too_early: 'scheduled_not_taken',
  pickup_ready_too_early: 'scheduled_not_taken',
  pickup_ready_too_late: 'scheduled_not_taken',
  dropoff_deadline_too_early: 'scheduled_not_taken',
  dropoff_deadline_before_pickup_deadline: 'scheduled_not_taken',
  dropoff_ready_after_pickup_deadline: 'scheduled_not_taken',
  expired_quote: 'quote_expired',
  used_quote: 'quote_expired',
  mismatched_price_quote: 'quote_expired',
  missing_payment: 'account_blocked',
  not_allowed: 'request_refused',
  noncancelable_delivery: 'request_refused',
  max_tip_exceeded: 'request_refused',
  tip_already_recorded_error: 'request_refused',
  no_tip: 'request_refused',
  invalid_tipping_state: 'request_refused',
  unauthorized: 'credentials_wrong',
  customer_suspended: 'account_blocked',
  customer_blocked: 'account_blocked',
  customer_not_found: 'credentials_wrong',
  delivery_not_found: 'request_refused',
  request_timeout: 'fault',
  duplicate_delivery: 'request_refused',
  customer_limited: 'busy',
  internal_server_error: 'fault',
  unknown_error: 'fault',
  couriers_busy: 'no_courier_free',
  robo_couriers_busy: 'no_courier_free',
  service_unavailable: 'fault',
};

const cases = Object.entries(outcomes);

test('every documented error has its outcome', () => {
  expect(cases.map(([code]) => code).sort()).toEqual(errorCodes.map(({ code }) => code).sort());
});

describe.each([
  ['quote', 'POST /delivery_quotes', 'declined', () => uber.quote()],
  ['create', 'POST /deliveries', 'refused', () => uber.create()],
] as const)('an error of a %s', (_, request, kind, call) => {
  it.each(errorCodes)('$code', async ({ code }) => {
    // The credentials are refused twice: the adapter asks for a new token once.
    uber.fake.faults.push({ request, kind: { code }, times: 2 });
    const outcome = outcomes[code];
    if (outcome === 'fault') {
      await expect(call()).rejects.toSatisfy(
        (error) => error instanceof ProviderFault && !(error instanceof ProviderBusy),
      );
    } else if (outcome === 'busy') await expect(call()).rejects.toBeInstanceOf(ProviderBusy);
    else {
      const answer = await call();
      expect(answer).toMatchObject({
        kind,
        code: outcome,
        reason: expect.stringMatching(/^Uber Direct [a-z]/),
      });
    }
  });
});

test.each<[string, string, DeclineCode]>([
  ['param_details', 'pickup address cannot be determined', 'address_unknown'],
  ['param_details', 'geocoding did not resolve the text', 'address_unknown'],
  ['param_details', 'Geocoding without result', 'address_unknown'],
  ['param_details', 'Long/Lat too far from the text', 'address_unknown'],
  ['param_details', 'location of the pickup is invalid', 'address_unknown'],
  ['param_details', 'location was changed', 'address_unknown'],
  ['address', 'required', 'address_unknown'],
  ['dropoff_phone_number', 'not valid', 'contact_refused'],
  ['pickup_phone_number', 'not valid', 'contact_refused'],
  ['param_details', 'dropoff ready time is less than 10 minutes away', 'scheduled_not_taken'],
  ['param_details', 'dropoff ready time is less than 29 minutes away', 'scheduled_not_taken'],
  ['param_details', 'invalid request to the restaurant gateway', 'request_refused'],
  ['param_details', 'fields are fixed in this state', 'request_refused'],
])('invalid_params with %s %j', async (field, text, code) => {
  uber.fake.faults.push({
    request: 'POST /delivery_quotes',
    kind: { code: 'invalid_params', metadata: { [field]: text } },
  });
  expect(await uber.quote()).toEqual({
    kind: 'declined',
    code,
    reason: `Uber Direct refuses the request: ${field}: ${text}`,
  });
});

describe('a response that is not of the interface', () => {
  const response = (status: number, body: string) => ({ status, body, headers: {} });

  it('is a fault if it may have had an effect', () => {
    for (const status of [200, 302, 408, 500, 502, 504])
      expect(() => problemOf(response(status, '<html>'))).toThrow(ProviderFault);
  });

  it('is a refusal if the courier refuses with an unknown code', () => {
    expect(problemOf(response(400, '{"code":"new_code","message":"Not today"}'))).toEqual({
      code: 'request_refused',
      reason: 'Uber Direct refuses the request: Not today',
    });
    expect(problemOf(response(403, 'Forbidden'))).toMatchObject({
      reason: expect.stringContaining('status 403'),
    });
    expect(problemOf(response(401, ''))).toMatchObject({ code: 'credentials_wrong' });
  });

  it('is busy where a limit is named in another status', async () => {
    const limited = { code: 'customer_limited', kind: 'error' };
    uber.fake.faults.push({ request: 'POST /delivery_quotes', kind: { status: 400, body: limited } });
    await expect(uber.quote()).rejects.toBeInstanceOf(ProviderBusy);
  });
});

const now = Date.UTC(2026, 10, 22, 18);
const options = { asks_pin: false, test_mode: false };

function delivery(order: Partial<CourierOrder> = {}, changes: Partial<typeof options> = {}) {
  const request = { key: 'dsp_1_0', quote_reference: 'dqt_7', order: courierOrder(order), now };
  return deliveryBody(request, { ...options, ...changes });
}

const places = {
  pickup_address:
    '{"street_address":["233 S Wacker Dr"],"city":"Chicago","state":"IL","zip_code":"60606","country":"US"}',
  pickup_phone_number: '+13125557701',
  dropoff_address:
    '{"street_address":["600 E Grand Ave","Apt 5"],"city":"Chicago","state":"IL","zip_code":"60611","country":"US"}',
  dropoff_phone_number: '+13125557702',
};

describe('a request for Uber Direct', () => {
  it('asks for a quote with places, phones and value', () => {
    expect(quoteBody(courierOrder(), now)).toEqual({ ...places, manifest_total_value: 2500 });
  });

  it('books with everything that is known', () => {
    expect(delivery()).toEqual({
      ...places,
      manifest_total_value: 2500,
      quote_id: 'dqt_7',
      pickup_name: 'Lakeside Books',
      pickup_notes: 'Back door',
      dropoff_name: 'Ada Maria Byron',
      dropoff_notes: 'Ring twice',
      manifest_items: [{ name: 'Atlas', quantity: 2, size: 'small' }],
      manifest_reference: 'A-100',
      external_id: 'dsp_1_0',
      idempotency_key: 'dsp_1_0',
      tip: 300,
      deliverable_action: 'deliverable_action_meet_at_door',
      undeliverable_action: 'return',
    });
  });

  it('says what becomes of what cannot be handed over', () => {
    for (const undeliverable_action of ['leave_at_door', 'discard'] as const)
      expect(delivery({ undeliverable_action })).toMatchObject({ undeliverable_action });
  });

  it('asks for a robo courier in test mode only', () => {
    const robo = { test_specifications: { robo_courier_specification: { mode: 'auto' } } };
    expect(delivery({}, { test_mode: true })).toMatchObject(robo);
    expect(delivery()).not.toHaveProperty('test_specifications');
  });

  it('names the coordinates of a house in both', () => {
    const dropoff = { ...courierOrder().dropoff, latitude: 41.9, longitude: -87.6 };
    const known = { ...places, dropoff_latitude: 41.9, dropoff_longitude: -87.6 };
    expect(quoteBody(courierOrder({ dropoff }), now)).toEqual({ ...known, manifest_total_value: 2500 });
    expect(delivery({ dropoff })).toMatchObject(known);
  });

  it('writes an address as it is if its parts are not known', () => {
    const stop = { ...courierOrder().dropoff, address: 'Navy Pier', unit: '' };
    expect(quoteBody(courierOrder({ dropoff: stop }), now)).toMatchObject({ dropoff_address: 'Navy Pier' });
    const withUnit = { ...stop, unit: 'Hall B' };
    expect(quoteBody(courierOrder({ dropoff: withUnit }), now)).toMatchObject({
      dropoff_address: 'Navy Pier, Hall B',
    });
  });

  it('uses our order ID where the merchant has no number, and leaves out what is empty', () => {
    const stop = (side: 'pickup' | 'dropoff') => ({ ...courierOrder()[side], notes: '' });
    const body = delivery({
      external_order_ref: '',
      tip: 0,
      order_value: 0,
      pickup: stop('pickup'),
      dropoff: stop('dropoff'),
    });
    expect(body).toMatchObject({ manifest_reference: 'ord_1' });
    for (const name of ['tip', 'manifest_total_value', 'pickup_notes', 'dropoff_notes'])
      expect(body).not.toHaveProperty(name);
  });

  it('describes the parcel where no items are known, and translates sizes', () => {
    expect(delivery({ items: [] })).toMatchObject({
      manifest_items: [{ name: 'Books', quantity: 1, size: 'small' }],
    });
    expect(delivery({ items: [], items_description: '' })).toMatchObject({
      manifest_items: [{ name: 'Parcel' }],
    });
    const items = (['small', 'medium', 'large', 'extra_large'] as const).map((size) => ({
      name: 'a',
      quantity: 1,
      size,
    }));
    expect(delivery({ items })).toMatchObject({
      manifest_items: [{ size: 'small' }, { size: 'medium' }, { size: 'large' }, { size: 'xlarge' }],
    });
  });

  it('cuts notes to 280 characters', () => {
    const dropoff = { ...courierOrder().dropoff, notes: 'x'.repeat(281) };
    expect(delivery({ dropoff })).toMatchObject({ dropoff_notes: `${'x'.repeat(279)}…` });
    const whole = { ...dropoff, notes: 'x'.repeat(280) };
    expect(delivery({ dropoff: whole })).toMatchObject({ dropoff_notes: 'x'.repeat(280) });
    // A character of two code units is not cut in half.
    const dropoff_notes = `${'x'.repeat(278)}🚪🚪`;
    expect(updateBody({ dropoff_notes })).toEqual({ dropoff_notes: `${'x'.repeat(278)}…` });
  });

  it('schedules by when the parcel is ready, or by a window around the dropoff', () => {
    const at = Date.UTC(2026, 10, 23, 12);
    expect(quoteBody(courierOrder({ pickup_at: at }), now)).toEqual({
      ...places,
      manifest_total_value: 2500,
      pickup_ready_dt: '2026-11-23T12:00:00.000Z',
    });
    expect(quoteBody(courierOrder({ dropoff_at: at }), now)).toEqual({
      ...places,
      manifest_total_value: 2500,
      dropoff_ready_dt: '2026-11-23T11:45:00.000Z',
      dropoff_deadline_dt: '2026-11-23T12:15:00.000Z',
    });
    expect(quoteBody(courierOrder({ pickup_at: now - 1 }), now)).not.toHaveProperty('pickup_ready_dt');
  });

  const meet = 'deliverable_action_meet_at_door';
  const leave = 'deliverable_action_leave_at_door';
  const signature = {
    signature_requirement: { enabled: true, collect_signer_name: true, collect_signer_relationship: false },
  };
  it.each([
    ['nothing', {}, false, meet, undefined],
    ['a signature', { request_signature: true }, false, meet, signature],
    ['no contact', { request_contactless: true }, false, leave, { picture: true }],
    [
      'a signature and no contact',
      { request_signature: true, request_contactless: true },
      false,
      meet,
      signature,
    ],
    ['a PIN', {}, true, meet, { pincode: { enabled: true } }],
    ['a PIN and a signature', { request_signature: true }, true, meet, signature],
    ['a PIN and no contact', { request_contactless: true }, true, leave, { picture: true }],
  ])('hands over with %s', (_, order, asks_pin, deliverable_action, dropoff_verification) => {
    const body = delivery(order, { asks_pin });
    expect(body).toMatchObject({ deliverable_action });
    expect(Object.entries(body).find(([name]) => name === 'dropoff_verification')?.[1]).toEqual(
      dropoff_verification,
    );
  });

  it('changes only what is given', () => {
    expect(updateBody({ tip: 500 })).toEqual({ tip_by_customer: 500 });
    expect(updateBody({ pickup_notes: '', dropoff_notes: 'x'.repeat(300) })).toEqual({
      pickup_notes: '',
      dropoff_notes: `${'x'.repeat(279)}…`,
    });
  });
});
