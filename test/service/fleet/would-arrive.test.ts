import { expect, test } from 'vitest';
import { type Fixture, orderMade, orderRequest, startFixture } from '../fixture.ts';
import { dispatchToFleet, phone } from './fleet.ts';

const listFor = async (fixture: Fixture, id: string) => {
  const answer = await fixture.send('GET', `/v2/drivers?for_id=${id}`);
  const { data = [] }: { data?: { id: string; would_arrive_at?: string | null }[] } = JSON.parse(answer.body);
  return { status: answer.status, of: (driver_id: string) => data.find((each) => each.id === driver_id) };
};

test.each([
  ['before the pickup', null],
  ['after the pickup', 'pickup_complete'],
])('a driver would arrive when the delivery is expected once it is theirs: %s', async (_, status) => {
  const fixture = await startFixture();
  const ana = await phone(fixture, 'Ana');
  const sam = await phone(fixture, 'Sam');
  await dispatchToFleet(fixture, { driver_id: sam.id });
  const { deliveries } = await dispatchToFleet(fixture, { driver_id: ana.id });
  const [{ id = '' } = {}] = deliveries;
  if (status !== null)
    await fixture.send('POST', `/v2/deliveries/${id}/reports`, { body: { status, note: 'seen' } });
  const told = await listFor(fixture, id);
  const etaNow = async () => {
    const { body } = await fixture.send('GET', `/v1/delivery/${id}`);
    return JSON.parse(body).dropoffs[0].dropoff_eta;
  };
  const assignments = `/v2/drivers/${sam.id}/assignments`;
  await fixture.send('POST', assignments, { body: { delivery_id: id } });
  expect(told.of(sam.id)?.would_arrive_at).toBe(await etaNow());
});

test('an order that nobody has would arrive, too; without a question no driver says when', async () => {
  const fixture = await startFixture();
  const ana = await phone(fixture, 'Ana');
  const made = await orderMade(fixture.client().orders.create({ body: { orders: [orderRequest()] } }));
  const { id } = made.data;
  expect(Date.parse((await listFor(fixture, id)).of(ana.id)?.would_arrive_at ?? '')).toBeGreaterThan(
    fixture.now(),
  );
  const { body } = await fixture.send('GET', '/v2/drivers');
  expect(body).not.toContain('would_arrive_at');
});

test.each(['dlv_none', 'ord_none', 'x'])('there is no %s', async (id) => {
  const fixture = await startFixture();
  await phone(fixture, 'Ana');
  expect((await listFor(fixture, id)).status).toBe(404);
});
