import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Origin } from '../../../src/cli/kit/args/flags.ts';
import { changeProfile } from '../../../src/cli/settings/profiles.ts';
import { profilesFile, readSettings, type Settings } from '../../../src/cli/settings/settings.ts';
import { freshHome } from '../harness.ts';

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

test('the default is the sandbox', () => {
  expect(settings({})).toMatchObject({
    name: 'sandbox',
    mode: 'test',
    apiKey: null,
    target: { kind: 'embedded' },
  });
});

test('a profile has its address, mode and key', () => {
  expect(settings({ profile: 'staging' })).toMatchObject({
    name: 'staging',
    mode: 'live',
    apiKey: 'key_of_profile',
    keyOrigin: 'profile',
    target: { kind: 'http', baseUrl: 'http://staging.example' },
  });
  expect(settings({ profile: 'pointing' })).toMatchObject({ apiKey: 'key_of_file', mode: null });
});

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

test('an unknown profile is exit 5', () => {
  expect(() => settings({ profile: 'nope' })).toThrow(expect.objectContaining({ exit: 5 }));
});

test('a text of several words is not a key', () => {
  expect(() => settings({}, { WAYBILL_API_KEY: 'two words' })).toThrow('WAYBILL_API_KEY');
});
