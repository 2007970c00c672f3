import { expect, test } from 'vitest';
import {
  type EventQuery,
  eventsAfter,
  insertEvent,
  latestPosition,
  listEvents,
  type NewEvent,
} from '../../../src/storage/events.ts';
import { noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import { numberedEvent } from '../webhook-records.ts';

function event(number: number, change: Partial<NewEvent> = {}): NewEvent {
  return numberedEvent(number, { data: '{"dropoff_name":"Zoë"}', created_at: noon, ...change });
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

  test('a list by types and time, a page at a time, is in the order of writing, whatever the times', async () => {
    const { db } = await fresh();
    const failed = { type: 'order.failed', delivery_id: null, sequence: null } as const;
    const minutes: [number, Partial<NewEvent>][] = [
      [3, {}],
      [1, failed],
      [2, {}],
      [4, otherMode],
      [5, { type: 'order.canceled' }],
      [1, {}],
      [3, failed],
      [9, otherAccount],
    ];
    for (const [place, [minute, change]] of minutes.entries()) {
      await insertEvent(db, event(place + 1, { created_at: noon + minute * 60_000, ...change }));
    }
    const listed = async (query: Partial<EventQuery>) => {
      const { rows, has_more } = await listEvents(db, { ...scope, limit: 9, ...query });
      return [...rows.map(({ id }) => Number(id.slice('evt_'.length))), ...(has_more ? ['more'] : [])];
    };
    const types = ['order.failed', 'delivery.updated'] as const;
    const since = noon + 2 * 60_000;
    expect(await listed({})).toEqual([7, 6, 5, 3, 2, 1]);
    expect(await listed({ types })).toEqual([7, 6, 3, 2, 1]);
    expect(await listed({ types: [...types, ...types], limit: 2 })).toEqual([7, 6, 'more']);
    expect(await listed({ types, limit: 2, after_id: 'evt_6' })).toEqual([3, 2, 'more']);
    expect(await listed({ types: [] })).toEqual([]);
    expect(await listed({ left_out: types })).toEqual([5]);
    expect(await listed({ since })).toEqual([7, 5, 3, 1]);
    expect(await listed({ since, types, after_id: 'evt_7', limit: 1 })).toEqual([3, 'more']);
    expect(await listed({ since: since + 1, types: ['delivery.updated'] })).toEqual([1]);
    expect(await listed({ since: noon + 6 * 60_000 })).toEqual([]);
    expect(await listed({ since, types, delivery_id: 'dlv_1' })).toEqual([3, 1]);
    expect(await listed({ types, left_out: types, delivery_id: 'dlv_1' })).toEqual([6, 3, 1]);
    expect(await listed({ types: ['delivery.updated'], left_out: types })).toEqual([6, 3, 1]);
  });

  test('an event that is there already is refused', async () => {
    const { db } = await fresh();
    await insertEvent(db, event(1));
    await expect(insertEvent(db, event(1, { delivery_id: 'dlv_2' }))).rejects.toThrow(/unique/i);
  });
}
