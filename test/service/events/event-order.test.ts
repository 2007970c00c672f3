import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { packJson } from '../../../src/storage/event-codec.ts';
import { newDatabase } from '../../databases.ts';
import { type Fixture, start, startFixture } from '../fixture.ts';
import { accountOf, eventId, type Reader, readerOf, writeMany } from '../streams.ts';

// PostgreSQL transactions are concurrent: what is written first may become visible last.

let location: string;
let fixture: Fixture;
let account_id: string;
let reader: Reader;
const clients: pg.Client[] = [];
beforeAll(async () => {
  location = await newDatabase();
  fixture = await startFixture({ location, sandbox: false });
  account_id = await accountOf(fixture);
});
afterAll(async () => {
  await fixture.service.stop();
  await fixture.storage.close();
  expect(fixture.faults).toEqual([]);
});
beforeEach(async () => {
  reader = await open();
  await reader.block();
});
afterEach(async () => {
  reader.close();
  for (const client of clients.splice(0)) await client.end();
});

const path = '/v2/events/stream';

async function open(query = '') {
  return readerOf(await fixture.send('GET', path + query));
}

/** A running transaction of another process, with its transaction id. */
async function beginTransaction(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: location });
  await client.connect();
  clients.push(client);
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  return client;
}

let made = 0;
async function tell(client: pg.Client, created_at = start): Promise<string> {
  const id = eventId(1000 + made++);
  await client.query(
    `insert into events (id, account_id, test_mode, type, data, created_at)
     values ($1, $2, 1, 'order.failed', $3, $4)`,
    [id, account_id, packJson('{}'), created_at],
  );
  return id;
}

/** Reads until the event with this id has arrived. */
async function until(id: string): Promise<(string | undefined)[]> {
  const ids: (string | undefined)[] = [];
  while (ids.at(-1) !== id) ids.push((await reader.take(1))[0]?.id);
  return ids;
}

/** Makes the service poll, as after any request that may have written something. */
async function look(): Promise<void> {
  await fixture.send('POST', '/v2/nothing');
  await new Promise((resolve) => setTimeout(resolve, 150));
}

test.each(['first', 'last'])(
  'two transactions commit in another order than they wrote; the first writer began %s: both are read, in order of writing',
  async (began) => {
    const begun = [await beginTransaction(), await beginTransaction()] as const;
    const [first, second] = began === 'first' ? begun : ([begun[1], begun[0]] as const);
    const ids = [await tell(first), await tell(second)];
    const taken = until(ids[1] ?? '');
    await second.query('commit');
    await look();
    await first.query('commit');
    expect(await taken).toEqual(ids);
  },
);

test('a rolled back transaction delays the log only while it runs', async () => {
  const [first, second] = [await beginTransaction(), await beginTransaction()];
  await tell(first);
  const id = await tell(second);
  await second.query('commit');
  await first.query('rollback');
  expect(await until(id)).toEqual([id]);
});

test('a long transaction delays later events and no earlier ones', async () => {
  const before = await writeMany(fixture, 3, made);
  made += 3;
  expect(await until(before[2] ?? '')).toEqual(before);
  const long = await beginTransaction();
  const ids = [await tell(long)];
  const quick = await beginTransaction();
  ids.push(await tell(quick));
  await quick.query('commit');
  const next = reader.take(2);
  const early = await Promise.race([next.then(() => 'early'), look().then(() => 'held up')]);
  expect(early).toBe('held up');
  await long.query('commit');
  expect((await next).map(({ id }) => id)).toEqual(ids);
});

test('events of an instant whose transaction is open when the stream begins are included', async () => {
  const at = start + 60_000;
  const [first, second] = [await beginTransaction(), await beginTransaction()];
  const ids = [await tell(first, at), await tell(second, at)];
  await second.query('commit');
  reader = await open(`?since=${new Date(at).toISOString()}`);
  const taken = reader.take(2);
  await look();
  await first.query('commit');
  expect((await taken).map(({ id }) => id)).toEqual(ids);
});

test('events written before a stream begins can be listed once it is open', async () => {
  const [first, second] = [await beginTransaction(), await beginTransaction()];
  const id = await tell(first);
  await tell(second);
  await second.query('commit');
  const opening = open();
  expect(await Promise.race([opening.then(() => 'open'), look().then(() => 'not yet')])).toBe('not yet');
  await first.query('commit');
  const late = await opening;
  expect((await fixture.send('GET', `/v2/events/${id}`)).status).toBe(200);
  late.close();
});

test('many random writers lose no event and give one order', async () => {
  const second = await open();
  await second.block();
  const rounds = Array.from({ length: 8 }, async (_, index) => {
    const ids: string[] = [];
    for (let round = 0; round < 15; round += 1) {
      const client = await beginTransaction();
      for (let count = 0; count <= (index + round) % 3; count += 1) {
        ids.push(await tell(client));
        await client.query(`select pg_sleep(${((index * 7 + round * 3) % 10) / 1000})`);
      }
      await client.query('commit');
      await client.end();
      clients.splice(clients.indexOf(client), 1);
    }
    return ids;
  });
  const ids = (await Promise.all(rounds)).flat();
  const taken = (await reader.take(ids.length)).map(({ id }) => id);
  expect([...taken].sort()).toEqual([...ids].sort());
  expect((await second.take(ids.length)).map(({ id }) => id)).toEqual(taken);
  const kept = await fixture.storage.run((db) =>
    db.selectFrom('events').select('id').where('id', 'in', ids).orderBy('position').execute(),
  );
  expect(taken).toEqual(kept.map(({ id }) => id));
});
