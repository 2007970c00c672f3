import type { ErrorCode } from './errors.ts';
import type { Operation } from './operation.ts';

/** The codes that every call may answer with, beside its own. */
const everywhere: readonly ErrorCode[] = ['invalid_request', 'internal_error', 'storage_unavailable'];
const withKey: readonly ErrorCode[] = ['unauthorized', 'rate_limited'];
const withPost: readonly ErrorCode[] = ['idempotency_key_reuse', 'idempotency_key_in_use'];
const withBody: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];
/** A body that is sent is looked at, whether the operation takes one or not. */
const mayHaveBody: readonly Operation['method'][] = ['POST', 'PATCH'];

/** The codes that an operation may answer with because every call like it may. */
export function commonErrorsOf(operation: Pick<Operation, 'permission' | 'method'>): ErrorCode[] {
  return [
    ...everywhere,
    ...(operation.permission === null ? [] : withKey),
    ...(operation.method === 'POST' ? withPost : []),
    ...(mayHaveBody.includes(operation.method) ? withBody : []),
  ];
}

/** Every code that an operation may answer with. */
export function errorsOf(operation: Pick<Operation, 'permission' | 'method' | 'errors'>): ErrorCode[] {
  return [...new Set([...commonErrorsOf(operation), ...operation.errors])];
}
