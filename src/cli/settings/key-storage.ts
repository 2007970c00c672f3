import { shownKey } from '../kit/output/redaction.ts';
import { askKeychain, type KeychainHost, keychainItem } from './keychain.ts';
import type { Profile } from './profiles.ts';

interface Keeper {
  name: string;
  file: string;
  /** As it is kept now. */
  profile: Profile;
}

/** A profile with its key, or with the place of it, and what is to be said aloud about that. */
interface Stored {
  profile: Profile;
  notes: string[];
}

/**
 * Puts a key into the system's keychain, or into the profile where none answers, where the profile or the person
 * wants it there, or where it opens no more than a database of this machine. Never into both.
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

/** A profile without its key, which is taken out of the keychain too; says so where that cannot be done. */
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
