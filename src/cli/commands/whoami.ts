import { allFeatures } from '../../client/service-features.ts';
import { shownKey } from '../kit/output/safe-text.ts';
import { invocation } from '../kit/result/message.ts';
import { recordResult } from '../kit/result/result.ts';
import { defineCommand } from '../session/command.ts';
import { accountFields, type Identity, identityShape, type KeyOrigin } from '../session/identity.ts';
import { readProfiles } from '../settings/profiles.ts';
import type { Settings } from '../settings/settings.ts';

export const whoami = defineCommand({
  name: 'whoami',
  aliases: ['status', 'me'],
  summary: 'Show the current profile, mode and account',
  description:
    "Also shows the key's permission and whether it comes from a flag, the environment or the profile.",
  examples: [{ command: 'waybill whoami', summary: 'Show the account of the current key' }],
  // `status` is its alias.
  meantByWord: (word) => invocation('deliveries explain', [word]),
  effect: 'read',
  calls: ['account.get'],
  answers: (of) => [of.one(identityShape(of))],
  errors: ['no_api_key'],
  related: ['profiles list', 'config list', 'doctor'],
  async run(context) {
    const client = await context.client();
    const { account, features, ...learned } = await client.learn();
    const { name, target } = context.settings;
    const place = target.kind === 'http' ? { base_url: target.baseUrl } : { embedded: true as const };
    const identity: Identity = {
      profile: name,
      ...place,
      mode: learned.mode ?? context.settings.mode,
      api_key: shownOf(context.settings),
      api_key_from: originOf(context.settings),
      account,
      ...(features === allFeatures ? {} : { service: features }),
    };
    return recordResult(identity, accountFields);
  },
});

/** A key in the keychain is not fetched again to be shown; a key that was just created is in the file. */
function shownOf({ apiKey, keyPlace, profile, file, name }: Settings): string {
  if (keyPlace === 'keychain') return profile?.api_key_shown ?? shownKey('');
  return shownKey(apiKey ?? readProfiles(file).profiles[name]?.api_key ?? '');
}

function originOf({ keyOrigin, keyPlace }: Settings): KeyOrigin {
  if (keyOrigin === 'flag' || keyOrigin === 'environment') return keyOrigin;
  return keyPlace ?? 'profile';
}
