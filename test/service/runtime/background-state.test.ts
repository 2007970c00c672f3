import { expect, test } from 'vitest';
import { createPriorityMutex } from '../../../src/service/runtime/background-state.ts';

test('background work is notified when other work waits, not when more background work does', async () => {
  let notifications = 0;
  const mutex = createPriorityMutex(() => {
    notifications++;
  });
  const gate = Promise.withResolvers<void>();
  const first = mutex.runInBackground(() => gate.promise);
  const second = mutex.runInBackground(async () => mutex.isContended());
  expect([notifications, mutex.isContended()]).toEqual([0, false]);
  const named = mutex.run(async () => [mutex.holder(), mutex.isContended()], 'advance');
  expect([notifications, mutex.isContended()]).toEqual([1, true]);
  gate.resolve();
  await first;
  expect(await second).toBe(true);
  expect(await named).toEqual(['advance', false]);
  expect(mutex.holder()).toBeNull();
});
