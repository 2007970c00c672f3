import { list as rows } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { readProfiles } from '../../settings/profiles.ts';
import { profilesFile } from '../../settings/settings.ts';
import { profileColumns, shownProfile } from './profile-columns.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List profiles',
  examples: [
    {
      command: 'waybill profiles list',
      summary: 'List profiles, showing the last four characters of each key',
    },
  ],
  columns: profileColumns,
  effect: 'none',
  run(context) {
    const { current, profiles } = readProfiles(profilesFile(context.host));
    const chosen = context.globals.profile ?? current;
    const data = Object.entries(profiles).map(([name, profile]) => shownProfile(name, profile, chosen));
    return rows({ data, columns: profileColumns });
  },
});
