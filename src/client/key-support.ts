import type { Transport, WireResponse } from '../contract/wire.ts';

/** Whether the service executes a POST with the same idempotency key only once. */
export interface KeySupport {
  /** True if it is known to, or a response has shown it. */
  isShown(): boolean;
  /** Asks the service if that is unknown. A service that answered is not asked again. */
  find(): Promise<boolean>;
}

/**
 * Watches the responses of a transport. Only a service with the whole contract, which includes idempotency keys,
 * reports its time.
 */
export function watchKeySupport(
  transport: Transport,
  { known, ask }: { known: boolean | undefined; ask(): Promise<WireResponse> },
): { transport: Transport; keys: KeySupport } {
  let found = known;
  const watched: Transport = async (request) => {
    const response = await transport(request);
    if (response.headers['x-service-time'] !== undefined) found ??= true;
    return response;
  };
  const answers = async () => {
    try {
      const { status } = await ask();
      return status < 500 && status !== 429;
    } catch {
      return false;
    }
  };
  let asked: Promise<boolean> | null = null;
  const find = async () => {
    asked ??= answers();
    if (await asked) found ??= false;
    else asked = null;
    return found === true;
  };
  return {
    transport: watched,
    keys: { isShown: () => found === true, find: async () => (found === undefined ? find() : found) },
  };
}
