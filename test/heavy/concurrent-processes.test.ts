import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ended, freshHome, type Home, waybill } from '../program/run.ts';

const duration_ms = 60_000;
/** Each makes as many orders, however long that takes. */
const least = 6;

const order = [
  ...['orders', 'create', '--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'A'],
  ...['--pickup-phone-number', '+13125550100', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
  ...['--dropoff-name', 'B', '--dropoff-phone-number', '+13125550142', '--item', 'Pizza:1:small', '-o', 'id'],
];

interface Work {
  /** The ids of the orders. */
  made: string[];
  complaints: string[];
}

/** A terminal that creates, routes and quotes orders, one command after another, until the time is up. */
async function work(home: Home, until: number): Promise<Work> {
  const made: string[] = [];
  const complaints: string[] = [];
  const run = async (...argv: string[]) => {
    const { stdout, stderr, exit } = await waybill(home, ...argv);
    if (exit !== 0) complaints.push(`${argv.join(' ')}: ${exit} ${stderr}`);
    return stdout.trim();
  };
  while (Date.now() < until || made.length < least) {
    const id = await run(...order);
    made.push(id);
    const route = await run('routes', 'create', id, '-o', 'id');
    await run('routes', 'quote', route);
    await run('orders', 'get', id);
  }
  return { made, complaints };
}

/** A process that keeps the file open and sends requests until the time is up. */
async function stay(file: string, key: string, until: number): Promise<Work> {
  const script = join(import.meta.dirname, 'shared-file-client.ts');
  const child = spawn(process.execPath, [script, file, key, String(until), String(least)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdout, stderr, exit } = await ended(child);
  return exit === 0 ? JSON.parse(stdout) : { made: [], complaints: [`${exit} ${stderr}`] };
}

test('four terminals and four processes that keep the embedded database open lose no order in a minute', async () => {
  const home = freshHome();
  home.env.WAYBILL_DATA_DIR = join(home.folder, 'data');
  const { stdout: created } = await waybill(home, 'keys', 'create', '--permission', 'write', '--json');
  const { key }: { key: string } = JSON.parse(created);
  const file = join(home.folder, 'data', 'waybill.db');
  const until = Date.now() + duration_ms;
  const four = Array.from({ length: 4 });
  const [terminals, stays] = await Promise.all([
    Promise.all(four.map(() => work(home, until))),
    Promise.all(four.map(() => stay(file, key, until))),
  ]);
  expect([...terminals, ...stays].flatMap(({ complaints }) => complaints)).toEqual([]);
  const made = [...terminals, ...stays].map((each) => each.made);
  expect(Math.min(...made.map(({ length }) => length))).toBeGreaterThanOrEqual(least);
  const { stdout } = await waybill(home, 'orders', 'list', '--all', '-o', 'id');
  expect(stdout.trim().split('\n').toSorted()).toEqual(made.flat().toSorted());
});
