import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ended, freshHome, type Home, start, waybill } from '../program/run.ts';

const kills = 60;

async function ok(home: Home, ...argv: string[]): Promise<string> {
  const { stdout, stderr, exit } = await waybill(home, ...argv);
  expect(exit, `${argv.join(' ')}: ${stderr}`).toBe(0);
  return stdout.trim();
}

const order = [
  ...['orders', 'create', '--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'A'],
  ...['--pickup-phone-number', '+13125550100', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
  ...['--dropoff-name', 'B', '--dropoff-phone-number', '+13125550142', '--item', 'Pizza:1:small', '-o', 'id'],
];

/** Commands are killed at a moment of their life, each a little later; the first ends, and shows how long that is. */
test('a dispatch killed at any point and repeated with its key gives each order one delivery', async () => {
  const home = freshHome();
  const routes: string[] = [];
  for (let index = 0; index < kills; index++) {
    routes.push(await ok(home, 'routes', 'create', await ok(home, ...order), '-o', 'id'));
  }
  for (const route of routes) await ok(home, 'routes', 'quote', route);
  await pause(5_000);
  let killed = 0;
  let took_ms = Number.POSITIVE_INFINITY;
  for (const [index, route] of routes.entries()) {
    const started_at = performance.now();
    const child = start(home, ['dispatch', route, '--cheapest', '--idempotency-key', `dispatch-${index}`]);
    const ending = ended(child);
    await Promise.race(index === 0 ? [ending] : [ending, pause((took_ms * index) / kills)]);
    if (child.kill('SIGKILL')) killed++;
    await ending;
    if (child.exitCode !== null) took_ms = Math.min(took_ms, performance.now() - started_at);
  }
  // A repeat waits as long as the killed request might still be running, so all run concurrently.
  const repeats = routes.map((route, index) => [
    ...['dispatch', route, '--cheapest', '--idempotency-key', `dispatch-${index}`],
    ...['--request-timeout', '60s'],
  ]);
  await pause(31_000);
  for (const line of repeats) await ok(home, ...line);
  expect(killed).toBeGreaterThan(kills / 3);
  const deliveries: { order_id: string; status: string; payment_amount: number }[] = JSON.parse(
    await ok(home, 'deliveries', 'list', '--all', '--json'),
  );
  expect(deliveries).toHaveLength(kills);
  expect(new Set(deliveries.map(({ order_id }) => order_id)).size).toBe(kills);
  expect(
    deliveries.every(({ status, payment_amount }) => status === 'delivery_created' && payment_amount === 647),
  ).toBe(true);
});
