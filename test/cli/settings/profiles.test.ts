import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  changeProfile,
  changeProfiles,
  initial,
  type Profile,
  readProfiles,
} from '../../../src/cli/settings/profiles.ts';
import { configFolder, dataFolder } from '../../../src/cli/settings/settings.ts';
import { freshHome } from '../harness.ts';

const mode = (path: string) => statSync(path).mode & 0o777;

test('without a file it is the embedded sandbox in test mode', () => {
  expect(readProfiles(join(freshHome(), 'profiles.json'))).toEqual({
    current: 'sandbox',
    profiles: { sandbox: { embedded: true, mode: 'test' } },
  });
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
  expect([mode(join(file, '..')), mode(file)]).toEqual([0o700, 0o600]);
});

test('a file and a folder that others could read become private at the next write', async () => {
  const folder = join(freshHome(), 'config');
  const file = join(folder, 'profiles.json');
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(file, JSON.stringify(initial));
  chmodSync(folder, 0o755);
  chmodSync(file, 0o644);
  changeProfiles(file, () => initial);
  expect([mode(folder), mode(file)]).toEqual([0o700, 0o600]);
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
