/**
 * The errors that calls reject with: refusals of the service, answers of another mode, and failures of the network with what
 * their codes mean (`asUnreachable`). The declarations of the library include these.
 */
import type { Fault } from '../contract/errors.ts';
import type { WireResponse } from '../contract/operation.ts';

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
  if (error instanceof ModeMismatch) return error.written === null;
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

/** A web page in place of the service's answer, from an address that has not answered as a service does. */
export class PageReceived extends ApiError {
  override name = 'PageReceived';
}

/** Returns the result of a call, or `otherwise` if the service does not have its operation. */
export async function ifSupported<T, E>(call: Promise<T>, otherwise: E): Promise<T | E> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Unsupported) return otherwise;
    throw error;
  }
}

/**
 * The codes of faults before a request is sent, such as `ECONNREFUSED` and `CERT_HAS_EXPIRED`. A TLS record that was damaged
 * on its way may have carried the request.
 */
const neverSent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|PROXY_REFUSAL|UND_ERR_CONNECT_TIMEOUT|CERT_.*|DEPTH_ZERO.*|ERR_TLS_.*|ERR_SSL_(?!.*BAD_RECORD_MAC).*|SELF_SIGNED.*|UNABLE_TO_.*)$/;

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

/** A proxy refused to pass a request on, so that the service did not receive it. */
export class ProxyRefusal extends Error {
  override name = 'ProxyRefusal';
  /** A code in the form of network errors. */
  readonly code = 'PROXY_REFUSAL';
  /** The status of the proxy's response. */
  readonly status: number;

  constructor(status: number) {
    super(`The proxy answered with status ${status}.`);
    this.status = status;
  }
}

/** The refusal of a proxy, which undici reports by its text alone where no tunnel is used; null for any other error. */
export function asProxyRefusal(error: unknown): ProxyRefusal | null {
  if (error instanceof ProxyRefusal) return error;
  const isRefused = error instanceof Error && error.message.startsWith('Proxy Authentication Required');
  return isRefused ? new ProxyRefusal(407) : null;
}

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

const endedEarly = 'the response ended early';

/** The meanings of the codes of network errors of Node and undici. */
const networkTexts: Readonly<Record<string, string>> = {
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
  UND_ERR_BODY_TIMEOUT: endedEarly,
  UND_ERR_DESTROYED: 'the connection was aborted',
};

/** The detailed message of the parser is in the cause. */
const invalidHttp = 'the response is not valid HTTP';

/** Describes a network error; null for any other error, such as a bug. */
function networkFault(error: unknown): string | null {
  // Truncated or invalid HTTP does not always have an error code.
  if (error instanceof Error && error.name === 'HTTPParserError')
    return /Invalid EOF state/.test(error.message) ? endedEarly : invalidHttp;
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  const { code } = error;
  const known = networkTexts[code] ?? tlsFault(error, code);
  if (known !== null) return known;
  if (code.startsWith('HPE_')) return invalidHttp;
  return /^UND_ERR_(?!INVALID_)/.test(code) ? error.message : null;
}

/** Converts a network error to `Unreachable`; null for any other error. */
export function asUnreachable(error: unknown, where: string): Unreachable | null {
  if (error instanceof Unreachable) return error;
  const fault = networkFault(error);
  return fault === null ? null : new Unreachable(`No response from ${where}: ${fault}.`, { cause: error });
}

/** The meanings of the codes of TLS errors of Node. */
const tlsTexts: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed, so it is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by a private authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the issuer of the certificate is not known, or is missing in its chain',
  UNABLE_TO_GET_ISSUER_CERT: 'the issuer of the certificate is not known, or is missing in its chain',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the issuer of the certificate is not known, or is missing in its chain',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet; check the clock of this machine',
  CERT_REVOKED: 'the certificate is revoked',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not speak TLS; an address with http:// may be right',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the port does not speak TLS; an address with http:// may be right',
};

/** The codes of faults that are mended by a certificate to trust. */
const untrusted = /^(DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/** Describes an error of TLS by its code, or by the first line of its message; null for any other error. */
export function tlsFault(error: Error, code: string): string | null {
  if (!/^(CERT_|DEPTH_ZERO|ERR_TLS_|ERR_SSL_|SELF_SIGNED|UNABLE_TO_)/.test(code)) return null;
  const known = code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? otherHostText(error) : tlsTexts[code];
  const [first = ''] = error.message.split('\n');
  const advice = untrusted.test(code) ? '. NODE_EXTRA_CA_CERTS names a file with certificates to trust' : '';
  return `TLS: ${known ?? first}${advice}`;
}

/** Says for which hosts a certificate is. Node's error has its names as `DNS:a.example, IP Address:10.0.0.1`. */
function otherHostText(error: Error): string {
  const host = 'host' in error && typeof error.host === 'string' ? error.host : 'this host';
  const cert = 'cert' in error ? error.cert : null;
  const listed = typeof cert === 'object' && cert !== null && 'subjectaltname' in cert && cert.subjectaltname;
  const names = typeof listed === 'string' ? listed.replaceAll(/(DNS|IP Address):/g, '') : '';
  return names === ''
    ? `the certificate is not for ${host}`
    : `the certificate is for ${names}, not for ${host}`;
}
