import type { Host } from '../../../src/cli/kit/host/host.ts';
import { KeychainFault, type KeychainRequest } from '../../../src/cli/settings/keychain.ts';

/** A keychain in memory: its keys by their items, and all that it was asked. */
export interface MemoryKeychain {
  keys: Map<string, string>;
  asked: KeychainRequest[];
  ask: Host['keychain'];
}

export function memoryKeychain(): MemoryKeychain {
  const keys = new Map<string, string>();
  const asked: KeychainRequest[] = [];
  const ask: Host['keychain'] = async (request) => {
    asked.push(request);
    if (request.act === 'write') keys.set(request.item, request.key);
    if (request.act === 'delete') keys.delete(request.item);
    return request.act === 'read' ? (keys.get(request.item) ?? null) : null;
  };
  return { keys, asked, ask };
}

/** One that refuses, as a locked one does, or one whose package is not there. */
export function refusing(reason: string): Host['keychain'] {
  return () => Promise.reject(new KeychainFault(reason));
}

/** One that never answers until it is told to stop, and the timer that runs out at once for whatever takes 3 s. */
export function hanging(stopped: () => void): { keychain: Host['keychain']; timer: Host['timer'] } {
  const keychain: Host['keychain'] = (_, signal) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        stopped();
        reject(signal.reason);
      });
    });
  const timer: Host['timer'] = (milliseconds, expired) => {
    const handle = setTimeout(expired, milliseconds === 3000 ? 1 : milliseconds);
    return () => clearTimeout(handle);
  };
  return { keychain, timer };
}
