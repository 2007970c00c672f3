import { expect, test } from 'vitest';
import {
  type EventQuery,
  eventsBetween,
  firstSince,
  insertEvent,
  listEvents,
  positionBefore,
} from '../../src/storage/events.ts';
import { planning } from './planning.ts';
import { insertAccounts, noon, scope as ours } from './records.ts';
import { numberedEvent } from './webhook-records.ts';

const scope = { account_id: 'acct_1', test_mode: 1, limit: 20 } as const;
const followed = {
  ...scope,
  position: 1,
  until: 1_000_000,
  types: ['order.failed', 'delivery.updated'],
} as const;

/** Matches the search of an index, covering or not. */
const found = (index: string) => new RegExp(`USING (COVERING )?INDEX ${index.replace(/[()?]/g, '\\$&')}`);
const within = '(account_id=? AND test_mode=?';

test('events of a delivery and of a batch are found by their indexes, those of an account by order', async () => {
  const { db, plan } = await planning();
  const since = 1_700_000_000_000;
  for (const [narrow, index] of [
    [{}, 'events_newest (account_id=? AND test_mode=?'],
    [{ delivery_id: 'dlv_1', since }, 'events_delivery (delivery_id=?'],
    [{ batch_id: 'bat_1', since }, 'events_batch (batch_id=?'],
  ] as const) {
    await listEvents(db, { ...scope, ...narrow });
    expect(plan()).toMatch(found(index));
    await eventsBetween(db, { ...followed, ...narrow });
    expect(plan()).toMatch(found(index));
  }
});

test('recent events are found by time, and each of several rare types by its own index', async () => {
  const { db, plan } = await planning();
  await listEvents(db, { ...scope, since: noon });
  expect(plan()).toMatch(found(`events_time ${within} AND created_at>?)`));
  expect(plan()).toMatch(found(`events_newest ${within} AND position>?)`));
  const types = ['order.failed', 'order.unfulfilled'] as const;
  await listEvents(db, { ...scope, types });
  expect(plan().match(/SEARCH events USING COVERING INDEX events_type/g)).toHaveLength(types.length);
  await listEvents(db, { ...scope, types: ['delivery.updated'] });
  expect(plan()).toMatch(found(`events_newest ${within})`));
  await eventsBetween(db, { ...followed, types: ['order.failed'] });
  expect(plan()).toMatch(found(`events_type ${within} AND type=? AND position>?`));
  await insertAccounts(db);
  await insertEvent(db, numberedEvent(1));
  await positionBefore(db, ours, noon);
  expect(plan()).toMatch(found(`events_time ${within} AND created_at>?)`));
});

test('however many events there are since, the newest fill the pages', async () => {
  const { db } = await planning();
  await insertAccounts(db);
  const count = 1_002;
  // One per second, except the first, which is later than all of them.
  for (let number = 1; number <= count; number += 1) {
    await insertEvent(
      db,
      numberedEvent(number, { created_at: noon + (number === 1 ? 2_000 : number) * 1_000 }),
    );
  }
  const listed = async (query: Partial<EventQuery>) => {
    const { rows, has_more } = await listEvents(db, { ...ours, limit: 2, ...query });
    return [...rows.map(({ sequence }) => sequence), ...(has_more ? ['more'] : [])];
  };
  const position = async (since: number) =>
    (await firstSince(db, ours, since).executeTakeFirstOrThrow()).position;
  for (const [since_seconds, first, expected] of [
    [2, 0, [1_002, 1_001, 'more']],
    [3, 0, [1_002, 1_001, 'more']],
    [4, 1, [1_002, 1_001, 'more']],
    [1_001, 1, [1_002, 1_001, 'more']],
    [1_002, 1, [1_002, 1]],
    [2_000, 1, [1]],
    [2_001, null, []],
  ] as const) {
    const since = noon + since_seconds * 1_000;
    expect(await position(since)).toBe(first);
    expect(await listed({ since })).toEqual(expected);
    expect(await listed({ since, types: ['order.failed', 'delivery.updated'] })).toEqual(expected);
  }
  expect(await listed({ since: noon + 2_000, after_id: 'evt_3' })).toEqual([2, 1]);
});
