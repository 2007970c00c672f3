import { profileColumns, shownProfile } from '../columns/profiles.ts';
import { defineCommand } from '../command.ts';
import { record } from '../result.ts';
import { profilesFile } from '../settings/paths.ts';
import { profileNamed, readProfiles, writeProfiles } from '../settings/profiles.ts';

export const logout = defineCommand({
  name: 'logout',
  aliases: ['signout'],
  summary: 'Forget the key of a profile',
  description: 'The key stays good at the service until it is revoked.',
  examples: [
    { command: 'waybill logout', summary: 'Of the profile in use' },
    { command: 'waybill logout --profile staging', summary: 'Of another' },
  ],
  effect: 'none',
  async run(context) {
    const file = profilesFile(context.host);
    const all = readProfiles(file);
    const name = context.asked.profile ?? all.current;
    const { api_key: _, api_key_file: __, ...rest } = profileNamed(all, name);
    await writeProfiles(file, { ...all, profiles: { ...all.profiles, [name]: rest } });
    return record(shownProfile(name, rest, all.current), profileColumns);
  },
});
