import { expect, test } from 'vitest';
import { insertKey } from '../../../src/storage/accounts.ts';
import { insertCourierEntry, writeBooking } from '../../../src/storage/couriers.ts';
import type { Connection, Scope } from '../../../src/storage/database.ts';
import { deleteTestRecords, weighPictures } from '../../../src/storage/deletion.ts';
import {
  insertCharges,
  insertDeliveries,
  insertPicture,
  insertReport,
  pictureBytes,
} from '../../../src/storage/deliveries.ts';
import { insertAssignment, insertDriver, insertTap, keepDriverPush } from '../../../src/storage/drivers.ts';
import { claimKey } from '../../../src/storage/idempotency.ts';
import { insertOrders } from '../../../src/storage/orders.ts';
import { insertStore } from '../../../src/storage/places.ts';
import { insertDecline, insertJob, insertQuotes } from '../../../src/storage/quotes.ts';
import { insertDispatch, insertRoute } from '../../../src/storage/routes.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { insertWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import * as records from '../records.ts';
import { noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import { attempt, attemptRow, endpoint, numberedEvent, writeAndQueue } from '../webhook-records.ts';

const { assignment, booking, charge, courierEntry, delivery, dispatch, driver } = records;
const { job, key, order, quote, report, route, store } = records;

const tables = [
  ...(['orders', 'routes', 'jobs', 'quotes', 'quote_declines', 'dispatches', 'deliveries'] as const),
  ...(['courier_entries', 'courier_bookings', 'charges', 'reports', 'events', 'stores'] as const),
  ...(['drivers', 'driver_assignments', 'driver_taps', 'driver_pushes', 'idempotency_keys'] as const),
  ...(['webhook_endpoints', 'webhook_messages', 'webhook_attempts', 'tasks', 'api_keys'] as const),
];

/** One record of each kind for an account and mode, numbered `n`, and two quotes: with and without a route. */
async function fill(db: Connection, owner: Scope, n: number): Promise<void> {
  const { account_id, test_mode } = owner;
  const ofRoute = { account_id, route_id: route(n).id };
  const [order_id, delivery_id, driver_id] = [order(n).id, delivery(n).id, driver(n).id];
  const dispatch_id = `dsp_${n}`;
  await insertKey(db, key(n, owner));
  await insertOrders(db, [order(n, owner)]);
  await insertRoute(db, route(n, owner));
  await insertJob(db, job(`job_${n}`, ofRoute));
  const record = JSON.stringify({ place: { isTest: test_mode === 1, text: '"isTest":true "isTest":false' } });
  await insertQuotes(db, [
    quote(`rq_${n}`, { ...ofRoute, job_id: `job_${n}` }),
    quote(`quo_${n}`, { account_id, route_id: '', job_id: `job_none_${n}`, record }),
  ]);
  const declined = { provider: 'haulvan', code: 'too_far', reason: '', created_at: noon };
  await insertDecline(db, { job_id: `job_${n}`, ...declined });
  await insertDispatch(db, dispatch(dispatch_id, ofRoute));
  await insertCourierEntry(db, courierEntry({ reference: dispatch_id }));
  await writeBooking(db, booking({ ...owner, dispatch_id, order_id, key: `dsp_${n}_0` }));
  await insertDeliveries(db, [delivery(n, owner)]);
  await insertCharges(db, [charge(n, { ...owner, delivery_id })]);
  await insertReport(db, report(n, { account_id, delivery_id }));
  await insertWebhookEndpoint(db, endpoint(n, owner));
  await writeAndQueue(db, [numberedEvent(n, { ...owner, delivery_id })]);
  await attemptRow(db, attempt(n, { ...owner, endpoint_id: endpoint(n).id, event_id: `evt_${n}` }));
  await insertStore(db, store(n, owner));
  await insertDriver(db, driver(n, owner));
  await insertAssignment(db, assignment({ ...owner, dispatch_id, route_id: route(n).id, driver_id }));
  await insertTap(db, {
    ...{ driver_id, id: 'tap', kind: 'duty' },
    outcome: 'done',
    occurred_at: 0,
    received_at: 0,
  });
  await keepDriverPush(db, { id: `push ${n}`, driver_id, subscription: '', created_at: noon });
  const use = {
    operation: 'CreateOrder',
    body_hash: '',
    runner: '',
    wall_now: noon,
    lease_ms: 0,
    forgets: true,
  };
  for (const name of ['kept', 'other']) await claimKey(db, { ...owner, ...use, key: name });
  const subjects = [order_id, route(n).id, delivery_id, driver_id, 'of nobody'];
  await insertTasks(
    db,
    subjects.map((subject, at) => ({
      ...{ id: `tsk_${n}_${at}`, account_id, test_mode, kind: 'k', subject, due_at: noon, payload: '{}' },
    })),
  );
}

async function counts(db: Connection): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of tables) {
    found[table] = (await db.selectFrom(table).selectAll().execute()).length;
  }
  return found;
}

export function deletionSuite(fresh: FreshStorage): void {
  test('the records of one account and mode go with their work; keys and all others stay', async () => {
    const { db } = await fresh();
    await fill(db, otherMode, 1);
    await fill(db, otherAccount, 2);
    await fill(db, { ...otherAccount, test_mode: 0 }, 3);
    const before = await counts(db);
    await fill(db, scope, 4);
    const added = { api_keys: 1, webhook_endpoints: 1, idempotency_keys: 1, tasks: 1 };
    expect(await deleteTestRecords(db, scope.account_id, 'kept')).toBe(1);
    const after = await counts(db);
    for (const table of tables) {
      const left = Object.entries(added).find(([name]) => name === table)?.[1] ?? 0;
      expect([table, after[table]]).toEqual([table, (before[table] ?? 0) + left]);
    }
    expect(await deleteTestRecords(db, scope.account_id, 'kept')).toBe(0);
  });

  test('pictures of earlier versions are counted if a delivery names them, and deleted otherwise', async () => {
    const { db } = await fresh();
    const record = JSON.stringify({ proof: [{ url: 'https://shop.example/proofs/named' }] });
    await insertDeliveries(db, [delivery(1, { record })]);
    const picture = { ...scope, delivery_id: delivery(1).id, data: '/9j/', bytes: 0, created_at: noon };
    for (const id of ['named', 'unnamed']) await insertPicture(db, { ...picture, id });
    await insertPicture(db, { ...picture, id: 'of nothing', delivery_id: '' });
    await insertPicture(db, { ...picture, ...otherAccount, id: 'of others' });
    expect(await weighPictures(db, scope)).toBe(false);
    const left = await db.selectFrom('proof_pictures').select(['id', 'bytes']).orderBy('id').execute();
    expect(left).toEqual([
      { id: 'named', bytes: 4 },
      { id: 'of others', bytes: 0 },
    ]);
    expect(await pictureBytes(db, scope)).toBe(4);
  });
}
