import { expect, test } from 'vitest';
import { WaitTimeout, waitFor } from '../../src/library/index.ts';

/** Reads the numbers from 1 on. */
function counter() {
  let count = 0;
  const read = async () => {
    count += 1;
    return { data: count, service_time: null, request_id: null, status: 200, replayed: false };
  };
  return { read, reads: () => count };
}

test('a record is polled until it is reached', async () => {
  const { read, reads } = counter();
  expect(await waitFor(read, (count) => count === 3, { interval_ms: 1 })).toBe(3);
  expect(reads()).toBe(3);
});

test('after the timeout the error has the last record', async () => {
  const { read, reads } = counter();
  const error = await waitFor(read, () => false, { interval_ms: 5, timeout_ms: 20 }).catch((each) => each);
  expect(error).toBeInstanceOf(WaitTimeout);
  expect(error).toMatchObject({ code: 'wait_timeout', last: reads() });
  expect(reads()).toBeGreaterThan(1);
});

test('a signal ends waiting with its reason, also between two polls', async () => {
  const { read, reads } = counter();
  const reason = new Error('enough');
  await expect(waitFor(read, () => false, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(reads()).toBe(0);
  const controller = new AbortController();
  const waiting = waitFor(read, () => false, { interval_ms: 60_000, signal: controller.signal });
  await read();
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});
