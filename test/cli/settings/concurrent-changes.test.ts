import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listeningSecret } from '../../../src/cli/commands/listen/secret.ts';
import {
  changeProfile,
  changeProfiles,
  initial,
  type Profile,
  readProfiles,
} from '../../../src/cli/settings/profiles.ts';
import { profilesFile } from '../../../src/cli/settings/settings.ts';
import { freshHome } from '../harness.ts';
import { sandbox } from '../sandbox.ts';

const box = await sandbox();
const far: Profile = { base_url: 'http://far.example' };
const fileIn = (home: string) => profilesFile({ home, platform: 'linux', environment: {} });

test('saving a profile keeps the others', () => {
  const file = join(freshHome(), 'profiles.json');
  for (const name of ['a', 'b']) changeProfile(file, name, () => far);
  expect(readProfiles(file).profiles).toMatchObject({ a: far, b: far });
});

/** Writes of another process while this one is busy. */
async function besides(home: string) {
  changeProfile(fileIn(home), 'besides', () => far);
}

test('login keeps what another process wrote while the key was checked', async () => {
  const home = freshHome();
  const transport: typeof box.transport = async (request) => {
    await besides(home);
    return box.transport(request);
  };
  const line = ['login', '--profile', 'shop', '--base-url', 'https://deliveries.example', '--with-token'];
  const { exit } = await box.run(line, { home, stdin: 'wb_test_key', transport });
  expect(exit).toBe(0);
  expect(readProfiles(fileIn(home))).toMatchObject({ current: 'shop', profiles: { besides: far } });
});

test('logout keeps what another process wrote while the keychain was used', async () => {
  const home = freshHome();
  const keychain = async () => {
    await besides(home);
    return null;
  };
  for (const line of [
    ['logout', '--profile', 'shop'],
    ['profiles', 'delete', 'shop', '--yes'],
  ]) {
    changeProfiles(fileIn(home), () => initial);
    changeProfile(fileIn(home), 'shop', () => ({ ...far, api_key_in: 'keychain' }));
    expect((await box.run(line, { home, keychain })).exit).toBe(0);
    expect(readProfiles(fileIn(home)).profiles).toMatchObject({ besides: far });
  }
});

test('two first listeners at once sign with one secret', async () => {
  const profile: Profile = { embedded: true, mode: 'test' };
  const file = fileIn(freshHome());
  const first = async (letter: string) => {
    const settings = { profile, file, name: 'sandbox', apiKey: null };
    const host = { secret: async () => letter };
    return listeningSecret({ settings, host });
  };
  const [one, other] = await Promise.all([first('a'), first('b')]);
  expect([one, other]).toEqual(['whsec_a', 'whsec_a']);
  expect(readProfiles(file).profiles.sandbox).toEqual({ ...profile, listening_secret: 'whsec_a' });
});
