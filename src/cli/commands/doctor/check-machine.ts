/** The checks of `doctor` that look at this machine alone: terminal, proxy, settings, file modes and keychain. */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BadProxy, parseProxy, proxyFor, proxyVariables, readVariable } from '../../../client/addresses.ts';
import type { Host } from '../../kit/host/host.ts';
import { colourLevel } from '../../kit/output/colour.ts';
import { plotCharsetFor } from '../../kit/output/output-settings.ts';
import { quoted } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { readProfiles } from '../../settings/profiles.ts';
import { profilesFile, type Settings, type Target } from '../../settings/settings.ts';
import { type Finding, ok, warn } from './finding.ts';

export function checkRuntime({ runtime, platform, version }: Host): Finding {
  return ok('runtime', `Node ${runtime} on ${platform}, waybill ${version}`);
}

const colourLevels = ['no colour', '16 colours', '256 colours', 'all colours'];

/** Checks the terminal's capabilities, as far as the environment shows them. */
export function checkTerminal({ host, globals, output }: Context): Finding {
  const { stdout, environment } = host;
  if (!stdout.isTerminal) return ok('terminal', 'stdout is not a terminal');
  const level = colourLevel({ mode: globals.color, environment, isTerminal: true });
  const plotCharset =
    plotCharsetFor(host) === 'blocks'
      ? 'plots in block characters'
      : 'plots in ASCII, as the locale asks for';
  const plots = output.accessible ? 'accessible' : plotCharset;
  return ok('terminal', `${stdout.columns ?? '?'} columns, ${colourLevels[level] ?? ''}, ${plots}`);
}

export function checkProxy({ environment }: Host, target: Target): Finding {
  const set = [...proxyVariables, 'NO_PROXY'].filter((name) => readVariable(environment, name) !== '');
  if (set.length === 0) return ok('proxy', 'none');
  const url = target.kind === 'http' ? URL.parse(target.baseUrl) : null;
  const found = url === null ? null : proxyFor(url, environment);
  if (url === null || found === null) return ok('proxy', `${set.join(', ')} set, not used for this service`);
  try {
    const proxy = parseProxy(found);
    const exceptions = readVariable(environment, 'NO_PROXY');
    const but = exceptions === '' ? '' : `, but for ${exceptions}`;
    return ok('proxy', `requests go through ${proxy.protocol}//${proxy.host}${but}`);
  } catch (error) {
    if (!(error instanceof BadProxy)) throw error;
    const remedy = `Correct ${found.variable}: http://HOST:PORT. Or leave the service out: NO_PROXY=${url.hostname}`;
    return warn('proxy', error.message, { remedy });
  }
}

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
export function checkFileModes({ host, settings }: Pick<Context, 'host' | 'settings'>): Finding[] {
  const file = profilesFile(host);
  const keyFile = settings.keyPlace === 'key_file' ? settings.profile?.api_key_file : undefined;
  return [
    checkPermissions('settings folder', { path: dirname(file), allowed: 0o700 }, host),
    checkPermissions('settings file', { path: file, allowed: 0o600 }, host),
    ...(keyFile === undefined
      ? []
      : [checkPermissions('key file', { path: resolve(host.folder, keyFile), allowed: 0o600 }, host)]),
  ];
}

/** Windows has no such permissions. */
function checkPermissions(
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

const keyPlaces = {
  profile: 'in the settings file',
  key_file: 'in a key file',
  keychain: "in the system's keychain",
} as const;

/** Checks where the key is stored; reads the keychain only if the key should be there. Rejects with Failure. */
export async function checkKeyStorage({ host, settings }: Context): Promise<Finding> {
  const { keyPlace, keyOrigin } = settings;
  if (keyPlace === 'keychain') {
    const { keyInKeychain } = await import('../../settings/key-storage.ts');
    await keyInKeychain(settings, host);
  }
  return ok(
    'keychain',
    keyPlace === undefined ? withoutProfile(keyOrigin) : `the key is ${keyPlaces[keyPlace]}`,
  );
}

function withoutProfile(keyOrigin: Settings['keyOrigin']): string {
  return keyOrigin === 'default' ? 'there is no key yet' : `the key comes from the ${keyOrigin}`;
}
