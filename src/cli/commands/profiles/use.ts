import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { changeProfiles, profileNamed, readProfiles } from '../../settings/profiles.ts';
import { profilesFile } from '../../settings/settings.ts';
import { profileColumns, shownProfile } from './profile-columns.ts';

export const use = defineCommand({
  name: 'use',
  aliases: ['switch', 'select'],
  summary: 'Switch to a profile',
  positionals: { profile: positional('profile', { summary: 'Profile name' }) },
  examples: [{ command: 'waybill profiles use sandbox', summary: 'Switch back to the embedded service' }],
  effect: 'none',
  async run(context, { positionals: { profile: name } }) {
    const file = profilesFile(context.host);
    const profile = profileNamed(readProfiles(file), name);
    changeProfiles(file, (all) => ({ ...all, current: name }));
    return record(shownProfile(name, profile, name), profileColumns);
  },
});
