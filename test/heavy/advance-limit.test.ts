import { expect, test } from 'vitest';
import { insertTasks } from '../../src/storage/tasks.ts';
import { startedDelivery } from '../service/delivery-runs.ts';
import { start as startedAt, startFixture } from '../service/fixture.ts';
import { receiving } from '../service/webhooks/endpoint-fixture.ts';
import { insertEndpoint } from '../service/webhooks/received-events.ts';

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

/** Advances ten minutes with twenty endpoints; the time that it took, and how far the clock came. */
async function advanceWith(urlOf: (receiver: string, index: number) => string) {
  const { fixture, receiver, client } = await receiving();
  for (let index = 0; index < 20; index += 1) await insertEndpoint(fixture, urlOf(receiver.url, index));
  for (let count = 0; count < 3; count += 1) await startedDelivery(client, 'happy_path');
  const { data: before } = await client.clock.get();
  const began_at = performance.now();
  const { data: after } = await client.clock.advance({ body: { by: 600 } });
  const passed_ms = Date.parse(after.now) - Date.parse(before.now);
  return { ms: performance.now() - began_at, minutes: Math.floor(passed_ms / 60_000), more: after.more };
}

test('an advance of ten minutes passes endpoints whose hosts do not exist, in ten times the time at most', async () => {
  const answering = await advanceWith((url, index) => `${url}/${index}`);
  const gone = await advanceWith((_, index) => `https://shop-${index}.invalid/hooks`);
  const refusing = await advanceWith((_, index) => `http://127.0.0.1:1/${index}`);
  for (const each of [answering, gone, refusing]) expect(each).toMatchObject({ minutes: 10, more: false });
  console.log('ratios', gone.ms / answering.ms, refusing.ms / answering.ms);
  expect(gone.ms / answering.ms).toBeLessThan(10);
  expect(refusing.ms / answering.ms).toBeLessThan(10);
});
