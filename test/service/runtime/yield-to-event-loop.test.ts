import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { httpTransport } from '../../../src/client/http.ts';
import { createYielder, realTimers } from '../../../src/service/runtime/time.ts';
import { type RunningServer, startServer } from '../../../src/service/server.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { insertTasks } from '../../../src/storage/tasks.ts';
import { temporaryFolder } from '../../storage/folder.ts';
import { nextDue } from '../../storage/read-rows.ts';

const count = 200;
const hour_ms = 3_600_000;

/** A new database file with due tasks from `first_due_at` on, one per millisecond. */
async function fileWithWork(first_due_at: number): Promise<string> {
  const file = join(temporaryFolder(), 'waybill.db');
  const storage = await openStorage(file);
  const tasks = Array.from({ length: count }, (_, index) => ({
    ...{ id: `tsk_${index}`, account_id: 'acct_1', test_mode: 1 as const, kind: 'report.take' },
    ...{ subject: 'dlv_gone', payload: '{}' },
    due_at: first_due_at + index,
  }));
  await storage.run((db) => insertTasks(db, tasks));
  await storage.close();
  return file;
}

/** Serves a file over HTTP; stopping it does not wait five seconds. */
async function serve(database: string): Promise<RunningServer> {
  return startServer({
    ...{ host: '127.0.0.1', port: 0, database, publicUrl: null, sandbox: null, seed: null, log: () => {} },
    parts: { timers: { ...realTimers, after: (ms, wake) => realTimers.after(ms === 5_000 ? 0 : ms, wake) } },
  });
}

function clientOf({ url }: RunningServer, key: string) {
  const transport = httpTransport({ baseUrl: url, requestTimeout_ms: 600_000, timer: realTimers.after });
  const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': 'advance' };
  onTestFinished(() => transport.close());
  return {
    clock: async (): Promise<{ now: string; next_due_at: string | null }> => {
      const answer = await transport({ method: 'GET', path: '/v2/sandbox/clock', headers, body: '' });
      return JSON.parse(answer.body);
    },
    /** Advances as often as it takes: each request ends after some time, and a busy machine needs several. */
    advance: async (to: string): Promise<{ steps: number; now: string }> => {
      const body = JSON.stringify({ to });
      let steps = 0;
      for (let run = 0; ; run += 1) {
        const keyed = { ...headers, 'idempotency-key': `advance-${run}` };
        const path = '/v2/sandbox/clock/advance';
        const answer = JSON.parse((await transport({ method: 'POST', path, headers: keyed, body })).body);
        steps += answer.steps;
        if (!answer.more) return { steps, now: answer.now };
      }
    },
  };
}

test('during an advance of the clock other requests are answered and see its progress', async () => {
  const due_at = Date.now() + hour_ms;
  const server = await serve(await fileWithWork(due_at));
  onTestFinished(server.stop);
  const client = clientOf(server, server.keys?.test ?? '');
  const target = new Date(due_at + hour_ms).toISOString();
  const answers: unknown[] = [];
  const moving = client.advance(target).then((answer) => answers.push(answer));
  const seen = new Set<string>();
  while (answers.length === 0) {
    const { now } = await client.clock();
    if (answers.length === 0 && Date.parse(now) >= due_at) seen.add(now);
  }
  await moving;
  // Between two requests the loop of the service goes on.
  expect(answers).toEqual([{ now: target, steps: expect.toSatisfy((steps) => steps <= count) }]);
  expect(seen.size).toBeGreaterThan(3);
  expect([...seen]).toEqual([...seen].sort());
});

test('while the loop runs many due tasks, other requests are answered', async () => {
  const server = await serve(await fileWithWork(Date.now() - hour_ms));
  onTestFinished(server.stop);
  const client = clientOf(server, server.keys?.test ?? '');
  const left = new Set<string>();
  for (;;) {
    const { next_due_at } = await client.clock();
    if (next_due_at === null) break;
    left.add(next_due_at);
  }
  // One of each would be seen before and after it.
  expect(left.size).toBeGreaterThan(3);
  expect([...left]).toEqual([...left].sort());
});

test('a server stopped during an advance finishes it at its next start, each step once', async () => {
  const due_at = Date.now() + hour_ms;
  const file = await fileWithWork(due_at);
  const first = await serve(file);
  const key = first.keys?.test ?? '';
  const client = clientOf(first, key);
  const target = new Date(due_at + hour_ms).toISOString();
  const moving = client.advance(target).catch(() => null);
  while (Date.parse((await client.clock()).now) < due_at);
  await first.stop();
  expect(await moving).toBeNull();
  expect(await workLeft(file)).toBe(true);
  const second = await serve(file);
  onTestFinished(second.stop);
  const later = clientOf(second, key);
  // Requests are answered first; the advance continues in the background.
  const now = async () => Date.parse((await later.clock()).now);
  await expect.poll(now).toBeGreaterThanOrEqual(Date.parse(target));
  expect(await later.advance(target)).toEqual({ now: target, steps: count });
});

test('a server can be stopped while many tasks are due', async () => {
  const file = await fileWithWork(Date.now() - hour_ms);
  const server = await serve(file);
  const client = clientOf(server, server.keys?.test ?? '');
  const first = (await client.clock()).next_due_at;
  while ((await client.clock()).next_due_at === first);
  await server.stop();
  expect(await workLeft(file)).toBe(true);
});

async function workLeft(file: string): Promise<boolean> {
  const storage = await openStorage(file);
  const row = await storage.run((db) => nextDue(db, { test_mode: 1, now: Number.MAX_SAFE_INTEGER }));
  await storage.close();
  return row !== undefined;
}

test('other work runs only after ten milliseconds', async () => {
  let now = 0;
  let turns = 0;
  const turn = async () => {
    turns += 1;
  };
  const yieldToEventLoop = createYielder({ timers: { ...realTimers, turn }, monotonic: { now: () => now } });
  const seen: number[] = [];
  for (const time of [0, 9, 10, 19, 20]) {
    now = time;
    await yieldToEventLoop();
    seen.push(turns);
  }
  expect(seen).toEqual([0, 0, 1, 1, 2]);
});
