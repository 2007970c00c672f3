import type { Fault } from '../contract/errors.ts';
import type { WireResponse } from '../contract/operation.ts';
import { tlsFault } from './tls-faults.ts';

export interface ApiErrorFields {
  /** A code of the error table, or `unexpected_answer` if the response is not from a waybill service. */
  code: string;
  /** True if the response contains the code; otherwise it is derived from the status. */
  hasCode?: boolean;
  status: number;
  details?: readonly Fault[];
  /** The path of the invalid value, if there is exactly one. */
  param?: string | null;
  /** The accepted values. */
  choices?: readonly string[];
  /** The ids of the records that the error is about. */
  related_ids?: readonly string[];
  request_id?: string | null;
  /** The wait requested by `Retry-After`, in milliseconds from the response. */
  retry_after_ms?: number | null;
}

/** An error response: its code is for programs, its message for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: string;
  readonly hasCode: boolean;
  readonly status: number;
  readonly details: readonly Fault[];
  readonly param: string | null;
  readonly choices: readonly string[];
  readonly related_ids: readonly string[];
  readonly request_id: string | null;
  readonly retry_after_ms: number | null;

  constructor(message: string, fields: ApiErrorFields, options?: ErrorOptions) {
    super(message, options);
    this.code = fields.code;
    this.hasCode = fields.hasCode ?? false;
    this.status = fields.status;
    this.details = fields.details ?? [];
    this.param = fields.param ?? null;
    this.choices = fields.choices ?? [];
    this.related_ids = fields.related_ids ?? [];
    this.request_id = fields.request_id ?? null;
    this.retry_after_ms = fields.retry_after_ms ?? null;
  }
}

/** Whether the service refused the request with one of these codes. */
export function refusedWith(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof ApiError && codes.includes(error.code);
}

/** Whether the service refused the request, so that it had no effect. After any other error that is unknown. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.code !== 'idempotency_key_in_use';
}

/** The answer; null if the record does not exist. */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (refusedWith(error, 'record_not_found')) return null;
    throw error;
  }
}

interface MismatchFields extends ApiErrorFields {
  /** The ids of the records that the request did create or change; null for a read. */
  written: readonly string[] | null;
}

/** A response of the wrong mode; its data is discarded. */
export class ModeMismatch extends ApiError {
  override name = 'ModeMismatch';
  readonly written: readonly string[] | null;

  constructor(message: string, { written, ...fields }: MismatchFields) {
    super(message, fields);
    this.written = written;
  }
}

/** The service does not have the operation. */
export class Unsupported extends ApiError {
  override name = 'Unsupported';
}

/** Returns the result of a call, or something else if the service does not have its operation. */
export async function ifSupported<T, E>(call: Promise<T>, otherwise: E): Promise<T | E> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Unsupported) return otherwise;
    throw error;
  }
}

/** There was no response. `message` says from where and why; `cause` is the network error. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  /** The network error code, such as ECONNREFUSED; null if absent. */
  readonly code: string | null;
  /** The part of the response received before the connection was lost; null if not even the status arrived. */
  readonly partial: WireResponse | null;

  constructor(message: string, options: { cause?: unknown; partial?: WireResponse | null } = {}) {
    super(message, options);
    const { cause, partial = null } = options;
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    this.code = typeof code === 'string' ? code : null;
    this.partial = partial;
  }

  /** Whether the service may have received the request. */
  get mayHaveArrived(): boolean {
    return this.code === null || !neverSent.test(this.code);
  }
}

/** The codes of faults before a request is sent. */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|DEPTH_ZERO.*|ERR_TLS_.*|ERR_SSL_.*|SELF_SIGNED.*|UNABLE_TO_.*)$/;

/** A write that the service may have executed: there was no response, and repeating it may not be safe. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
  /** The id of the operation, such as `CreateOrders`. */
  readonly operation: string;
  readonly params: Readonly<Record<string, unknown>>;

  constructor(operation: string, params: Readonly<Record<string, unknown>>, cause: ApiError | Unreachable) {
    super(cause.message, { cause });
    this.operation = operation;
    this.params = params;
  }
}

/** A write that the service accepted with an unreadable response. */
export class AcceptedUnread extends Error {
  override name = 'AcceptedUnread';
  readonly operation: string;
  readonly status: number;
  /** The response as received. */
  readonly body: string;
  readonly request_id: string | null;

  constructor(operation: string, response: WireResponse, reason: string) {
    super(`The service accepted the request (status ${response.status}), but its response ${reason}.`);
    this.operation = operation;
    this.status = response.status;
    this.body = response.body;
    this.request_id = response.headers['x-request-id'] ?? null;
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed before the response',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name lookup failed',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  EPIPE: 'the connection was closed while sending',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the response',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the response took too long',
  UND_ERR_BODY_TIMEOUT: 'the response ended early',
  UND_ERR_DESTROYED: 'the connection was aborted',
};

/** The parser's detailed message is in the cause. */
const broken = 'the response is not valid HTTP';

/** Describes a network error; null for any other error, such as a bug. */
function networkFault(error: unknown): string | null {
  // Truncated or invalid HTTP does not always have an error code.
  if (error instanceof Error && error.name === 'HTTPParserError') return broken;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  const { code } = error;
  if (code in reasons) return reasons[code] ?? null;
  const tls = tlsFault(error, code);
  if (tls !== null) return tls;
  if (code.startsWith('HPE_')) return broken;
  return /^UND_ERR_(?!INVALID_)/.test(code) ? error.message : null;
}

/** Converts a network error to `Unreachable`; null for any other error. */
export function asUnreachable(error: unknown, where: string): Unreachable | null {
  if (error instanceof Unreachable) return error;
  const reason = networkFault(error);
  return reason === null ? null : new Unreachable(`No response from ${where}: ${reason}.`, { cause: error });
}
