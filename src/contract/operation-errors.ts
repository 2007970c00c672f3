import type { ErrorCode } from './errors.ts';
import type { Operation } from './operation.ts';

/** The error codes that every operation may return. */
const everywhere: readonly ErrorCode[] = [
  'invalid_request',
  'internal_error',
  'overloaded',
  'storage_unavailable',
];
const withKey: readonly ErrorCode[] = ['unauthorized', 'account_suspended', 'rate_limited'];
const withPost: readonly ErrorCode[] = ['idempotency_key_reuse', 'idempotency_key_in_use'];
const withBody: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];
/** A body is validated even if the operation takes none. */
const mayHaveBody: readonly Operation['method'][] = ['POST', 'PUT', 'PATCH'];

/** The error codes that an operation may return because of its method or permission. */
export function commonErrorsOf(operation: Pick<Operation, 'permission' | 'method'>): ErrorCode[] {
  return [
    ...everywhere,
    ...(operation.permission === null ? [] : withKey),
    ...(operation.method === 'POST' ? withPost : []),
    ...(mayHaveBody.includes(operation.method) ? withBody : []),
  ];
}

/** All error codes that an operation may return. */
export function errorsOf(operation: Pick<Operation, 'permission' | 'method' | 'errors'>): ErrorCode[] {
  return [...new Set([...commonErrorsOf(operation), ...operation.errors])];
}
