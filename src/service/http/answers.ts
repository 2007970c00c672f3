/**
 * Converts what a handler returns or throws to an answer with status, headers and body: `toAnswer` for results,
 * `errorAnswer` for errors, `refusalPage` for errors that a person sees in a browser. The errors with headers or a page of
 * their own are declared here.
 */
import { type ErrorCode, errorTable, Problem } from '../../contract/errors.ts';
import type { ServedOperation, WireStream } from '../../contract/operation.ts';
import { StorageUnavailable, type UnavailableReason } from '../../storage/storage.ts';

/** An answer without the common headers. */
export interface Answer {
  status: number;
  body: string;
  /** See `WireResponse`. */
  encoding?: 'base64';
  headers: Record<string, string>;
  stream?: WireStream;
}

/** A `Problem` with additional response headers. */
export class Refusal extends Problem {
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, headers: Record<string, string>) {
    super(code, message);
    this.headers = headers;
  }
}

/** Refuses one field of a request; without a text of its own, the message is the path and its fault. */
export function invalidField(path: string, fault: string, text = `${path} ${fault}.`): Problem {
  return new Problem('invalid_request', text, [{ path, message: fault }]);
}

/** When to retry after a storage failure. */
const storage_retry_seconds = 2;

/** A `Problem` that a later retry may resolve. */
export class RetryLater extends Refusal {
  constructor(
    code: 'rate_limited' | 'idempotency_key_in_use' | 'overloaded' | 'not_ready' | 'storage_unavailable',
    message: string,
    retry_after_seconds: number,
    headers: Record<string, string> = {},
  ) {
    super(code, message, { ...headers, 'retry-after': String(retry_after_seconds) });
  }
}

/** A `Problem` that a person may see: an HTML page for browsers, a JSON error for everything else. */
export class PageRefusal extends Problem {
  readonly page: string;

  constructor(code: ErrorCode, message: string, page: string) {
    super(code, message);
    this.page = page;
  }
}

/** A page is current and secret: it is not cached or indexed, and its URL is not sent as a referrer. */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
  // The one directive that a page cannot set itself.
  'content-security-policy': "frame-ancestors 'none'",
};

/** A picture never changes, and its URL is a secret. */
const pictureHeaders = {
  'cache-control': 'private, max-age=86400',
  'content-security-policy': "default-src 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/** A stream is not cached, and proxies must not buffer it. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

function isStream(body: unknown): body is WireStream {
  return typeof body === 'object' && body !== null && 'chunks' in body && 'close' in body;
}

function objectOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'object' in body ? body.object : null;
}

/** Converts a handler's result to the response of its operation; text of another media type is sent unchanged. */
export function toAnswer(body: unknown, operation: Pick<ServedOperation, 'media' | 'accepted'>): Answer {
  const { media, accepted } = operation;
  if (isStream(body)) return { status: 200, body: '', headers: streamHeaders, stream: body };
  if (media === undefined) {
    const isAccepted = accepted !== undefined && objectOf(body) === accepted.object;
    return { status: isAccepted ? 202 : 200, body: JSON.stringify(body), headers: {} };
  }
  if (media === 'image/*') {
    const picture = String(body);
    const type = picture.startsWith('/9j/') ? 'image/jpeg' : 'image/png';
    return {
      status: 200,
      body: picture,
      encoding: 'base64',
      headers: { 'content-type': type, ...pictureHeaders },
    };
  }
  const headers = media === 'text/html' ? pageHeaders : { 'content-type': `${media}; charset=utf-8` };
  return { status: 200, body: String(body), headers };
}

/** The error page for a browser, if there is one; otherwise null. */
export function refusalPage(fault: unknown, accept: string | undefined): Answer | null {
  if (!(fault instanceof PageRefusal) || accept?.includes('text/html') !== true) return null;
  return { status: errorTable[fault.code].status, body: fault.page, headers: pageHeaders };
}

/** How to send a key: every 401 has to say it (RFC 9110, 11.6.1). */
const challengeHeader = { 'www-authenticate': 'ApiKey realm="waybill", header="x-api-key"' };

/**
 * Converts an error to an error body. Internal errors and failures of the storage are passed to `report`; the former
 * become `internal_error`.
 */
export function errorAnswer(fault: unknown, request_id: string, report: (fault: unknown) => void): Answer {
  const problem = problemOf(fault, report);
  const body = {
    object: 'error',
    code: problem.code,
    message: problem.message,
    request_id,
    ...(problem.param === null ? {} : { param: problem.param }),
    ...(problem.choices.length === 0 ? {} : { choices: problem.choices }),
    ...(problem.related_ids.length === 0 ? {} : { related_ids: problem.related_ids }),
    ...(problem.details.length === 0 ? {} : { details: problem.details }),
  };
  const challenge = problem.code === 'unauthorized' ? challengeHeader : {};
  const headers = { ...challenge, ...(problem instanceof Refusal ? problem.headers : {}) };
  return { status: errorTable[problem.code].status, body: JSON.stringify(body), headers };
}

/** What callers are told of an unavailable database; its own message may have paths and addresses. */
export const unavailableTexts: Readonly<Record<UnavailableReason, string>> = {
  conflicts: 'The service cannot reach its database.',
  disk_full: 'The disk of the database is full.',
  locked: 'Another process has locked the database.',
  moved: 'The file of the database was moved, deleted or replaced.',
  read_only: 'The database is read-only.',
  unreachable: 'The service cannot reach its database.',
};

function problemOf(fault: unknown, report: (fault: unknown) => void): Problem {
  if (fault instanceof Problem) return fault;
  report(fault);
  if (fault instanceof StorageUnavailable) {
    const message = `${unavailableTexts[fault.reason]} Retry in a moment.`;
    return new RetryLater('storage_unavailable', message, storage_retry_seconds);
  }
  return new Problem(
    'internal_error',
    'Internal error. The service log has the details under the request ID.',
  );
}
