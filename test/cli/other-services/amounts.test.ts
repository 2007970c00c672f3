import { expect, test } from 'vitest';
import { orderLine } from '../sandbox.ts';
import { otherService } from './runs.ts';

const ship = ['ship', ...orderLine.slice(2), '--cheapest', '--max-cost', '9'];

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
