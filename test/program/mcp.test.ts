import { expect, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { orderRequest } from '../service/fixture.ts';
import { callerOf, connected } from './mcp-client.ts';
import { freshHome, waybill } from './run.ts';

const shipment = orderRequest({ dropoff_name: 'Zoë Diner', external_order_ref: '1042' });

test('tools declare what reads and what destroys, and have schemas of their results', async () => {
  const client = await connected(freshHome());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    ...['advance_sandbox', 'cancel_delivery', 'explain_delivery', 'find_deliveries', 'get_account'],
    ...['get_delivery', 'list_late_deliveries', 'pause_store', 'preview_cancellation', 'quote_delivery'],
    ...['reschedule_order', 'resume_store', 'ship_delivery', 'wait_for_delivery'],
  ]);
  for (const { name, title, description, outputSchema } of tools) {
    expect([title, description, outputSchema], name).toEqual([
      expect.any(String),
      expect.any(String),
      expect.objectContaining({ type: 'object' }),
    ]);
  }
  const names = (is: (annotations: object) => boolean) =>
    tools.filter(({ annotations = {} }) => is(annotations)).map(({ name }) => name);
  expect(names((each) => 'readOnlyHint' in each && each.readOnlyHint === false).sort()).toEqual([
    ...['advance_sandbox', 'cancel_delivery', 'pause_store', 'reschedule_order', 'resume_store'],
    'ship_delivery',
  ]);
  expect(names((each) => 'destructiveHint' in each && each.destructiveHint === true)).toEqual([
    'cancel_delivery',
  ]);
  const ship = tools.find(({ name }) => name === 'ship_delivery');
  expect(ship?.inputSchema.required).toContain('max_cost');
});

test('a store is paused and resumed, and the time of an order changes while no courier has it', async () => {
  const home = freshHome();
  await waybill(home, 'sandbox', 'clock', 'manual');
  const place = ['--address', '43 E Ohio St, Chicago, IL 60611', '--phone-number', '+13125550101'];
  await waybill(home, 'stores', 'create', '--name', 'Grill', ...place);
  const call = callerOf(await connected(home));
  expect(await call('pause_store', { store: 'Grill' })).toMatchObject({ paused_until: expect.any(String) });
  const { stdout: paused } = await waybill(home, 'stores', 'list', '--json');
  expect(JSON.parse(paused)).toMatchObject([{ name: 'Grill', paused_until: expect.any(String) }]);
  expect(await call('resume_store', { store: 'Grill' })).toMatchObject({ paused_until: null });

  const made = await waybill(
    home,
    'deliveries',
    'create',
    ...orderLine.slice(2),
    '--ref',
    'later',
    '-o',
    'id',
  );
  const moved = await call('reschedule_order', { delivery: 'later', dropoff_at: 'tomorrow 18:00' });
  expect(moved).toMatchObject({ dropoff_at: expect.stringMatching(/T\d\d:00:00/) });
  const { stdout } = await waybill(home, 'orders', 'get', moved.order_id, '--json');
  expect(JSON.parse(stdout).dropoff_at).toBe(moved.dropoff_at);
  expect(made.exit).toBe(0);
  const dispatched = await waybill(home, 'deliveries', 'initiate', 'later', '--yes');
  expect(dispatched.exit, dispatched.stderr).toBe(0);
  const refused = await call('reschedule_order', { delivery: 'later', dropoff_at: 'tomorrow 19:00' });
  expect(refused.error.code).toEqual(expect.any(String));
});

test('a session from a quote to a canceled delivery', async () => {
  const home = freshHome();
  await waybill(home, 'sandbox', 'clock', 'scaled', '--rate', '60');
  const call = callerOf(await connected(home));
  expect(await call('get_account')).toMatchObject({ mode: 'test', sandbox: true });

  const { pickup_address, dropoff_address, items } = shipment;
  const { quotes } = await call('quote_delivery', { pickup_address, dropoff_address, items });
  expect(quotes.length).toBeGreaterThan(1);
  const { price } = quotes[0];

  const tooDear = await call('ship_delivery', { ...shipment, max_cost: price - 1 });
  expect(tooDear.error).toMatchObject({ code: 'above_max_cost' });
  expect(await call('find_deliveries')).toEqual({ deliveries: [], has_more: false });
  const open = await waybill(home, 'orders', 'list', '--status', 'open', '-o', 'id');
  expect([open.exit, open.stdout]).toEqual([0, '']);

  const key = { idempotency_key: 'order-1042', max_cost: price + 500 };
  const shipped = await call('ship_delivery', { ...shipment, ...key });
  expect(shipped).toMatchObject({ dispatched: true, delivery: { external_order_ref: '1042', price } });
  const { id } = shipped.delivery;
  const repeated = await call('ship_delivery', { ...shipment, ...key });
  expect(repeated.delivery.id).toBe(id);

  const { deliveries } = await call('find_deliveries', { phone: '(312) 555-0142' });
  expect(deliveries).toMatchObject([{ id, recipient: 'Zoë Diner' }]);
  expect((await call('get_delivery', { delivery: '1042' })).delivery).toMatchObject({
    id,
    payment_amount: price,
  });
  expect(await call('list_late_deliveries')).toMatchObject({ deliveries: [] });
  expect(await call('get_delivery', { delivery: 'dlv_none' })).toMatchObject({
    error: { code: 'record_not_found' },
  });

  const until = { delivery: id, status: 'driver_assigned' };
  expect(await call('advance_sandbox', { until })).toMatchObject({ delivery: { status: 'driver_assigned' } });
  expect(await call('wait_for_delivery', { delivery: id, status: 'driver_assigned' })).toMatchObject({
    reached: true,
    ended: false,
  });
  expect((await call('explain_delivery', { delivery: id })).timeline.length).toBeGreaterThan(1);

  const preview = await call('preview_cancellation', { delivery: id });
  expect(preview).toMatchObject({ delivery_id: id, cancelable: true });
  for (const agreed_fee of [preview.fee + 1, 5_000, null]) {
    const refused = await call('cancel_delivery', { delivery: id, agreed_fee });
    expect(refused.error).toMatchObject({ code: 'fee_not_agreed' });
  }
  const canceled = await call('cancel_delivery', {
    delivery: id,
    agreed_fee: preview.fee,
    reason: 'Changed mind',
  });
  expect(canceled).toMatchObject({ fee: preview.fee, delivery: { id, status: 'customer_canceled' } });
  expect(await call('wait_for_delivery', { delivery: id })).toMatchObject({ reached: false, ended: true });
});
