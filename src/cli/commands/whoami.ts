import { accountFields, type Identity } from '../columns/identity.ts';
import { defineCommand } from '../command.ts';
import { record } from '../result.ts';
import { readProfiles } from '../settings/profiles.ts';
import { shownKey } from '../settings/redaction.ts';

export const whoami = defineCommand({
  name: 'whoami',
  aliases: ['status', 'me'],
  summary: 'The profile in use, its mode, and whose key it has',
  examples: [{ command: 'waybill whoami', summary: 'Ask the service about the key' }],
  effect: 'read',
  async run(context) {
    const client = await context.client();
    const { data: account } = await client.account.get();
    const { name, target, file } = context.settings;
    const apiKey = context.settings.apiKey ?? readProfiles(file).profiles[name]?.api_key ?? '';
    const place = target.kind === 'http' ? { base_url: target.baseUrl } : { embedded: true as const };
    const identity: Identity = {
      profile: name,
      ...place,
      mode: account.test_mode ? 'test' : 'live',
      api_key: shownKey(apiKey),
      account,
    };
    return record(identity, accountFields);
  },
});
