import type { ReceivedRequest } from '../../contract/operation.ts';
import type { Scope } from '../../storage/database.ts';
import type { Holder } from './fair-share.ts';

// Whose share of the service's memory and time a request takes. Each account and mode has a share for its keys and
// one for its links, of which each link has a part. Requests without either share by client address.

export function keyHolder(scope: Scope): Holder {
  return [nameOf(scope)];
}

export function linkHolder(owner: Scope, token: string): Holder {
  return [`links ${nameOf(owner)}`, token];
}

export function addressHolder({ client_address = '' }: Pick<ReceivedRequest, 'client_address'>): Holder {
  return [client_address];
}

function nameOf({ account_id, test_mode }: Scope): string {
  return `${account_id} ${test_mode}`;
}
