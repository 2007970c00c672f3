import { expect, test } from 'vitest';
import { createHeartbeat } from '../../../src/service/runtime/background-state.ts';
import { createServiceClock } from '../../../src/service/runtime/service-clock.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createWakeup } from '../../../src/service/runtime/wakeup.ts';
import { createLoop } from '../../../src/service/tasks/background-loop.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { start as startedAt, startFixture } from '../fixture.ts';

type Mode = 'real' | 'manual' | 'scaled';

/** How long a loop waits until its next poll, with a task due in `due_ms` of service time. */
async function waitOf(body: { mode: Mode; rate?: number }, due_ms: number | null): Promise<number> {
  const { config, client, storage } = await startFixture();
  await client().clock.set({ body });
  const task = { id: 'tsk_1', test_mode: 1 as const, kind: 'report.take', subject: 'dlv_1', payload: '{}' };
  const due = due_ms === null ? [] : [{ ...task, due_at: startedAt + due_ms }];
  await storage.run((db) => insertTasks(db, due));
  const waits = Promise.withResolvers<number>();
  const timers = {
    ...realTimers,
    after: (delay_ms: number) => {
      waits.resolve(delay_ms);
      return () => {};
    },
  };
  const clock = createServiceClock({ ...config, test_mode: 1, seen: () => {} });
  const loop = createLoop({
    ...config,
    clock,
    wakeup: createWakeup(timers),
    work: async () => {},
    name: 'tasks',
    heartbeat: createHeartbeat(config.monotonic),
  });
  loop.start();
  const wait_ms = await waits.promise;
  await loop.stop();
  return wait_ms;
}

test.each([
  ['real', { mode: 'real' }, 200, 200],
  ['real, far ahead', { mode: 'real' }, 60_000, 500],
  ['real, with nothing due', { mode: 'real' }, null, 500],
  ['scaled', { mode: 'scaled' }, 6_000, 100],
  ['scaled to a day a second', { mode: 'scaled', rate: 86_400 }, 60_000, 60_000 / 86_400],
  ['scaled down', { mode: 'scaled', rate: 0.5 }, 100, 200],
  ['manual', { mode: 'manual' }, 100, 500],
  ['manual, with what another worker has in hand', { mode: 'manual' }, 0, 500],
] as const)(
  'on a %s clock the loop polls again when something is due, or soon',
  async (_mode, body, due, wait) => {
    expect(await waitOf(body, due)).toBe(wait);
  },
);
