import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEmbedded } from '../../src/service/embedded.ts';
import { percentile } from '../kills/totals.ts';
import { ended, freshHome, type Home, waybill } from '../program/run.ts';
import { temporaryFolder } from '../storage/folder.ts';

const processes = 8;
const duration_ms = 60_000;

const order = [
  ...['orders', 'create', '--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'A'],
  ...['--pickup-phone-number', '+13125550100', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
  ...['--dropoff-name', 'B', '--dropoff-phone-number', '+13125550142', '--item', 'Pizza:1:small', '-o', 'id'],
];

/** Creates, routes and quotes orders, one command after another, until the time is up. */
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

test('eight terminals on one embedded database for a minute: no error and no order lost', async () => {
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

interface Stay {
  /** Milliseconds of each request, by kind. */
  took: Record<string, number[]>;
  complaints: string[];
}

/** A process that keeps the file open and sends requests until the time is up. */
async function stay(file: string, key: string, until: number): Promise<Stay> {
  const script = join(import.meta.dirname, 'shared-file-client.ts');
  const child = spawn(process.execPath, [script, file, key, String(until)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdout, stderr, exit } = await ended(child);
  if (exit !== 0) return { took: {}, complaints: [`${exit} ${stderr}`] };
  return JSON.parse(stdout);
}

/** A key for a new file. */
async function keyFor(file: string): Promise<string> {
  let made = '';
  const place = {
    read: () => null,
    keep: async (key: string) => {
      made = key;
    },
  };
  const { transport, close } = await openEmbedded({ file, key: null, ownKey: place });
  await transport({ method: 'GET', path: '/v2/account', headers: {}, body: '' });
  await close();
  return made;
}

function spread(stays: readonly Stay[], kind: string): string {
  const all = stays.flatMap(({ took }) => took[kind] ?? []);
  const [middle, late, last] = [50, 99, 100].map((percent) => percentile(all, percent).toFixed(0));
  return `${kind}: ${all.length} requests, median ${middle} ms, p99 ${late} ms, longest ${last} ms`;
}

test('eight processes with one embedded database open for a minute: no request fails', async () => {
  const file = join(temporaryFolder(), 'embedded.db');
  const key = await keyFor(file);
  const until = Date.now() + duration_ms;
  const stays = await Promise.all(Array.from({ length: processes }, () => stay(file, key, until)));
  expect(stays.flatMap(({ complaints }) => complaints)).toEqual([]);
  const kinds = ['order', 'batch', 'list', 'look'];
  console.log(kinds.map((kind) => spread(stays, kind)).join('\n'));
  const count = stays.flatMap(({ took }) => Object.values(took).flat()).length;
  expect(count).toBeGreaterThan(processes * 100);
});
