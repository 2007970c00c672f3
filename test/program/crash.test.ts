import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEmbedded } from '../../src/service/embedded.ts';
import { courierEntriesOf } from '../../src/storage/couriers.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { clientOf, draftRoute } from '../service/fixture.ts';
import { ended, freshHome, type Home, start } from './run.ts';

/** A draft route with quotes that do not expire, in the data of a home; the key is in its environment. */
async function quotedRoute(home: Home) {
  const file = join(home.folder, 'waybill.db');
  let key = '';
  const keep = async (made: string) => {
    key = made;
  };
  const embedded = await openEmbedded({ file, key: null, ownKey: { read: () => null, keep } });
  const client = clientOf({ fetch: embedded.transport }, '');
  await client.clock.set({ body: { mode: 'manual' } });
  const { id: route_id } = await draftRoute(client);
  await client.quotes.request({ params: { route_id } });
  await client.clock.advance({ body: { by: 60 } });
  await embedded.close();
  const books = join(home.folder, 'books.db');
  Object.assign(home.env, {
    WAYBILL_DATA_DIR: home.folder,
    WAYBILL_API_KEY: key,
    WAYBILL_COURIER_BOOKS: books,
  });
  return { route_id, file, books };
}

/** Dispatches with one idempotency key, in a process that kills itself at a crash point. */
async function dispatched(home: Home, route_id: string, crash?: string) {
  const env = crash === undefined ? home.env : { ...home.env, WAYBILL_CRASH_AT: crash };
  const flags = ['--cheapest', '--idempotency-key', 'once', '--request-timeout', '8s', '--json'];
  const child = start({ ...home, env }, ['dispatch', route_id, ...flags]);
  const [{ stdout, stderr, exit }] = await Promise.all([ended(child), once(child, 'exit')]);
  return { stdout, stderr, exit, signal: child.signalCode };
}

test('a dispatch that is killed twice continues at once and is made and charged once', async () => {
  const home = freshHome();
  const { route_id, file, books } = await quotedRoute(home);
  // First with its idempotency key in use, then with an unrecorded provider response.
  for (const crash of ['charge.before_commit', 'provider.after_accept:1']) {
    expect(await dispatched(home, route_id, crash), crash).toMatchObject({ stdout: '', signal: 'SIGKILL' });
  }
  const { stdout, stderr, exit } = await dispatched(home, route_id);
  expect(exit, stderr).toBe(0);
  const { deliveries }: { deliveries: { id: string; status: string }[] } = JSON.parse(stdout);
  expect(deliveries).toMatchObject([{ status: 'delivery_created' }]);
  const storage = await openStorage(file);
  const read = (table: 'dispatches' | 'charges' | 'tasks') =>
    storage.run((db) => db.selectFrom(table).selectAll().execute());
  const [dispatch, ...others] = await storage.run((db) => db.selectFrom('dispatches').selectAll().execute());
  expect(others).toEqual([]);
  expect(dispatch).toMatchObject({ state: 'accepted' });
  expect(await read('charges')).toMatchObject([{ delivery_id: deliveries[0]?.id, kind: 'delivery' }]);
  expect(await read('tasks')).toContainEqual(expect.objectContaining({ kind: 'report.take', attempts: 0 }));
  await storage.close();
  const ledger = await openStorage(books);
  const entries = await ledger.run((db) =>
    courierEntriesOf(db, dispatch?.provider ?? '', dispatch?.id ?? ''),
  );
  await ledger.close();
  expect(entries.map(({ kind }) => kind)).toEqual(['created']);
});
