import { expect, test } from 'vitest';
import { newOrder, quotedRoute, sandbox } from '../../sandbox.ts';

const box = await sandbox();

test('events list shows what happened to a delivery, by its id or reference', async () => {
  const route = await quotedRoute(box, '--ref', 'A-77');
  await box.json(['dispatch', route, '--cheapest']);
  const { stdout, exit } = await box.run(['events', 'list', '--delivery', 'A-77']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(exit).toBe(0);
  expect(rows.map(([, type, of, status]) => [type, of?.slice(0, 4), status])).toEqual([
    ['order.dispatched', 'ord_', 'dispatched'],
    ['delivery.created', 'dlv_', 'delivery_created'],
  ]);
  const typesOf = async (type: string) => {
    const { stdout: some, exit: end } = await box.run(['events', 'list', '--type', type]);
    return [
      end,
      ...some
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1]),
    ];
  };
  expect(await typesOf('delivery.*')).toEqual([0, 'delivery.created']);
  expect(await typesOf('delivery.created,order.dispatched')).toEqual([
    ...[0, 'order.dispatched', 'delivery.created'],
  ]);
  expect((await typesOf('delivery.nope'))[0]).toBe(2);
  const more = await box.run(['events', 'list', '--type', 'delivery.*,order.dispatched', '--limit', '1']);
  expect(more.stderr).toContain('--type delivery.created,delivery.updated,order.dispatched');
  const quotes = await box.run(['events', 'list', '--type', 'route_quotes.completed', '-o', 'tsv']);
  expect(quotes.stdout).toContain(`route_quotes.completed\t${route}\tCOMPLETE`);
});

test('at 80 columns each event has its id, and other columns are left out', async () => {
  const { stdout } = await box.run(['events', 'list'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
  const [head = '', ...lines] = stdout.trimEnd().split('\n');
  expect(head).toMatch(/TYPE +ID$/);
  expect(lines.every((line) => /evt_\w{26}$/.test(line) && line.length <= 80)).toBe(true);
});

test('events of an unknown batch are exit 5', async () => {
  for (const batch of ['nope', 'bat_nope']) {
    const { exit, stdout } = await box.run(['events', 'list', '--batch', batch]);
    expect([exit, stdout]).toEqual([5, '']);
  }
});

test('events get shows one whole, and an unknown one is exit 5', async () => {
  await newOrder(box);
  const { stdout } = await box.run(['events', 'list', '--limit', '1', '-o', 'id']);
  const event = await box.json(['events', 'get', stdout.trim()]);
  expect(event).toMatchObject({ id: stdout.trim(), object: 'event', data: {} });
  expect((await box.run(['events', 'get', 'evt_none'])).exit).toBe(5);
  // Charges show their ids only in the wide table.
  const charges = await box.run(['charges', 'list', '--limit', '1', '-o', 'id']);
  expect(charges.stdout).toMatch(/^chg_\w{26}\n$/);
});
