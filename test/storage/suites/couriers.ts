import { expect, test } from 'vitest';
import {
  bookingsOfDispatch,
  changeCourier,
  deleteCourier,
  enabledCouriers,
  findBooking,
  findCourier,
  findCourierByToken,
  listCouriers,
  lockBooking,
  writeBooking,
  writeCourier,
} from '../../../src/storage/couriers.ts';
import type { CourierRow } from '../../../src/storage/database.ts';
import { booking, otherMode as live, noon } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

function courier(change: Partial<CourierRow> = {}): CourierRow {
  return {
    ...live,
    name: 'uber-direct',
    state: 'enabled',
    settings: '{"customer_id":"Zoë"}',
    secrets: 'v1.key.nonce.text',
    push_token: 'token 1',
    created_at: noon,
    updated_at: noon,
    checked_at: null,
    last_push_at: null,
    ...change,
  };
}

export function couriersSuite(fresh: FreshStorage): void {
  test('a courier is connected for one account and mode, and keeps its push token when its settings change', async () => {
    const { db } = await fresh();
    const others = [
      courier({ test_mode: 1, push_token: 'token 2' }),
      courier({ account_id: 'acct_b', push_token: 'token 3', state: 'disabled' }),
    ];
    for (const each of [courier(), ...others]) await writeCourier(db, each);
    const changed = courier({
      settings: '{}',
      push_token: 'token 4',
      created_at: noon + 5,
      updated_at: noon + 5,
    });
    await writeCourier(db, changed);
    const kept = { ...changed, push_token: 'token 1', created_at: noon };
    expect(await findCourier(db, live, 'uber-direct')).toEqual(kept);
    expect(await listCouriers(db, live)).toEqual([kept]);
    expect(await findCourierByToken(db, 'token 1')).toEqual(kept);
    expect(await findCourierByToken(db, 'token 4')).toBeUndefined();
    expect(await listCouriers(db, { account_id: 'acct_b', test_mode: 0 })).toEqual([others[1]]);
  });

  test('a disabled courier is connected, but not enabled', async () => {
    const { db } = await fresh();
    await writeCourier(db, courier());
    await writeCourier(db, courier({ name: 'doordash-drive', push_token: 'token 2' }));
    expect((await enabledCouriers(db, live)).sort()).toEqual(['doordash-drive', 'uber-direct']);
    const disabled = { state: 'disabled', updated_at: noon + 1 } as const;
    expect(await changeCourier(db, { ...live, name: 'uber-direct' }, disabled)).toBe(true);
    expect(await changeCourier(db, { ...live, test_mode: 1, name: 'uber-direct' }, disabled)).toBe(false);
    expect(await enabledCouriers(db, live)).toEqual(['doordash-drive']);
    expect(await deleteCourier(db, live, 'uber-direct')).toBe(true);
    expect(await deleteCourier(db, live, 'uber-direct')).toBe(false);
  });

  test('a booking is found by our key, and by the reference of the courier once it is known', async () => {
    const { db } = await fresh();
    const second = booking({ order_id: 'ord_2', key: 'dsp_1_1' });
    await writeBooking(db, booking());
    await writeBooking(db, second);
    const booked = booking({
      state: 'booked',
      reference: 'del_1',
      cost: 799,
      tracking_url: 'https://u.example/1',
    });
    await writeBooking(db, booked);
    expect(await bookingsOfDispatch(db, 'dsp_1')).toEqual([booked, second]);
    const of = { ...live, provider: 'uber-direct' };
    expect(await findBooking(db, of, { key: 'dsp_1_1', reference: 'del_1' })).toEqual(second);
    expect(await findBooking(db, of, { key: null, reference: 'del_1' })).toEqual(booked);
    expect(await findBooking(db, of, { key: 'unknown', reference: 'del_1' })).toEqual(booked);
    expect(await findBooking(db, of, { key: null, reference: null })).toBeUndefined();
    expect(await lockBooking(db, booked)).toEqual(booked);
    expect(
      await findBooking(db, { ...of, test_mode: 1 }, { key: 'dsp_1_0', reference: 'del_1' }),
    ).toBeUndefined();
  });
}
