import { Failure } from '../kit/errors/failure.ts';
import { type Host, KeychainFault, type KeychainRequest } from '../kit/host/host.ts';
import { oneLine } from '../kit/output/sanitize.ts';
import { invocation } from '../kit/result/invocation.ts';

export type KeychainHost = Pick<Host, 'keychain' | 'timer' | 'signal'>;

/** The time limit for a keychain that hangs or waits for the user. */
const limit_ms = 3000;

/** The name of a profile's key in the keychain: includes the settings file, so that two folders do not share keys. */
export function keychainItem(profile: string, file: string): string {
  return `${profile} in ${file}`;
}

/** Executes a keychain request; rejects with KeychainFault, after 3 s at the latest. */
export async function askKeychain(request: KeychainRequest, host: KeychainHost): Promise<string | null> {
  const late = Promise.withResolvers<never>();
  const ending = new AbortController();
  const cancel = host.timer(limit_ms, () => {
    late.reject(new KeychainFault('it did not answer within 3 s'));
    ending.abort();
  });
  const signal = AbortSignal.any([host.signal, ending.signal]);
  try {
    return await Promise.race([host.keychain(request, signal), late.promise]);
  } catch (error) {
    throw error instanceof KeychainFault ? error : new KeychainFault(reasonOf(error), { cause: error });
  } finally {
    cancel();
  }
}

function reasonOf(error: unknown): string {
  return oneLine(error instanceof Error ? error.message : String(error));
}

interface Keeper {
  name: string;
  file: string;
}

/** Reads a profile's key from the keychain; Failure with exit 4 if that fails. */
export async function keyInKeychain({ name, file }: Keeper, host: KeychainHost): Promise<string> {
  const key = await askKeychain({ act: 'read', item: keychainItem(name, file) }, host).catch((error) => {
    throw unreadable(name, error);
  });
  if (key !== null) return key;
  throw new Failure(4, 'keychain_empty', `The system's keychain has no key of profile ${name} any more.`, {
    hint: 'Log in again, or set WAYBILL_API_KEY.',
    next: [{ ...invocation('login', [], { profile: name }), when: 'store a key again' }],
  });
}

function unreadable(name: string, error: KeychainFault): Failure {
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
