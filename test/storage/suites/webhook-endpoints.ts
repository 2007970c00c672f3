import { expect, test } from 'vitest';
import { insertEvent } from '../../../src/storage/events.ts';
import {
  type AttemptQuery,
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  listAttempts,
  listWebhookEndpoints,
  messageCounts,
  subscribedEndpoints,
  updateWebhookEndpoint,
  webhookUrls,
} from '../../../src/storage/webhook-endpoints.ts';
import { enqueueEvent, updateMessage } from '../../../src/storage/webhook-messages.ts';
import { noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshDatabase, FreshStorage } from '../suite.ts';
import { attempt, attemptRow, endpoint, messages, numberedEvent, writeAndQueue } from '../webhook-records.ts';

/** Two endpoints; the first has two attempts for one event, and one for another. */
async function tried(fresh: FreshStorage): Promise<FreshDatabase> {
  const storage = await fresh();
  const { db } = storage;
  await insertWebhookEndpoint(db, endpoint(1));
  await insertWebhookEndpoint(db, endpoint(2));
  await insertEvent(db, numberedEvent(1));
  const tested = { type: 'webhook.test', delivery_id: null, sequence: null } as const;
  await insertEvent(db, numberedEvent(2, tested));
  const done = { status: 'succeeded', reason: '', response: '', next_attempt_at: null } as const;
  await attemptRow(
    db,
    attempt(1),
    attempt(2, { event_id: 'evt_2', status_code: null, next_attempt_at: null }),
    attempt(3, { ...done, status_code: 204, created_at: noon + 5 }),
    attempt(4, { endpoint_id: endpoint(2).id, next_attempt_at: null }),
  );
  return storage;
}

export function webhookEndpointsSuite(fresh: FreshStorage): void {
  test('webhook endpoints are found, counted and listed within their account and mode, newest first', async () => {
    const { db } = await fresh();
    const disabled = endpoint(5, { status: 'disabled', disabled_reason: 'gone', disabled_at: noon + 1 });
    for (const row of [
      endpoint(1),
      endpoint(2),
      endpoint(3, otherMode),
      endpoint(4, otherAccount),
      disabled,
    ]) {
      await insertWebhookEndpoint(db, row);
    }
    expect(await findWebhookEndpoint(db, scope, endpoint(1).id)).toEqual(endpoint(1));
    for (const stranger of [otherMode, otherAccount]) {
      expect(await findWebhookEndpoint(db, stranger, endpoint(1).id)).toBeUndefined();
      expect(await webhookUrls(db, stranger)).toHaveLength(1);
    }
    expect(await webhookUrls(db, scope)).toHaveLength(3);
    const first = await listWebhookEndpoints(db, { ...scope, limit: 2 });
    expect(first).toEqual({ rows: [disabled, endpoint(2)], has_more: true });
    const after = { ...scope, limit: 2, after_id: endpoint(2).id };
    expect(await listWebhookEndpoints(db, after)).toEqual({ rows: [endpoint(1)], has_more: false });
    const page = await listWebhookEndpoints(db, { ...scope, limit: 2, status: 'disabled' });
    expect(page).toEqual({ rows: [disabled], has_more: false });
  });

  test('what is on its way to endpoints is counted for all of them at once', async () => {
    const { db } = await fresh();
    for (const number of [1, 2, 3]) await insertWebhookEndpoint(db, endpoint(number));
    await insertWebhookEndpoint(db, endpoint(4, { events: '["batch.completed"]' }));
    await writeAndQueue(db, [numberedEvent(1), numberedEvent(2)]);
    const [first] = await messages(db, endpoint(2).id);
    await updateMessage(db, first?.sequence ?? 0, { status: 'exhausted', due_at: null });
    const counts = await messageCounts(db, [endpoint(1).id, endpoint(2).id, endpoint(4).id]);
    expect(Object.fromEntries(counts)).toEqual({
      [endpoint(1).id]: { pending: 2, exhausted: 0 },
      [endpoint(2).id]: { pending: 1, exhausted: 1 },
    });
    expect(await messageCounts(db, [])).toEqual(new Map());
  });

  test('a webhook endpoint changes; it goes with what waits for it and its attempts, and nothing else does', async () => {
    const { db } = await fresh();
    for (const number of [1, 2]) await insertWebhookEndpoint(db, endpoint(number));
    await updateWebhookEndpoint(db, endpoint(1).id, { description: '', updated_at: noon + 5 });
    const changed = endpoint(1, { description: '', updated_at: noon + 5 });
    expect(await findWebhookEndpoint(db, scope, endpoint(1).id)).toEqual(changed);
    expect(await findWebhookEndpoint(db, scope, endpoint(2).id)).toEqual(endpoint(2));
    await writeAndQueue(db, [numberedEvent(1)]);
    await attemptRow(db, attempt(1), attempt(2, { endpoint_id: endpoint(2).id }));
    await deleteWebhookEndpoint(db, endpoint(1).id);
    expect(await findWebhookEndpoint(db, scope, endpoint(1).id)).toBeUndefined();
    const left = await db.selectFrom('webhook_attempts').select('id').execute();
    expect(left).toEqual([{ id: 'att_2' }]);
    expect(await messages(db, endpoint(1).id)).toEqual([]);
    expect(await messages(db, endpoint(2).id)).toHaveLength(1);
  });

  test('who asks for a type: the enabled ones with a word for it, and no other account or mode', async () => {
    const { db } = await fresh();
    const rows = [
      endpoint(1),
      endpoint(2, { events: '["order.failed","delivery.updated"]' }),
      endpoint(3, { events: '["delivery.created"]' }),
      endpoint(4, { status: 'disabled' }),
      endpoint(5, otherMode),
      endpoint(6, otherAccount),
    ];
    for (const row of rows) await insertWebhookEndpoint(db, row);
    const asking = async (...asked: string[]) =>
      (await subscribedEndpoints(db, scope, asked)).map(({ secret }) => secret);
    expect(await asking('delivery.updated', '*')).toEqual(['whsec_1', 'whsec_2']);
    expect(await asking('delivery.updated')).toEqual(['whsec_2']);
    expect(await asking('updated')).toEqual([]);
  });

  test('an endpoint is disabled once, and not where it has another URL by now', async () => {
    const { db } = await fresh();
    await insertWebhookEndpoint(db, endpoint(1));
    await disableWebhookEndpoint(db, endpoint(1, { url: 'https://old.example' }), {
      reason: 'a',
      now: noon + 1,
    });
    expect(await findWebhookEndpoint(db, scope, endpoint(1).id)).toEqual(endpoint(1));
    for (const reason of ['b', 'c']) {
      await disableWebhookEndpoint(db, endpoint(1), { reason, now: noon + 2 });
      expect(await findWebhookEndpoint(db, scope, endpoint(1).id)).toMatchObject({
        status: 'disabled',
        disabled_reason: 'b',
        disabled_at: noon + 2,
        updated_at: noon + 2,
      });
    }
  });

  test('an endpoint that is deleted while events are put on their way to it is in the way of nobody', async () => {
    const storage = await fresh();
    const other = await storage.another();
    for (let number = 1; number <= 20; number += 1) {
      await insertWebhookEndpoint(storage.db, endpoint(number));
      const event = numberedEvent(number);
      const results = await Promise.allSettled([
        other.transaction(async (db) => {
          await insertEvent(db, event);
          await enqueueEvent(db, event, { asked: ['*'], kept_ms: 0 });
        }),
        storage.transaction((db) => deleteWebhookEndpoint(db, endpoint(number).id)),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    }
    expect(await storage.db.selectFrom('webhook_messages').select('sequence').execute()).toEqual([]);
    expect(await storage.db.selectFrom('events').select('id').execute()).toHaveLength(20);
  });

  test('the attempts at an endpoint, the last first, with the events that they were about', async () => {
    const { db } = await tried(fresh);
    const { rows, has_more } = await listAttempts(db, { endpoint_id: endpoint(1).id, limit: 9 });
    expect(has_more).toBe(false);
    expect(rows.map(({ id }) => id)).toEqual(['att_3', 'att_2', 'att_1']);
    const { sequence: _, ...last } = rows[2] ?? { sequence: 0 };
    const event = { event_type: 'delivery.updated', delivery_id: 'dlv_1', event_sequence: 1 };
    // The event outlives its delivery.
    expect(last).toEqual({ ...attempt(1), ...event, external_order_ref: null, followed_at: noon + 5_000 });
    expect(rows[1]).toMatchObject({
      ...{ event_type: 'webhook.test', delivery_id: null, event_sequence: null },
      ...{ status_code: null, followed_at: null },
    });
  });

  test('a page of attempts, and those of a status, of an event, and those that no other follows', async () => {
    const { db } = await tried(fresh);
    const listed = async (query: Partial<AttemptQuery>) => {
      const page = await listAttempts(db, { endpoint_id: endpoint(1).id, limit: 2, ...query });
      return [...page.rows.map(({ id }) => id), ...(page.has_more ? ['more'] : [])];
    };
    expect(await listed({})).toEqual(['att_3', 'att_2', 'more']);
    expect(await listed({ after_id: 'att_2' })).toEqual(['att_1']);
    expect(await listed({ after_id: 'att_none' })).toEqual([]);
    expect(await listed({ status: 'failed' })).toEqual(['att_2', 'att_1']);
    expect(await listed({ status: 'succeeded' })).toEqual(['att_3']);
    expect(await listed({ event_id: 'evt_1' })).toEqual(['att_3', 'att_1']);
    expect(await listed({ isLast: true })).toEqual(['att_3', 'att_2']);
    expect(await listed({ isLast: true, status: 'failed' })).toEqual([]);
    expect(await listed({ endpoint_id: endpoint(2).id, isLast: true, status: 'failed' })).toEqual(['att_4']);
    expect(await listed({ endpoint_id: endpoint(2).id })).toEqual(['att_4']);
  });

  test('an attempt is followed by one that is to come, and by none once the event is given up', async () => {
    const { db } = await fresh();
    await insertWebhookEndpoint(db, endpoint(1));
    await writeAndQueue(db, [numberedEvent(1)]);
    await attemptRow(db, attempt(1));
    const query = { endpoint_id: endpoint(1).id, limit: 9 };
    const followed = async () => {
      const { rows } = await listAttempts(db, query);
      const last = await listAttempts(db, { ...query, isLast: true });
      return [rows[0]?.followed_at, last.rows.length];
    };
    expect(await followed()).toEqual([noon + 5_000, 0]);
    const [message] = await messages(db);
    await updateMessage(db, message?.sequence ?? 0, { status: 'exhausted', due_at: null });
    expect(await followed()).toEqual([null, 1]);
  });
}
