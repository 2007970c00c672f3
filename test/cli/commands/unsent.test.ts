import { expect, test } from 'vitest';
import { orderLine, sandbox } from '../sandbox.ts';

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
const day_ms = 24 * hour_ms;

test('today lists an order that nobody dispatched after 20 minutes, and one of last week before it is due', async () => {
  const box = await sandbox();
  const unsent = async () => {
    const { items } = await box.json(['today']);
    return items;
  };
  await box.run([...orderLine, '--ref', 'NOW']);
  await box.run([...orderLine, '--ref', 'WEDDING', '--dropoff-at', 'in 6 days']);
  expect(await unsent()).toEqual([]);
  box.advance(21 * minute_ms);
  const now = { kind: 'unsent', external_order_ref: 'NOW', what: 'was not dispatched' };
  expect(await unsent()).toMatchObject([now]);
  box.advance(6 * day_ms - 2 * hour_ms);
  expect(await unsent()).toEqual([]);
  box.advance(hour_ms);
  expect(await unsent()).toMatchObject([{ kind: 'unsent', external_order_ref: 'WEDDING' }]);
  const page = await box.run(['today'], { tty: true, columns: 200, env: { NO_COLOR: '1' } });
  expect(page.stdout).toMatch(
    /unsent +WEDDING +Joe Diner +due at \d\d:\d\d +waybill ship WEDDING --cheapest .* was not dispatched/,
  );
  box.advance(day_ms);
  expect(await unsent()).toMatchObject([{ external_order_ref: 'WEDDING' }]);
  box.advance(day_ms);
  expect(await unsent()).toEqual([]);
});

test('an order that a failed ship left in a draft is listed, and the same ship goes on with that draft', async () => {
  const box = await sandbox();
  await box.run([...orderLine, '--ref', 'DRAFT']);
  const ship = ['ship', 'DRAFT', '--cheapest'];
  expect((await box.run([...ship, '--max-cost', '1'], box.passing)).exit).toBe(6);
  const { id, route_id } = await box.json(['orders', 'get', 'DRAFT']);
  box.advance(21 * minute_ms);
  const { items } = await box.json(['today']);
  const next = expect.objectContaining({ args: ['routes', 'quote', route_id] });
  expect(items).toMatchObject([
    { kind: 'unsent', id, what: `is in draft route ${route_id}, whose quotes were not accepted`, next },
  ]);
  const { exit } = await box.run(ship, box.passing);
  expect(exit).toBe(0);
  expect(await box.json(['routes', 'get', String(route_id)])).toMatchObject({ status: 'dispatched' });
});
