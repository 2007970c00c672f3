/** The error codes of the courier's published interface, with the status that each is sent with. */
const statuses = {
  invalid_params: 400,
  unknown_location: 400,
  address_undeliverable: 400,
  address_undeliverable_limited_couriers: 400,
  pickup_window_too_small: 400,
  pickup_deadline_too_early: 400,
  pickup_ready_too_early: 400,
  pickup_ready_too_late: 400,
  dropoff_deadline_too_early: 400,
  dropoff_deadline_before_pickup_deadline: 400,
  dropoff_ready_after_pickup_deadline: 400,
  expired_quote: 400,
  used_quote: 400,
  mismatched_price_quote: 400,
  missing_payment: 400,
  not_allowed: 400,
  noncancelable_delivery: 400,
  max_tip_exceeded: 400,
  tip_already_recorded_error: 400,
  no_tip: 400,
  invalid_tipping_state: 400,
  unauthorized: 401,
  customer_suspended: 402,
  customer_blocked: 403,
  customer_not_found: 404,
  delivery_not_found: 404,
  request_timeout: 408,
  duplicate_delivery: 409,
  customer_limited: 429,
  internal_server_error: 500,
  unknown_error: 500,
  couriers_busy: 503,
  robo_couriers_busy: 503,
  service_unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statuses;

export const errorCodes = Object.entries(statuses).flatMap(([code, status]) =>
  isErrorCode(code) ? [{ code, status }] : [],
);

/** An error answer of the courier. */
export class Refused extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly metadata: Record<string, string> | undefined;

  constructor(code: ErrorCode, metadata?: Record<string, string>) {
    super(`the fake answers ${code}`);
    this.status = statuses[code];
    this.code = code;
    this.metadata = metadata;
  }

  /** The body as sent: an unauthorized answer has no kind. */
  get body(): object {
    return {
      code: this.code,
      message: `The request ended with ${this.code}.`,
      ...(this.code !== 'unauthorized' && { kind: 'error' }),
      ...(this.metadata !== undefined && { metadata: this.metadata }),
    };
  }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(statuses, code);
}

/** Refuses a field of the request. */
export function invalid(field: string, problem: string): Refused {
  return new Refused('invalid_params', { [field]: problem });
}
