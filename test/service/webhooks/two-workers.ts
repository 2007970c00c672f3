import { sql } from 'kysely';
import { onTestFinished } from 'vitest';
import { realTimers, wallClock } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import { insertEvent } from '../../../src/storage/events.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { type Storage, StorageUnavailable } from '../../../src/storage/storage.ts';
import { enqueueEvent } from '../../../src/storage/webhook-messages.ts';
import { numberedEvent } from '../../storage/webhook-records.ts';
import { startTcpProxy } from '../../tcp-proxy.ts';
import { startFixture } from '../fixture.ts';
import { insertEndpoint } from './received-events.ts';
import { startReceiver } from './receiver.ts';

export interface Load {
  deliveries: number;
  events_each: number;
  /** The number of concurrent writers. */
  writers: number;
}

/** Longer than the lease of a message: by then everything that can be sent has been sent. */
const longest_quiet_ms = 15_000;

/**
 * Two workers on separate connections, with 2 ms latency to the database, send the events that several writers
 * publish. Resolves once all are sent or nothing is sent anymore, with the `waiting` ones.
 */
export async function sendFromTwoWorkers(databaseUrl: string, load: Load) {
  const proxy = await startTcpProxy(databaseUrl, { latency_ms: 2 });
  const receiver = await startReceiver();
  const parts = { clock: wallClock, wall: wallClock };
  const fixture = await startFixture({ location: proxy.url, parts });
  const storage = await openStorage(proxy.url);
  const services = [fixture.service, createService({ ...fixture.config, storage })];
  onTestFinished(async () => {
    for (const service of services) await service.stop();
    await receiver.close();
    await fixture.storage.close();
    await storage.close();
    await proxy.close();
  });
  const { account_id } = await insertEndpoint(fixture, receiver.url);
  for (const service of services) service.start();
  const publish = publisher(storage, account_id);
  let next = 0;
  const write = async () => {
    for (let delivery = next++; delivery < load.deliveries; delivery = next++)
      for (let number = 1; number <= load.events_each; number++) await publish(`dlv_${delivery}`, number);
  };
  await Promise.all(Array.from({ length: load.writers }, write));
  const left = () =>
    fixture.storage.run((db) =>
      db.selectFrom('webhook_messages').select(['queue', 'due_at']).orderBy('sequence').execute(),
    );
  let waiting = await left();
  for (let last = waiting.length, quiet_ms = 0; waiting.length > 0 && quiet_ms < longest_quiet_ms; ) {
    await new Promise<void>((resolve) => realTimers.after(100, resolve));
    waiting = await left();
    quiet_ms = waiting.length === last ? quiet_ms + 100 : 0;
    last = waiting.length;
  }
  return { received: receiver.received, waiting, faults: fixture.faults };
}

/** Writes an event of a delivery in a transaction, like a transition, after a short pause. */
function publisher(storage: Storage, account_id: string) {
  return async (delivery_id: string, sequence: number): Promise<void> => {
    const pause_ms = (sequence * 37) % 60;
    await new Promise<void>((resolve) => realTimers.after(pause_ms, resolve));
    const id = `evt_${delivery_id}_${sequence}`;
    const event = numberedEvent(sequence, { id, account_id, delivery_id, created_at: wallClock.now() });
    const write = () =>
      storage.transaction(async (db) => {
        await enqueueEvent(db, event, { asked: ['*'], kept_ms: 0 });
        await insertEvent(db, event);
        // The other writes of a transition take time.
        await sql`select pg_sleep(0.03)`.execute(db);
      });
    await untilAvailable(write);
  };
}

/** Writers with too many conflicts get a storage error; they retry, like tasks and clients. */
async function untilAvailable(write: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (fault) {
      if (!(fault instanceof StorageUnavailable) || tries === 10) throw fault;
    }
  }
}
