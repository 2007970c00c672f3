import { expect, test } from 'vitest';
import { combineCalls } from '../../../src/service/runtime/combine-calls.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { StorageUnavailable } from '../../../src/storage/storage.ts';

const service = { timers: realTimers };

/** Doubles numbers together and records each call; a call with the refused number fails. */
function doubling(refused: number | null = null, fault = new Error('refused')) {
  const calls: number[][] = [];
  const double = combineCalls(async (_: typeof service, inputs: readonly number[]) => {
    calls.push([...inputs]);
    await realTimers.turn();
    if (inputs.some((input) => input === refused)) throw fault;
    return (input) => input * 2;
  });
  return { calls, double: (input: number) => double(service, input) };
}

test('inputs of the same turn, and those that come during a call, go together', async () => {
  const { calls, double } = doubling();
  const first = [double(1), double(2)];
  await realTimers.turn();
  const second = [double(3), double(4)];
  expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8]);
  expect(await double(5)).toBe(10);
  expect(calls).toEqual([[1, 2], [3, 4], [5]]);
});

test('one input that fails has no effect on the others', async () => {
  const { calls, double } = doubling(2);
  const outcomes = await Promise.allSettled([1, 2, 3].map(double));
  expect(outcomes).toMatchObject([{ value: 2 }, { reason: new Error('refused') }, { value: 6 }]);
  expect(calls).toEqual([[1, 2, 3], [1], [2], [3]]);
});

test('while the database is unavailable nothing is repeated', async () => {
  const { calls, double } = doubling(2, new StorageUnavailable('away'));
  const outcomes = await Promise.allSettled([1, 2, 3].map(double));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(calls).toEqual([[1, 2, 3]]);
});

test('a call has 100 inputs at most', async () => {
  const { calls, double } = doubling();
  await Promise.all(Array.from({ length: 250 }, (_, index) => double(index)));
  expect(calls.map(({ length }) => length)).toEqual([100, 100, 50]);
});
