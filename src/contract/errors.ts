/**
 * The one table of error codes: what each means, its HTTP status, the exit code of the command line,
 * and what a person can do about it. Codes are the contract; messages are for people.
 */
export const errorTable = {
  unauthorized: {
    status: 401,
    exit: 4,
    when: 'The key is missing, unknown, revoked, or without permission for the action.',
    remedy: 'Run `waybill login`, or set WAYBILL_API_KEY to a key with the permission.',
  },
  route_api_key_test_mode_mismatch: {
    status: 403,
    exit: 6,
    when: 'The test mode of the key differs from that of the key which made the route.',
    remedy: 'Use a key of the mode the route was made in: `waybill profiles use NAME`.',
  },
  record_not_found: {
    status: 404,
    exit: 5,
    when: 'There is no such record in this account and mode.',
    remedy: 'Check the id and the profile in use: `waybill whoami`.',
  },
  quote_not_found: {
    status: 404,
    exit: 5,
    when: 'The quote is not one of this route.',
    remedy: "List the route's quotes: `waybill quotes list ROUTE`.",
  },
  invalid_request: {
    status: 400,
    exit: 2,
    when: 'The body, query or path breaks the contract; `details` lists every fault with its path.',
    remedy: 'Correct the fields named and send it again.',
  },
  address_not_geocodable: {
    status: 422,
    exit: 2,
    when: 'An address has no usable ZIP code, or without one no known city and state.',
    remedy: 'Give the address as `street, city, state, ZIP`.',
  },
  route_not_draft: {
    status: 409,
    exit: 6,
    when: 'Quoting, changing or dispatching a route that is no longer a draft.',
    remedy: 'See what became of it: `waybill routes get ROUTE`.',
  },
  order_not_open: {
    status: 409,
    exit: 6,
    when: 'The order is in a route, in the hands of auto dispatch, dispatched or canceled.',
    remedy:
      'See where it stands: `waybill orders get ORDER`; a draft route gives its orders back when deleted.',
  },
  quote_expired: {
    status: 409,
    exit: 6,
    when: 'Dispatch with a quote that is too old.',
    remedy: 'Ask for fresh quotes: `waybill routes quote ROUTE`.',
  },
  quotes_not_ready: {
    status: 409,
    exit: 8,
    when: 'Dispatch while the quotes are pending, or before any were asked for.',
    remedy:
      'Wait for them: `waybill quotes list ROUTE --watch` (ask first with `waybill routes quote ROUTE`).',
  },
  delivery_not_initiable: {
    status: 409,
    exit: 6,
    when: 'The delivery has been initiated already, or has not ended in a way that lets it be tried again.',
    remedy: 'See where it stands and what can be done: `waybill deliveries explain DELIVERY`.',
  },
  delivery_not_cancelable: {
    status: 409,
    exit: 6,
    when: 'The delivery has ended, or its courier does not take a cancellation at this point.',
    remedy: 'See where it stands and what can be done: `waybill deliveries explain DELIVERY`.',
  },
  delivery_not_disputable: {
    status: 409,
    exit: 6,
    when: 'Only a delivered delivery can be disputed, within 30 days.',
    remedy: 'See where it stands and what can be done: `waybill deliveries explain DELIVERY`.',
  },
  delivery_not_editable: {
    status: 409,
    exit: 6,
    when: 'The courier has picked the parcel up, or the delivery has ended.',
    remedy: 'See where it stands and what can be done: `waybill deliveries explain DELIVERY`.',
  },
  idempotency_key_reuse: {
    status: 422,
    exit: 6,
    when: 'The idempotency key was used with another request.',
    remedy: 'Take a new key for a new request, or send the first request again unchanged.',
  },
  idempotency_key_in_use: {
    status: 409,
    exit: 6,
    when: 'A request with this idempotency key is still running.',
    remedy: 'Send the same request again in a moment; it will get the first answer.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    exit: 6,
    when: 'Sending to a webhook endpoint that is disabled.',
    remedy: 'Enable it first: `waybill webhooks update ENDPOINT --enable`.',
  },
  simulation_not_allowed: {
    status: 403,
    exit: 6,
    when: 'A sandbox control with a live key or on a hosted service.',
    remedy: 'Use a test key on a sandbox service.',
  },
  simulation_unknown: {
    status: 422,
    exit: 2,
    when: 'The scenario or its parameter has a name that the sandbox does not know.',
    remedy: 'See the names: `waybill sandbox scenarios`.',
  },
  step_not_legal: {
    status: 409,
    exit: 6,
    when: 'The delivery cannot take this step from where it stands; the answer lists those it can.',
    remedy: 'See the steps it can take: `waybill sandbox steps DELIVERY`.',
  },
  not_found: {
    status: 404,
    exit: 1,
    when: 'No operation has this path.',
    remedy: 'See the paths in `waybill openapi`.',
  },
  method_not_allowed: {
    status: 405,
    exit: 1,
    when: 'The path exists, but not with this method.',
    remedy: 'See the methods in `waybill openapi`.',
  },
  payload_too_large: {
    status: 413,
    exit: 1,
    when: 'The body is larger than the operation takes.',
    remedy: 'Send less in one request.',
  },
  unsupported_media_type: {
    status: 415,
    exit: 1,
    when: 'The body has a content type other than application/json.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  rate_limited: {
    status: 429,
    exit: 11,
    when: 'Too many requests of this account, or too many unknown keys from this address.',
    remedy: 'Wait as long as `Retry-After` says.',
  },
  internal_error: {
    status: 500,
    exit: 7,
    when: 'The service failed; no detail leaves it.',
    remedy: 'Try again; if it stays, report the request id.',
  },
  storage_unavailable: {
    status: 503,
    exit: 7,
    when: 'The database of the service cannot be reached.',
    remedy: 'Try again in a moment; `waybill doctor` looks at the storage.',
  },
} as const satisfies Record<string, ErrorMeaning>;

export interface ErrorMeaning {
  status: number;
  exit: number;
  when: string;
  remedy: string;
}

export type ErrorCode = keyof typeof errorTable;

/** Refusals of what a request says: its sender corrects it and sends it again, under the same key too. */
export const correctable: readonly ErrorCode[] = [
  'invalid_request',
  'address_not_geocodable',
  'simulation_unknown',
];

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** One fault of a request: where it is (`orders[0].order_value`) and what is wrong. */
export interface Fault {
  path: string;
  message: string;
}

/** What the service refuses with, by its code; HTTP and the command line look the rest up in the table. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ErrorCode;
  readonly details: readonly Fault[];

  constructor(code: ErrorCode, message: string, details: readonly Fault[] = []) {
    super(message);
    this.code = code;
    this.details = details;
  }
}
