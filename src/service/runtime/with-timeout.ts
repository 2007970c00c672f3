import { ProviderFault } from '../../providers/port.ts';
import type { ServiceContext } from './context.ts';
import { createDeadline } from './deadline.ts';

/** So long a provider may take for one call before it counts as silent; below the lease of a task. */
const patience_ms = 5_000;

/** A provider's answer; rejects where none comes in time. What it does after that is unknown, as with any lost answer. */
export async function answered<T>({ timers }: ServiceContext, call: Promise<T>): Promise<T> {
  const silence = () => new ProviderFault('the provider did not answer in time');
  const deadline = createDeadline(timers, patience_ms, silence);
  return Promise.race([call, deadline.reached]).finally(deadline.cancel);
}
