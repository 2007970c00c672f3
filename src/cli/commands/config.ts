/** `config`: the value of each setting and where it comes from, and what a profile may set. */
import { switchFlag } from '../kit/args/flags.ts';
import { listResult, recordResult, textResult } from '../kit/result/result.ts';
import { choicePositional, defineCommand, positional } from '../session/command.ts';
import { changeProfile, profileFaults, readProfiles } from '../settings/profiles.ts';
import {
  type Entry,
  effectiveEntries,
  entryColumns,
  entryKeys,
  entryShape,
  settableKeys,
  warnIfOverridden,
  withoutSetting,
  withSetting,
} from '../settings/setting-entries.ts';
import { profileInUse, profilesFile } from '../settings/settings.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show'],
  summary: 'Print the effective value of a setting',
  description: 'Prints only the value, or nothing if the setting has none.',
  positionals: {
    key: choicePositional({ choices: entryKeys, summary: 'Setting name, as in `config list`' }),
  },
  flags: { showOrigin: switchFlag({ summary: 'Show the flag, variable or file that it comes from' }) },
  examples: [
    { command: 'waybill config get base_url', summary: 'Print the service URL' },
    {
      command: 'waybill config get output --show-origin',
      summary: 'Show the output format and its source',
    },
  ],
  effect: 'none',
  connectionFlags: ['profile', 'baseUrl', 'apiKeyFile', 'requestTimeout'],
  ...profileFaults,
  answers: (of) => [of.one(entryShape(of))],
  related: ['config list', 'config set'],
  run(context, { flags: { showOrigin }, positionals: { key } }) {
    const file = profilesFile(context.host);
    const entry = effectiveEntries(context, readProfiles(file), file).find((each) => each.key === key);
    if (entry === undefined) throw new TypeError(`Unknown setting: ${key}`);
    const { json, format } = context.output;
    if (showOrigin || json) return recordResult(entry, entryColumns(true));
    if (format === 'csv' || format === 'id') return recordResult(entry, entryColumns(false));
    return textResult(entry.value ?? '');
  },
});

export const set = defineCommand({
  name: 'set',
  summary: 'Set a value in a profile',
  description: [
    'Applies to the current profile, or to that of --profile. Flags and environment variables override it. The mode',
    'is set by the service, and the key by `waybill login`.',
  ].join('\n'),
  positionals: {
    key: choicePositional({ choices: settableKeys, summary: 'Setting name' }),
    value: positional('text', { summary: 'New value' }),
  },
  examples: [
    { command: 'waybill config set output wide', summary: 'Show all columns by default' },
    { command: 'waybill config set color never --profile ci', summary: 'Set a value in another profile' },
  ],
  effect: 'none',
  connectionFlags: ['profile'],
  ...profileFaults,
  answers: (of) => [of.one(entryShape(of))],
  exits: { 5: 'no such profile', 6: "the profile's URL cannot be changed" },
  errors: [...profileFaults.errors, 'profile_settled'],
  related: ['config unset', 'config list'],
  async run(context, { positionals: { key, value } }) {
    const { file, name, profile } = profileInUse(context);
    changeProfile(file, name, (kept = profile) => withSetting(kept, { key, value, name }));
    warnIfOverridden(context, name, { key, value });
    return recordResult({ key, value, origin: 'profile', source: file } as const, entryColumns(false));
  },
});

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List effective settings',
  description:
    'A flag overrides the environment, the environment overrides the profile, and the profile overrides the default.',
  flags: { showOrigin: switchFlag({ summary: 'Show the flag, variable or file that each comes from' }) },
  examples: [
    { command: 'waybill config list', summary: 'List the settings of the current profile' },
    {
      command: 'waybill config list --profile staging --show-origin',
      summary: 'Show where each setting comes from',
    },
  ],
  columns: entryColumns(true),
  effect: 'none',
  connectionFlags: ['profile', 'baseUrl', 'apiKeyFile', 'requestTimeout'],
  ...profileFaults,
  answers: (of) => [of.each(entryShape(of))],
  related: ['config set', 'profiles list'],
  run(context, { flags: { showOrigin } }) {
    const file = profilesFile(context.host);
    const data = effectiveEntries(context, readProfiles(file), file);
    return listResult({ data, columns: entryColumns(showOrigin) });
  },
});

export const unset = defineCommand({
  name: 'unset',
  aliases: ['rm', 'remove'],
  summary: 'Reset a setting to its default',
  positionals: {
    key: choicePositional({
      choices: settableKeys.filter((key) => key !== 'base_url'),
      summary: 'Setting name',
    }),
  },
  examples: [{ command: 'waybill config unset output', summary: 'Use the default output format' }],
  effect: 'none',
  connectionFlags: ['profile'],
  ...profileFaults,
  answers: (of) => [of.one(entryShape(of))],
  related: ['config set', 'config list'],
  async run(context, { positionals: { key } }) {
    const { file, name, profile } = profileInUse(context);
    changeProfile(file, name, (kept = profile) => withoutSetting(kept, key));
    const left = effectiveEntries(context, readProfiles(file), file).find((each) => each.key === key);
    const absent: Entry = { key, value: null, origin: 'default', source: null };
    return recordResult(left ?? absent, entryColumns(true));
  },
});
