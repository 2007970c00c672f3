import { expect, test } from 'vitest';
import {
  chargesOfDelivery,
  deliveriesOfOrder,
  deliveriesOfRoute,
  deliveryById,
  deliveryByToken,
  insertCharges,
  insertDeliveries,
  insertDeliveryNote,
  insertReport,
  isKnownReport,
  listCharges,
  listDeliveryNotes,
  loadDelivery,
  updateDelivery,
} from '../../../src/storage/deliveries.ts';
import { idsUnderWay } from '../../../src/storage/delivery-queries.ts';
import { reportsOfDelivery } from '../read-rows.ts';
import { charge, delivery, idAt, noon, otherAccount, otherMode, report, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

const reportKey = (provider: string, provider_report_id: string, delivery_id = 'dlv_1') => ({
  delivery_id,
  provider,
  provider_report_id,
});

export function deliveriesSuite(fresh: FreshStorage): void {
  test('deliveries are found within their account and mode, loaded by id, and by route', async () => {
    const { db, first } = await fresh();
    await insertDeliveries(db, []);
    await insertDeliveries(db, [delivery(2), delivery(1), delivery(3, { ...otherMode, route_id: 'rte_2' })]);
    expect(await first(deliveryById, delivery(1).id, scope.account_id, scope.test_mode)).toEqual(delivery(1));
    for (const stranger of [otherMode, otherAccount]) {
      expect(
        await first(deliveryById, delivery(1).id, stranger.account_id, stranger.test_mode),
      ).toBeUndefined();
    }
    expect(await loadDelivery(db, delivery(3).id)).toMatchObject(otherMode);
    expect(await deliveriesOfRoute(db, 'rte_1')).toEqual([delivery(1), delivery(2)]);
  });

  test('a tracking link leads to one delivery, whoever opens it', async () => {
    const { db, first } = await fresh();
    const link = { tracking_token: 'secret' };
    await insertDeliveries(db, [delivery(1), delivery(2, { ...otherMode, ...link })]);
    expect(await first(deliveryByToken, 'secret')).toEqual(delivery(2, { ...otherMode, ...link }));
    expect(await first(deliveryByToken, 'secre')).toBeUndefined();
    expect(await first(deliveryByToken, '')).toBeUndefined();
    await expect(insertDeliveries(db, [delivery(3, link)])).rejects.toThrow(/unique/i);
  });

  test('the deliveries that an order has had come oldest first', async () => {
    const { db } = await fresh();
    const again = delivery(2, { order_id: 'ord_1', route_id: 'rte_2' });
    await insertDeliveries(db, [again, delivery(1), delivery(3)]);
    expect(await deliveriesOfOrder(db, 'ord_1')).toEqual([delivery(1), again]);
    expect(await deliveriesOfOrder(db, 'ord_9')).toEqual([]);
  });

  test('lists the deliveries of a provider that are under way', async () => {
    const { db } = await fresh();
    const service = 'haulvan';
    await insertDeliveries(db, [
      delivery(3, { service }),
      delivery(1, { service, status: 'enroute_dropoff' }),
      delivery(2, { service, status: 'request' }),
      delivery(4, { service, status: 'delivered', ended_at: noon }),
      delivery(5),
      delivery(6, { ...otherMode, service }),
      delivery(7, { ...otherAccount, service }),
    ]);
    expect(await idsUnderWay(db, scope, service)).toEqual([delivery(1).id, delivery(3).id]);
    expect(await idsUnderWay(db, scope, 'swift')).toEqual([]);
  });

  test('a delivery changes only in the statuses named', async () => {
    const { db } = await fresh();
    await insertDeliveries(db, [delivery(1), delivery(2)]);
    const { id } = delivery(1);
    const change = { status: 'failed', record: '{"failure_reason":"refused"}' } as const;
    const update = { id, from: ['scheduled', 'request'], change, now: noon + 1 } as const;
    expect(await updateDelivery(db, update)).toBe(false);
    expect(await loadDelivery(db, id)).toEqual(delivery(1));
    expect(await updateDelivery(db, { ...update, from: 'delivery_created' })).toBe(true);
    expect(await loadDelivery(db, id)).toEqual(delivery(1, { ...change, updated_at: noon + 1 }));
    expect(await loadDelivery(db, delivery(2).id)).toEqual(delivery(2));
  });

  test('charges are listed by delivery and kind, newest first, and read whole, oldest first', async () => {
    const { db } = await fresh();
    const refund = charge(2, { kind: 'refund', amount: -853 });
    await insertCharges(db, [charge(1), refund, charge(3, { delivery_id: 'dlv_2' }), charge(4, otherMode)]);
    await insertCharges(db, [charge(5, { ...otherAccount, delivery_id: 'dlv_3' })]);
    const list = async (filter: object) => (await listCharges(db, { ...scope, limit: 9, ...filter })).rows;
    expect(await list({})).toEqual([charge(3, { delivery_id: 'dlv_2' }), refund, charge(1)]);
    expect(await list({ delivery_id: 'dlv_1' })).toEqual([refund, charge(1)]);
    expect(await list({ kind: 'refund' })).toEqual([refund]);
    expect(await list({ kind: 'refund', delivery_id: 'dlv_2' })).toEqual([]);
    expect(await chargesOfDelivery(db, 'dlv_1')).toEqual([charge(1), refund, charge(4, otherMode)]);
  });

  test('a report of a delivery is known by its provider and the id that the provider gave it', async () => {
    const { db } = await fresh();
    expect(await isKnownReport(db, reportKey('swiftly', 'report 1'))).toBe(false);
    await insertReport(db, report(1));
    expect(await isKnownReport(db, reportKey('swiftly', 'report 1'))).toBe(true);
    expect(await isKnownReport(db, reportKey('haulvan', 'report 1'))).toBe(false);
    expect(await isKnownReport(db, reportKey('swiftly', 'report 1', 'dlv_2'))).toBe(false);
    expect(await isKnownReport(db, reportKey('swiftly', 'report 2'))).toBe(false);
  });

  test('the reports of a delivery come in order of arrival, repeated and late ones too', async () => {
    const { db } = await fresh();
    const late = report(3, { status: null, occurred_at: noon - 9, effect: 'repeated' });
    for (const row of [report(2), report(1), report(1), late, report(4, { delivery_id: 'dlv_2' })]) {
      await insertReport(db, row);
    }
    const found = await reportsOfDelivery(db, 'dlv_1');
    expect(found.map(({ sequence: _, ...row }) => row)).toEqual([report(2), report(1), report(1), late]);
    expect(found.map(({ sequence }) => sequence)).toEqual(
      found.map(({ sequence }) => sequence).sort((a, b) => a - b),
    );
    expect(await reportsOfDelivery(db, 'dlv_3')).toEqual([]);
  });

  test.each([
    ['Late', 'LATE'],
    ['Dañado', 'DAÑADO'],
    ['ÉTÉ', 'été'],
    ['ÉTÉ', 'ÉTÉ'],
    ['50%_off \\ "now"', '50%_OFF \\ "now"'],
  ])('notes with the tag %s are listed by %s', async (tag, asked) => {
    const { db } = await fresh();
    const note = (number: number, tags: readonly string[]) => ({
      ...scope,
      ...{ id: idAt('nte_', noon, number), delivery_id: delivery(1).id, note: 'text', created_at: noon },
      tags: JSON.stringify(tags),
    });
    const others = [...tag].map((_, place) => `${tag.slice(0, place)}x${tag.slice(place + 1)}`);
    const notes = [note(1, [tag]), note(2, others), note(3, ['first', tag]), note(4, [`${tag}s`])];
    for (const each of notes) await insertDeliveryNote(db, each);
    const list = (query: object) => listDeliveryNotes(db, { ...scope, limit: 1, tag: asked, ...query });
    expect(await list({})).toEqual({ rows: [notes[2]], has_more: true });
    expect(await list({ after_id: notes[2]?.id })).toEqual({ rows: [notes[0]], has_more: false });
  });
}
