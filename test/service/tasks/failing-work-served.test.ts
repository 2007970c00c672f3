import type { OperationNode } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { createSealing } from '../../../src/service/runtime/sealing.ts';
import { keysInMemory } from '../../../src/service/runtime/secret-keys.ts';
import { startServer } from '../../../src/service/server.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { jsonOf, waybill } from '../../cli/harness.ts';
import { newDatabase } from '../../databases.ts';
import { orderRequest } from '../fixture.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import {
  type FailureKind,
  failureKinds,
  faultOfTask,
  faultyStorage,
  plantedTasks,
  shortTimers,
  taskKindNames,
} from './faulty-tasks.ts';

/** An order whose first event fails to be recorded in a given way. */
const plantedRef = (manner: FailureKind) => `planted ${manner}`;

/** Receives webhooks, and knows which attempts fail to be recorded. */
async function startFaultyReceiver() {
  const plantedEvents = new Map<string, FailureKind>();
  const receiver = await startReceiver(({ body, headers }) => {
    const manner = failureKinds.find((each) => body.includes(plantedRef(each)));
    if (manner !== undefined) plantedEvents.set(String(headers['webhook-id']), manner);
    return {};
  });
  const faultOfMessage = (node: OperationNode) => {
    if (node.kind !== 'InsertQueryNode') return undefined;
    const text = JSON.stringify(node);
    if (!text.includes('webhook_attempts')) return undefined;
    return [...plantedEvents].find(([id]) => text.includes(id))?.[1];
  };
  const sent = (what: string) => receiver.received.filter(({ body }) => body.includes(what)).length;
  return { ...receiver, plantedEvents, faultOfMessage, sent };
}

/** A server with planted failures in its background work, and a client for it. */
async function startFaultyServer() {
  const database = await newDatabase();
  const receiver = await startFaultyReceiver();
  const storage = await openStorage(database);
  const sealing = createSealing(keysInMemory());
  const faulty = faultyStorage(storage, (node) => faultOfTask(node) ?? receiver.faultOfMessage(node));
  const serve = () =>
    startServer({
      ...{ host: '127.0.0.1', port: 0, database, publicUrl: null, sandbox: true, seed: 'failing' },
      parts: { storage: faulty.storage, timers: shortTimers, sealing },
      log: () => {},
    });
  let server = await serve();
  const keys = server.keys ?? { test: '', live: '' };
  onTestFinished(async () => {
    await server.stop();
    await storage.close();
    await receiver.close();
  });
  const send = async (method: string, path: string, body?: object, key = keys.test) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const record = jsonOf(await answer.text());
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(record)}`);
    return record;
  };
  const run = (...line: string[]) =>
    waybill(line, { env: { WAYBILL_BASE_URL: server.url, WAYBILL_API_KEY: keys.test } });
  const listFailed = async () => {
    const { data } = await send('GET', '/v2/failed_tasks?limit=100');
    return Array.isArray(data) ? data.map((each) => jsonOf(JSON.stringify(each))) : [];
  };
  const restart = async () => {
    await server.stop();
    server = await serve();
  };
  return { keys, storage, receiver, heal: faulty.heal, send, run, listFailed, restart };
}

type FaultyServer = Awaited<ReturnType<typeof startFaultyServer>>;

/** Requests that must work despite failures in the background: an error throws. */
async function expectWorking({ keys, send }: FaultyServer, delivery_id: string): Promise<void> {
  await send('GET', '/health');
  for (const key of [keys.test, keys.live]) {
    await send('POST', '/v2/orders/create', { orders: [orderRequest()] }, key);
    await send('GET', '/v2/orders', undefined, key);
  }
  expect((await send('GET', `/v1/delivery/${delivery_id}`)).id).toBe(delivery_id);
}

/** All planted tasks and messages. */
const all = (taskKindNames.length + 1) * failureKinds.length;

test('served on PostgreSQL, tasks that fail in any way stop nothing and are abandoned, listed, retried and dismissed', async () => {
  const server = await startFaultyServer();
  const { receiver, send, run, listFailed } = server;
  const create = async (external_order_ref: string) => {
    // Its courier reports nothing for hours: a real report would execute the planted ones of its delivery.
    const pickup_at = new Date(Date.now() + 6 * 3_600_000).toISOString();
    const body = { ...orderRequest({ pickup_at }), external_order_ref, initiate: true };
    return String((await send('POST', '/v1/delivery_information', body)).id);
  };
  // Four attempts take 21 s of service time.
  await send('POST', '/v2/sandbox/clock', { mode: 'scaled', rate: 10 });
  const events = ['delivery.created'];
  await send('POST', '/v2/webhook_endpoints', { url: receiver.url, events });
  const delivery_id = await create('ordinary');
  for (const manner of failureKinds) await create(plantedRef(manner));
  const due_at = Date.parse(String((await send('GET', '/v2/sandbox/clock')).now));
  await server.storage.run((db) => insertTasks(db, plantedTasks(delivery_id, due_at)));
  const count = async () => (await listFailed()).length;
  await expectWorking(server, delivery_id);
  await expect.poll(count).toBeGreaterThan(0);
  await server.restart();
  await expectWorking(server, delivery_id);
  await expect.poll(count).toBe(all);
  await expectWorking(server, delivery_id);
  expect((await send('POST', '/v2/sandbox/clock/advance', { by: 60 })).more).toBe(false);
  expect(receiver.sent('ordinary')).toBe(1);
  await expectManageable(server);
  await create('another');
  await expect.poll(() => receiver.sent('another')).toBe(1);
  expect((await send('POST', '/v2/sandbox/reset', {})).object).toBe('sandbox_reset');
  expect((await run('doctor')).exit).toBe(0);
});

/** A failed task is listed only in its mode, can be dismissed, and can be retried once fixed. */
async function expectManageable(server: FaultyServer): Promise<void> {
  const { keys, receiver, heal, send, run, listFailed } = server;
  const failed = await listFailed();
  const count = (kind: string) => failed.filter((task) => task.kind === kind).length;
  expect([...taskKindNames, 'webhook.send'].map(count)).toEqual(
    Array(all / failureKinds.length).fill(failureKinds.length),
  );
  expect(failed.every(({ attempts }) => attempts === 4)).toBe(true);
  expect((await send('GET', '/v2/failed_tasks', undefined, keys.live)).data).toEqual([]);
  const { exit, stdout } = await run('doctor');
  expect([exit, stdout.includes('waybill admin failed retry --all')]).toEqual([0, true]);
  expect(stdout).toContain(`${all} pieces were given up`);
  // While the fault lasts, a retry fails like the first attempts.
  const isMessage = ({ kind }: Record<string, unknown>) => kind === 'webhook.send';
  const again = failed.find((task) => !isMessage(task) && task.retryable === true);
  const ids = async () => (await listFailed()).map(({ id }) => id);
  expect((await run('admin', 'failed', 'retry', String(again?.id))).exit).toBe(0);
  await expect.poll(ids).toHaveLength(all);
  expect(await ids()).not.toContain(again?.id);
  heal();
  const [dropped, ...messages] = failed.filter(isMessage);
  expect((await run('admin', 'failed', 'dismiss', String(dropped?.id))).exit).toBe(0);
  expect((await run('admin', 'failed', 'retry', '--all')).exit).toBe(0);
  const sends = () => [...receiver.plantedEvents.keys()].map((id) => [id, sentTimes(receiver, id)]);
  const expected = (id: unknown) => (messages.some(({ subject }) => subject === id) ? 5 : 4);
  await expect.poll(sends).toEqual([...receiver.plantedEvents.keys()].map((id) => [id, expected(id)]));
  expect((await run('admin', 'failed', 'dismiss', '--all')).exit).toBe(0);
  const left = () =>
    server.storage.run((db) => db.selectFrom('tasks').select('id').where('id', 'like', 'planted%').execute());
  await expect.poll(left).toEqual([]);
  expect(await listFailed()).toEqual([]);
}

const sentTimes = ({ received }: FaultyServer['receiver'], event_id: string) =>
  received.filter(({ headers }) => headers['webhook-id'] === event_id).length;
