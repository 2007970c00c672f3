import { StorageUnavailable } from '../../storage/storage.ts';
import { countDueWork } from '../../storage/tasks.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { atMost } from '../runtime/time.ts';
import type { Backlog, Measured } from './measured.ts';

/** The time limit of the database for a scrape, which itself has ten seconds by default. */
const limit_ms = 4_000;

/** The state of the service; its storage knows the figures that need no database. */
export async function measureService(
  modes: readonly [ServiceContext, ...ServiceContext[]],
  failed_writes: Measured['failed_writes'],
): Promise<Measured> {
  const [{ streams, circuits, skew_ms, storage }] = modes;
  return {
    backlogs: await measureBacklogs(modes),
    open_streams: streams.count(),
    circuits: circuits.states(),
    skew_ms: skew_ms(),
    storage: storage.statistics(),
    failed_writes,
  };
}

/** The backlog of each mode; null if the database does not answer in time. */
async function measureBacklogs(
  modes: readonly [ServiceContext, ...ServiceContext[]],
): Promise<Backlog[] | null> {
  const measured = Promise.all(modes.map(measureBacklog)).catch((fault: unknown) => {
    if (fault instanceof StorageUnavailable) return null;
    throw fault;
  });
  return atMost(modes[0].timers, limit_ms, measured, () => null);
}

async function measureBacklog({ storage, test_mode, clock }: ServiceContext): Promise<Backlog> {
  const now = clock.now();
  const found = await storage.read((db) => countDueWork(db, { test_mode, now }));
  const age = (since: number | null) => (since === null ? 0 : Math.max(0, now - since) / 1_000);
  return {
    mode: test_mode === 1 ? 'test' : 'live',
    tasks_due: found.tasks.count,
    tasks_oldest_seconds: age(found.tasks.oldest_at),
    webhooks_pending: found.webhooks.count,
    webhooks_oldest_seconds: age(found.webhooks.oldest_at),
    failed: found.failed,
  };
}
