import { expect, test } from 'vitest';
import { insertKey } from '../../../src/storage/accounts.ts';
import { insertCourierEntry, writeBooking } from '../../../src/storage/couriers.ts';
import type { Connection, Scope } from '../../../src/storage/database.ts';
import { insertDeliveries } from '../../../src/storage/deliveries.ts';
import { insertReport } from '../../../src/storage/delivery-records.ts';
import { insertCharges, insertDispatch } from '../../../src/storage/dispatches.ts';
import { insertDriver } from '../../../src/storage/drivers.ts';
import { insertEvent } from '../../../src/storage/events.ts';
import { claimKey } from '../../../src/storage/idempotency.ts';
import { insertOrders } from '../../../src/storage/orders.ts';
import { insertDecline, insertJob, insertQuotes } from '../../../src/storage/quotes.ts';
import { insertRoute } from '../../../src/storage/routes.ts';
import { deleteTestRecords } from '../../../src/storage/sandbox.ts';
import { insertStore } from '../../../src/storage/stores.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { insertWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import { enqueueEvent } from '../../../src/storage/webhook-messages.ts';
import {
  charge,
  delivery,
  dispatch,
  driver,
  job,
  key,
  noon,
  order,
  otherAccount,
  otherMode,
  quote,
  route,
  scope,
} from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import { attempt, attemptRow, endpoint } from '../webhook-records.ts';

const tables = [
  ...(['orders', 'routes', 'jobs', 'quotes', 'quote_declines', 'dispatches', 'deliveries'] as const),
  ...([
    'courier_entries',
    'courier_bookings',
    'charges',
    'reports',
    'events',
    'stores',
    'drivers',
    'driver_assignments',
    'driver_taps',
    'driver_pushes',
    'webhook_endpoints',
    'webhook_messages',
    'webhook_attempts',
    'idempotency_keys',
    'tasks',
    'api_keys',
  ] as const),
];

/** One record of each kind for an account and mode, numbered `n`, and two quotes: with and without a route. */
async function fill(db: Connection, owner: Scope, n: number): Promise<void> {
  const { account_id, test_mode } = owner;
  const ofRoute = { account_id, route_id: route(n).id };
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
  await insertDispatch(db, dispatch(`dsp_${n}`, ofRoute));
  const created = { reference: `dsp_${n}`, name: 'key', kind: 'created', answer: '{}' } as const;
  await insertCourierEntry(db, { ...created, provider: 'swiftly', entered_at: noon });
  await writeBooking(db, {
    ...{
      ...owner,
      dispatch_id: `dsp_${n}`,
      order_id: order(n).id,
      provider: 'uber-direct',
      key: `dsp_${n}_0`,
    },
    ...{
      state: 'booked',
      quote_reference: null,
      reference: null,
      tracking_url: null,
      ...{ cost: null, cancellation_fee: null },
      reason: null,
    },
    updated_at: noon,
  });
  await insertDeliveries(db, [delivery(n, owner)]);
  const delivery_id = delivery(n).id;
  await insertCharges(db, [charge(n, { ...owner, delivery_id })]);
  const reported = { provider: 'swiftly', provider_report_id: `${n}`, status: null, effect: 'none' } as const;
  await insertReport(db, {
    ...reported,
    account_id,
    delivery_id,
    occurred_at: noon,
    received_at: noon,
    record,
  });
  const told = {
    type: 'delivery.updated',
    delivery_id,
    batch_id: null,
    order_id: null,
    sequence: 1,
    data: '{}',
  } as const;
  const event = { ...owner, ...told, id: `evt_${n}`, created_at: noon };
  await insertEvent(db, event);
  await insertWebhookEndpoint(db, endpoint(n, owner));
  await enqueueEvent(db, event, { asked: ['*'], kept_ms: 0 });
  await attemptRow(db, attempt(n, { ...owner, endpoint_id: endpoint(n).id, event_id: event.id }));
  await insertStore(db, { ...owner, id: `str_${n}`, record: '{}', created_at: noon, updated_at: noon });
  const newDriver = driver(n, owner);
  await insertDriver(db, newDriver);
  await db
    .insertInto('driver_assignments')
    .values({
      ...{
        dispatch_id: `dsp_${n}`,
        ...owner,
        route_id: route(n).id,
        driver_id: newDriver.id,
        state: 'offered',
      },
      ...{ offer: 1, answer_by: noon, passed: '[]', created_at: noon, updated_at: noon },
    })
    .execute();
  const tap = { kind: 'duty', outcome: 'done', occurred_at: noon, received_at: noon } as const;
  await db
    .insertInto('driver_taps')
    .values({ driver_id: newDriver.id, id: 'tap', ...tap })
    .execute();
  await db
    .insertInto('driver_pushes')
    .values({ id: `push ${n}`, driver_id: newDriver.id, subscription: '', created_at: noon })
    .execute();
  const use = { operation: 'CreateOrder', body_hash: '', runner: '', wall_now: noon, lease_ms: 0 };
  for (const name of ['kept', 'other']) await claimKey(db, { ...owner, ...use, key: name });
  const subjects = [order(n).id, route(n).id, delivery_id, 'of nobody'];
  await insertTasks(
    db,
    subjects.map((subject, at) => ({
      id: `tsk_${n}_${at}`,
      test_mode: owner.test_mode,
      kind: 'k',
      subject,
      due_at: noon,
      payload: '{}',
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

export function sandboxSuite(fresh: FreshStorage): void {
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
}
