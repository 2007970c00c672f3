import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLogQueue, logText } from '../../../../src/cli/commands/serve/run-server.ts';
import { readyText } from '../../../../src/cli/commands/serve.ts';
import { stackTexts } from '../../../../src/cli/kit/errors/failure.ts';
import { withoutPassword } from '../../../../src/cli/session/administer.ts';
import { plainShow } from '../../kit/output/plain.ts';

const url = 'http://127.0.0.1:4010';

test('in a narrow terminal lines wrap at spaces; keys and commands stay whole', () => {
  const keys = { test: `wb_test_${'a'.repeat(32)}`, live: `wb_live_${'b'.repeat(32)}` };
  const narrow = { ...plainShow, room: 40 };
  expect(readyText({ type: 'ready', url, database: 'f', keys, metrics_url: null }, narrow, false)).toBe(
    [
      ...[`Ready at ${url}`, 'Database: f', ''],
      ...['Created an account. Its API keys are', 'shown only once:'],
      ...['  test', `    ${keys.test}`, '  live', `    ${keys.live}`],
      'Use a key in another terminal:',
      `  WAYBILL_BASE_URL=${url} WAYBILL_API_KEY=... waybill whoami`,
    ].join('\n'),
  );
});

test('for an existing account it prints how to create a key', () => {
  const ready = { type: 'ready', url, database: 'f', keys: null, metrics_url: null } as const;
  const create = 'waybill keys create --permission write';
  expect(readyText(ready, plainShow, false)).toContain(
    `WAYBILL_BASE_URL=${url} WAYBILL_API_KEY=... ${create}`,
  );
  const other = 'waybill admin accounts create-key ACCOUNT --database';
  expect(readyText(ready, plainShow, false)).toContain(`${other} f`);
  const database = 'postgres://joe:***@db/waybill';
  expect(readyText({ ...ready, database }, plainShow, false)).toContain(`${other} DATABASE`);
  const own = readyText(ready, plainShow, true);
  expect(own).toContain(create);
  expect(own).not.toContain('WAYBILL_API_KEY');
});

test('a request is a log line, and so is an error', () => {
  const at = Date.parse('2026-03-02T12:00:00.000Z');
  const request = {
    ...({ type: 'request', at, operation: 'ListOrders', method: 'GET', path: '/v2/orders' } as const),
    ...{ status: 200, duration_ms: 3.4567, request_id: 'req_1' },
    ...({ account_id: 'acct_1', mode: 'test', key_end: 'a1b2' } as const),
  };
  expect(logText(request, false, stackTexts())).toBe('GET /v2/orders 200 3 ms');
  expect(JSON.parse(logText(request, true, stackTexts()))).toEqual({
    ...{ time: '2026-03-02T12:00:00.000Z', level: 'info', type: 'request', operation: 'ListOrders' },
    ...{ method: 'GET', path: '/v2/orders', status: 200, duration_ms: 3.46, request_id: 'req_1' },
    ...{ account_id: 'acct_1', mode: 'test', key_end: 'a1b2' },
  });
  expect(JSON.parse(logText({ ...request, status: 503 }, true, stackTexts()))).toMatchObject({
    level: 'error',
  });
  const fault = { type: 'fault', at, request_id: null, fault: new Error('oops') } as const;
  expect(logText(fault, false, stackTexts())).toMatch(/^error in background work: Error: oops/);
  expect(JSON.parse(logText(fault, true, stackTexts()))).toMatchObject({
    ...{ time: '2026-03-02T12:00:00.000Z', level: 'error', type: 'fault' },
    fault: expect.stringMatching(/oops/),
  });
});

test('the password of a database is never shown', () => {
  expect(withoutPassword('postgres://joe:secret@db:5432/waybill')).toBe('postgres://joe:***@db:5432/waybill');
  expect(withoutPassword('postgres://joe:s:e@c/r@db/waybill')).toBe('postgres://joe:***@db/waybill');
  expect(withoutPassword('postgres://db/w?user=joe&password=secret&sslmode=require')).toBe(
    'postgres://db/w?user=joe&password=***&sslmode=require',
  );
  // Whoever forgets to encode them.
  for (const password of ['se#cret', 's?ecret'])
    expect(withoutPassword(`postgres://joe:${password}@db/waybill?pool_size=2`)).toBe(
      'postgres://joe:***@db/waybill?pool_size=2',
    );
  expect(withoutPassword('postgresql://db/waybill')).toBe('postgresql://db/waybill');
  expect(withoutPassword('/home/joe/a:b@c.db')).toBe('/home/joe/a:b@c.db');
});

/** A reader that takes a text on each call of `take`. */
function slowReader() {
  const waiting: { text: string; taken: () => void; gone: (error: Error) => void }[] = [];
  const read: string[] = [];
  return {
    read,
    write: (text: string) =>
      new Promise<void>((resolve, reject) => waiting.push({ text, taken: resolve, gone: reject })),
    take: async () => {
      const next = waiting.shift();
      if (next === undefined) throw new Error('nothing was written');
      read.push(next.text);
      next.taken();
      await turn();
    },
    leave: async () => {
      waiting.shift()?.gone(new Error('gone'));
      await turn();
    },
    pending: () => waiting.length,
  };
}

const at_once = { pause: async () => {} };
const dropped = (count: number) => `${count} dropped`;

test('lines soon after a write are written together', async () => {
  const reader = slowReader();
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const queue = createLogQueue({ write: reader.write, dropped, pause: () => over });
  for (const line of ['a', 'b']) queue.add(line);
  await reader.take();
  queue.add('c');
  await turn();
  expect(reader.pending()).toBe(0);
  resolve();
  await turn();
  await reader.take();
  await queue.written();
  expect(reader.read).toEqual(['a\n', 'b\nc\n']);
});

test('lines are written in order, one write at a time', async () => {
  const reader = slowReader();
  const queue = createLogQueue({ ...at_once, write: reader.write, dropped });
  for (const line of ['a', 'b', 'c']) queue.add(line);
  expect(reader.pending()).toBe(1);
  await reader.take();
  await reader.take();
  await queue.written();
  expect(reader.read).toEqual(['a\n', 'b\nc\n']);
});

test('lines that a stalled reader leaves no room for are dropped, counted, and reported in their place', async () => {
  const reader = slowReader();
  const queue = createLogQueue({ ...at_once, write: reader.write, dropped, max_waiting: 10 });
  for (const line of ['first', '1234', '5678', 'none', 'x']) queue.add(line);
  await reader.take();
  queue.add('next');
  await reader.take();
  await reader.take();
  await queue.written();
  expect(reader.read).toEqual(['first\n', '1234\n5678\n2 dropped\n', 'next\n']);
});

test('nothing is written to a reader that has gone', async () => {
  const reader = slowReader();
  const queue = createLogQueue({ ...at_once, write: reader.write, dropped });
  queue.add('a');
  await reader.leave();
  await queue.written();
  queue.add('b');
  expect(reader.pending()).toBe(0);
});
