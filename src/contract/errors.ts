/**
 * The table of error codes: the meaning and HTTP status of each. Codes are part of the contract; messages are for
 * people.
 */
export const errorTable = {
  unauthorized: {
    status: 401,
    when: 'The API key is missing, unknown or revoked, or lacks permission for this action.',
  },
  account_suspended: {
    status: 403,
    when: 'The operator of the service has suspended the account.',
  },
  forbidden: {
    status: 403,
    when: 'Several accounts share the clock and the seed of the sandbox, and the operator has not given them to this one.',
  },
  last_admin_key: {
    status: 409,
    when: 'No other admin key of the account and mode that does not expire would be left.',
  },
  route_api_key_test_mode_mismatch: {
    status: 403,
    when: 'The route was created with a key of the other mode (test or live).',
  },
  record_not_found: {
    status: 404,
    when: 'No such record exists in this account and mode.',
  },
  record_changed: {
    status: 409,
    when: 'The record is no longer as the caller saw it (`from_driver_id`, `if_status`): someone else has changed it. Nothing was done; the message says how it is now.',
  },
  quote_not_found: {
    status: 404,
    when: 'The quote does not belong to this route.',
  },
  invalid_request: {
    status: 400,
    when: 'The body, query or path is invalid; `details` lists every error with its path.',
  },
  address_not_geocodable: {
    status: 422,
    when: 'An address has no known ZIP code, and no known city and state.',
  },
  route_not_draft: {
    status: 409,
    when: 'The route is no longer a draft, so it cannot be quoted, changed or dispatched.',
  },
  order_not_open: {
    status: 409,
    when: 'The order is in a route, in auto dispatch, dispatched or canceled.',
  },
  quote_expired: {
    status: 409,
    when: 'The quote has expired.',
  },
  quote_used: {
    status: 409,
    when: 'The quote has initiated a delivery, or its route is dispatched: it is not used again.',
  },
  quote_outdated: {
    status: 409,
    when: 'The quote is of an earlier round: quotes of its route were requested again since.',
  },
  duplicate_ref: {
    status: 409,
    when: '`unique_ref` was asked for, and a reference is in use, or occurs twice, or another order with it was sent; `details` names the records by path.',
  },
  quotes_not_ready: {
    status: 409,
    when: 'The quotes are pending, or none were requested.',
  },
  store_paused: {
    status: 409,
    when: 'The store is paused: nothing is dispatched from it until `paused_until`, or until it is resumed.',
  },
  delivery_not_initiable: {
    status: 409,
    when: 'The delivery is already initiated, or its status does not allow a retry.',
  },
  cost_above_limit: {
    status: 409,
    when: 'Every quote that could be used is above max_cost; nothing was changed.',
  },
  too_late: {
    status: 409,
    when: 'No quote keeps the agreed time, and `late_ok` is false; nothing was changed.',
  },
  delivery_not_cancelable: {
    status: 409,
    when: 'The delivery has ended, or its courier no longer accepts a cancellation.',
  },
  delivery_not_disputable: {
    status: 409,
    when: 'Only a completed delivery can be disputed, within 30 days.',
  },
  dispute_not_open: {
    status: 409,
    when: 'The dispute is already resolved.',
  },
  delivery_not_editable: {
    status: 409,
    when: 'The courier has picked up the items (own drivers: their handover is over), or the delivery has ended.',
  },
  idempotency_key_reuse: {
    status: 422,
    when: 'The idempotency key was already used for a different request.',
  },
  idempotency_key_in_use: {
    status: 409,
    when: 'A request with this idempotency key is still in progress.',
  },
  delivery_not_assignable: {
    status: 409,
    when: 'The delivery is not with the own fleet, or has ended.',
  },
  delivery_not_reportable: {
    status: 409,
    when: 'The delivery is not with a driver of the own fleet, or its status cannot become the one reported.',
  },
  delivery_not_locked: {
    status: 409,
    when: 'The handover is not locked by wrong PINs.',
  },
  driver_has_stops: {
    status: 409,
    when: 'The driver still has deliveries, or gets some later: assign each to another driver, report its status or cancel it; `related_ids` names them.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    when: 'The webhook endpoint is disabled.',
  },
  simulation_not_allowed: {
    status: 403,
    when: 'Sandbox controls require a test key on a sandbox service.',
  },
  simulation_unknown: {
    status: 422,
    when: 'The scenario or one of its parameters is unknown.',
  },
  step_not_legal: {
    status: 409,
    when: 'The delivery cannot take this step from its current status; the response lists the possible steps.',
  },
  clock_unreadable: {
    status: 409,
    when: 'The clock of the sandbox cannot be read from the database; a reset of the sandbox repairs it.',
  },
  failed_task_not_retryable: {
    status: 409,
    when: 'The failed task cannot be retried: its record has an outcome, or was deleted.',
  },
  courier_unknown: {
    status: 404,
    when: 'There is no such courier to connect; `choices` lists those there are.',
  },
  courier_not_connected: {
    status: 409,
    when: 'The courier is not connected in the mode of the key.',
  },
  courier_has_deliveries: {
    status: 409,
    when: 'Deliveries of the courier are under way; `related_ids` names some of them.',
  },
  courier_check_failed: {
    status: 422,
    when: 'The courier did not accept the settings, or did not answer; `details` names the setting at fault.',
  },
  courier_mode_mismatch: {
    status: 409,
    when: 'The settings of the courier are for the other mode: test settings need a test key, live ones a live key.',
  },
  secret_key_missing: {
    status: 409,
    when: 'The service has no secret key, or not the one that a stored secret is encrypted with.',
  },
  not_found: {
    status: 404,
    when: 'No such path.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path does not support this method.',
  },
  payload_too_large: {
    status: 413,
    when: 'The request body is too large.',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The content type of the body is not application/json.',
  },
  rate_limited: {
    status: 429,
    when: 'Too many requests from this account, or too many unknown keys from this address.',
  },
  limit_reached: {
    status: 429,
    when: 'A limit of the account is reached; the message names it.',
  },
  internal_error: {
    status: 500,
    when: 'Internal error of the service.',
  },
  overloaded: {
    status: 503,
    when: 'The service has more requests than it can answer in time.',
  },
  not_ready: {
    status: 503,
    when: 'The service is shutting down, its background work has stopped, or its database is not migrated.',
  },
  storage_unavailable: {
    status: 503,
    when: 'The service cannot reach its database, or the database is read-only, full or locked.',
  },
} as const satisfies Record<string, ErrorMeaning>;

interface ErrorMeaning {
  status: number;
  when: string;
}

export type ErrorCode = keyof typeof errorTable;

/** Errors of a request that the client or the operator can correct. */
export const correctable: readonly ErrorCode[] = [
  'invalid_request',
  'address_not_geocodable',
  'simulation_unknown',
  'secret_key_missing',
];

/** Errors that changed nothing, and that a repeat with the same idempotency key may not meet again: it is not answered with them. */
export const neverKept: readonly ErrorCode[] = [
  ...correctable,
  'unauthorized',
  'payload_too_large',
  'unsupported_media_type',
  'quotes_not_ready',
  'record_changed',
  'order_not_open',
  'store_paused',
  'cost_above_limit',
  'too_late',
  'delivery_not_cancelable',
  'duplicate_ref',
  'courier_not_connected',
  'courier_check_failed',
  'webhook_endpoint_disabled',
  'rate_limited',
  'limit_reached',
  'internal_error',
  'overloaded',
  'not_ready',
  'storage_unavailable',
  'idempotency_key_in_use',
  'idempotency_key_reuse',
];

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorTable, code);
}

/** One error in a request: its path (`orders[0].order_value`) and what is wrong. */
export interface Fault {
  path: string;
  message: string;
  /** The path of the conflicting field, if two fields exclude each other. */
  conflicts_with?: string;
  /** The ids of the records that this error is about. */
  related_ids?: readonly string[];
}

/** Additional fields of an error, for programs. */
interface ProblemFields {
  /** The accepted values. */
  choices?: readonly string[];
  /** The ids of the records that the error is about, the requested one first. */
  related_ids?: readonly string[];
}

/** An error response of the service, identified by its code; HTTP takes the status from the table. */
export class Problem extends Error {
  override name = 'Problem';
  readonly code: ErrorCode;
  readonly details: readonly Fault[];
  readonly choices: readonly string[];
  readonly related_ids: readonly string[];

  constructor(code: ErrorCode, message: string, details: readonly Fault[] = [], fields: ProblemFields = {}) {
    super(message);
    this.code = code;
    this.details = details;
    this.choices = fields.choices ?? [];
    this.related_ids = fields.related_ids ?? [];
  }

  /** The path of the invalid value, if there is exactly one. */
  get param(): string | null {
    const [first, ...others] = this.details;
    return first !== undefined && others.length === 0 ? first.path : null;
  }
}

/** The refusal of a request with these faults: its message says the first of them, and how many more there are. */
export function invalidRequest(faults: readonly Fault[]): Problem {
  const [first, ...others] = faults;
  if (first === undefined) return new Problem('invalid_request', 'The request is invalid.');
  const more =
    others.length === 1 ? ', and one more field is wrong' : `, and ${others.length} more fields are wrong`;
  const message = `${first.path} ${first.message}${others.length === 0 ? '' : more}.`;
  return new Problem('invalid_request', message, faults);
}

/**
 * Returns the milliseconds that a `Retry-After` header asks to wait, in either form (RFC 9110, 10.2.3): seconds, or
 * an HTTP date, compared with the `Date` of the response or else with the wall clock; 0 for a past date. Null if the
 * header is absent or invalid.
 */
export function readRetryAfter(
  headers: Readonly<Partial<Record<'retry-after' | 'date', string | undefined>>>,
  wall_now: number,
): number | null {
  const text = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return null;
  const instant = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(instant) ? null : Math.max(0, instant - (Date.parse(headers.date ?? '') || wall_now));
}
