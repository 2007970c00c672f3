import { shownKey } from '../kit/output/redaction.ts';
import { askKeychain, type KeychainHost, keychainItem } from './keychain.ts';
import type { Profile } from './profiles.ts';

interface Keeper {
  name: string;
  file: string;
  /** The stored profile. */
  profile: Profile;
}

/** A profile with its key or the key's location, and a warning, if any. */
interface Stored {
  profile: Profile;
  notes: string[];
}

/**
 * Stores a key in the system keychain, or in the profile if the keychain is unavailable, if the profile or the user
 * requires it, or if the key only opens a database of this machine. Never in both.
 */
export async function withKey(
  keeper: Keeper & { apiKey: string; insecure: boolean },
  host: KeychainHost,
): Promise<Stored> {
  const { name, file, profile, apiKey, insecure } = keeper;
  if (insecure || profile.insecure_storage === true || profile.embedded === true) {
    const stored = await withoutKey(keeper, host);
    return { ...stored, profile: { ...stored.profile, api_key: apiKey } };
  }
  const rest = bare(profile);
  try {
    await askKeychain({ act: 'write', item: keychainItem(name, file), key: apiKey }, host);
    return { profile: { ...rest, api_key_in: 'keychain', api_key_shown: shownKey(apiKey) }, notes: [] };
  } catch (error) {
    const said = `The key is stored in the file ${file}, as no keychain answered: ${reasonOf(error)}.`;
    return { profile: { ...rest, api_key: apiKey }, notes: [said] };
  }
}

/** Removes the key of a profile, also from the keychain; warns if that fails. */
export async function withoutKey({ name, file, profile }: Keeper, host: KeychainHost): Promise<Stored> {
  const rest = bare(profile);
  if (profile.api_key_in === undefined) return { profile: rest, notes: [] };
  const item = keychainItem(name, file);
  try {
    await askKeychain({ act: 'delete', item }, host);
    return { profile: rest, notes: [] };
  } catch (error) {
    const left = `The key may still be in the system's keychain, as "${item}": ${reasonOf(error)}.`;
    return { profile: rest, notes: [left] };
  }
}

function bare(profile: Profile): Profile {
  const { api_key: _, api_key_file: __, api_key_in: ___, api_key_shown: ____, ...rest } = profile;
  return rest;
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
