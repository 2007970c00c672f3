import { Problem } from '../contract/errors.ts';
import type { Operation } from '../contract/operation.ts';
import type { WireRequest } from '../contract/wire.ts';

const standardLimit = 1024 * 1024;

/** The largest body in bytes that any operation takes; a server need not read further. */
export const largestBody = 8 * standardLimit;

/**
 * The body as JSON; `{}` where there is none. Throws `unsupported_media_type`, `payload_too_large`
 * and `invalid_request`.
 */
export function parseBody(request: WireRequest, operation: Operation): unknown {
  if (request.body === '') return {};
  const type = request.headers['content-type'];
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem('unsupported_media_type', `The body must be application/json, not ${type}.`);
  }
  const limit = operation.body_limit ?? standardLimit;
  if (new TextEncoder().encode(request.body).length > limit) {
    throw new Problem('payload_too_large', `The body is larger than ${limit / standardLimit} MiB.`);
  }
  try {
    return JSON.parse(request.body);
  } catch {
    const fault = { path: 'body', message: 'is not JSON' };
    throw new Problem('invalid_request', 'The body is not JSON.', [fault]);
  }
}
