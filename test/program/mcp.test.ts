import { expect, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { orderRequest } from '../service/fixture.ts';
import { callerOf, connected } from './mcp-client.ts';
import { freshHome, inProcess } from './run.ts';

const shipment = orderRequest({ dropoff_name: 'Zoë Diner', external_order_ref: '1042' });

test('tools declare what reads and what destroys, and have schemas of their results', async () => {
  const client = await connected(freshHome());
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name).sort()).toEqual([
    ...['advance_sandbox', 'cancel_delivery', 'dispatch_order', 'explain_delivery', 'find_deliveries'],
    ...['get_account', 'get_delivery', 'get_order', 'list_late_deliveries', 'list_orders', 'list_problems'],
    ...['list_stores', 'pause_store', 'preview_cancellation', 'quote_delivery', 'reschedule_order'],
    ...['resume_store', 'retry_delivery', 'ship_delivery', 'ship_orders', 'wait_for_delivery'],
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
    ...['advance_sandbox', 'cancel_delivery', 'dispatch_order', 'pause_store', 'reschedule_order'],
    ...['resume_store', 'retry_delivery', 'ship_delivery', 'ship_orders'],
  ]);
  expect(names((each) => 'destructiveHint' in each && each.destructiveHint === true).sort()).toEqual([
    ...['cancel_delivery', 'dispatch_order', 'retry_delivery', 'ship_delivery', 'ship_orders'],
  ]);
  const ship = tools.find(({ name }) => name === 'ship_delivery');
  expect(ship?.inputSchema.required).toContain('max_cost');
});

test('a store is paused and resumed, and the time of an order changes while no courier has it', async () => {
  const home = freshHome();
  await inProcess(home, 'sandbox', 'clock', 'manual');
  const place = ['--address', '43 E Ohio St, Chicago, IL 60611', '--phone-number', '+13125550101'];
  await inProcess(home, 'stores', 'create', '--name', 'Grill', ...place);
  const call = callerOf(await connected(home));
  expect(await call('pause_store', { store: 'Grill' })).toMatchObject({ paused_until: expect.any(String) });
  const { stdout: paused } = await inProcess(home, 'stores', 'list', '--json');
  expect(JSON.parse(paused)).toMatchObject([{ name: 'Grill', paused_until: expect.any(String) }]);
  expect(await call('resume_store', { store: 'Grill' })).toMatchObject({ paused_until: null });

  const made = await inProcess(
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
  const { stdout } = await inProcess(home, 'orders', 'get', moved.order_id, '--json');
  expect(JSON.parse(stdout).dropoff_at).toBe(moved.dropoff_at);
  expect(made.exit).toBe(0);
  const dispatched = await inProcess(home, 'deliveries', 'initiate', 'later', '--yes');
  expect(dispatched.exit, dispatched.stderr).toBe(0);
  const refused = await call('reschedule_order', { delivery: 'later', dropoff_at: 'tomorrow 19:00' });
  expect(refused.error.code).toEqual(expect.any(String));
});

test('a session from a quote to a canceled delivery', async () => {
  const home = freshHome();
  await inProcess(home, 'sandbox', 'clock', 'scaled', '--rate', '60');
  const call = callerOf(await connected(home));
  expect(await call('get_account')).toMatchObject({ mode: 'test', sandbox: true });

  const { pickup_address, dropoff_address, items } = shipment;
  const { quotes } = await call('quote_delivery', { pickup_address, dropoff_address, items });
  expect(quotes.length).toBeGreaterThan(1);
  const { price } = quotes[0];

  const tooDear = await call('ship_delivery', { ...shipment, max_cost: price - 1 });
  expect(tooDear.error).toMatchObject({ code: 'above_max_cost' });
  expect(await call('find_deliveries')).toEqual({ deliveries: [], has_more: false });
  const open = await inProcess(home, 'orders', 'list', '--status', 'open', '-o', 'id');
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

/** The fields of a shipment that a quote takes. */
function stopsOf({ dropoff_address, items }: Pick<typeof shipment, 'dropoff_address' | 'items'>) {
  return { dropoff_address, items };
}

test('a day of a shop: many shipments with a maximum each, what needs attention, and a retry within it', async () => {
  const home = freshHome();
  await inProcess(home, 'sandbox', 'clock', 'scaled', '--rate', '60');
  const place = ['--address', '43 E Ohio St, Chicago, IL 60611', '--phone-number', '+13125550101'];
  await inProcess(home, 'stores', 'create', '--name', 'Grill', ...place);
  const call = callerOf(await connected(home));
  expect(await call('list_stores')).toMatchObject({ stores: [{ name: 'Grill', paused_until: null }] });
  const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...dropoff } = shipment;
  const from = { ...dropoff, pickup_store: 'Grill' };
  const quotedBy = async (pickup_store: string) =>
    (await call('quote_delivery', { ...stopsOf(from), pickup_store })).quotes;
  expect((await quotedBy('Grill')).length).toBeGreaterThan(1);
  await inProcess(home, 'stores', 'create', '--name', 'Deli', ...place, '--provider', 'swiftly');
  expect(await quotedBy('Deli')).toMatchObject([{ provider: 'swiftly' }]);

  const twice = [from, from].map((each) => ({ ...each, max_cost: 5_000 }));
  expect(await call('ship_orders', { shipments: twice })).toMatchObject({ error: { code: 'duplicate_ref' } });
  expect(await call('list_orders')).toEqual({ orders: [], has_more: false });

  const refs = ['A-1', 'A-2', 'A-3'];
  const shipments = refs.map((external_order_ref, index) => ({
    ...{ ...from, external_order_ref, dropoff_phone_number: '(312) 555-0142' },
    max_cost: index === 1 ? 1 : 5_000,
  }));
  const made = await call('ship_orders', { shipments });
  expect(made).toMatchObject({ shipped: 2, refused: 1 });
  expect(made.results.map((each: { external_order_ref: string }) => each.external_order_ref)).toEqual(refs);
  expect(made.results[1]).toMatchObject({ delivery: null, error: { code: 'above_max_cost' } });
  expect(made.results[0].delivery).toMatchObject({ tracking_url: null });
  expect((await call('list_orders', { status: ['dispatched'] })).orders.length).toBe(2);
  expect((await call('get_order', { order: 'A-1' })).order).toMatchObject({ pickup_name: 'Grill' });
  const both = await call('ship_delivery', { ...from, pickup_unit: '2', max_cost: 1 });
  expect(both.error).toMatchObject({
    message: 'pickup_unit cannot be given together with pickup_store.',
    param: 'pickup_unit',
  });

  const created = await inProcess(
    home,
    'orders',
    'create',
    ...orderLine.slice(2),
    '--ref',
    'B-1',
    '-o',
    'id',
  );
  expect(created.exit, created.stderr).toBe(0);
  const above = await call('dispatch_order', { order: 'B-1', max_cost: 1 });
  expect(above.error).toMatchObject({ code: 'above_max_cost' });
  expect(await call('dispatch_order', { order: 'B-1', max_cost: 5_000 })).toMatchObject({ dispatched: true });

  const [first] = made.results;
  const preview = await call('preview_cancellation', { delivery: first.delivery.id });
  await call('cancel_delivery', { delivery: first.delivery.id, agreed_fee: preview.fee });
  const retried = await call('retry_delivery', { delivery: 'A-1', max_cost: 1 });
  expect(retried.error).toMatchObject({ code: 'cost_above_limit' });
  expect(await call('retry_delivery', { delivery: 'A-1', max_cost: 5_000 })).toMatchObject({
    dispatched: true,
    delivery: { external_order_ref: 'A-1' },
  });
});

test('what needs attention names a tool, and a maximum that was too low is not repeated', async () => {
  const home = freshHome();
  await inProcess(home, 'sandbox', 'clock', 'scaled', '--rate', '600');
  const auto = ['--auto', '--max-cost', '1', '--wait', '--yes'];
  await inProcess(home, 'orders', 'create', ...orderLine.slice(2), '--ref', 'C-1', ...auto);
  const call = callerOf(await connected(home));
  const { problems, counts } = await call('list_problems');
  expect(counts).toMatchObject({ unfulfilled: 1 });
  expect(problems).toMatchObject([
    { kind: 'unfulfilled', external_order_ref: 'C-1', next: { tool: 'dispatch_order' } },
  ]);
  expect(problems[0].next).not.toHaveProperty('max_cost');
  // Quotes last for seconds on a clock that runs so fast.
  await inProcess(home, 'sandbox', 'clock', 'real');
  const dropped = ['--simulate', 'provider_cancel_before_pickup', '--cheapest', '--max-cost', '40'];
  const sent = await inProcess(home, 'ship', ...orderLine.slice(2), '--ref', 'C-2', ...dropped, '-o', 'id');
  await inProcess(home, 'sandbox', 'advance', '--until', `${sent.stdout.trim()}:provider_canceled`);
  const { problems: found } = await call('list_problems');
  expect(found).toContainEqual(
    expect.objectContaining({
      kind: 'canceled',
      next: expect.objectContaining({ max_cost: 4_000, exclude_provider: 'poolride' }),
    }),
  );
});
