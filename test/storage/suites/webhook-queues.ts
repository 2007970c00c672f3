import { expect, test } from 'vitest';
import { insertWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import {
  claimMessage,
  deleteMessages,
  findEventMessages,
  giveUpOldMessages,
  insertResent,
  nameResentQueue,
  promoteNext,
  requeueMessage,
  resumeQueues,
  retryQueueNow,
  updateMessage,
} from '../../../src/storage/webhook-messages.ts';
import { noon, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import {
  attempt,
  attemptRow,
  endpoint,
  messages,
  numberedEvent,
  waitingMessages,
  writeAndQueue,
} from '../webhook-records.ts';

/** Two endpoints with their messages: the second and third event of one delivery, the first of another. */
async function waiting(fresh: FreshStorage) {
  const storage = await fresh();
  for (const number of [1, 2]) await insertWebhookEndpoint(storage.db, endpoint(number));
  await writeAndQueue(storage.db, [
    numberedEvent(1),
    numberedEvent(2),
    numberedEvent(3, { delivery_id: 'dlv_2' }),
  ]);
  return storage;
}

const queue = 'dlv_1 resent';
const resent = { ...scope, endpoint_id: endpoint(1).id, event_id: 'evt_1', queue, created_at: noon + 50 };

export function webhookQueuesSuite(fresh: FreshStorage): void {
  test('a resent delivered event has a queue of its own, and its attempts are counted on', async () => {
    const { db } = await waiting(fresh);
    const [first] = await messages(db);
    await deleteMessages(db, [first?.sequence ?? 0]);
    await attemptRow(db, attempt(1), attempt(2), attempt(3, { endpoint_id: endpoint(2).id }));
    await insertResent(db, resent);
    const [message] = (await findEventMessages(db, 'evt_1')).filter((each) => each.queue === queue);
    expect(message).toMatchObject({ ...resent, attempts: 0, sends: 2, due_at: noon + 50 });
    expect(await waitingMessages(db)).toEqual([
      ['evt_2', 'pending', 'dlv_1', null],
      ['evt_3', 'pending', 'dlv_2', 3],
      ['evt_1', 'pending', queue, 50],
    ]);
    expect(await findEventMessages(db, 'evt_1')).toHaveLength(2);
    expect(await findEventMessages(db, 'evt_none')).toEqual([]);
    await expect(insertResent(db, resent)).rejects.toThrow(/unique/i);
  });

  test('an abandoned event can be queued again without delaying other events of its delivery', async () => {
    const { db } = await waiting(fresh);
    const [first, second] = await messages(db);
    if (first === undefined || second === undefined) throw new Error('nothing waits');
    await updateMessage(db, first.sequence, { status: 'exhausted', due_at: null, attempts: 10, sends: 10 });
    const given = { ...first, sends: 10 };
    await requeueMessage(db, given, { queue, now: noon + 60 });
    expect((await messages(db)).at(-1)).toMatchObject({
      ...{ status: 'pending', queue, attempts: 0, sends: 10 },
      ...{ due_at: noon + 60, created_at: noon + 60 },
    });
    expect((await messages(db))[0]).toEqual(second);
  });

  test('resent events of one delivery have one queue, in the order of the requests', async () => {
    const { db } = await waiting(fresh);
    const [first, second] = await messages(db);
    if (first === undefined || second === undefined) throw new Error('nothing waits');
    await updateMessage(db, second.sequence, { status: 'exhausted', due_at: null });
    await deleteMessages(db, [first.sequence]);
    expect([numberedEvent(1), numberedEvent(4, { sequence: null })].map(nameResentQueue)).toEqual([
      queue,
      'evt_4',
    ]);
    await insertResent(db, resent);
    await requeueMessage(db, second, { queue, now: noon + 60 });
    await insertResent(db, { ...resent, event_id: 'evt_5', created_at: noon + 70 });
    const [, head] = await messages(db);
    expect(await waitingMessages(db)).toEqual([
      ['evt_3', 'pending', 'dlv_2', 3],
      ['evt_1', 'pending', queue, 50],
      ['evt_2', 'pending', queue, null],
      ['evt_5', 'pending', queue, null],
    ]);
    // The first waits for a retry: a resend after it makes it due.
    await updateMessage(db, head?.sequence ?? 0, { due_at: noon + 9_000, attempts: 3 });
    await insertResent(db, { ...resent, event_id: 'evt_6', created_at: noon + 80 });
    expect((await messages(db))[1]).toMatchObject({ event_id: 'evt_1', due_at: noon + 80, attempts: 0 });
    await deleteMessages(db, [head?.sequence ?? 0]);
    await promoteNext(db, [queue], noon + 90);
    expect((await waitingMessages(db))[1]).toEqual(['evt_2', 'pending', queue, 90]);
  });

  test('a queue that waits for its next attempt is made due at once, and no other is', async () => {
    const { db } = await waiting(fresh);
    const all = [...(await messages(db)), ...(await messages(db, endpoint(2).id))];
    for (const { sequence, due_at } of all) {
      if (due_at !== null) await updateMessage(db, sequence, { due_at: noon + 9_000, attempts: 4 });
    }
    const behind = { queue: 'dlv_1', endpoint_id: endpoint(1).id };
    await retryQueueNow(db, behind, noon + 70);
    const expected = [
      ['evt_1', 'pending', 'dlv_1', 70],
      ['evt_2', 'pending', 'dlv_1', null],
      ['evt_3', 'pending', 'dlv_2', 9_000],
    ];
    expect(await waitingMessages(db)).toEqual(expected);
    expect((await messages(db))[0]).toMatchObject({ attempts: 0, created_at: noon + 70 });
    expect((await waitingMessages(db, endpoint(2).id))[0]).toEqual(['evt_1', 'pending', 'dlv_1', 9_000]);
    // The result of a running attempt is ignored: it is sent again.
    const [before] = await messages(db);
    await retryQueueNow(db, behind, noon + 70);
    expect((await messages(db))[0]?.claim).toBe((before?.claim ?? 0) + 1);
  });

  test('a message that waits for too long is given up, even if it is claimed, and the next one follows', async () => {
    const { db } = await waiting(fresh);
    const [first] = await messages(db);
    if (first === undefined) throw new Error('nothing waits');
    await claimMessage(db, first, noon + 30_000);
    await giveUpOldMessages(db, endpoint(1).id, noon + 2);
    expect((await messages(db))[0]).toMatchObject({ status: 'exhausted', due_at: null, claimed_until: null });
    expect((await messages(db))[0]?.claim).toBeGreaterThan(first.claim + 1);
    await resumeQueues(db, endpoint(1).id, noon + 90);
    expect(await waitingMessages(db)).toEqual([
      ['evt_1', 'exhausted', 'dlv_1', null],
      ['evt_2', 'pending', 'dlv_1', 90],
      ['evt_3', 'pending', 'dlv_2', 90],
    ]);
    expect((await waitingMessages(db, endpoint(2).id))[0]).toEqual(['evt_1', 'pending', 'dlv_1', 1]);
  });

  test('messages given up without a failed last attempt are returned, once', async () => {
    const { db } = await waiting(fresh);
    const done = { status: 'succeeded', status_code: 200, reason: '', response: '' } as const;
    const third = { event_id: 'evt_3' };
    await attemptRow(db, attempt(1), attempt(2, third), attempt(3, { ...done, ...third }));
    await attemptRow(db, attempt(4, { event_id: 'evt_2', endpoint_id: endpoint(2).id }));
    expect(await giveUpOldMessages(db, endpoint(1).id, noon)).toEqual([]);
    const [, , last] = await messages(db);
    await updateMessage(db, last?.sequence ?? 0, { sends: 2 });
    const told = [
      { event_id: 'evt_2', sends: 0 },
      { event_id: 'evt_3', sends: 2 },
    ];
    expect(await giveUpOldMessages(db, endpoint(1).id, noon + 9)).toEqual(told);
    expect(await giveUpOldMessages(db, endpoint(1).id, noon + 9)).toEqual([]);
  });

  test('resumed queues keep their order, and each is due at once', async () => {
    const { db } = await waiting(fresh);
    const [, , third] = await messages(db);
    await updateMessage(db, third?.sequence ?? 0, { due_at: noon + 500 });
    await resumeQueues(db, endpoint(1).id, noon + 90);
    expect(await waitingMessages(db)).toEqual([
      ['evt_1', 'pending', 'dlv_1', 90],
      ['evt_2', 'pending', 'dlv_1', null],
      ['evt_3', 'pending', 'dlv_2', 90],
    ]);
  });
}
