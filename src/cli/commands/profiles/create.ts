import { parseBaseUrl } from '../../../client/addresses.ts';
import { profileColumns, shownProfile } from '../../columns/profiles.ts';
import { defineCommand, positional } from '../../command.ts';
import { Failure, UsageError } from '../../failure.ts';
import { choice, flag } from '../../flags.ts';
import { formats, type GlobalValues } from '../../globals.ts';
import { profilesFile } from '../../paths.ts';
import { checkName, type Profile, readProfiles, writeProfiles } from '../../profiles.ts';
import { record } from '../../result.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Make a profile: a service to work with',
  description:
    'The place comes from --base-url, or is the embedded service with --embedded. With --api-key-file the ' +
    'profile keeps where the key is; else log in to give it one.',
  positionals: { profile: positional('profile', { summary: 'Name of the new profile' }) },
  flags: {
    embedded: flag({ summary: 'The service inside waybill, on a database of this machine' }),
    defaultFormat: choice({ choices: formats, summary: 'Format of answers where none is asked for' }),
  },
  examples: [
    {
      command: 'waybill profiles create staging --base-url https://deliveries.example',
      summary: 'A hosted service',
    },
    {
      command: 'waybill profiles create ci --base-url http://127.0.0.1:4010 --api-key-file key.txt',
      summary: 'With its key in a file',
    },
  ],
  effect: 'none',
  async run(context, { flags, positionals: { profile: name } }) {
    const file = profilesFile(context.host);
    const profiles = readProfiles(file);
    checkName(name);
    if (Object.hasOwn(profiles.profiles, name)) throw taken(name);
    const output = flags.defaultFormat === undefined ? {} : { output: flags.defaultFormat };
    const profile: Profile = { ...placeOf(context.asked, flags.embedded), ...output };
    await writeProfiles(file, { ...profiles, profiles: { ...profiles.profiles, [name]: profile } });
    const notes = [`Next: waybill login --profile ${name}`];
    const hasKey = profile.embedded === true || profile.api_key_file !== undefined;
    return record(shownProfile(name, profile, profiles.current), profileColumns, hasKey ? {} : { notes });
  },
});

function placeOf({ baseUrl, apiKeyFile }: GlobalValues, embedded: boolean): Profile {
  if (embedded === (baseUrl !== undefined)) {
    throw new UsageError('Give either --base-url or --embedded.', { missing: ['--base-url'] });
  }
  const key = apiKeyFile === undefined ? {} : { api_key_file: apiKeyFile };
  if (baseUrl === undefined) return { embedded: true, mode: 'test', ...key };
  parseBaseUrl(baseUrl);
  return { base_url: baseUrl, ...key };
}

function taken(name: string): Failure {
  return new Failure(6, 'profile_exists', `There is a profile "${name}" already.`, {
    next: [{ command: `waybill profiles delete ${name}`, when: 'make room for a new one' }],
  });
}
