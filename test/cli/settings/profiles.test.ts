import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { listeningSecret } from '../../../src/cli/commands/listen/run-listen.ts';
import type { Origin } from '../../../src/cli/kit/args/flags.ts';
import {
  changeProfile,
  changeProfiles,
  initialProfiles,
  type Profile,
  readProfiles,
} from '../../../src/cli/settings/profiles.ts';
import {
  configFolder,
  dataFolder,
  profilesFile,
  readSettings,
  type Settings,
} from '../../../src/cli/settings/settings.ts';
import { freshHome } from '../harness.ts';
import { sandbox } from '../sandbox.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

test('without a file it is the embedded sandbox in test mode', () => {
  expect(readProfiles(join(freshHome(), 'profiles.json'))).toEqual({
    current: 'sandbox',
    profiles: { sandbox: { embedded: true, mode: 'test' } },
  });
});

test('a change keeps the fields that this version does not know', () => {
  const file = join(freshHome(), 'profiles.json');
  const far = { base_url: 'http://x.example', mode: 'live', region: 'eu', service: { orders: false } };
  const written = { future: { a: 1 }, current: 'far', profiles: { far } };
  writeFileSync(file, JSON.stringify(written));
  changeProfile(file, 'near', () => ({ base_url: 'http://y.example' }));
  const { near, sandbox: _, ...others } = readProfiles(file).profiles;
  expect(near).toEqual({ base_url: 'http://y.example' });
  expect({ ...JSON.parse(readFileSync(file, 'utf8')), profiles: others }).toEqual(written);
});

test.each([
  [{ WAYBILL_CONFIG_DIR: '~/own', WAYBILL_DATA_DIR: '~/data' }, '/home/joe/own', '/home/joe/data'],
  [{ WAYBILL_CONFIG_DIR: '~' }, '/home/joe', '/home/joe/.local/share/waybill'],
  [{ WAYBILL_CONFIG_DIR: '~joe', WAYBILL_DATA_DIR: 'data' }, '~joe', 'data'],
  [
    { XDG_CONFIG_HOME: 'conf', XDG_DATA_HOME: './d' },
    '/home/joe/.config/waybill',
    '/home/joe/.local/share/waybill',
  ],
  [{ XDG_CONFIG_HOME: '/conf', XDG_DATA_HOME: '/d' }, '/conf/waybill', '/d/waybill'],
])('%j: the folders', (environment, settings, data) => {
  const place = { environment, platform: 'linux', home: '/home/joe' } as const;
  expect([configFolder(place), dataFolder(place)]).toEqual([settings, data]);
});

test('what is written can be read back, only by its owner', async () => {
  const file = join(freshHome(), 'config', 'profiles.json');
  const far: Profile = { base_url: 'http://x.example', api_key: 'k', mode: 'live', output: 'csv' };
  changeProfile(file, 'a.b', () => far);
  expect(readProfiles(file).profiles['a.b']).toEqual({
    base_url: 'http://x.example',
    api_key: 'k',
    mode: 'live',
    output: 'csv',
  });
  expect([modeOf(join(file, '..')), modeOf(file)]).toEqual([0o700, 0o600]);
});

test.each([
  ['not JSON', '{'],
  ['no object', '[]'],
  ['no profiles', '{"current":"a"}'],
  ['a profile without a place', '{"profiles":{"a":{"api_key":"k"}}}'],
])('a file that is %s is reported and left unchanged', async (_, text) => {
  const file = join(freshHome(), 'profiles.json');
  writeFileSync(file, text);
  expect(() => readProfiles(file)).toThrow(file);
  expect(() => changeProfile(file, 'x', () => ({ embedded: true }))).toThrow(file);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.each([
  ['linux', {}, '/h/.config/waybill', '/h/.local/share/waybill'],
  ['linux', { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/waybill', '/d/waybill'],
  ['linux', { WAYBILL_CONFIG_DIR: '/c', WAYBILL_DATA_DIR: '/d' }, '/c', '/d'],
  ['darwin', {}, '/h/Library/Application Support/waybill', '/h/Library/Application Support/waybill'],
])('folders on %s with %j', (platform, environment, config, data) => {
  const place = { platform, environment, home: '/h' };
  expect([configFolder(place), dataFolder(place)]).toEqual([config, data]);
});

const box = await sandbox();
const farProfile: Profile = { base_url: 'http://far.example' };
/** What another process changes in a profile while this one is busy with its key. */
const later: Profile = { output: 'csv', preferences: { color: 'never' }, listening_secret: 'whsec_x' };
const fileIn = (home: string) => profilesFile({ home, platform: 'linux', environment: {} });

/** Writes of another process while this one is busy. */
async function besides(home: string) {
  changeProfile(fileIn(home), 'besides', () => farProfile);
}

test('login keeps what another process wrote while the key was checked', async () => {
  const home = freshHome();
  const base_url = 'https://deliveries.example';
  changeProfile(fileIn(home), 'shop', () => ({ base_url, output: 'wide' }));
  const transport: typeof box.transport = async (request) => {
    await besides(home);
    changeProfile(fileIn(home), 'shop', () => ({ base_url, ...later }));
    return box.transport(request);
  };
  const line = ['login', '--profile', 'shop', '--base-url', base_url, '--with-token'];
  const { exit } = await box.run(line, { home, stdin: 'wb_test_key', transport });
  expect(exit).toBe(0);
  const profiles = { besides: farProfile, shop: { base_url, ...later, api_key: 'wb_test_key' } };
  expect(readProfiles(fileIn(home))).toMatchObject({ current: 'shop', profiles });
});

test('logout keeps what another process wrote while the keychain was used', async () => {
  const home = freshHome();
  const keychain = async () => {
    await besides(home);
    changeProfile(fileIn(home), 'shop', (now = farProfile) => ({ ...now, ...later }));
    return null;
  };
  for (const [line, shop] of [
    [['logout', '--profile', 'shop'], { ...farProfile, ...later }],
    [['profiles', 'delete', 'shop', '--yes'], undefined],
  ] as const) {
    changeProfiles(fileIn(home), () => initialProfiles);
    changeProfile(fileIn(home), 'shop', () => ({ ...farProfile, api_key_in: 'keychain' }));
    expect((await box.run(line, { home, keychain })).exit).toBe(0);
    const { profiles } = readProfiles(fileIn(home));
    expect([profiles.besides, profiles.shop]).toEqual([farProfile, shop]);
  }
});

test('two first listeners at once sign with one secret', async () => {
  const profile: Profile = { embedded: true, mode: 'test' };
  const file = fileIn(freshHome());
  const first = async (letter: string) => {
    const settings = { profile, file, name: 'sandbox', apiKey: null };
    const host = { randomBase64: async () => letter };
    return listeningSecret({ settings, host });
  };
  const [one, other] = await Promise.all([first('a'), first('b')]);
  expect([one, other]).toEqual(['whsec_a', 'whsec_a']);
  expect(readProfiles(file).profiles.sandbox).toEqual({ ...profile, listening_secret: 'whsec_a' });
});

const home = freshHome();
const place = { platform: 'linux', home, folder: home };

beforeAll(async () => {
  const file = profilesFile({ ...place, environment: {} });
  writeFileSync(join(home, 'key'), 'key_of_file\n');
  changeProfile(file, 'staging', () => ({
    base_url: 'http://staging.example',
    mode: 'live',
    api_key: 'key_of_profile',
  }));
  changeProfile(file, 'pointing', () => ({ base_url: 'http://p.example', api_key_file: 'key' }));
});

type Asked = Parameters<typeof readSettings>[0];

function settings(
  asked: Partial<Asked>,
  environment: Record<string, string> = {},
  origins: [string, Origin][] = [],
): Settings {
  const none = { profile: undefined, baseUrl: undefined, apiKeyFile: undefined };
  return readSettings({ ...none, ...asked }, new Map(origins), { ...place, environment });
}

test('a key is taken from the flag, the environment, then the profile', () => {
  const environment = { WAYBILL_API_KEY: 'key_of_environment' };
  const profile = 'staging';
  expect(settings({ profile }, environment)).toMatchObject({
    apiKey: 'key_of_environment',
    keyOrigin: 'environment',
  });
  expect(settings({ profile, apiKeyFile: 'key' }, environment)).toMatchObject({ apiKey: 'key_of_file' });
  const fromTwin = settings({ profile, apiKeyFile: 'key' }, environment, [['apiKeyFile', 'environment']]);
  expect(fromTwin.apiKey).toBe('key_of_environment');
});

test('a profile’s key and mode are never used with another address', () => {
  const other = settings({ profile: 'staging', baseUrl: 'http://other.example' });
  expect(other).toMatchObject({ name: 'http://other.example', apiKey: null, mode: null, profile: null });
  const same = settings({ profile: 'staging', baseUrl: 'http://staging.example' });
  expect(same).toMatchObject({ name: 'staging', apiKey: 'key_of_profile' });
});
