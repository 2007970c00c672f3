import { recordResult } from '../kit/result/result.ts';
import { defineCommand } from '../session/command.ts';
import { profileColumns, shownProfile } from '../session/identity.ts';
import { removeKey, withoutKeyFields } from '../settings/key-storage.ts';
import { changeProfile, checkWritable, profileFaults, profileShape } from '../settings/profiles.ts';
import { warnIfOverridden } from '../settings/setting-entries.ts';
import { profileInUse } from '../settings/settings.ts';

export const logout = defineCommand({
  name: 'logout',
  aliases: ['signout'],
  summary: 'Remove the API key of a profile',
  description:
    'Removes the key from the settings file or the system keychain. The key itself stays valid until it is revoked.',
  examples: [
    { command: 'waybill logout', summary: 'Log out of the current profile' },
    { command: 'waybill logout --profile staging', summary: 'Log out of another profile' },
  ],
  effect: 'none',
  connectionFlags: ['profile'],
  ...profileFaults,
  answers: (of) => [of.one(profileShape(of))],
  related: ['login', 'profiles delete', 'keys revoke'],
  async run(context) {
    const { file, name, profile: kept, current } = profileInUse(context);
    checkWritable(file);
    const { profile, notes } = await removeKey({ name, file, profile: kept }, context.host);
    changeProfile(file, name, (now = kept) => withoutKeyFields(now));
    warnIfOverridden(context, name, { key: 'api_key', value: null });
    return recordResult(shownProfile(name, profile, current), profileColumns, { notes });
  },
});
