import { expect, test } from 'vitest';
import { insertBatch, insertBatchOrders, loadBatch, loadBatchOrder } from '../../../src/storage/batches.ts';
import type { Connection } from '../../../src/storage/database.ts';
import {
  deliveriesOfRoute,
  insertDeliveries,
  insertReport,
  isKnownReport,
  loadDelivery,
  lockDeliveries,
} from '../../../src/storage/deliveries.ts';
import { lockUnassigned } from '../../../src/storage/drivers.ts';
import {
  attemptBeforeLatest,
  attemptsOfOrders,
  insertAttempt,
  latestAttempt,
} from '../../../src/storage/order-attempts.ts';
import { insertOrders, loadOrder, lockOrders } from '../../../src/storage/orders.ts';
import { insertStore, loadStores } from '../../../src/storage/places.ts';
import {
  countAnswers,
  insertDecline,
  insertJob,
  insertQuotes,
  listDeclines,
  listQuotes,
  loadJob,
  loadQuotes,
  lockJobs,
} from '../../../src/storage/quotes.ts';
import { lockReferences } from '../../../src/storage/references.ts';
import {
  findDispatches,
  insertDispatch,
  insertRoute,
  loadRoute,
  lockRoutes,
} from '../../../src/storage/routes.ts';
import {
  batch,
  batchOrder,
  delivery,
  dispatch,
  job,
  noon,
  order,
  orderAttempt,
  quote,
  report,
  route,
  scope,
  store,
} from '../records.ts';
import type { FreshStorage } from '../suite.ts';

interface LookUp {
  read: (db: Connection) => Promise<unknown>;
  /** What a read finds before and after a record is added. */
  finds: [before: unknown, after: unknown];
  add: (db: Connection) => Promise<unknown>;
}

const { delivery_id, provider, provider_report_id } = report(1);
const decline = { job_id: 'job_1', provider: 'haulvan', code: 'far', reason: 'far', created_at: noon };
const [route_1, ord_9] = [{ route_id: 'rte_1' }, order(9)];
const second = delivery(2, route_1);

/** Everything that a transaction looks up more than once. */
const lookUps: Record<string, LookUp> = {
  'the quotes of a round': {
    read: async (db) => (await listQuotes(db, 'job_1')).map(({ id }) => id),
    finds: [['quo_1'], ['quo_1', 'quo_2']],
    add: (db) => insertQuotes(db, [quote('quo_2', { provider: 'haulvan' })]),
  },
  'the declines of a round': {
    read: async (db) => (await listDeclines(db, 'job_1')).map((each) => each.provider),
    finds: [[], ['haulvan']],
    add: (db) => insertDecline(db, decline),
  },
  'the number of answers of a round': {
    read: (db) => countAnswers(db, 'job_1'),
    finds: [1, 2],
    add: (db) => insertDecline(db, decline),
  },
  'the attempts for an order': {
    read: async (db) => (await attemptsOfOrders(db, ['ord_1'])).map(({ number }) => number),
    finds: [[1], [1, 2]],
    add: (db) => insertAttempt(db, orderAttempt(2)),
  },
  'the latest attempt for an order': {
    read: async (db) => (await latestAttempt(db, 'ord_1'))?.number,
    finds: [1, 2],
    add: (db) => insertAttempt(db, orderAttempt(2)),
  },
  'the attempt before the latest': {
    read: async (db) => (await attemptBeforeLatest(db, 'ord_1'))?.number,
    finds: [undefined, 1],
    add: (db) => insertAttempt(db, orderAttempt(2)),
  },
  'the deliveries of a route': {
    read: async (db) => (await deliveriesOfRoute(db, 'rte_1')).map(({ id }) => id),
    finds: [[delivery(1).id], [delivery(1).id, second.id]],
    add: (db) => insertDeliveries(db, [second]),
  },
  'whether a report is known': {
    read: (db) => isKnownReport(db, { delivery_id, provider, provider_report_id }),
    finds: [false, true],
    add: (db) => insertReport(db, report(1)),
  },
  'an order': missing(loadOrder, ord_9.id, (db) => insertOrders(db, [ord_9])),
  'a delivery': missing(loadDelivery, second.id, (db) => insertDeliveries(db, [second])),
  'a route': missing(loadRoute, 'rte_9', (db) => insertRoute(db, route(9, { id: 'rte_9' }))),
  'a round': missing(loadJob, 'job_9', (db) => insertJob(db, job('job_9', { round: 9 }))),
  'a batch': missing(loadBatch, 'bat_9', (db) => insertBatch(db, batch('bat_9'))),
  'an order of a batch': missing(loadBatchOrder, 'ord_9', (db) =>
    insertBatchOrders(db, [batchOrder('ord_9')]),
  ),
  'a quote': missing(first(loadQuotes), 'quo_9', (db) => insertQuotes(db, [quote('quo_9')])),
  'a dispatch': missing(first(findDispatches), 'dsp_9', (db) => insertDispatch(db, dispatch('dsp_9'))),
  'a store': missing(first(loadStores), store(9).id, (db) => insertStore(db, store(9))),
};

type Row = { id: string } | { order_id: string };

function missing(
  load: (db: Connection, id: string) => Promise<Row | undefined>,
  id: string,
  add: LookUp['add'],
): LookUp {
  const read = async (db: Connection) => {
    const row = await load(db, id);
    return row === undefined ? 'none' : 'id' in row ? row.id : row.order_id;
  };
  return { read, finds: ['none', id], add };
}

function first(load: (db: Connection, ids: readonly string[]) => Promise<Row[]>) {
  return async (db: Connection, id: string) => (await load(db, [id]))[0];
}

/** Every lock for which a transaction waits until another one, which has added a record, ends. */
const locks: Record<string, (db: Connection) => Promise<unknown>> = {
  'a round': (db) => lockJobs(db, ['job_1']),
  'an order': (db) => lockOrders(db, [order(1).id]),
  'a route': (db) => lockRoutes(db, ['rte_1']),
  'a delivery': (db) => lockDeliveries(db, [delivery(1).id]),
  'a reference': (db) => lockReferences(db, scope, ['A-1']),
  'the drivers of an account': (db) => lockUnassigned(db, scope, 'fleet'),
};

async function insertFirst(db: Connection): Promise<void> {
  await insertRoute(db, route(1, { id: 'rte_1' }));
  await insertOrders(db, [order(1)]);
  await insertJob(db, job('job_1'));
  await insertQuotes(db, [quote('quo_1')]);
  await insertAttempt(db, orderAttempt(1));
  await insertDeliveries(db, [delivery(1, route_1)]);
}

export function lookUpsSuite(fresh: FreshStorage): void {
  test.each(Object.entries(lookUps))('a transaction that has added one finds %s', async (_, lookUp) => {
    const { db, transaction } = await fresh();
    await insertFirst(db);
    const { read, add, finds } = lookUp;
    await transaction(async (inside) => {
      expect(await read(inside)).toEqual(finds[0]);
      await add(inside);
      expect(await read(inside)).toEqual(finds[1]);
    });
    expect(await read(db)).toEqual(finds[1]);
  });

  const pairs = [
    ...Object.keys(lookUps).map((name) => [name, 'an order'] as const),
    ...Object.keys(locks).map((lock) => ['the declines of a round', lock] as const),
  ];

  test.each(pairs)('%s that another transaction has added is found once %s is locked', async (name, lock) => {
    const { db, transaction, another, engine } = await fresh();
    // With SQLite a transaction that writes is alone.
    if (engine === 'sqlite') return;
    await insertFirst(db);
    const other = await another();
    const { read, add, finds } = given(lookUps, name);
    await transaction(async (inside) => {
      expect(await read(inside)).toEqual(finds[0]);
      await other.transaction(add);
      await given(locks, lock)(inside);
      expect(await read(inside)).toEqual(finds[1]);
    }, 'read committed');
  });
}

function given<Case>(cases: Record<string, Case>, name: string): Case {
  const found = cases[name];
  if (found === undefined) throw new Error(`there is no case of ${name}`);
  return found;
}
