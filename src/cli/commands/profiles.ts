/** `profiles`: services and keys under names, and what deleting the one in use leaves. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseBaseUrl } from '../../client/addresses.ts';
import { choiceFlag, switchFlag } from '../kit/args/flags.ts';
import type { GlobalValues } from '../kit/args/global-flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation, phrase, quoted } from '../kit/result/message.ts';
import { formats, listResult, recordResult } from '../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../session/command.ts';
import { profileColumns, shownProfile } from '../session/identity.ts';
import { removeKey } from '../settings/key-storage.ts';
import {
  changeProfile,
  changeProfiles,
  checkProfileName,
  checkWritable,
  default_profile,
  findProfile,
  type Profile,
  profileFaults,
  profileShape,
  readProfiles,
} from '../settings/profiles.ts';
import { warnIfOverridden } from '../settings/setting-entries.ts';
import { profilesFile, readKeyFile } from '../settings/settings.ts';

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
  connectionFlags: ['profile'],
  ...profileFaults,
  answers: (of) => [of.each(profileShape(of))],
  related: ['profiles use', 'whoami'],
  run(context) {
    const { current, profiles } = readProfiles(profilesFile(context.host));
    const chosen = context.globals.profile ?? current;
    const data = Object.entries(profiles).map(([name, profile]) => shownProfile(name, profile, chosen));
    return listResult({ data, columns: profileColumns });
  },
});

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Create a profile for a service',
  description: [
    'Specify the service with --base-url, or the embedded one with --embedded. With --api-key-file the profile stores',
    'the location of the key; otherwise log in to add one.',
  ].join('\n'),
  positionals: { profile: positional('text', { summary: 'Name of the new profile' }) },
  flags: {
    embedded: switchFlag({ summary: 'Use the embedded service with a local database' }),
    insecureStorage: switchFlag({
      summary: 'Store its key in the settings file instead of the keychain',
    }),
    defaultFormat: choiceFlag({ choices: formats, summary: 'Default output format' }),
  },
  examples: [
    {
      command: 'waybill profiles create staging --base-url https://deliveries.example',
      summary: 'For a hosted service',
    },
    {
      command: 'waybill profiles create ci --base-url http://127.0.0.1:4010 --api-key-file key.txt',
      summary: 'With the key in a file',
    },
  ],
  effect: 'none',
  connectionFlags: ['baseUrl', 'apiKeyFile'],
  oneOf: ['embedded', 'baseUrl'],
  ...profileFaults,
  answers: (of) => [of.one(profileShape(of))],
  exits: { 6: 'the profile already exists' },
  errors: ['profile_exists', 'settings_broken', 'settings_unusable'],
  related: ['login', 'profiles use'],
  async run(context, { flags, positionals: { profile: name } }) {
    const file = profilesFile(context.host);
    const profiles = readProfiles(file);
    checkProfileName(name);
    const output = flags.defaultFormat === undefined ? {} : { output: flags.defaultFormat };
    const storage = flags.insecureStorage ? { insecure_storage: true as const } : {};
    const keyFile = keyFileOf(context);
    const key = keyFile === undefined ? {} : { api_key_file: keyFile };
    const profile: Profile = { ...serviceOf(context.globals, flags.embedded), ...key, ...storage, ...output };
    changeProfile(file, name, (kept) => {
      if (kept !== undefined) throw profileExists(name);
      return profile;
    });
    const hasKey = profile.embedded === true || keyFile !== undefined;
    const notes = hasKey
      ? permissionNotes(keyFile, context)
      : [phrase`Next: ${invocation('login', [], { profile: name })}`];
    return recordResult(shownProfile(name, profile, profiles.current), profileColumns, { notes });
  },
});

/** The absolute path of the key file; UsageError if it does not exist. */
function keyFileOf({ globals, host }: Context): string | undefined {
  if (globals.apiKeyFile === undefined) return undefined;
  readKeyFile(globals.apiKeyFile, host.folder);
  return resolve(host.folder, globals.apiKeyFile);
}

/** A warning if other users can read the key. Windows has no such permissions. */
function permissionNotes(keyFile: string | undefined, { host }: Context): string[] {
  if (keyFile === undefined || host.platform === 'win32') return [];
  const mode = statSync(keyFile).mode & 0o777;
  const text = mode.toString(8).padStart(4, '0');
  return (mode & 0o077) === 0
    ? []
    : [`${keyFile} is readable by others (${text}). Run: chmod 600 ${quoted(keyFile)}`];
}

function serviceOf({ baseUrl }: GlobalValues, embedded: boolean): Profile {
  if (embedded === (baseUrl !== undefined)) {
    throw new UsageError('Use either --base-url or --embedded.', { missing: ['--base-url'] });
  }
  if (baseUrl === undefined) return { embedded: true, mode: 'test' };
  parseBaseUrl(baseUrl);
  return { base_url: baseUrl };
}

function profileExists(name: string): Failure {
  return new Failure(6, 'profile_exists', `Profile "${name}" already exists.`, {
    next: [{ ...invocation('profiles list'), when: 'see the profiles' }],
  });
}

export const use = defineCommand({
  name: 'use',
  aliases: ['switch', 'select'],
  summary: 'Switch to a profile',
  positionals: { profile: positional('profile', { summary: 'Profile name' }) },
  examples: [{ command: 'waybill profiles use sandbox', summary: 'Switch back to the embedded service' }],
  effect: 'none',
  ...profileFaults,
  answers: (of) => [of.one(profileShape(of))],
  related: ['profiles list', 'whoami'],
  async run(context, { positionals: { profile: name } }) {
    const file = profilesFile(context.host);
    const profile = findProfile(readProfiles(file), name);
    changeProfiles(file, (all) => ({ ...all, current: name }));
    const { WAYBILL_PROFILE: other } = context.host.environment;
    const overridable =
      other && other !== name
        ? { key: 'profile', value: name }
        : { key: 'base_url', value: profile.base_url ?? null };
    warnIfOverridden(context, name, overridable);
    return recordResult(shownProfile(name, profile, name), profileColumns);
  },
});

export const deleteProfile = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a profile and its key',
  description: 'Nothing changes at the service: the key stays valid until it is revoked.',
  positionals: { profile: positional('profile', { summary: 'Profile name' }) },
  examples: [{ command: 'waybill profiles delete staging --yes', summary: 'Delete without a prompt' }],
  effect: 'none',
  confirms: () => true,
  ...profileFaults,
  answers: (of) => [of.one(profileShape(of))],
  related: ['logout', 'profiles list'],
  async run(context, { positionals: { profile: name } }) {
    const file = profilesFile(context.host);
    const profile = findProfile(readProfiles(file), name);
    await context.confirm(`Delete profile ${name} and its key?`);
    checkWritable(file);
    const { notes } = await removeKey({ name, file, profile }, context.host);
    changeProfiles(file, ({ current, profiles: { [name]: _, ...others } }) => {
      return { current: current === name ? default_profile : current, profiles: others };
    });
    return recordResult(shownProfile(name, profile, ''), profileColumns, {
      notes: [`Deleted profile ${name}.`, ...notes],
    });
  },
});
