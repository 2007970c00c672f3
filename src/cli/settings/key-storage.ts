/** Stores, removes and reads the API key of a profile, in the system keychain or in the settings file. */
import { Failure } from '../kit/errors/failure.ts';
import { type Host, KeychainFault, type KeychainRequest } from '../kit/host/host.ts';
import { oneLine, shownKey } from '../kit/output/safe-text.ts';
import { invocation } from '../kit/result/message.ts';
import type { Profile } from './profiles.ts';

interface ProfileInFile {
  name: string;
  file: string;
  /** The stored profile. */
  profile: Profile;
}

/** A profile with its key or the key's location. */
interface StoredProfile {
  profile: Profile;
  /** Warnings for the user. */
  notes: string[];
}

/**
 * Stores a key in the system keychain, or in the profile if the keychain is unavailable, if the profile or the user
 * requires it, or if the key only opens a database of this machine.
 */
export async function storeKey(
  target: ProfileInFile & { apiKey: string; insecure: boolean },
  host: KeychainHost,
): Promise<StoredProfile> {
  const { name, file, profile, apiKey, insecure } = target;
  if (insecure || profile.insecure_storage === true || profile.embedded === true) {
    const stored = await removeKey(target, host);
    return { ...stored, profile: { ...stored.profile, api_key: apiKey } };
  }
  const rest = withoutKeyFields(profile);
  try {
    await askKeychain({ act: 'write', item: keychainItem(name, file), key: apiKey }, host);
    return { profile: { ...rest, api_key_in: 'keychain', api_key_shown: shownKey(apiKey) }, notes: [] };
  } catch (error) {
    const note = `The key is stored in the file ${file}, as no keychain answered: ${failureReason(error)}.`;
    return { profile: { ...rest, api_key: apiKey }, notes: [note] };
  }
}

/** Removes the key of a profile, also from the keychain; warns if that fails. */
export async function removeKey(
  { name, file, profile }: ProfileInFile,
  host: KeychainHost,
): Promise<StoredProfile> {
  const rest = withoutKeyFields(profile);
  if (profile.api_key_in === undefined) return { profile: rest, notes: [] };
  const item = keychainItem(name, file);
  try {
    await askKeychain({ act: 'delete', item }, host);
    return { profile: rest, notes: [] };
  } catch (error) {
    const note = `The key may still be in the system's keychain, as "${item}": ${failureReason(error)}.`;
    return { profile: rest, notes: [note] };
  }
}

/** Removes the key of a profile, and what belongs to the key. */
export function withoutKeyFields(profile: Profile): Profile {
  const { api_key, api_key_file, api_key_in, api_key_shown, key_permission, ...rest } = profile;
  return rest;
}

function failureReason(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

type KeychainHost = Pick<Host, 'keychain' | 'timer' | 'signal'>;

/** The time limit for a keychain that hangs or waits for the user. */
const keychain_timeout_ms = 3000;

/** The name of a profile's key in the keychain. It includes the settings file, so that two folders do not share keys. */
export function keychainItem(profile: string, file: string): string {
  return `${profile} in ${file}`;
}

/** Executes a keychain request; rejects with KeychainFault, after 3 s at the latest. */
async function askKeychain(request: KeychainRequest, host: KeychainHost): Promise<string | null> {
  const late = Promise.withResolvers<never>();
  const ending = new AbortController();
  const cancel = host.timer(keychain_timeout_ms, () => {
    late.reject(new KeychainFault('it did not answer within 3 s'));
    ending.abort();
  });
  const signal = AbortSignal.any([host.signal, ending.signal]);
  try {
    return await Promise.race([host.keychain(request, signal), late.promise]);
  } catch (error) {
    throw error instanceof KeychainFault ? error : new KeychainFault(reasonLine(error), { cause: error });
  } finally {
    cancel();
  }
}

function reasonLine(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error));
}

/** Reads a profile's key from the keychain; Failure with exit 4 if that fails. */
export async function keyInKeychain(
  { name, file }: Pick<ProfileInFile, 'name' | 'file'>,
  host: KeychainHost,
): Promise<string> {
  const key = await askKeychain({ act: 'read', item: keychainItem(name, file) }, host).catch((error) => {
    throw unreadableKeychain(name, error);
  });
  if (key !== null) return key;
  throw new Failure(4, 'keychain_empty', `The system's keychain has no key of profile ${name} any more.`, {
    hint: 'Log in again, or set WAYBILL_API_KEY.',
    next: [{ ...invocation('login', [], { profile: name }), when: 'store a key again' }],
  });
}

function unreadableKeychain(name: string, error: KeychainFault): Failure {
  const message = `The key of profile ${name} is in the system's keychain, which cannot be read.`;
  return new Failure(4, 'keychain_unreadable', message, {
    why: `${error.message.replace(/\.$/, '')}.`,
    hint: 'Unlock the keychain and repeat the command, or set WAYBILL_API_KEY for this time.',
    next: [
      {
        ...invocation('login', [], { profile: name, insecureStorage: true }),
        when: 'keep a key in the settings file instead',
      },
    ],
    cause: error,
  });
}
