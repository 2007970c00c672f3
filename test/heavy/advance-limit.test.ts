import { expect, test } from 'vitest';
import { insertTasks } from '../../src/storage/tasks.ts';
import { start as startedAt, startFixture } from '../service/fixture.ts';

test('an advance stops at its 10,000th step, and another call continues', async () => {
  const fixture = await startFixture();
  const tasks = Array.from({ length: 10_003 }, (_, index) => ({
    ...{ id: `tsk_${index}`, account_id: 'acct_1', test_mode: 1 as const, kind: 'report.take' },
    ...{ subject: 'dlv_gone', payload: '{}' },
    due_at: startedAt + index,
  }));
  await fixture.storage.run((db) => insertTasks(db, tasks));
  const advanced = async () => (await fixture.client().clock.advance({ body: { by: 60 } })).data;
  const at = (ms: number) => new Date(startedAt + ms).toISOString();
  expect(await advanced()).toMatchObject({ steps: 10_000, more: true, now: at(9_999) });
  expect(await advanced()).toMatchObject({ steps: 3, more: false, now: at(69_999) });
});
