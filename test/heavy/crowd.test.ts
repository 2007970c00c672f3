import { expect, test } from 'vitest';
import { freshHome, type Home, waybill } from '../program/run.ts';

const processes = 8;
const duration_ms = 60_000;

const order = [
  ...['orders', 'create', '--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'A'],
  ...['--pickup-phone-number', '+13125550100', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
  ...['--dropoff-name', 'B', '--dropoff-phone-number', '+13125550142', '--item', 'Pizza:1:small', '-o', 'id'],
];

/** Makes, routes and quotes orders, one command after another, until time is up. */
async function work(home: Home, until: number): Promise<{ made: string[]; complaints: string[] }> {
  const made: string[] = [];
  const complaints: string[] = [];
  const run = async (...argv: string[]) => {
    const { stdout, stderr, exit } = await waybill(home, ...argv);
    if (exit !== 0) complaints.push(`${argv.join(' ')}: ${exit} ${stderr}`);
    return stdout.trim();
  };
  while (Date.now() < until) {
    const id = await run(...order);
    made.push(id);
    const route = await run('routes', 'create', id, '-o', 'id');
    await run('routes', 'quote', route);
    await run('orders', 'get', id);
  }
  return { made, complaints };
}

test('eight terminals on one embedded database for a minute: no complaint, and no order lost', async () => {
  const home = freshHome();
  const until = Date.now() + duration_ms;
  const results = await Promise.all(Array.from({ length: processes }, () => work(home, until)));
  expect(results.flatMap(({ complaints }) => complaints)).toEqual([]);
  const made = results.flatMap((result) => result.made);
  const { stdout } = await waybill(home, 'orders', 'list', '--all', '-o', 'id');
  const listed = stdout.trim().split('\n');
  expect(listed.toSorted()).toEqual(made.toSorted());
  expect(made.length).toBeGreaterThan(processes * 5);
});
