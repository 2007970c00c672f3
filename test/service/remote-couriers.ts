import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider } from '../../src/providers/port.ts';
import { memoryRecords } from '../providers/simulated/memory-records.ts';

/** A gate at which named calls wait until it is opened for them. */
export function gateAt() {
  const waiting: { name: string; open: () => void }[] = [];
  let most = 0;
  return {
    waiting,
    most: () => most,
    pass: async (name: string) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ name, open: resolve });
      most = Math.max(most, waiting.length);
      await promise;
    },
    open: () => {
      for (const { open } of waiting.splice(0)) open();
    },
  };
}

/** Couriers, some of them remote; their quote requests wait for `before`. */
export function couriers(
  remote: (name: string) => boolean,
  before: (name: string) => Promise<void>,
): Provider[] {
  return simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    is_remote: remote(provider.name),
    quotes_at_once: false,
    quote: async (request) => {
      await before(provider.name);
      return provider.quote(request);
    },
  }));
}
