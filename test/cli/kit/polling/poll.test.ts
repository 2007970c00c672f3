import { expect, test } from 'vitest';
import {
  type PollClock,
  type PollOptions,
  pollRepeatedly,
  type Subscribe,
  type Subscriber,
} from '../../../../src/cli/kit/polling/poll.ts';

/** The polls and sleeps of a run, at a time that passes with them; each poll takes `poll_ms`. */
async function runOf(options: PollOptions, poll_ms = 0): Promise<{ polls: number; slept: number[] }> {
  let now = 0;
  let polls = 0;
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    now += ms;
  };
  const poll = async () => {
    now += poll_ms;
    polls += 1;
  };
  for await (const _ of pollRepeatedly(poll, { now: () => now, sleep }, options)) if (polls > 50) break;
  return { polls, slept };
}

test('sleeps 2 s, then twice as long up to 15 s, for at most ten polls', async () => {
  const seconds = [2, 4, 8, 15, 15, 15, 15, 15, 15, 15].map((each) => each * 1000);
  expect(await runOf({ timeout_ms: undefined })).toEqual({ polls: 10, slept: seconds });
});

test('keeps to a time-out, with a last poll at its end', async () => {
  expect(await runOf({ timeout_ms: 7000 })).toEqual({ polls: 3, slept: [2000, 4000, 1000] });
  expect(await runOf({ timeout_ms: 0 })).toEqual({ polls: 0, slept: [] });
  expect((await runOf({ timeout_ms: 600_000 })).polls).toBeGreaterThan(40);
});

test('counts the time that polls take: 7 s have passed after two polls of 3 s', async () => {
  expect(await runOf({ timeout_ms: 7000 }, 3000)).toEqual({ polls: 2, slept: [2000, 2000] });
});

/** A clock whose sleeps only end when they are woken; each is kept. */
function stillClock() {
  const sleeps: { ms: number; woken: AbortSignal }[] = [];
  const clock: PollClock = {
    now: () => 0,
    sleep: (ms, woken) => {
      sleeps.push({ ms, woken });
      return new Promise((_, reject) => woken.addEventListener('abort', () => reject(woken.reason)));
    },
  };
  return { clock, sleeps };
}

/** A subscription whose subscribers are notified by hand. */
function manualSubscription() {
  const subscribers = new Set<Subscriber>();
  const subscribe: Subscribe = (subscriber) => {
    subscribers.add(subscriber);
    return () => subscribers.delete(subscriber);
  };
  return { subscribe, subscribers };
}

const options = { timeout_ms: 60_000 };

test('is subscribed from the first pause until the caller stops', async () => {
  const { subscribe, subscribers } = manualSubscription();
  const polls = pollRepeatedly(
    async () => 'seen',
    { now: () => 0, sleep: async () => {} },
    options,
    subscribe,
  );
  expect(subscribers.size).toBe(0);
  expect((await polls.next()).value).toBe('seen');
  expect(subscribers.size).toBe(1);
  await polls.return(undefined);
  expect(subscribers.size).toBe(0);
});

test('a notification ends a sleep, and its timer with it; a failure ends the polling', async () => {
  const { subscribe, subscribers } = manualSubscription();
  const { clock, sleeps } = stillClock();
  const next = pollRepeatedly(async () => 'seen', clock, options, subscribe).next();
  await expect.poll(() => sleeps.length).toBe(1);
  for (const { notify } of subscribers) notify('opened');
  await expect.poll(() => sleeps.map(({ ms }) => ms)).toEqual([2000, 50]);
  expect(sleeps.map(({ woken }) => woken.aborted)).toEqual([true, false]);
  for (const { fail } of subscribers) fail(new Error('broken'));
  await expect(next).rejects.toThrow('broken');
  expect([sleeps.at(-1)?.woken.aborted, subscribers.size]).toEqual([true, 0]);
});

test('a failure during a poll ends the polling after it', async () => {
  const { subscribe, subscribers } = manualSubscription();
  const poll = async () => {
    for (const { fail } of subscribers) fail(new Error('broken'));
  };
  const polls = pollRepeatedly(poll, { now: () => 0, sleep: async () => {} }, options, subscribe);
  await polls.next();
  await expect(polls.next()).rejects.toThrow('broken');
  expect(subscribers.size).toBe(0);
});

test('an interruption of the clock ends the polling', async () => {
  const sleep = () => Promise.reject(new Error('interrupted'));
  const polls = pollRepeatedly(async () => 'seen', { now: () => 0, sleep }, options);
  await expect(polls.next()).rejects.toThrow('interrupted');
});
