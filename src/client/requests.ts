import type { AttemptLimits, Operation, WireRequest } from '../contract/operation.ts';

/** The options of a call besides the input of its operation. */
export interface CallOptions extends AttemptLimits {
  /** Used instead of a new key, so that repeating a step has no further effect. */
  idempotencyKey?: string | undefined;
  headers?: Record<string, string>;
  /** How often a request is sent again at most. */
  maxNetworkRetries?: number | undefined;
}

export interface CallInput extends CallOptions {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** The headers that every request carries. */
export interface Sender {
  /** Null for calls that need no key. */
  apiKey: string | null;
  userAgent: string;
  newIdempotencyKey(): string;
}

export interface RawRequest extends CallOptions {
  method: string;
  /** Path with query string, with a leading slash. */
  path: string;
  body?: string | undefined;
}

/** Builds the request of an operation as plain data: params in the path, query string, body as JSON. */
export function operationRequest(operation: Operation, input: CallInput, sender: Sender): WireRequest {
  const { params = {}, query = {}, body, ...options } = input;
  return rawRequest(
    {
      ...options,
      method: operation.method,
      path: pathOf(operation.path, params) + queryOf(query),
      body: body === undefined ? undefined : JSON.stringify(body),
    },
    sender,
  );
}

/**
 * Builds a request as plain data. Every call has a content type, with or without a body; every POST has an
 * idempotency key, so that it can be retried.
 */
export function rawRequest(request: RawRequest, sender: Sender): WireRequest {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': sender.userAgent,
  };
  if (sender.apiKey !== null) headers['x-api-key'] = sender.apiKey;
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] = request.idempotencyKey;
  if (request.method === 'POST') headers['idempotency-key'] ??= sender.newIdempotencyKey();
  return { method: request.method, path: request.path, headers, body: request.body ?? '' };
}

function pathOf(template: string, params: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

/** Null and undefined mean a missing value. */
function queryOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
