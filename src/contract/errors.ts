/** The one table of error codes: what each means, and its HTTP status. Codes are the contract; messages are for people. */
export const errorTable = {
  unauthorized: {
    status: 401,
    when: 'The key is missing, unknown, revoked, or without permission for the action.',
  },
  route_api_key_test_mode_mismatch: {
    status: 403,
    when: 'The test mode of the key differs from that of the key which made the route.',
  },
  record_not_found: {
    status: 404,
    when: 'There is no such record in this account and mode.',
  },
  quote_not_found: {
    status: 404,
    when: 'The quote is not one of this route.',
  },
  invalid_request: {
    status: 400,
    when: 'The body, query or path breaks the contract; `details` lists every fault with its path.',
  },
  address_not_geocodable: {
    status: 422,
    when: 'An address has no usable ZIP code, or without one no known city and state.',
  },
  route_not_draft: {
    status: 409,
    when: 'Quoting, changing or dispatching a route that is no longer a draft.',
  },
  order_not_open: {
    status: 409,
    when: 'The order is in a route, in the hands of auto dispatch, dispatched or canceled.',
  },
  quote_expired: {
    status: 409,
    when: 'Dispatch with a quote that is too old.',
  },
  quotes_not_ready: {
    status: 409,
    when: 'Dispatch while the quotes are pending, or before any were asked for.',
  },
  delivery_not_initiable: {
    status: 409,
    when: 'The delivery has been initiated already, or has not ended in a way that lets it be tried again.',
  },
  delivery_not_cancelable: {
    status: 409,
    when: 'The delivery has ended, or its courier does not take a cancellation at this point.',
  },
  delivery_not_disputable: {
    status: 409,
    when: 'Only a delivered delivery can be disputed, within 30 days.',
  },
  delivery_not_editable: {
    status: 409,
    when: 'The courier has picked the parcel up, or the delivery has ended.',
  },
  idempotency_key_reuse: {
    status: 422,
    when: 'The idempotency key was used with another request.',
  },
  idempotency_key_in_use: {
    status: 409,
    when: 'A request with this idempotency key is still running.',
  },
  webhook_endpoint_disabled: {
    status: 409,
    when: 'Sending to a webhook endpoint that is disabled.',
  },
  simulation_not_allowed: {
    status: 403,
    when: 'A sandbox control with a live key or on a hosted service.',
  },
  simulation_unknown: {
    status: 422,
    when: 'The scenario or its parameter has a name that the sandbox does not know.',
  },
  step_not_legal: {
    status: 409,
    when: 'The delivery cannot take this step from where it stands; the answer lists those it can.',
  },
  clock_unreadable: {
    status: 409,
    when: 'The clock of the sandbox cannot be read from the database; a reset of the sandbox repairs it.',
  },
  failed_task_not_retryable: {
    status: 409,
    when: 'The failed task has nothing left to try: its record has its outcome, or is gone.',
  },
  not_found: {
    status: 404,
    when: 'No operation has this path.',
  },
  method_not_allowed: {
    status: 405,
    when: 'The path exists, but not with this method.',
  },
  payload_too_large: {
    status: 413,
    when: 'The body is larger than the operation takes.',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The body has a content type other than application/json.',
  },
  rate_limited: {
    status: 429,
    when: 'Too many requests of this account, or too many unknown keys from this address.',
  },
  internal_error: {
    status: 500,
    when: 'The service failed; no detail leaves it.',
  },
  storage_unavailable: {
    status: 503,
    when: 'The database of the service cannot be reached.',
  },
} as const satisfies Record<string, ErrorMeaning>;

export interface ErrorMeaning {
  status: number;
  when: string;
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
  /** The path of the other field where two exclude each other. */
  conflicts_with?: string;
}

/** What else a program needs to know of a refusal. */
export interface ProblemFields {
  /** The values that could have been given. */
  choices?: readonly string[];
  /** The ids of the records that the refusal is about, the one that was asked for first. */
  related_ids?: readonly string[];
}

/** What the service refuses with, by its code; HTTP looks the status up in the table. */
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

  /** Where the refused value stands in the request, where it is one place. */
  get param(): string | null {
    const [first, ...others] = this.details;
    return first !== undefined && others.length === 0 ? first.path : null;
  }
}
