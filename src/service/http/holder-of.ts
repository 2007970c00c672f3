import { Problem } from '../../contract/errors.ts';
import type { ReceivedRequest } from '../../contract/operation.ts';
import type { ServiceContext } from '../runtime/context.ts';
import type { Admission } from './admission.ts';
import { nobody } from './authentication.ts';
import type { Holder } from './fair-share.ts';
import type { Caller, Endpoint } from './handler.ts';
import { addressHolder, keyHolder, linkHolder } from './holders.ts';
import type { RateLimiter } from './rate-limit.ts';

interface HeldRequest {
  service: ServiceContext;
  given: ReceivedRequest;
  endpoint: Endpoint;
  params: Readonly<Record<string, string>>;
  admit: Admission['run'];
  limiter: RateLimiter;
}

/**
 * Whose share a request takes: see `holders.ts`. A write by a link is counted once the link was looked up. Throws
 * `record_not_found` and `rate_limited`.
 */
export async function holderOf(caller: Caller, request: HeldRequest): Promise<Holder> {
  if (caller !== nobody) return keyHolder(caller.scope);
  const { service, given, endpoint, params, admit, limiter } = request;
  const { findOwner, operation } = endpoint;
  const { token } = params;
  const { client_address } = given;
  const address = addressHolder(given);
  if (findOwner === undefined || token === undefined) return address;
  const owner = await admit(address, () => findOwner(service, token)).catch((fault: unknown) => {
    const isUnknown = fault instanceof Problem && fault.code === 'record_not_found';
    if (isUnknown) limiter.takeUnknownLink(client_address);
    throw fault;
  });
  limiter.takeLink({ operation, token, client_address });
  return linkHolder(owner, token);
}
