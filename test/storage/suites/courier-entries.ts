import { expect, test } from 'vitest';
import { courierEntries, courierEntriesOf, insertCourierEntry } from '../../../src/storage/couriers.ts';
import { courierEntry as entry, noon } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

const plain = (rows: readonly { sequence: number }[]) => rows.map(({ sequence: _, ...row }) => row);

export function courierEntriesSuite(fresh: FreshStorage): void {
  test('what a courier wrote down comes back as it was, in order of writing, whatever the time', async () => {
    const { db, another } = await fresh();
    const written = [
      entry({ kind: 'fault', answer: 'null', entered_at: noon + 9 }),
      entry({ entered_at: noon + 2 ** 40 }),
      entry(),
    ];
    for (const each of written) await insertCourierEntry(db, each);
    const elsewhere = await another();
    const rows = await elsewhere.run((other) => courierEntries(other, 'swiftly', 'key 1'));
    expect(plain(rows)).toEqual(written);
    expect(rows.map(({ sequence }) => sequence)).toEqual(
      rows.map(({ sequence }) => sequence).sort((left, right) => left - right),
    );
    expect(new Set(rows.map(({ sequence }) => sequence)).size).toBe(3);
  });

  test('they are found by name and by dispatch, each courier its own alone', async () => {
    const { db } = await fresh();
    const created = entry();
    const canceled = entry({ name: 'cancel:dsp_1:ord_1', kind: 'canceled' });
    const others = [
      entry({ provider: 'haulvan' }),
      entry({ name: 'key 2', reference: 'dsp_2' }),
      entry({ reference: 'dsp_2' }),
    ];
    for (const each of [others[0] ?? created, created, ...others.slice(1), canceled]) {
      await insertCourierEntry(db, each);
    }
    const swiftly = (name: string) => courierEntries(db, 'swiftly', name);
    expect(plain(await swiftly('key 1'))).toEqual([created, entry({ reference: 'dsp_2' })]);
    expect(plain(await swiftly('cancel:dsp_1:ord_1'))).toEqual([canceled]);
    expect(plain(await swiftly('key 3'))).toEqual([]);
    expect(plain(await courierEntriesOf(db, 'swiftly', 'dsp_1'))).toEqual([created, canceled]);
    expect(plain(await courierEntriesOf(db, 'haulvan', 'dsp_1'))).toEqual([others[0]]);
    expect(plain(await courierEntriesOf(db, 'haulvan', 'dsp_2'))).toEqual([]);
  });
}
