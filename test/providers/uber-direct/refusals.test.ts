import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { type DeclineCode, ProviderBusy, ProviderFault } from '../../../src/providers/port.ts';
import { problemOf } from '../../../src/providers/uber-direct/client.ts';
import { type ErrorCode, errorCodes } from '../../fakes/uber-direct/errors.ts';
import { type Connected, connected } from './connected.ts';

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
    for (const status of [200, 302, 500, 502, 504])
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
