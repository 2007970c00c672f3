import { flag } from '../../kit/args/flags.ts';
import { list as rows } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { entriesOf, entryColumns } from '../../settings/entries.ts';
import { readProfiles } from '../../settings/profiles.ts';
import { profilesFile } from '../../settings/settings.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List effective settings',
  description:
    'A flag overrides the environment, the environment overrides the profile, and the profile overrides the default.',
  flags: { showOrigin: flag({ summary: 'Show the flag, variable or file that each comes from' }) },
  examples: [
    { command: 'waybill config list', summary: 'List the settings of the current profile' },
    {
      command: 'waybill config list --profile staging --show-origin',
      summary: 'Show where each setting comes from',
    },
  ],
  columns: entryColumns(true),
  effect: 'none',
  run(context, { flags: { showOrigin } }) {
    const file = profilesFile(context.host);
    const data = entriesOf(context, readProfiles(file), file);
    return rows({ data, columns: entryColumns(showOrigin) });
  },
});
