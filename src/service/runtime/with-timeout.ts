import { type Provider, ProviderFault } from '../../providers/port.ts';
import type { ServiceContext } from './context.ts';
import { createDeadline } from './deadline.ts';

/** The usual time limit of one call to a provider; shorter than the time after which a task counts as hung. */
const usual_limit_ms = 5_000;

/**
 * Resolves with a provider's response, or rejects with `ProviderFault` after the timeout. The effect of a call that
 * timed out is unknown, as with any lost response.
 */
export async function withTimeout<T>(
  { timers }: ServiceContext,
  call: Promise<T>,
  { time_limit_ms = usual_limit_ms }: Pick<Provider, 'time_limit_ms'>,
): Promise<T> {
  const timedOut = () => new ProviderFault('the provider did not respond in time');
  const deadline = createDeadline(timers, time_limit_ms, timedOut);
  return Promise.race([call, deadline.reached]).finally(deadline.cancel);
}
