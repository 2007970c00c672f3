import { entryColumns } from '../../columns/entries.ts';
import { defineCommand, word } from '../../command.ts';
import { flag } from '../../line/flags.ts';
import { record, words } from '../../result.ts';
import { entriesOf, entryKeys } from '../../settings/entries.ts';
import { profilesFile } from '../../settings/paths.ts';
import { readProfiles } from '../../settings/profiles.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'The value that one setting has for this line',
  description: 'Nothing but the value; nothing at all where it has none.',
  positionals: { key: word({ choices: entryKeys, summary: 'The setting, as in `config list`' }) },
  flags: { showOrigin: flag({ summary: 'The flag, the variable or the file that says it' }) },
  examples: [
    { command: 'waybill config get base_url', summary: 'For a script' },
    { command: 'waybill config get output --show-origin', summary: 'And what says so' },
  ],
  effect: 'none',
  run(context, { flags: { showOrigin }, positionals: { key } }) {
    const file = profilesFile(context.host);
    const entry = entriesOf(context, readProfiles(file), file).find((each) => each.key === key);
    if (entry === undefined) throw new TypeError(`${key} is no setting`);
    const { json, format } = context.output;
    if (showOrigin || json) return record(entry, entryColumns(true));
    if (format === 'csv' || format === 'id') return record(entry, entryColumns(false));
    return words(entry.value ?? '');
  },
});
