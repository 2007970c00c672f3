import { expect, test } from 'vitest';
import { createTurns } from '../../../src/service/runtime/priority-mutex.ts';

test('background work hears at once that other work waits, and not of its own kind', async () => {
  let rings = 0;
  const turns = createTurns(() => {
    rings++;
  });
  const gate = Promise.withResolvers<void>();
  const first = turns.background(() => gate.promise);
  const second = turns.background(async () => turns.isAwaited());
  expect([rings, turns.isAwaited()]).toEqual([0, false]);
  const named = turns.take(async () => [turns.current(), turns.isAwaited()], 'advance');
  expect([rings, turns.isAwaited()]).toEqual([1, true]);
  gate.resolve();
  await first;
  expect(await second).toBe(true);
  expect(await named).toEqual(['advance', false]);
  expect(turns.current()).toBeNull();
});
