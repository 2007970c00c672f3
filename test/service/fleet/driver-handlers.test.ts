import { expect, test } from 'vitest';
import { hashKey } from '../../../src/service/http/authentication.ts';
import { driverByLink } from '../../../src/storage/drivers.ts';
import { type Fixture, start, startFixture } from '../fixture.ts';

const sam = { name: ' Sam Lee ', phone_number: '+1 (312) 555-0133' };

function addDriver(fixture: Fixture, changes: object = {}) {
  return fixture.client().drivers.create({ body: { ...sam, ...changes } });
}

const tokenIn = (link: string | null) => (link ?? '').replace('https://shop.example/drive/', '');

test('a driver is added with a link of 22 characters, of which only the hash is stored', async () => {
  const fixture = await startFixture();
  const { data } = await addDriver(fixture);
  const { link, ...driver } = data;
  expect(driver).toEqual({
    ...{ id: expect.stringMatching(/^drv_[0-9A-Z]{26}$/), object: 'driver', name: 'Sam Lee' },
    ...{ phone_number: '13125550133', vehicle_type: 'car', on_duty: false, stops_left: 0, location: null },
    assign_without_asking: false,
    ...{ deliveries: [], stops: [] },
    test_mode: true,
    ...{ created_at: new Date(start).toISOString(), updated_at: new Date(start).toISOString() },
  });
  const token = tokenIn(link);
  expect(token).toMatch(/^[0-9A-Za-z]{22}$/);
  const row = await fixture.storage.first(driverByLink, hashKey(token));
  expect(row?.id).toBe(data.id);
  expect(JSON.stringify(row)).not.toContain(token);
  const params = { driver_id: data.id };
  expect((await fixture.client().drivers.get({ params })).data).toEqual(driver);
  expect((await fixture.client().drivers.list({})).data.data).toEqual([driver]);
});

test('a removed driver is gone', async () => {
  const fixture = await startFixture();
  const { data } = await addDriver(fixture);
  const params = { driver_id: data.id };
  const { data: deleted } = await fixture.client().drivers.delete({ params });
  expect(deleted).toEqual({ id: data.id, object: 'driver', deleted: true });
  const again = await fixture.send('GET', `/v2/drivers/${data.id}`);
  expect(again.status).toBe(404);
});

test('an invalid phone number and an unknown vehicle are refused', async () => {
  const fixture = await startFixture();
  const refused = async (changes: object) => {
    const { status, body } = await fixture.send('POST', '/v2/drivers', { body: { ...sam, ...changes } });
    return [status, JSON.parse(body).details[0].path];
  };
  expect(await refused({ phone_number: '12' })).toEqual([400, 'phone_number']);
  expect(await refused({ vehicle_type: 'tank' })).toEqual([400, 'vehicle_type']);
});
