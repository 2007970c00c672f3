import { record } from '../../kit/result/result.ts';
import { defineCommand, positional, word } from '../../session/command.ts';
import { entryColumns, settableKeys, withSetting } from '../../settings/entries.ts';
import { changeProfile, profileNamed, readProfiles } from '../../settings/profiles.ts';
import { profilesFile } from '../../settings/settings.ts';

export const set = defineCommand({
  name: 'set',
  summary: 'Set a value in a profile',
  description: [
    'Applies to the current profile, or to that of --profile. Flags and environment variables override it. The mode',
    'is set by the service, and the key by `waybill login`.',
  ].join('\n'),
  positionals: {
    key: word({ choices: settableKeys, summary: 'Setting name' }),
    value: positional('text', { summary: 'New value' }),
  },
  examples: [
    { command: 'waybill config set output wide', summary: 'Show all columns by default' },
    { command: 'waybill config set color never --profile ci', summary: 'Set a value in another profile' },
  ],
  effect: 'none',
  async run({ globals, host }, { positionals: { key, value } }) {
    const file = profilesFile(host);
    const profiles = readProfiles(file);
    const name = globals.profile ?? profiles.current;
    const profile = profileNamed(profiles, name);
    changeProfile(file, name, (kept = profile) => withSetting(kept, { key, value, name }));
    return record({ key, value, origin: 'profile', source: file } as const, entryColumns(false));
  },
});
