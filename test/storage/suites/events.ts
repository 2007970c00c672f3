import { expect, test } from 'vitest';
import { eventsAfter, insertEvent, latestPosition, type NewEvent } from '../../../src/storage/events.ts';
import { noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

function event(number: number, change: Partial<NewEvent> = {}): NewEvent {
  return {
    ...scope,
    id: `evt_${number}`,
    type: 'delivery.updated',
    delivery_id: 'dlv_1',
    batch_id: null,
    sequence: number,
    data: '{"dropoff_name":"Zoë"}',
    created_at: noon,
    ...change,
  };
}

export function eventsSuite(fresh: FreshStorage): void {
  test('the log goes up by position, and is read within an account and mode from a position on', async () => {
    const { db } = await fresh();
    expect(await latestPosition(db)).toBe(0);
    expect(await eventsAfter(db, scope, 0)).toEqual([]);
    const quotes = event(1, { type: 'route_quotes.completed', delivery_id: null, sequence: null });
    await insertEvent(db, event(2));
    const between = await latestPosition(db);
    for (const row of [quotes, event(4, otherMode), event(5, otherAccount), event(3)]) {
      await insertEvent(db, row);
    }
    const all = await eventsAfter(db, scope, 0);
    expect(all.map(({ position: _, ...row }) => row)).toEqual([event(2), quotes, event(3)]);
    expect(await eventsAfter(db, scope, between)).toEqual(all.slice(1));
    expect(all.at(-1)?.position).toBe(await latestPosition(db));
    expect(between).toBe(all[0]?.position);
    expect(await eventsAfter(db, otherMode, between)).toEqual([expect.objectContaining(event(4, otherMode))]);
  });

  test('an event that is there already is refused', async () => {
    const { db } = await fresh();
    await insertEvent(db, event(1));
    await expect(insertEvent(db, event(1, { delivery_id: 'dlv_2' }))).rejects.toThrow(/unique/i);
  });

  test('what a transaction gives up leaves no event', async () => {
    const { db, transaction } = await fresh();
    const failing = transaction(async (inside) => {
      await insertEvent(inside, event(1));
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await eventsAfter(db, scope, 0)).toEqual([]);
  });
}
