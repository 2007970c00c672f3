import { entryColumns } from '../../columns/entries.ts';
import { defineCommand } from '../../command.ts';
import { flag } from '../../line/flags.ts';
import { list as rows } from '../../result.ts';
import { entriesOf } from '../../settings/entries.ts';
import { profilesFile } from '../../settings/paths.ts';
import { readProfiles } from '../../settings/profiles.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'Every setting with the value that it has for this line',
  description: 'A flag goes before the environment, that before the profile, and that before the default.',
  flags: { showOrigin: flag({ summary: 'The flag, the variable or the file that says it' }) },
  examples: [
    { command: 'waybill config list', summary: 'Of the profile in use' },
    { command: 'waybill config list --profile staging --show-origin', summary: 'What says so' },
  ],
  effect: 'none',
  run(context, { flags: { showOrigin } }) {
    const file = profilesFile(context.host);
    const data = entriesOf(context, readProfiles(file), file);
    return rows({ data, columns: entryColumns(showOrigin) });
  },
});
