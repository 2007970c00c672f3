import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { withoutKey } from '../../settings/key-storage.ts';
import {
  changeProfiles,
  checkWritable,
  defaultName,
  profileNamed,
  readProfiles,
} from '../../settings/profiles.ts';
import { profilesFile } from '../../settings/settings.ts';
import { profileColumns, shownProfile } from './profile-columns.ts';

export const deleteProfile = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a profile and its key',
  description: 'Nothing changes at the service: the key stays valid until it is revoked.',
  positionals: { profile: positional('profile', { summary: 'Profile name' }) },
  examples: [{ command: 'waybill profiles delete staging --yes', summary: 'Delete without a prompt' }],
  effect: 'none',
  confirms: () => true,
  async run(context, { positionals: { profile: name } }) {
    const file = profilesFile(context.host);
    const profile = profileNamed(readProfiles(file), name);
    await context.confirm(`Delete profile ${name} and its key?`);
    checkWritable(file);
    const { notes } = await withoutKey({ name, file, profile }, context.host);
    changeProfiles(file, ({ current, profiles: { [name]: _, ...others } }) => {
      return { current: current === name ? defaultName : current, profiles: others };
    });
    return record(shownProfile(name, profile, ''), profileColumns, {
      notes: [`Deleted profile ${name}.`, ...notes],
    });
  },
});
