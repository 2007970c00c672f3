import { expect, test } from 'vitest';
import { insertWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import {
  claimMessage,
  deleteMessages,
  dueEndpoints,
  dueMessages,
  lockMessages,
  nextMessageDue,
  promoteNext,
  updateMessage,
} from '../../../src/storage/webhook-messages.ts';
import { noon, otherAccount, otherMode } from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import { endpoint, messages, numberedEvent, waitingMessages, writeAndQueue } from '../webhook-records.ts';

export function webhookMessagesSuite(fresh: FreshStorage): void {
  test('an event is put on its way to who asks for it, within its account and mode', async () => {
    const { db } = await fresh();
    const rows = [
      endpoint(1),
      endpoint(2, { events: '["delivery.updated"]' }),
      endpoint(3, { events: '["delivery.created","delivery.location_updated"]' }),
      endpoint(4, otherMode),
      endpoint(5, otherAccount),
      endpoint(6, { status: 'disabled', disabled_at: noon - 900 }),
      endpoint(7, { status: 'disabled', disabled_at: noon - 1_000 }),
    ];
    for (const row of rows) await insertWebhookEndpoint(db, row);
    await writeAndQueue(db, [numberedEvent(1)], ['delivery.updated', '*']);
    const got = await db.selectFrom('webhook_messages').selectAll().orderBy('sequence').execute();
    expect(got.map(({ endpoint_id }) => endpoint_id)).toEqual([1, 2, 6].map((number) => endpoint(number).id));
    expect(got[0]).toMatchObject({
      ...{ account_id: 'acct_a', test_mode: 1, event_id: 'evt_1', queue: 'dlv_1', status: 'pending' },
      ...{ attempts: 0, sends: 0, due_at: noon + 1, claim: 0, claimed_until: null, created_at: noon + 1 },
    });
  });

  test('of the numbered events of a delivery the first is due; the others follow one by one', async () => {
    const { db } = await fresh();
    await insertWebhookEndpoint(db, endpoint(1));
    const position = numberedEvent(4, { type: 'delivery.location_updated', sequence: null });
    await writeAndQueue(db, [
      numberedEvent(1),
      numberedEvent(2),
      numberedEvent(3, { delivery_id: 'dlv_2' }),
      position,
    ]);
    expect(await waitingMessages(db)).toEqual([
      ['evt_1', 'pending', 'dlv_1', 1],
      ['evt_2', 'pending', 'dlv_1', null],
      ['evt_3', 'pending', 'dlv_2', 3],
      ['evt_4', 'pending', 'evt_4', 4],
    ]);
    await promoteNext(db, ['dlv_1', 'dlv_2', 'dlv_none'], noon + 50);
    const [first, second] = await messages(db);
    expect(second?.due_at).toBeNull();
    await deleteMessages(db, [first?.sequence ?? 0]);
    await promoteNext(db, ['dlv_1', 'dlv_1'], noon + 60);
    expect((await waitingMessages(db))[0]).toEqual(['evt_2', 'pending', 'dlv_1', 60]);
    await updateMessage(db, second?.sequence ?? 0, { status: 'exhausted', due_at: null });
    await writeAndQueue(db, [numberedEvent(5)]);
    expect((await waitingMessages(db)).at(-1)).toEqual(['evt_5', 'pending', 'dlv_1', 5]);
  });

  test('the endpoints and messages that are due, the earliest first; none of a disabled endpoint', async () => {
    const { db } = await fresh();
    const disabled = endpoint(3, { status: 'disabled', disabled_at: noon });
    for (const row of [endpoint(1), endpoint(2), disabled]) await insertWebhookEndpoint(db, row);
    expect([await nextMessageDue(db, 1), await dueEndpoints(db, 1, noon)]).toEqual([null, []]);
    await writeAndQueue(db, [numberedEvent(1), numberedEvent(2, { delivery_id: 'dlv_2' })]);
    const [, later] = await messages(db);
    const [earlier] = await messages(db, endpoint(2).id);
    await updateMessage(db, later?.sequence ?? 0, { due_at: noon + 70 });
    await updateMessage(db, earlier?.sequence ?? 0, { due_at: noon - 10 });
    expect(await nextMessageDue(db, 1)).toBe(noon - 10);
    const due = (await dueEndpoints(db, 1, noon + 1)).map(({ id, due_at }) => [id, due_at]);
    expect(due).toEqual([
      [endpoint(2).id, noon - 10],
      [endpoint(1).id, noon + 1],
    ]);
    expect(await dueEndpoints(db, 1, noon)).toHaveLength(1);
    const read = async (now: number, limit: number) =>
      (await dueMessages(db, { endpoint_id: endpoint(1).id, isRetry: false, now, limit })).map(
        ({ event_id }) => event_id,
      );
    expect(await read(noon + 69, 9)).toEqual(['evt_1']);
    expect(await read(noon + 70, 9)).toEqual(['evt_1', 'evt_2']);
    expect(await read(noon + 70, 1)).toEqual(['evt_1']);
  });

  test('a claim holds until its lease runs out or the outcome is written, and one of two wins it', async () => {
    const storage = await fresh();
    const { db } = storage;
    const other = await storage.another();
    await insertWebhookEndpoint(db, endpoint(1));
    await writeAndQueue(db, [numberedEvent(1)]);
    const [message] = await messages(db);
    if (message === undefined) throw new Error('nothing waits');
    const claims = await Promise.all([
      storage.run((inside) => claimMessage(inside, message, noon + 100)),
      other.run((inside) => claimMessage(inside, message, noon + 100)),
    ]);
    expect(claims.toSorted()).toEqual([1, null]);
    const free = async (wall_now?: number, isRetry = false) =>
      (await dueMessages(db, { endpoint_id: endpoint(1).id, isRetry, now: noon + 9, limit: 9, wall_now }))
        .length;
    expect([await free(noon + 99), await free(noon + 100), await free()]).toEqual([0, 1, 1]);
    const { sequence } = message;
    expect(await lockMessages(db, [sequence, sequence + 1])).toEqual([{ sequence, claim: 1 }]);
    await updateMessage(db, sequence, { attempts: 1, due_at: noon + 8 });
    expect([await free(noon), await free(noon, true)]).toEqual([0, 1]);
    await deleteMessages(db, [sequence]);
    expect([await lockMessages(db, [sequence]), await claimMessage(db, message, noon)]).toEqual([[], null]);
  });
}
