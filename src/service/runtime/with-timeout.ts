import { ProviderFault } from '../../providers/port.ts';
import type { ServiceContext } from './context.ts';
import { createDeadline } from './deadline.ts';

/** The timeout of one call to a provider; shorter than a task's lease. */
const timeout_ms = 5_000;

/**
 * Resolves with a provider's response, or rejects with `ProviderFault` after the timeout. The effect of a call that
 * timed out is unknown, as with any lost response.
 */
export async function withTimeout<T>({ timers }: ServiceContext, call: Promise<T>): Promise<T> {
  const timedOut = () => new ProviderFault('the provider did not respond in time');
  const deadline = createDeadline(timers, timeout_ms, timedOut);
  return Promise.race([call, deadline.reached]).finally(deadline.cancel);
}
