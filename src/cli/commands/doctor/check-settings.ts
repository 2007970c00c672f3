import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Host } from '../../kit/host/host.ts';
import { quoted } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { readProfiles } from '../../settings/profiles.ts';
import { profilesFile, type Settings } from '../../settings/settings.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks the settings file and reports values that the environment or a flag overrides. Throws Failure. */
export function checkProfile({ host, settings }: Context): Finding {
  const file = profilesFile(host);
  readProfiles(file);
  const place = modeOf(file) === null ? 'none yet; made when first needed' : file;
  const { name, nameOrigin } = settings;
  const by = nameOrigin === 'flag' || nameOrigin === 'environment' ? `, as the ${nameOrigin} says` : '';
  return ok('settings', `${place}; ${name} in use${by}`);
}

/** Checks that other users cannot read files with keys. */
export function checkModes({ host, settings }: Pick<Context, 'host' | 'settings'>): Finding[] {
  const file = profilesFile(host);
  const keyFile = settings.keyPlace === 'key_file' ? settings.profile?.api_key_file : undefined;
  return [
    permissions('settings folder', { path: dirname(file), allowed: 0o700 }, host),
    permissions('settings file', { path: file, allowed: 0o600 }, host),
    ...(keyFile === undefined
      ? []
      : [permissions('key file', { path: resolve(host.folder, keyFile), allowed: 0o600 }, host)]),
  ];
}

/** Windows has no such permissions. */
function permissions(
  check: string,
  { path, allowed }: { path: string; allowed: number },
  { platform }: Host,
): Finding {
  const mode = modeOf(path);
  if (mode === null) return ok(check, 'none yet');
  const text = mode.toString(8).padStart(4, '0');
  const isOpen = (mode & ~allowed) !== 0;
  if (platform === 'win32' || mode === allowed) return ok(check, `${path} (${text})`);
  // A key file may be read-only.
  if (!isOpen && check === 'key file') return ok(check, `${path} (${text})`);
  const command = `chmod ${allowed.toString(8)} ${quoted(path)}`;
  const fault = isOpen ? 'open to others' : 'closed to its owner';
  return warn(check, `${path} is ${fault} (${text})`, { command });
}

function modeOf(path: string): number | null {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? null : stats.mode & 0o777;
}

const places = {
  profile: 'in the settings file',
  key_file: 'in a key file',
  keychain: "in the system's keychain",
} as const;

/** Checks where the key is stored; reads the keychain only if the key should be there. Rejects with Failure. */
export async function checkKeyPlace({ host, settings }: Context): Promise<Finding> {
  const { keyPlace, keyOrigin } = settings;
  if (keyPlace === 'keychain') {
    const { keyInKeychain } = await import('../../settings/key-storage.ts');
    await keyInKeychain(settings, host);
  }
  return ok(
    'keychain',
    keyPlace === undefined ? withoutProfile(keyOrigin) : `the key is ${places[keyPlace]}`,
  );
}

function withoutProfile(keyOrigin: Settings['keyOrigin']): string {
  return keyOrigin === 'default' ? 'there is no key yet' : `the key comes from the ${keyOrigin}`;
}
