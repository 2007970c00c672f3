import { expect, test } from 'vitest';
import { orderLine, sandbox } from '../sandbox.ts';
import { otherService } from './runs.ts';

const ship = ['ship', ...orderLine.slice(2), '--cheapest', '--max-cost', '10'];

test.each(['numbers', 'texts'] as const)(
  'amounts in dollars as %s are shown in cents everywhere',
  async (amounts) => {
    const { run, json } = await otherService({ amounts, step_ms: 1 });
    const first = await run([...ship, '--ref', '#1', '--wait', 'delivered']);
    expect([first.exit, first.stderr]).toEqual([
      0,
      expect.stringContaining('Dispatched to thrifty for $6.47'),
    ]);
    expect(first.stderr).toContain('The service has amounts with decimals');
    const listed = await run(['deliveries', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ payment_amount: 647, fee: 647 }]);
    expect(listed.stderr).not.toContain('decimals');
    expect((await run(['deliveries', 'get', '#1'], { tty: true })).stdout).toContain('$6.47');
    expect(await json(['whoami'])).toMatchObject({ service: { cents: false } });
  },
);

test('a service that has shown decimals is sent dollars, and its whole amounts are dollars', async () => {
  const { run, json, service } = await otherService({ amounts: 'numbers' });
  const shipped = await run([...ship, '--ref', '#1', '--tip', '3.50', '--order-value', '24.50']);
  expect([shipped.exit, shipped.stderr]).toEqual([
    0,
    expect.stringContaining('It was sent order_value in cents.'),
  ]);
  expect(service.store.deliveries[0]?.fields).toMatchObject({ tip: 3.5, order_value: 2450 });
  expect(await json(['deliveries', 'get', '#1'])).toMatchObject({ tip: 350, order_value: 245_000 });
  expect((await run([...ship, '--order-value', '24.50'])).exit).toBe(0);
  expect(service.store.deliveries[0]?.fields).toMatchObject({ order_value: 24.5 });
  const route = service.store.routes.at(-1);
  for (const quote of route?.quotes ?? []) Object.assign(quote, { cost_of_delivery: 12, service_fee: 1 });
  const quotes = await run(['quotes', 'list', String(route?.id), '--json']);
  expect(JSON.parse(quotes.stdout).data[0]).toMatchObject({ cost_of_delivery: 1200, service_fee: 100 });
  expect(quotes.stderr).toContain('Whole amounts are read in dollars');
});

test('a tip is sent in cents until the service has shown decimals, which is then said', async () => {
  const { run, service } = await otherService({ amounts: 'texts' });
  const create = [...orderLine, '--tip', '3.50', '--json'];
  expect((await run(create)).exit).toBe(0);
  expect(service.store.orders[0]?.fields).toMatchObject({ tip: 350 });
  expect((await run(ship)).stderr).toContain('Amounts that were sent to it before were in cents.');
  expect((await run(create)).exit).toBe(0);
  expect(service.store.orders.at(-1)?.fields).toMatchObject({ tip: 3.5 });
});

test('login finds dollars in the latest delivery', async () => {
  const { run, service, home } = await otherService({ amounts: 'numbers' });
  await run(ship);
  const argv = ['login', '--base-url', service.url, '--with-token', '--insecure-storage', '--profile', 'x'];
  const { stdout } = await run([...argv, '--json'], { home, stdin: 'key_1' });
  expect(JSON.parse(stdout)).toMatchObject({ service: { cents: false } });
});

test('a service whose amounts are in cents again is read in cents after another login', async () => {
  const { run, json, service } = await otherService({ amounts: 'numbers', step_ms: 1 });
  await run([...ship, '--ref', '#1']);
  Object.assign(service.switches, { amounts: 'cents' });
  const argv = ['login', '--base-url', service.url, '--with-token', '--insecure-storage', '--mode', 'test'];
  await run(argv, { stdin: 'key_1' });
  expect(await json(['deliveries', 'get', '#1'])).toMatchObject({ payment_amount: 647 });
});

const order = [...orderLine, '--order-value', '24.50', '--json'];

test('login --amounts dollars holds for the first amount, for whole amounts, and after another login', async () => {
  const { run, json, service } = await otherService({}, ['--mode', 'test', '--amounts', 'dollars']);
  const first = await run(order);
  expect([first.exit, first.stderr]).toEqual([0, expect.not.stringContaining('cents')]);
  expect(service.store.orders[0]?.fields).toMatchObject({ order_value: 24.5 });
  const argv = ['login', '--base-url', service.url, '--with-token', '--insecure-storage', '--mode', 'test'];
  const again = await run([...argv, '--json'], { stdin: 'key_1' });
  expect(JSON.parse(again.stdout)).toMatchObject({ amounts: 'dollars' });
  expect(await json(['whoami'])).toMatchObject({ amounts: 'dollars' });
  await run([...ship, '--ref', '#1']);
  const route = service.store.routes.at(-1);
  for (const quote of route?.quotes ?? []) Object.assign(quote, { cost_of_delivery: 12, service_fee: 1 });
  const quotes = await run(['quotes', 'list', String(route?.id), '--json']);
  expect(JSON.parse(quotes.stdout).data[0]).toMatchObject({ cost_of_delivery: 1200, service_fee: 100 });
  expect(quotes.stderr).not.toContain('Whole amounts');
});

test('login --amounts cents holds although amounts are written with decimals', async () => {
  const { run, json, service } = await otherService({}, ['--mode', 'test', '--amounts', 'cents']);
  const delivery = {
    id: 1,
    fields: { fee: '647.00', tip: '300.0' },
    begun_at: null,
    quote_id: 'q',
    created_at: 0,
  };
  service.store.deliveries.push(delivery);
  expect(await json(['deliveries', 'get', '1'])).toMatchObject({ tip: 300 });
  await run(order);
  expect(service.store.orders[0]?.fields).toMatchObject({ order_value: 2450 });
});

test('without --amounts the deliveries of a service show the unit before the first amount is sent', async () => {
  const { run, service, requests } = await otherService({ amounts: 'numbers' });
  const tip = { id: 1, fields: { tip: 3.5 }, begun_at: null, quote_id: 'q', created_at: 0 };
  service.store.deliveries.push(tip);
  requests();
  const { exit, stderr } = await run(order);
  expect([exit, stderr]).toEqual([0, expect.stringContaining('The service has amounts with decimals')]);
  expect(service.store.orders[0]?.fields).toMatchObject({ order_value: 24.5 });
  expect(requests()).toEqual(['GET /v1/deliveries', 'POST /orders/create']);
});

test('a service without deliveries is sent cents, with a note that names the setting', async () => {
  const { run } = await otherService();
  const { stderr } = await run(order);
  expect(stderr).toMatch(
    /has shown no amounts yet, and is sent order_value in cents\. .*login --amounts dollars/,
  );
});

test('dollars are refused for a service of waybill itself', async () => {
  const box = await sandbox();
  const { exit, stderr } = await box.run(['login', '--with-token', '--amounts', 'dollars', '--json'], {
    stdin: 'wb_test_madeup0000000000',
  });
  expect([exit, stderr]).toEqual([2, expect.stringContaining('has amounts in cents')]);
});
