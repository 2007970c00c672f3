import type { ServiceContext } from './context.ts';
import { patiently } from './ownership.ts';

/** So long a request waits at most for work that became due while nobody was there; the rest is left to the next. */
const patience_ms = 1_000;

/**
 * What comes before a request is answered: a look at what other processes did to the clock, the rest of an advance
 * that was cut off, and where no loop runs what became due since the last request. All that an ordinary look-up
 * pays for it is one statement.
 */
export async function catchUp(service: ServiceContext): Promise<void> {
  if (!service.sandbox || !(await isBehind(service)) || service.idle) return;
  const isDone = async () => (await service.tick(patience_ms)) !== null;
  if (service.isLooping()) await isDone();
  // Where another process is at it, it is waited for a little.
  else await patiently(service, async () => (await isDone()) || !(await isBehind(service)));
}

/** A look at what other processes did to the clock, and no more. */
export async function lookAround({ sandbox, clock }: ServiceContext): Promise<void> {
  if (sandbox) await clock.refresh();
}

async function isBehind({ clock, turns, ownership, isLooping }: ServiceContext): Promise<boolean> {
  const due_at = await clock.refresh();
  const { advance } = clock.state();
  // Of an advance that goes on in this process, others may see how far it has come.
  if (advance !== null) return advance.request !== turns.current();
  if (ownership === undefined || isLooping()) return false;
  return due_at !== null && due_at <= clock.now();
}
