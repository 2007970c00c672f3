import { Problem } from '../../contract/errors.ts';
import type { ReceivedRequest } from '../../contract/operation.ts';

/** The idempotency key of a POST, or null. */
export function idempotencyKey(request: ReceivedRequest): string | null {
  if (request.method !== 'POST') return null;
  const key = request.headers['idempotency-key'] ?? request.headers['x-idempotency-key'];
  if (key === undefined || key === '') return null;
  if (key.length <= 155) return key;
  const path = 'Idempotency-Key';
  throw new Problem('invalid_request', `The ${path} header is longer than 155 characters.`, [
    { path, message: 'must not have more than 155 characters' },
  ]);
}
