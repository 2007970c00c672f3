import { expect, test } from 'vitest';
import { insertEvent } from '../../../src/storage/events.ts';
import {
  countWebhookEndpoints,
  deleteWebhookEndpoint,
  disableWebhookEndpoint,
  findWebhookEndpoint,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  messageCounts,
  subscribedEndpoints,
  updateWebhookEndpoint,
} from '../../../src/storage/webhook-endpoints.ts';
import { enqueueEvent, updateMessage } from '../../../src/storage/webhook-messages.ts';
import { noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import { attempt, attemptRow, endpoint, messages, numberedEvent, writeAndQueue } from '../webhook-records.ts';

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
      expect(await countWebhookEndpoints(db, stranger)).toBe(1);
    }
    expect(await countWebhookEndpoints(db, scope)).toBe(3);
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
}
