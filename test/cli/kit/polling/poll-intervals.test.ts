import { expect, test } from 'vitest';
import { type Patience, repeatedly } from '../../../../src/cli/kit/polling/poll.ts';

async function waits(patience: Patience, lookTime_ms = 0): Promise<{ looks: number; slept: number[] }> {
  let now = 0;
  let looks = 0;
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    now += ms;
  };
  const look = async () => {
    now += lookTime_ms;
    looks += 1;
  };
  for await (const _ of repeatedly(look, { now: () => now, sleep }, patience)) if (looks > 50) break;
  return { looks, slept };
}

test('waits 2 s, then double, at most 10 looks, none longer than 15 s', async () => {
  const seconds = [2, 4, 8, 15, 15, 15, 15, 15, 15].map((each) => each * 1000);
  expect(await waits({ timeout_ms: undefined, waitFirst: false })).toEqual({ looks: 10, slept: seconds });
  const first = await waits({ timeout_ms: undefined, waitFirst: true });
  expect(first).toEqual({ looks: 10, slept: [...seconds, 15_000] });
});

test('a time-out is kept to, with a last look at its end', async () => {
  expect(await waits({ timeout_ms: 7000, waitFirst: false })).toEqual({
    looks: 4,
    slept: [2000, 4000, 1000],
  });
  expect(await waits({ timeout_ms: 0, waitFirst: false })).toEqual({ looks: 1, slept: [] });
  expect((await waits({ timeout_ms: 600_000, waitFirst: false })).looks).toBeGreaterThan(40);
});

test('the time that looks take counts: after 3 s, a wait of 2 s and another 3 s, 7 s have passed', async () => {
  expect(await waits({ timeout_ms: 7000, waitFirst: false }, 3000)).toEqual({ looks: 2, slept: [2000] });
});
