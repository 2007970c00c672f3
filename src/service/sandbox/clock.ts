/** Checks who may move the sandbox's clock, and changes it while other processes may change it, too. */
import { Problem } from '../../contract/errors.ts';
import { isOnlyAccount } from '../../storage/accounts.ts';
import type { CallBase } from '../http/handler.ts';
import { ClockChanged, type ClockState } from '../runtime/service-clock.ts';

/** Changes the current clock, and retries if another process has changed it; to be called with the mutex held. */
export async function retryOnClockChange<T>(
  { service: { clock } }: CallBase,
  work: (from: ClockState) => Promise<T>,
): Promise<T> {
  for (;;) {
    await clock.refresh();
    try {
      const result = await work(clock.state());
      await clock.refresh();
      return result;
    } catch (fault) {
      if (!(fault instanceof ClockChanged)) throw fault;
    }
  }
}

/**
 * Whether the caller may move the clock and change the seed, which all accounts share: the only account of the service,
 * the one that the operator has chosen, and commands of the embedded service, whose user has the database.
 */
export async function mayMoveClock({ service, caller, client_address }: CallBase): Promise<boolean> {
  const { account_id } = caller.scope;
  if (client_address === null || service.clock_owner === account_id) return true;
  return service.storage.read((db) => isOnlyAccount(db, account_id));
}

/** Throws `forbidden` unless the caller may move clock and seed. */
export async function requireClockOwner(call: CallBase): Promise<void> {
  if (await mayMoveClock(call)) return;
  const { clock_owner } = call.service;
  const who =
    clock_owner === undefined
      ? 'The operator can let one account do so: serve --clock-owner ACCOUNT.'
      : `Admin keys of ${clock_owner} can do so.`;
  const message = `Several accounts share the clock and the seed of this sandbox, so this key cannot change them. ${who}`;
  throw new Problem('forbidden', message);
}
