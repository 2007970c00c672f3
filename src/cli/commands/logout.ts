import { profileColumns, shownProfile } from '../columns/profiles.ts';
import { defineCommand } from '../command.ts';
import { record } from '../result.ts';
import { withoutKey } from '../settings/key-storage.ts';
import { profilesFile } from '../settings/paths.ts';
import { changeProfile, checkWritable, profileNamed, readProfiles } from '../settings/profiles.ts';

export const logout = defineCommand({
  name: 'logout',
  aliases: ['signout'],
  summary: 'Forget the key of a profile',
  description:
    "It is taken out of the settings file, or out of the system's keychain. It stays good at the service " +
    'until it is revoked.',
  examples: [
    { command: 'waybill logout', summary: 'Of the profile in use' },
    { command: 'waybill logout --profile staging', summary: 'Of another' },
  ],
  effect: 'none',
  async run(context) {
    const file = profilesFile(context.host);
    const all = readProfiles(file);
    const name = context.asked.profile ?? all.current;
    const kept = profileNamed(all, name);
    checkWritable(file);
    const { profile, notes } = await withoutKey({ name, file, profile: kept }, context.host);
    await changeProfile(file, name, () => profile);
    return record(shownProfile(name, profile, all.current), profileColumns, { notes });
  },
});
