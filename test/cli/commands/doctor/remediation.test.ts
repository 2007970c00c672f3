import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { failureOf, waybill } from '../../harness.ts';
import { memoryKeychain, refusing } from '../../settings/keychains.ts';
import { aside, type Case, changed, follow, healed, key, patient, stored, unset } from './broken-setups.ts';

const keychain = memoryKeychain();
let other: DatabaseSync | null = null;

const cases: Record<string, Case> = {
  'settings that are no JSON': {
    check: 'settings',
    broken: () => changed(patient(null), (made) => writeFileSync(made.settings, '{')),
    says: /^Correct the file, or move it away and log in again\./,
    heal: (_, { settings }) => aside(settings),
  },
  'a folder in the place of the settings': {
    check: 'settings',
    broken: () => changed(patient(null), (made) => mkdirSync(made.settings)),
    says: 'Put that right, or name another folder for the settings with WAYBILL_CONFIG_DIR.',
    heal: (_, { options }) => Object.assign(options.env, { WAYBILL_CONFIG_DIR: join(options.home, 'other') }),
  },
  'a profile in use that is gone': {
    check: 'settings',
    broken: () =>
      changed(patient({}), (made) =>
        writeFileSync(made.settings, '{ "current": "gone", "profiles": {} }', { mode: 0o600 }),
      ),
    says: 'waybill profiles use sandbox',
    heal: follow,
  },
  'a profile of the environment that there is not': {
    check: 'settings',
    broken: () => patient({}, { WAYBILL_PROFILE: 'nope' }),
    says: /Set WAYBILL_PROFILE to an existing profile, or unset it\. waybill profiles list$/,
    heal: unset('WAYBILL_PROFILE'),
  },
  'an invalid address in the profile': {
    check: 'settings',
    broken: () => patient({ base_url: 'nonsense' }),
    says: 'Give the profile the address of its service. waybill login --profile shop --base-url URL',
    heal: follow,
  },
  'an invalid address in the environment': {
    check: 'settings',
    broken: () => patient({}, { WAYBILL_BASE_URL: 'nonsense' }),
    says: 'Correct WAYBILL_BASE_URL, or unset it.',
    heal: unset('WAYBILL_BASE_URL'),
  },
  'a key file that is gone': {
    check: 'settings',
    broken: () => patient({ api_key: undefined, api_key_file: 'key' }),
    says: 'Put the key into that file, or name another.',
    heal: (_, { options }) => writeFileSync(join(options.home, 'key'), key, { mode: 0o600 }),
  },
  'an invalid key in the environment': {
    check: 'settings',
    broken: () => patient({}, { WAYBILL_API_KEY: 'two words' }),
    says: 'Put a key there, or unset it.',
    heal: unset('WAYBILL_API_KEY'),
  },
  'a settings folder that is open to others': {
    check: 'settings folder',
    broken: () => changed(patient({}), (made) => chmodSync(join(made.settings, '..'), 0o755)),
    says: /^chmod 700 \S+\/waybill$/,
    heal: follow,
  },
  'a settings file that its owner cannot write': {
    check: 'settings file',
    broken: () => changed(patient({}), (made) => chmodSync(made.settings, 0o400)),
    says: /^chmod 600 \S+profiles\.json$/,
    heal: follow,
  },
  'a key file that is open to others': {
    check: 'key file',
    broken: () =>
      changed(patient({ api_key: undefined, api_key_file: 'key' }), (made) =>
        writeFileSync(join(made.options.home, 'key'), key, { mode: 0o644 }),
      ),
    says: /^chmod 600 \S+\/key$/,
    heal: follow,
  },
  'a keychain that has lost the key': {
    check: 'keychain',
    broken: () => {
      const made = patient({ api_key: undefined, api_key_in: 'keychain' });
      return { ...made, options: { ...made.options, keychain: keychain.ask } };
    },
    says: 'Log in again, or set WAYBILL_API_KEY. waybill login --profile shop',
    heal: follow,
  },
  'a keychain that is locked': {
    check: 'keychain',
    broken: () => {
      const made = patient({ api_key: undefined, api_key_in: 'keychain' });
      return { ...made, options: { ...made.options, keychain: refusing('it is locked') } };
    },
    says: /^Unlock the keychain .* waybill login --profile shop --insecure-storage$/,
    heal: follow,
  },
  'a database that is damaged': {
    check: 'storage',
    broken: () => stored((file) => writeFileSync(file, 'no database, but words')),
    says: 'Put a copy of it back, or move it away: then a new one is made.',
    heal: (_, { database }) => aside(database),
  },
  'a folder in the place of the database': {
    check: 'storage',
    broken: () => changed(patient(null), (made) => mkdirSync(made.database, { recursive: true })),
    says: /^Move \S+waybill\.db away, or name another folder for the data with WAYBILL_DATA_DIR\.$/,
    heal: (_, { database }) => aside(database),
  },
  'a file in the place of the folder of the data': {
    check: 'storage',
    broken: () => {
      const made = patient(null, { WAYBILL_DATA_DIR: '' });
      mkdirSync(join(made.database, '../..'), { recursive: true });
      writeFileSync(join(made.database, '..'), '');
      return made;
    },
    says: /^Move \S+share\/waybill away, or name another folder for the data with WAYBILL_DATA_DIR\.$/,
    heal: (_, { database, options }) => {
      Object.assign(options.env, { WAYBILL_DATA_DIR: join(database, '../../other') });
    },
  },
  'a database that another process keeps to itself': {
    check: 'storage',
    broken: () =>
      stored((file) => {
        other = new DatabaseSync(file);
        other.exec('pragma locking_mode = exclusive; begin immediate; pragma user_version = 4');
      }),
    says: 'End that process, and look again.',
    heal: () => other?.close(),
  },
  'a database of an older version': {
    check: 'storage',
    broken: () =>
      stored((file) => {
        rmSync(file);
        rmSync(`${file}-wal`, { force: true });
        writeFileSync(file, '');
      }),
    says: 'The next command that uses it brings it up to date.',
    heal: (_, { options }) => waybill(['orders', 'list'], options),
  },
};

test.each(Object.entries(cases))('%s: the remedy is printed and works', (_, one) => healed(one));

test('a problem that only a command fixes has no empty hint for programs', async () => {
  const { options, settings } = patient({});
  writeFileSync(settings, '{ "current": "gone", "profiles": {} }', { mode: 0o600 });
  const failure = await failureOf(waybill(['doctor', '--json'], options));
  expect(failure).not.toHaveProperty('hint');
  expect(failure).toMatchObject({
    next: [{ command: 'waybill profiles use sandbox' }],
  });
});
