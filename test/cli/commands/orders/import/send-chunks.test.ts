import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  countSettledRows,
  createJournal,
  type Header,
  type Journal,
  openJournal,
  rowsOf,
} from '../../../../../src/cli/commands/orders/import/journal.ts';
import {
  chunksOf,
  collectIds,
  type ImportRow,
  refusedRows,
  sendChunks,
} from '../../../../../src/cli/commands/orders/import/send-chunks.ts';
import { freshHome } from '../../../harness.ts';
import { all, orderAt } from './made-up-orders.ts';
import { type MadeUpService, madeUpService, refusal, unreachable } from './made-up-service.ts';

const home = freshHome();
let files = 0;
const newPath = () => join(home, `${files++}`);
const count = 23;
const started_at = Date.parse('2026-03-02T10:00:00.000Z');

async function* rows(): AsyncGenerator<ImportRow> {
  for (let number = 0; number < count; number += 1)
    yield { line: number + 2, order: orderAt(number), cells: [String(number)] };
}

function headerOf(settings: Header['settings']): Header {
  return {
    ...{ type: 'import', version: 2, id: 'i1', simulation: null, at: started_at, settings },
    file: {
      ...{ format: 'csv', sha256: 'abc', rows: count, columns: ['number'] },
      ...{ preset: null, map: [], store: null },
    },
    place: { profile: 'p', service: 's', mode: 'test', account_id: 'a' },
    limits: { rows: 5, bytes: 1024 * 1024 },
  };
}

const auto = headerOf({ mechanism: 'auto' });
const manual = headerOf(null);

async function send(
  journal: Journal,
  { client }: MadeUpService,
  options: { now?: number; signal?: AbortSignal } = {},
) {
  const { now = started_at, signal = new AbortController().signal } = options;
  const chunks = () => chunksOf(rows(), journal.state.header.limits);
  const hooks = { now: () => now, yieldToEventLoop: async () => {}, settled: () => {} };
  const sending = { client, journal, concurrency: 3, signal, ...hooks };
  await sendChunks(chunks(), sending);
  await collectIds(chunks(), sending);
}

async function reopened(path: string): Promise<Journal> {
  const journal = await openJournal(path);
  if (journal === null) throw new Error('there is no journal');
  return journal;
}

/** The final journal entry of each row: its order, or why there is none. */
function outcomes(journal: Journal): string[] {
  return [...journal.state.settled]
    .sort(([a], [b]) => a - b)
    .map(([, { span }]) => journal.read(span))
    .flatMap(({ made, failed }) => [
      ...made.map(({ line, order_id }) => `${line} ${order_id}`),
      ...failed.map(({ line, error }) => `${line} ${error}`),
    ]);
}

const refs = Array.from({ length: count }, (_, number) => `R-${number}`);
const everyOne = refs.map((ref, number) => `${number + 2} ord_${ref}`);

test.each([
  ['auto', auto],
  ['manual', manual],
])('%s: every row is made, and its order known', async (_, header) => {
  const journal = await createJournal(newPath(), header);
  const service = madeUpService();
  await send(journal, service);
  expect(service.requests.toSorted()).toEqual([3, 5, 5, 5, 5]);
  expect(outcomes(journal)).toEqual(everyOne);
  expect(countSettledRows(journal.state)).toMatchObject({ made: count, failed: 0 });
});

test.each([
  ['auto', auto],
  ['manual', manual],
])('%s: cut at any byte and continued, no row is created twice and none is left out', async (_, header) => {
  const whole = newPath();
  const service = madeUpService({ refuses: { 'R-3': 'bad', 'R-7': 'bad', 'R-9': 'worse' } });
  await send(await createJournal(whole, header), service);
  const made = [...service.made];
  const bytes = readFileSync(whole);
  const first = bytes.indexOf(10) + 1;
  for (let end = first; end < bytes.length; end += 53) {
    const path = newPath();
    writeFileSync(path, bytes.subarray(0, end));
    const journal = await reopened(path);
    await send(journal, service);
    expect(service.made, `cut at ${end}`).toEqual(made);
    expect(outcomes(journal).toSorted()).toEqual(
      everyOne
        .map((line) => line.replace(/ord_R-[37]$/, 'tip: bad').replace(/ord_R-9$/, 'tip: worse'))
        .toSorted(),
    );
    journal.close();
  }
  expect(new Set(made).size).toBe(made.length);
});

test.each([
  ['before', auto],
  ['after', auto],
  ['after', manual],
] as const)('after a response lost %s the request is repeated', async (moment, header) => {
  for (let lost = 1; lost <= 5; lost += 1) {
    const path = newPath();
    let isBroken = true;
    const service = madeUpService({
      around: (at, number) => {
        if (isBroken && at === moment && number === lost) throw unreachable();
      },
    });
    const journal = await createJournal(path, header);
    await expect(send(journal, service)).rejects.toThrow('No answer.');
    journal.close();
    isBroken = false;
    const again = await reopened(path);
    await send(again, service);
    expect(service.made.toSorted()).toEqual(refs.toSorted());
    expect(outcomes(again)).toEqual(everyOne);
    again.close();
  }
});

test('with auto dispatch rows count as accepted before any id is known', async () => {
  const journal = await createJournal(newPath(), auto);
  const service = madeUpService();
  const counts: number[] = [];
  const hooks = {
    now: () => started_at,
    yieldToEventLoop: async () => {},
    settled: (rows: number) => counts.push(rows),
  };
  const signal = new AbortController().signal;
  const chunks = chunksOf(rows(), journal.state.header.limits);
  await sendChunks(chunks, { ...service, journal, concurrency: 3, signal, ...hooks });
  expect(counts.toSorted()).toEqual([3, 5, 5, 5, 5]);
  expect(rowsOf(journal.state)).toBe(count);
  expect(countSettledRows(journal.state)).toMatchObject({ made: 0, failed: 0 });
});

test('a refusal of all is reported only if nothing else failed, as something may be created otherwise', async () => {
  const settings = refusal('invalid_request', 400, [{ path: 'settings.providers', message: 'unknown' }]);
  const lost = unreachable();
  const service = madeUpService({
    around: (_, number) => {
      throw number === 2 ? lost : settings;
    },
  });
  await expect(send(await createJournal(newPath(), auto), service)).rejects.toBe(lost);
});

test('if a refusal names one order at a time, each has its own reason', async () => {
  const journal = await createJournal(newPath(), auto);
  const refuses = { 'R-5': 'five', 'R-7': 'seven', 'R-9': 'nine' };
  await send(journal, madeUpService({ refuses, tellsOne: true }));
  const failed = outcomes(journal).filter((line) => !line.includes('ord_'));
  expect(failed).toEqual(['7 tip: five', '9 tip: seven', '11 tip: nine']);
});

test('a refusal that no order causes stops the import; others are not sent', async () => {
  for (const error of [
    refusal('unauthorized', 401, []),
    refusal('invalid_request', 400, [{ path: 'settings.providers', message: 'unknown' }]),
    refusal('idempotency_key_reuse', 422, []),
  ]) {
    const service = madeUpService({
      around: () => {
        throw error;
      },
    });
    await expect(send(await createJournal(newPath(), auto), service)).rejects.toBe(error);
    expect(service.requests.length).toBeLessThanOrEqual(3);
  }
});

test('a refusal that names no order fails all of its request, and the others continue', async () => {
  const service = madeUpService({
    around: (_, number) => {
      if (number === 2) throw refusal('record_not_found', 404, []);
    },
  });
  const journal = await createJournal(newPath(), auto);
  await send(journal, service);
  expect(countSettledRows(journal.state)).toMatchObject({ made: 18, failed: 5 });
});

test('a request sent too long ago is not repeated: its rows are reported as unknown', async () => {
  const path = newPath();
  const service = madeUpService({
    around: (moment, number) => {
      if (moment === 'after' && number === 2) throw unreachable();
    },
  });
  await expect(send(await createJournal(path, auto), service)).rejects.toThrow('No answer.');
  const copy = newPath();
  copyFileSync(path, copy);
  const late = await reopened(path);
  await send(late, service, { now: started_at + 23 * 3_600_000 + 1 });
  expect(service.made.toSorted()).toEqual(refs.toSorted());
  const unknown = outcomes(late).filter((line) => line.includes('not known'));
  expect(unknown).toHaveLength(5);
  expect(unknown[0]).toContain('it was sent at 2026-03-02T10:00:00.000Z');
  const inTime = await reopened(copy);
  await send(inTime, service, { now: started_at + 23 * 3_600_000 });
  expect(outcomes(inTime)).toEqual(everyOne);
});

test('an interruption sends nothing more and journals running requests', async () => {
  const controller = new AbortController();
  const service = madeUpService({
    around: (moment, number) => {
      if (moment === 'before' && number === 2) controller.abort();
    },
  });
  const path = newPath();
  const journal = await createJournal(path, manual);
  await send(journal, service, { signal: controller.signal });
  expect(service.made.length).toBeLessThan(count);
  const again = await reopened(path);
  expect(countSettledRows(again.state).made).toBe(service.made.length);
});

test('IDs that do not match the orders of a request stop the import', async () => {
  const journal = await createJournal(newPath(), manual);
  await expect(send(journal, madeUpService({ forgets: 1 }))).rejects.toThrow(
    '5 orders were sent, and the service has created 4',
  );
  expect(countSettledRows(journal.state).made).toBe(0);
});

test('orders that would be read differently than before are not sent', async () => {
  const path = newPath();
  const journal = await createJournal(path, auto);
  journal.append({
    type: 'sending',
    chunk: 1,
    attempt: 0,
    lines: [7, 11],
    key: 'k',
    sha256: 'other',
    at: started_at,
  });
  await expect(send(journal, madeUpService())).rejects.toThrow(/read differently/);
});

async function* rowsOfCount(count: number, notes = ''): AsyncGenerator<ImportRow> {
  for (let line = 0; line < count; line += 1)
    yield { line, order: { ...orderAt(line), dropoff_notes: notes }, cells: [] };
}

const requestLimits = { rows: 300, bytes: 4 * 1024 * 1024 };

test('chunks have as many rows as a request takes; the same rows give the same chunks', async () => {
  const chunks = await all(chunksOf(rowsOfCount(650), requestLimits));
  expect(chunks.map((chunk) => [chunk.number, chunk.rows.length])).toEqual([
    [0, 300],
    [1, 300],
    [2, 50],
  ]);
  expect(await all(chunksOf(rowsOfCount(650), requestLimits))).toEqual(chunks);
  expect(await all(chunksOf(rowsOfCount(0), requestLimits))).toEqual([]);
});

test('a request stays below its limit in bytes, in any script', async () => {
  const bytes = 64 * 1024;
  const chunks = await all(chunksOf(rowsOfCount(300, 'é'.repeat(400)), { rows: 300, bytes }));
  const sizes = chunks.map((chunk) =>
    Buffer.byteLength(JSON.stringify(chunk.rows.map(({ order }) => order))),
  );
  expect(chunks.length).toBeGreaterThan(4);
  expect(Math.max(...sizes)).toBeLessThan(bytes);
  expect(chunks.reduce((sum, chunk) => sum + chunk.rows.length, 0)).toBe(300);
  expect(new Set(chunks.map(({ sha256 }) => sha256)).size).toBe(chunks.length);
});

const tip = { path: 'orders[1].tip', message: 'is too much' };

test('the orders named by a refusal fail, each with all its reasons', () => {
  const whole = { path: 'orders[0]', message: 'is no order' };
  const name = { path: 'orders[1].dropoff_name', message: 'is required' };
  expect(refusedRows(refusal('invalid_request', 400, [tip, whole, name]), 2)).toEqual(
    new Map([
      [1, { error: 'tip: is too much; dropoff_name: is required' }],
      [0, { error: 'is no order' }],
    ]),
  );
});

test.each([
  ['settings beside an order', refusal('invalid_request', 400, [tip, { path: 'settings', message: 'x' }]), 2],
  ['an order that was not sent', refusal('invalid_request', 400, [tip]), 1],
  ['a request as a whole', refusal('invalid_request', 400, []), 2],
  ['a scenario', refusal('simulation_unknown', 422, []), 1],
  ['no answer', unreachable(), 1],
])('%s is not the fault of an order', (_, error, count) => {
  expect(refusedRows(error, count)).toBeNull();
});

test('if no order is named all fail: an unknown store', () => {
  expect(refusedRows(refusal('record_not_found', 404, []), 2)?.size).toBe(2);
  expect(refusedRows(refusal('invalid_request', 400, []), 1)?.size).toBe(1);
});
