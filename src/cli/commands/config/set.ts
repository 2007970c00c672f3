import { entryColumns } from '../../columns/entries.ts';
import { defineCommand, positional, word } from '../../command.ts';
import { record } from '../../result.ts';
import { settableKeys } from '../../settings/entries.ts';
import { profilesFile } from '../../settings/paths.ts';
import { changeProfile, profileNamed, readProfiles } from '../../settings/profiles.ts';
import { withSetting } from '../../settings/setting.ts';

export const set = defineCommand({
  name: 'set',
  summary: 'Say what a setting is to be in a profile',
  description:
    'In the profile in use, or in that of --profile. A flag and the environment go before it. The mode comes ' +
    'from the service and the key from `waybill login`.',
  positionals: {
    key: word({ choices: settableKeys, summary: 'The setting' }),
    value: positional('text', { summary: 'What it is to be' }),
  },
  examples: [
    { command: 'waybill config set output wide', summary: 'All columns, always' },
    { command: 'waybill config set update_notice no', summary: 'No word of newer versions' },
    { command: 'waybill config set color never --profile ci', summary: 'In another profile' },
  ],
  effect: 'none',
  async run({ asked, host }, { positionals: { key, value } }) {
    const file = profilesFile(host);
    const profiles = readProfiles(file);
    const name = asked.profile ?? profiles.current;
    const profile = profileNamed(profiles, name);
    await changeProfile(file, name, (kept = profile) => withSetting(kept, { key, value, name }));
    return record({ key, value, origin: 'profile', source: file } as const, entryColumns(false));
  },
});
