import { records } from '../../../client/pages.ts';
import type { ApiKey } from '../../../contract/accounts.ts';
import { shownKey } from '../../kit/output/redaction.ts';
import type { Context } from '../../session/command.ts';

/** Whether revoking a key has consequences here: the embedded service creates another one. */
export function isInUse(context: Context, key: ApiKey): boolean {
  return context.settings.target.kind === 'http' && isSent(context, key);
}

/** Whether a key has the last four characters of the one that is sent. */
function isSent({ settings: { apiKey, profile } }: Context, { last_four }: ApiKey): boolean {
  const shown = apiKey === null ? profile?.api_key_shown : shownKey(apiKey);
  return shown?.endsWith(`…${last_four}`) === true;
}

/** The valid keys that may be the one in use: the service shows their last four characters. */
export async function keysInUse(context: Context): Promise<ApiKey[]> {
  const client = await context.client();
  const found: ApiKey[] = [];
  for await (const key of records(client.keys.list, {})) {
    if (key.revoked_at === null && isSent(context, key)) found.push(key);
  }
  return found;
}
