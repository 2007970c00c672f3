import type { Account } from '../../storage/accounts.ts';
import type { Scope } from '../../storage/database.ts';
import type { CallBase } from '../http/handler.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { chanceOf, idsOf } from '../runtime/ids.ts';
import type { Chance } from '../runtime/random.ts';

interface Origin {
  account: Account;
  scope: Scope;
  /** Service time of the task. */
  now: number;
  /** Identifies the task: the same parts give the same ids. */
  parts: readonly string[];
}

/** A call made by a background task on behalf of a merchant. */
export function backgroundCall(service: ServiceContext, chance: Chance, origin: Origin): CallBase {
  const { account, now } = origin;
  const { account_id, test_mode } = origin.scope;
  const parts = origin.parts.map(chanceOf);
  return {
    service,
    accept_language: null,
    client_address: null,
    caller: {
      scope: { account_id, test_mode },
      test_mode: test_mode === 1,
      permission: 'write',
      key_id: '',
      key_last_four: '',
      key_last_used_at: null,
      settings: settingsOf(account),
    },
    now,
    request_key: parts.join(' '),
    simulation: null,
    last_event_id: null,
    isAllowed: async () => true,
    ...idsOf(chance, { at: now }, parts),
    commit: service.storage.transaction,
  };
}
