import { expect, test } from 'vitest';
import { insertEvent } from '../../../src/storage/events.ts';
import { type AttemptQuery, listAttempts } from '../../../src/storage/webhook-attempts.ts';
import { insertWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import { updateMessage } from '../../../src/storage/webhook-messages.ts';
import { noon } from '../records.ts';
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

export function webhookAttemptsSuite(fresh: FreshStorage): void {
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
