import type { ServiceContext } from './context.ts';

/**
 * What comes before a request is answered: a look at what other processes did to the clock, the rest of an advance
 * that was cut off, and where no loop runs what became due since the last request. All that an ordinary look-up
 * pays for it is one statement.
 */
export async function catchUp(service: ServiceContext): Promise<void> {
  const { clock, turns, tick } = service;
  if (!service.sandbox) return;
  const due_at = await clock.refresh();
  const { advance } = clock.state();
  // Of an advance that goes on in this process, others may see how far it has come.
  if (advance !== null && advance.request === turns.current()) return;
  const isDue = advance !== null || (due_at !== null && due_at <= clock.now());
  if (service.catchUp !== undefined && isDue) await service.catchUp(tick);
  else if (advance !== null) await tick();
}
