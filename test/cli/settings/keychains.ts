import { type Host, KeychainFault, type KeychainRequest } from '../../../src/cli/kit/host/host.ts';

/** A keychain in memory: its keys by item, and all requests. */
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

/** A keychain that refuses, like a locked one or one without its package. */
export function refusing(reason: string): Host['keychain'] {
  return () => Promise.reject(new KeychainFault(reason));
}

/** A keychain that hangs until it is stopped, and a timer that expires immediately for 3 s. */
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
