import type { Fault } from '../contract/errors.ts';

export interface ApiErrorFields {
  /** A code of the error table, or `unexpected_answer` where something else than the interface answered. */
  code: string;
  status: number;
  details?: readonly Fault[];
  /** Where the refused value stands in the request, where it is one place. */
  param?: string | null;
  /** The values that could have been given. */
  choices?: readonly string[];
  /** The ids of the records that the refusal is about. */
  related_ids?: readonly string[];
  request_id?: string | null;
  /** What `Retry-After` asked for, in milliseconds from when the answer came. */
  retry_after_ms?: number | null;
}

/** An answer that refuses: its code is for programs, its message for people. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: string;
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
    this.status = fields.status;
    this.details = fields.details ?? [];
    this.param = fields.param ?? null;
    this.choices = fields.choices ?? [];
    this.related_ids = fields.related_ids ?? [];
    this.request_id = fields.request_id ?? null;
    this.retry_after_ms = fields.retry_after_ms ?? null;
  }
}

interface MismatchFields extends ApiErrorFields {
  /** The ids of what the request made or changed all the same; null where it only read. */
  written: readonly string[] | null;
}

/** An answer from the other mode than the one the caller works in; nothing of it is used. */
export class ModeMismatch extends ApiError {
  override name = 'ModeMismatch';
  readonly written: readonly string[] | null;

  constructor(message: string, { written, ...fields }: MismatchFields) {
    super(message, fields);
    this.written = written;
  }
}

/** No answer came. `message` says from where and why; `cause` is what the network said. */
export class Unreachable extends Error {
  override name = 'Unreachable';
  /** The network's own code, such as ECONNREFUSED; null where it has none. */
  readonly code: string | null;

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    const { cause } = options;
    const code = cause instanceof Error && 'code' in cause ? cause.code : null;
    this.code = typeof code === 'string' ? code : null;
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed before the answer',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPIPE: 'the connection was closed while sending',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the answer',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the answer took too long',
  UND_ERR_BODY_TIMEOUT: 'the answer stopped half way',
  UND_ERR_DESTROYED: 'the connection was given up',
};

/** What exactly a parser found wrong is kept in the cause. */
const broken = 'what came from there is no proper HTTP';

/** What a network fault means in words, or null where the error is none: a fault of a program stays one. */
function networkFault(error: unknown): string | null {
  // What broke off half way, or is no HTTP, does not always have a code.
  if (error instanceof Error && error.name === 'HTTPParserError') return broken;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  const { code } = error;
  if (code in reasons) return reasons[code] ?? null;
  if (/^(CERT_|DEPTH_ZERO|ERR_TLS_|ERR_SSL_|SELF_SIGNED|UNABLE_TO_)/.test(code))
    return `TLS: ${error.message}`;
  if (code.startsWith('HPE_')) return broken;
  return /^UND_ERR_(?!INVALID_)/.test(code) ? error.message : null;
}

/** The error as `Unreachable` where it is a network fault, else null. */
export function asUnreachable(error: unknown, where: string): Unreachable | null {
  if (error instanceof Unreachable) return error;
  const reason = networkFault(error);
  return reason === null ? null : new Unreachable(`No answer from ${where}: ${reason}.`, { cause: error });
}
