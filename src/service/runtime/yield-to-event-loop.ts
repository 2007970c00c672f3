import type { ServiceConfig } from './context.ts';

/** The longest time that multi-step work blocks the event loop. */
const max_block_ms = 10;

/**
 * Creates a function to call between the steps of long work: it yields to the event loop if it last did so more than
 * 10 ms ago. On a database in this process a step never waits for I/O, so without it nothing else would run.
 */
export function createYielder({
  timers,
  monotonic,
}: Pick<ServiceConfig, 'timers' | 'monotonic'>): () => Promise<void> {
  let last = monotonic.now();
  return async () => {
    if (monotonic.now() - last < max_block_ms) return;
    await timers.turn();
    last = monotonic.now();
  };
}
