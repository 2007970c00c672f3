import type { ServiceConfig } from './context.ts';

/** So long others wait at most for work that has many steps. */
const breath_ms = 10;

/**
 * For work of many steps, to be called between two of them: now and then it lets others come in between. On a
 * database in the same process a step never waits for anything, so that without it nothing else would ever run.
 */
export function breathing({
  timers,
  monotonic,
}: Pick<ServiceConfig, 'timers' | 'monotonic'>): () => Promise<void> {
  let last = monotonic.now();
  return async () => {
    if (monotonic.now() - last < breath_ms) return;
    await timers.turn();
    last = monotonic.now();
  };
}
