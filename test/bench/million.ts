/**
 * Compares a database of a million deliveries with one of a thousand: the times of pages, look-ups and searches,
 * measured alternately in one process. On SQLite it also compares the peak memory of `deliveries list --all`. The
 * databases of an engine take some six gigabytes in the temporary folder. `DELIVERIES=200000 npm run bench -- million`
 * uses fewer deliveries, `ROUNDS=100` asks each question 100 times instead of 400, and `DATABASE=sqlite` or
 * `DATABASE=postgres` measures one engine only.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createTestKey } from '../../src/service/accounts/create-account.ts';
import { createSealing } from '../../src/service/runtime/sealing.ts';
import { keysInMemory } from '../../src/service/runtime/secret-keys.ts';
import { systemConfig } from '../../src/service/runtime/system.ts';
import { createService } from '../../src/service/service.ts';
import { firstAccount } from '../../src/storage/accounts.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import {
  dropoffNameOf,
  fillPostgres,
  fillSqlite,
  idOf,
  type Many,
  phoneOf,
  referenceOf,
  streetOf,
} from './many-deliveries.ts';
import { inFolder, printer } from './output.ts';
import { median } from './pairs.ts';
import { bin, environment, peakFlags, peakMegabytes, waybill } from './program.ts';

const target = 1.5;
const rounds = Number(process.env.ROUNDS ?? 400);
const pageSize = 20;
/** The age of the newest delivery: every active one is late. */
const day = 86_400_000;

/** A database of the service, with deliveries. */
interface Shop {
  /** A file or a URL. */
  location: string;
  many: Many;
}

/** A shop whose file the program itself uses. */
interface EmbeddedShop extends Shop {
  env: Record<string, string>;
}

async function sqliteShop(home: string, count: number): Promise<EmbeddedShop> {
  const env = environment(home);
  waybill(env, 'deliveries', 'list');
  return { env, ...(await filledShop(join(home, 'data', 'waybill.db'), count, fillSqlite)) };
}

async function postgresShop(server: PostgresServer, count: number): Promise<Shop> {
  return filledShop(await server.newDatabase(), count, fillPostgres);
}

async function filledShop(location: string, count: number, fill: typeof fillSqlite): Promise<Shop> {
  const storage = await openStorage(location);
  await createTestKey(configOf(storage));
  const account = await storage.run((db) => firstAccount(db));
  await storage.close();
  if (account === undefined) throw new Error('the database has no account');
  const many: Many = { scope: { account_id: account.id, test_mode: 1 }, count, newest_at: Date.now() - day };
  console.log(`${named(count)} deliveries, filled in ${(await fill(location, many)).toFixed(1)} s`);
  return { location, many };
}

function configOf(storage: Storage) {
  return systemConfig(storage, { sealing: createSealing(keysInMemory()) });
}

function named(count: number): string {
  return String(count).replace(/(?<=\d)(?=(\d{3})+$)/g, ',');
}

/** The path to request, and the id that the response must contain. */
interface Question {
  path: string;
  id: string;
}

/** The page that begins with a delivery. */
function pageFrom(many: Many, number: number): Question {
  const cursor = btoa(idOf(many, number + 1)).replaceAll('=', '');
  return { path: `/v1/deliveries?limit=${pageSize}&cursor=${cursor}`, id: idOf(many, number) };
}

const list = '/v1/deliveries';

/** Makes the question about a delivery, given its number. */
type Ask = (many: Many, number: number) => Question;

/** A search, within a page of results if several match. */
function searchFor(textOf: (many: Many, number: number) => string): Ask {
  return (many, number) => ({
    path: `${list}?limit=100&q=${encodeURIComponent(textOf(many, number))}`,
    id: idOf(many, number),
  });
}

const questions: Record<string, Ask> = {
  'list, page 1': (many) => ({ path: list, id: idOf(many, many.count - 1) }),
  'list, page 10,000': (many) => pageFrom(many, Math.max(many.count - 1 - 9_999 * pageSize, pageSize - 1)),
  'get by id': (many, number) => ({ path: `/v1/delivery/${idOf(many, number)}`, id: idOf(many, number) }),
  'list by reference': (many, number) => ({
    path: `${list}?external_order_ref=${referenceOf(number)}`,
    id: idOf(many, number),
  }),
  'list by phone': (many, number) => ({
    path: `${list}?phone=${phoneOf(many, number)}`,
    id: idOf(many, number),
  }),
  'search a name': searchFor((many, number) => dropoffNameOf(many, number)),
  'search a phone ending': searchFor((many, number) => phoneOf(many, number).slice(-7)),
  'search a reference': searchFor((_, number) => referenceOf(number)),
  'search part of a name': searchFor((many, number) => dropoffNameOf(many, number).split(' ')[1] ?? ''),
  'search an address': (_, number) => ({
    path: `${list}?q=${encodeURIComponent(streetOf(number))}`,
    id: '"id":"dlv_',
  }),
  'search a phone': searchFor(phoneOf),
  'search four digits': (many, number) => ({
    path: `${list}?q=${phoneOf(many, number).slice(-4)}`,
    id: phoneOf(many, number).slice(-4),
  }),
  'search what nobody has': (_, number) => ({ path: `${list}?q=zebra+${number}`, id: '"data":[]' }),
  'search a common word': (many) => ({ path: `${list}?q=chicago`, id: idOf(many, many.count - 1) }),
  'list late': (many) => ({ path: `${list}?late=true`, id: idOf(many, many.count - 1) }),
  'list by status': (many) => ({ path: `${list}?status=in_transit`, id: idOf(many, many.count - 1) }),
};

/** The service on a shop's database, as a command embeds it. */
async function serviceOf({ location }: Shop) {
  const storage = await openStorage(location);
  const config = { ...configOf(storage), sandbox: true, publicUrl: 'http://127.0.0.1:4010' };
  const headers = { 'x-api-key': await createTestKey(config) };
  const { fetch } = createService(config);
  const ask = async (path: string) => {
    const started = process.hrtime.bigint();
    const { body } = await fetch({ method: 'GET', path, headers, body: '' });
    return { body, milliseconds: Number(process.hrtime.bigint() - started) / 1e6 };
  };
  return { ask, close: () => storage.close() };
}

/**
 * Asks the small and the large database in turn, and returns the milliseconds of each in ascending sequence. Every
 * question is asked twice and timed the second time, with a warm cache, so that disk reads are not measured.
 */
async function compare(shops: readonly Shop[], question: Ask): Promise<number[][]> {
  const asked = await Promise.all(shops.map(async (shop) => ({ shop, ...(await serviceOf(shop)) })));
  const times = asked.map((): number[] => []);
  for (let round = 0; round < 2 * rounds; round += 1) {
    for (const [place, { shop, ask }] of asked.entries()) {
      const number = ((round % rounds) * 7_919) % shop.many.count;
      const { path, id } = question(shop.many, number);
      const { body, milliseconds } = await ask(path);
      if (!body.includes(id)) throw new Error(`${path} did not give ${id}: ${body.slice(0, 300)}`);
      if (round >= rounds) times[place]?.push(milliseconds);
    }
  }
  for (const { close } of asked) await close();
  return times.map((each) => each.toSorted((a, b) => a - b));
}

/**
 * Runs the program to print every delivery; returns its peak memory in megabytes, the number of lines and the seconds.
 */
async function written({
  env,
}: EmbeddedShop): Promise<{ megabytes: number; lines: number; seconds: number }> {
  const args = [...peakFlags, bin, 'deliveries', 'list', '--all', '-o', 'ndjson'];
  const started = process.hrtime.bigint();
  const child = spawn(process.execPath, args, { env });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let lines = 0;
  for await (const chunk of child.stdout) for (const byte of chunk) if (byte === 10) lines += 1;
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  if (!stderr.startsWith('peak ')) throw new Error(`waybill deliveries list: ${stderr}`);
  return { megabytes: peakMegabytes(stderr), lines, seconds };
}

const print = printer(28, 15);

function verdict(ratio: number): string[] {
  return [ratio.toFixed(2), target.toFixed(2), ratio > target ? 'over' : ''];
}

async function printQuestions(small: Shop, large: Shop): Promise<void> {
  print('', `${named(small.many.count)} ms`, `${named(large.many.count)} ms`, 'p95 ms', 'ratio', 'target');
  for (const [name, question] of Object.entries(questions)) {
    const [of_small = [], of_large = []] = await compare([small, large], question);
    const [first, second] = [median(of_small), median(of_large)];
    const p95 = of_large[Math.floor(of_large.length * 0.95)] ?? Number.NaN;
    print(name, first.toFixed(3), second.toFixed(3), p95.toFixed(3), ...verdict(second / first));
  }
}

async function printMemory(shops: readonly EmbeddedShop[]): Promise<void> {
  print('list --all -o ndjson', 'MB at most', 'lines', 'seconds');
  const peaks: number[] = [];
  for (const shop of shops) {
    const { megabytes, lines, seconds } = await written(shop);
    peaks.push(megabytes);
    print(`  over ${named(shop.many.count)}`, megabytes.toFixed(1), named(lines), seconds.toFixed(1));
  }
  print('  ratio', ...verdict((peaks[1] ?? Number.NaN) / (peaks[0] ?? Number.NaN)));
}

async function millionOnSqlite(count: number): Promise<void> {
  await inFolder(async (folder) => {
    const small = await sqliteShop(join(folder, 'small'), 1_000);
    const middle = await sqliteShop(join(folder, 'middle'), count / 10);
    const large = await sqliteShop(join(folder, 'large'), count);
    await printQuestions(small, large);
    await printMemory([middle, large]);
  });
}

async function millionOnPostgres(count: number): Promise<void> {
  const server = await startPostgres();
  try {
    const small = await postgresShop(server, 1_000);
    const large = await postgresShop(server, count);
    await printQuestions(small, large);
  } finally {
    await server.stop();
  }
}

/** Measures each engine and prints a table of the times and one of the memory. */
export async function million(): Promise<void> {
  const { DATABASE: only, DELIVERIES: deliveries = 1_000_000 } = process.env;
  const count = Math.max(10_000, Number(deliveries));
  for (const [engine, measure] of Object.entries({ sqlite: millionOnSqlite, postgres: millionOnPostgres })) {
    if (only !== undefined && only !== engine) continue;
    console.log(`${engine}, Node ${process.version}`);
    await measure(count);
  }
}
