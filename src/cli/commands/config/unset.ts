import { record } from '../../kit/result/result.ts';
import { defineCommand, word } from '../../session/command.ts';
import { entriesOf, entryColumns, settableKeys, withoutSetting } from '../../settings/entries.ts';
import { changeProfile, profileNamed, readProfiles } from '../../settings/profiles.ts';
import { profilesFile } from '../../settings/settings.ts';

export const unset = defineCommand({
  name: 'unset',
  aliases: ['rm', 'remove'],
  summary: 'Reset a setting to its default',
  positionals: {
    key: word({ choices: settableKeys.filter((key) => key !== 'base_url'), summary: 'Setting name' }),
  },
  examples: [{ command: 'waybill config unset output', summary: 'Use the default output format' }],
  effect: 'none',
  async run(context, { positionals: { key } }) {
    const file = profilesFile(context.host);
    const profiles = readProfiles(file);
    const name = context.globals.profile ?? profiles.current;
    const profile = profileNamed(profiles, name);
    changeProfile(file, name, (kept = profile) => withoutSetting(kept, key));
    const left = entriesOf(context, readProfiles(file), file).find((each) => each.key === key);
    return record(left ?? { key, value: null, origin: 'default', source: null }, entryColumns(true));
  },
});
