import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider, QuoteRequest } from '../../src/providers/port.ts';
import { memoryRecords } from '../providers/simulated/memory-records.ts';
import { start } from './fixture.ts';

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

/** Couriers, by default remote ones; their quote requests wait for `before`. */
export function couriers(
  remote: (name: string) => boolean = () => true,
  before: (name: string, request: QuoteRequest) => Promise<void> = async () => {},
): Provider[] {
  return simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    is_remote: remote(provider.name),
    quotes_at_once: false,
    quote: async (request) => {
      await before(provider.name, request);
      return provider.quote(request);
    },
  }));
}

/** Couriers in this process that write down who was asked for a quote, and when. */
export function listening(asked: string[], before: (name: string) => Promise<void> = async () => {}) {
  return couriers(
    () => false,
    async (name, { now }) => {
      asked.push(`${name} ${now - start}`);
      await before(name);
    },
  );
}
