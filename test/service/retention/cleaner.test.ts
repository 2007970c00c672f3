import { describe, expect, onTestFinished, test } from 'vitest';
import { defaultRetention } from '../../../src/domain/operator-settings.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createService, type Service } from '../../../src/service/service.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { engines } from '../../databases.ts';
import { oneOf } from '../../in-part.ts';
import { runToEnd, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, orderRequest, sendTo, start, startFixture } from '../fixture.ts';

const day = 24 * 60 * 60_000;
const retention = { ...defaultRetention, events_ms: 30 * day, personal_data_ms: 30 * day };

/** A shop with delivered orders, whose clock and, on PostgreSQL, whose server's clock are set by hand. */
async function startShop(engine: 'sqlite' | 'postgres') {
  const at = { clock: start, monotonic: 0 };
  const clock = { now: () => at.clock };
  const parts = { clock, wall: clock, monotonic: { now: () => at.monotonic }, retention };
  const fixture = await startFixture({ location: await engines[engine](), parts });
  onTestFinished(() => fixture.storage.close());
  const storage: Storage = {
    ...fixture.storage,
    serverTime: async () => (engine === 'postgres' ? at.clock : null),
  };
  /** Starts the cleaning of a service that waits for its time. */
  const waiting = new Map<Service, () => void>();
  const boot = (): Service => {
    const after = (ms: number, wake: () => void) => {
      if (ms !== 10 * 60_000 && ms !== 60 * 60_000) return realTimers.after(ms, wake);
      waiting.set(service, wake);
      return () => {};
    };
    const service = createService({ ...fixture.config, storage, timers: { ...realTimers, after } });
    return service;
  };
  const shop = { ...fixture, storage, at, boot };
  const pass = (ms: number) => {
    at.clock += ms;
    at.monotonic += ms;
  };
  /** Lets a service, which is started, clean or wait; returns the warnings of its readiness. */
  const cleanOnce = async (service: Service) => {
    service.start();
    onTestFinished(() => service.stop());
    const untilWaiting = () => expect.poll(() => waiting.has(service)).toBe(true);
    await untilWaiting();
    const wake = waiting.get(service);
    waiting.delete(service);
    wake?.();
    await untilWaiting();
    const health = async () => JSON.parse((await sendTo(service, '')('GET', '/health/ready')).body);
    // A loop that has slept through the days makes progress again.
    await expect.poll(health).toMatchObject({ status: 'ok' });
    return (await health()).warnings;
  };
  /** The same with another process, which ends then. */
  const runOnce = async () => {
    const service = boot();
    const warnings = await cleanOnce(service);
    await service.stop();
    return warnings;
  };
  return { ...shop, pass, cleanOnce, runOnce };
}

/** How many people, events and keys there are. */
async function counts({ storage }: Pick<Fixture, 'storage'>) {
  return storage.read(async (db) => {
    const count = async (table: 'events' | 'idempotency_keys') =>
      (
        await db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow()
      ).n;
    const people = await db.selectFrom('orders').select('id').where('erased_at', 'is', null).execute();
    return [people.length, Number(await count('events')), Number(await count('idempotency_keys'))];
  });
}

/** Delivers orders, of which the key `k` makes one. */
async function deliver(shop: Awaited<ReturnType<typeof startShop>>, service: Service, count = 2) {
  const send = sendTo(service, shop.keys.test);
  const body = { orders: [orderRequest({ external_order_ref: 'KEYED' })] };
  const order = () => send('POST', '/v2/orders/create', { body, headers: { 'idempotency-key': 'k' } });
  const first = await order();
  for (let number = 0; number < count; number += 1) {
    const made = await startedDelivery(shop.client(), 'happy_path');
    await runToEnd(
      {
        ...shop,
        pass: async (ms) => {
          shop.pass(ms);
          await service.tick();
        },
      },
      shop.client(),
      made,
    );
  }
  return { first, order };
}

const both = ['sqlite', 'postgres'] as const;
const jumps: [text: string, days: number][] = [
  ['40 days', 40],
  ['a year', 365],
];

describe.each(both)('on %s', (engine) => {
  test.each(jumps.filter(oneOf(2, both.indexOf(engine))))(
    'a clock %s ahead at a cleaning, and right again, deletes nothing, and the operator is told',
    async (_, days) => {
      const shop = await startShop(engine);
      const { order } = await deliver(shop, shop.boot());
      await shop.runOnce();
      const before = await counts(shop);
      const running = shop.boot();
      expect(await shop.cleanOnce(running)).toEqual([]);
      shop.at.clock += days * day;
      const text = new RegExp(
        `^The clock shows .*, ${days} days after the last cleaning: nothing is deleted`,
      );
      const told = [{ code: 'cleaning_postponed', message: expect.stringMatching(text) }];
      // The date jumps while a service runs; another one starts with the wrong date.
      expect(await shop.cleanOnce(running)).toEqual(told);
      expect((await running.measure()).is_postponed).toBe(true);
      await running.stop();
      expect(await shop.runOnce()).toEqual(told);
      expect(await counts(shop)).toEqual(before);
      expect(shop.faults.map(String)).toContainEqual(expect.stringContaining('`waybill admin clean`'));
      expect((await order()).headers['idempotent-replayed']).toBe('true');
      shop.at.clock -= days * day;
      expect(await shop.runOnce()).toEqual([]);
      expect(await counts(shop)).toEqual(before);
      expect((await order()).headers['idempotent-replayed']).toBe('true');
    },
  );

  test('a service that was off for long cleans after two days on a steady clock', async () => {
    const shop = await startShop(engine);
    await deliver(shop, shop.boot());
    await shop.runOnce();
    shop.pass(100 * day);
    const service = shop.boot();
    expect(await shop.cleanOnce(service)).toHaveLength(1);
    shop.pass(2 * day - 60_000);
    expect(await shop.cleanOnce(service)).toHaveLength(1);
    // A jump begins the two days again.
    shop.at.clock += 30 * 60_000;
    expect(await shop.cleanOnce(service)).toHaveLength(1);
    shop.pass(120_000);
    expect(await shop.cleanOnce(service)).toHaveLength(1);
    expect((await counts(shop))[0]).toBe(3);
    shop.pass(2 * day);
    expect(await shop.cleanOnce(service)).toEqual([]);
    // The order that nobody dispatched stays.
    expect((await counts(shop)).slice(0, 2)).toEqual([1, 0]);
  });

  test('a database of a version without cleanings was last in use at its newest record', async () => {
    const shop = await startShop(engine);
    await deliver(shop, shop.boot());
    shop.pass(40 * day);
    // On PostgreSQL the server's own clock stamps the keys.
    if (engine === 'postgres') await shop.storage.run((db) => db.deleteFrom('idempotency_keys').execute());
    const before = await counts(shop);
    expect(await shop.runOnce()).toHaveLength(1);
    expect(await counts(shop)).toEqual(before);
  });
});

test.each(both.filter(oneOf(2)))(
  'a cleaning that would take more than half of a kind waits; an operator has it done: %s',
  async (engine) => {
    const shop = await startShop(engine);
    await deliver(shop, shop.boot(), 1);
    // The delivery took a day.
    expect(await shop.runOnce()).toEqual([]);
    // Cleaned each day, as if the clock had crept ahead.
    for (let days = 0; days < 28; days += 1) {
      shop.pass(day);
      expect(await shop.runOnce()).toEqual([]);
    }
    expect(shop.faults).toEqual([]);
    shop.pass(1.9 * day);
    const before = await counts(shop);
    expect(await shop.runOnce()).toMatchObject([
      { message: expect.stringMatching(/^A cleaning would take \d+ of \d+ .*, more than half: nothing/) },
    ]);
    expect((await counts(shop)).slice(0, 2)).toEqual(before.slice(0, 2));
    const { cleaner } = shop.boot();
    const { rows } = await cleaner.preview();
    expect(rows.find(({ kind }) => kind === 'people')).toEqual({ kind: 'people', old: 1, total: 1 });
    await cleaner.clean();
    const [people = 0, events = 0] = await counts(shop);
    expect(people).toBe(1);
    expect(events).toBeLessThan((before[1] ?? 0) / 2);
    expect(await shop.runOnce()).toEqual([]);
  },
);

test('a key on a file is forgotten after a day without a jump, and kept by one', async () => {
  const shop = await startShop('sqlite');
  const service = shop.boot();
  const { first, order } = await deliver(shop, service, 0);
  shop.at.clock += 25 * 60 * 60_000;
  expect((await order()).body).toBe(first.body);
  shop.at.clock -= 25 * 60 * 60_000;
  expect((await order()).body).toBe(first.body);
  shop.pass(day + 1);
  expect((await order()).body).not.toBe(first.body);
});
