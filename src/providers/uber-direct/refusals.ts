/** Uber's error codes as waybill's: https://developer.uber.com/docs/deliveries/direct/api. */
import type { CourierHttpResponse } from '../courier.ts';
import { fieldsOf, type JsonFields, parseFields, textAt } from '../json-fields.ts';
import { type DeclineCode, ProviderBusy, ProviderFault } from '../port.ts';

/** Why Uber Direct refuses a request. */
export interface Problem {
  code: DeclineCode;
  /** For people. */
  reason: string;
}

const refusals: Readonly<Record<string, readonly [DeclineCode, string]>> = {
  unknown_location: ['address_unknown', 'does not find one of the addresses'],
  address_undeliverable: ['address_not_served', 'does not deliver between these addresses'],
  address_undeliverable_limited_couriers: ['no_courier_free', 'has no courier free for these addresses now'],
  couriers_busy: ['no_courier_free', 'has no courier free now'],
  robo_couriers_busy: ['no_courier_free', 'has no robo courier free now'],
  pickup_window_too_small: ['scheduled_not_taken', 'wants a longer time for the pickup'],
  pickup_deadline_too_early: ['scheduled_not_taken', 'cannot be at the pickup so soon'],
  pickup_ready_too_early: ['scheduled_not_taken', 'takes no pickup in the past'],
  pickup_ready_too_late: ['scheduled_not_taken', 'takes no pickup more than 30 days ahead'],
  dropoff_deadline_too_early: ['scheduled_not_taken', 'wants a longer time for the dropoff'],
  dropoff_deadline_before_pickup_deadline: ['scheduled_not_taken', 'cannot make the dropoff so soon'],
  dropoff_ready_after_pickup_deadline: ['scheduled_not_taken', 'cannot keep the parcel until the dropoff'],
  expired_quote: ['quote_expired', 'no longer keeps the price of the quote'],
  used_quote: ['quote_expired', 'has used the quote for another delivery'],
  mismatched_price_quote: ['quote_expired', 'wants a new quote for the changed order'],
  missing_payment: ['account_blocked', 'has no way to bill the account'],
  customer_suspended: ['account_blocked', 'has suspended the account until it has paid'],
  customer_blocked: ['account_blocked', 'does not let the account create deliveries'],
  customer_not_found: ['credentials_wrong', 'does not know the customer ID'],
  unauthorized: ['credentials_wrong', 'refuses the client ID or the client secret'],
  customer_limited: ['rate_limited', 'takes no more requests of the account for now'],
  duplicate_delivery: ['request_refused', 'has another delivery with this reference'],
  delivery_not_found: ['request_refused', 'does not know the delivery'],
  noncancelable_delivery: ['request_refused', 'no longer cancels the delivery'],
  not_allowed: ['request_refused', 'does not allow the request for this account'],
  max_tip_exceeded: ['request_refused', 'does not take so high a tip'],
  tip_already_recorded_error: ['request_refused', 'has recorded a tip before and takes no other'],
  no_tip: ['request_refused', 'takes no empty tip'],
  invalid_tipping_state: ['request_refused', 'takes no tip in the current status'],
};

/** Codes that say nothing about the request: it is unknown whether it had an effect. */
const faults = ['request_timeout', 'internal_server_error', 'unknown_error', 'service_unavailable'];

/** The courier names a limit in the status or in the code, without saying how long it lasts. */
const limit_seconds = 60;

/** Why a request was refused. Throws `ProviderFault` if the response does not say that it was. */
export function problemOf({ status, body }: CourierHttpResponse): Problem {
  const fields = parseFields(body);
  const code = codeOf(fields, status);
  if (code === 'invalid_params') return invalidParams(fields);
  const [decline, what] = refusals[code] ?? [];
  if (decline !== undefined && what !== undefined) return { code: decline, reason: `Uber Direct ${what}` };
  if (status >= 500 || status < 400 || faults.includes(code)) {
    throw new ProviderFault(`Uber Direct responded with status ${status} (${code || 'no code'})`);
  }
  const detail = textAt(fields, 'message') ?? `status ${status}`;
  return { code: 'request_refused', reason: `Uber Direct refuses the request: ${detail}` };
}

/** As `problemOf`, for a request that can be repeated later: throws `ProviderBusy` where a limit was reached. */
export function problemUnlessBusy(response: CourierHttpResponse): Problem {
  const problem = problemOf(response);
  if (problem.code === 'rate_limited') throw new ProviderBusy(problem.reason, limit_seconds);
  return problem;
}

/** Whether a response with these fields refuses its request, whatever its status. */
export function isRefusal(fields: JsonFields): boolean {
  return Object.hasOwn(refusals, textAt(fields, 'code') ?? '');
}

/** The error code; of a response without one, that of its status. */
export function codeOf(fields: JsonFields, status: number): string {
  const code = textAt(fields, 'code');
  if (code !== null) return code;
  return status === 401 ? 'unauthorized' : '';
}

/** The fields that a refusal is about, with a text each; the names are free, so that only words tell them apart. */
const topics: readonly (readonly [RegExp, DeclineCode])[] = [
  [/phone/i, 'contact_refused'],
  [/address|geocod|location|long\/lat/i, 'address_unknown'],
  [/ready time|deadline|_dt\b/i, 'scheduled_not_taken'],
];

function invalidParams(fields: JsonFields): Problem {
  const entries = Object.entries(fieldsOf(fields.metadata));
  const details = entries.map(([name, text]) => `${name}: ${typeof text === 'string' ? text : 'not valid'}`);
  const detail = details.join('; ') || (textAt(fields, 'message') ?? 'not valid');
  const [, code] = topics.find(([words]) => words.test(details.join('; '))) ?? [];
  return { code: code ?? 'request_refused', reason: `Uber Direct refuses the request: ${detail}` };
}
