import { flag } from '../../kit/args/flags.ts';
import { record, words } from '../../kit/result/result.ts';
import { defineCommand, word } from '../../session/command.ts';
import { entriesOf, entryColumns, entryKeys } from '../../settings/entries.ts';
import { readProfiles } from '../../settings/profiles.ts';
import { profilesFile } from '../../settings/settings.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Print the effective value of a setting',
  description: 'Prints only the value, or nothing if the setting has none.',
  positionals: { key: word({ choices: entryKeys, summary: 'Setting name, as in `config list`' }) },
  flags: { showOrigin: flag({ summary: 'Show the flag, variable or file that it comes from' }) },
  examples: [
    { command: 'waybill config get base_url', summary: 'Print the service URL' },
    {
      command: 'waybill config get output --show-origin',
      summary: 'Show the output format and its source',
    },
  ],
  effect: 'none',
  run(context, { flags: { showOrigin }, positionals: { key } }) {
    const file = profilesFile(context.host);
    const entry = entriesOf(context, readProfiles(file), file).find((each) => each.key === key);
    if (entry === undefined) throw new TypeError(`Unknown setting: ${key}`);
    const { json, format } = context.output;
    if (showOrigin || json) return record(entry, entryColumns(true));
    if (format === 'csv' || format === 'id') return record(entry, entryColumns(false));
    return words(entry.value ?? '');
  },
});
