import { ProviderFault } from '../providers/port.ts';
import type { ServiceContext } from './context.ts';

/** So long a provider may take for one call before it counts as silent; below the lease of a task. */
const patience_ms = 5_000;

/** A provider's answer; rejects where none comes in time. What it does after that is unknown, as with any lost answer. */
export async function answered<T>({ timers }: ServiceContext, call: Promise<T>): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const takeBack = timers.after(patience_ms, () =>
    reject(new ProviderFault('the provider did not answer in time')),
  );
  try {
    return await Promise.race([call, silence]);
  } finally {
    takeBack();
  }
}
