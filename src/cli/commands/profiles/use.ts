import { profileColumns, shownProfile } from '../../columns/profiles.ts';
import { defineCommand, positional } from '../../command.ts';
import { record } from '../../result.ts';
import { profilesFile } from '../../settings/paths.ts';
import { profileNamed, readProfiles, writeProfiles } from '../../settings/profiles.ts';

export const use = defineCommand({
  name: 'use',
  aliases: ['switch', 'select'],
  summary: 'Work in a profile from now on',
  positionals: { profile: positional('profile', { summary: 'The profile' }) },
  examples: [{ command: 'waybill profiles use sandbox', summary: 'Back to the embedded service' }],
  effect: 'none',
  async run(context, { positionals: { profile: name } }) {
    const file = profilesFile(context.host);
    const profiles = readProfiles(file);
    const profile = profileNamed(profiles, name);
    await writeProfiles(file, { ...profiles, current: name });
    return record(shownProfile(name, profile, name), profileColumns);
  },
});
