import { expect, test } from 'vitest';
import { chunksOf, type ImportRow } from '../../../../../src/cli/commands/orders/import/send-chunks.ts';
import { all, orderAt } from './made-up-orders.ts';

async function* rows(count: number, notes = ''): AsyncGenerator<ImportRow> {
  for (let line = 0; line < count; line += 1)
    yield { line, order: { ...orderAt(line), dropoff_notes: notes }, cells: [] };
}

const limits = { rows: 300, bytes: 4 * 1024 * 1024 };

test('chunks have as many rows as a request takes; the same rows give the same chunks', async () => {
  const chunks = await all(chunksOf(rows(650), limits));
  expect(chunks.map((chunk) => [chunk.number, chunk.rows.length])).toEqual([
    [0, 300],
    [1, 300],
    [2, 50],
  ]);
  expect(await all(chunksOf(rows(650), limits))).toEqual(chunks);
  expect(await all(chunksOf(rows(0), limits))).toEqual([]);
});

test('a request stays below its limit in bytes, in any script', async () => {
  const bytes = 64 * 1024;
  const chunks = await all(chunksOf(rows(300, 'é'.repeat(400)), { rows: 300, bytes }));
  const sizes = chunks.map((chunk) =>
    Buffer.byteLength(JSON.stringify(chunk.rows.map(({ order }) => order))),
  );
  expect(chunks.length).toBeGreaterThan(4);
  expect(Math.max(...sizes)).toBeLessThan(bytes);
  expect(chunks.reduce((sum, chunk) => sum + chunk.rows.length, 0)).toBe(300);
  expect(new Set(chunks.map(({ sha256 }) => sha256)).size).toBe(chunks.length);
});
