import { countDueWork } from '../../storage/due-work.ts';
import type { ServiceContext } from '../runtime/context.ts';
import type { Backlog } from './measured.ts';

export async function measureBacklog({ storage, test_mode, clock }: ServiceContext): Promise<Backlog> {
  const now = clock.now();
  const found = await storage.read((db) => countDueWork(db, { test_mode, now }));
  const age = (due_at: number | null) => (due_at === null ? 0 : Math.max(0, now - due_at) / 1_000);
  return {
    mode: test_mode === 1 ? 'test' : 'live',
    tasks_due: found.tasks.count,
    tasks_oldest_seconds: age(found.tasks.oldest_due_at),
    webhooks_due: found.webhooks.count,
    webhooks_oldest_seconds: age(found.webhooks.oldest_due_at),
    failed: found.failed,
  };
}
