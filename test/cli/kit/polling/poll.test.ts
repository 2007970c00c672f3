import { expect, test } from 'vitest';
import {
  type PollClock,
  pollRepeatedly,
  type Subscribe,
  type Subscriber,
} from '../../../../src/cli/kit/polling/poll.ts';
import {
  createPollSchedule,
  type Notification,
  type PollOptions,
} from '../../../../src/cli/kit/polling/poll-schedule.ts';

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

/** A notification, and when it comes. */
type Timed = readonly [at: number, notification: Notification];

interface Settings {
  timeout_ms?: number;
  interval_ms?: number;
  /** How long a poll takes. */
  poll_ms?: number;
  hasFailed?: boolean;
}

/** The times of the polls until `end`, in milliseconds, with these notifications. */
function pollTimes(
  timed: readonly Timed[],
  end: number,
  { timeout_ms, interval_ms, poll_ms = 0, hasFailed = false }: Settings = {},
) {
  const schedule = createPollSchedule(0, { timeout_ms, interval_ms });
  const pending = [...timed];
  const polls: number[] = [];
  let now = 0;
  /** Passes time until then, or until the next notification. */
  const pass = (until: number) => {
    const [next] = pending;
    now = Math.max(now, Math.min(until, next?.[0] ?? until));
    if (next === undefined || next[0] > now) return;
    schedule.notify(next[1], now);
    pending.shift();
  };
  while (schedule.startPause(now, hasFailed)) {
    for (
      let remaining = schedule.remaining(now);
      remaining > 0 && now <= end;
      remaining = schedule.remaining(now)
    )
      pass(now + remaining);
    if (now > end) return polls;
    polls.push(now);
    schedule.startPoll(now);
    for (const until = now + poll_ms; now < until; ) pass(until);
  }
  return polls;
}

const hour = 3_600_000;
const polled = [2000, 6000, 14_000, 29_000, 44_000, 59_000, 74_000, 89_000, 104_000, 119_000];

test('without a stream it polls at the recommended pauses, ten times if there is no time-out', () => {
  expect(pollTimes([], hour)).toEqual(polled);
  expect(pollTimes([], 134_000, { timeout_ms: hour })).toEqual([...polled, 134_000]);
  expect(pollTimes([], hour, { timeout_ms: 7000 })).toEqual([2000, 6000, 7000]);
});

test('polls as the stream opens, at each event, and every 30 s for events that are held back', () => {
  const timed: Timed[] = [
    [10, 'opened'],
    [12_000, 'event'],
    [50_000, 'event'],
  ];
  expect(pollTimes(timed, 85_000, { timeout_ms: hour })).toEqual([60, 12_050, 42_050, 50_050, 80_050]);
});

test('with a stream and without a time-out it ends after two minutes', () => {
  expect(pollTimes([[10, 'opened']], hour)).toEqual([60, 30_060, 60_060, 90_060, 120_000]);
});

test('events within 50 ms share a poll; an event during a poll gets another', () => {
  const burst = [0, 10, 20, 30].map((after): Timed => [5000 + after, 'event']);
  const options = { timeout_ms: hour, poll_ms: 100 };
  expect(pollTimes([[10, 'opened'], ...burst], 20_000, options)).toEqual([60, 5050]);
  expect(pollTimes([[10, 'opened'], ...burst, [5100, 'event']], 20_000, options)).toEqual([60, 5050, 5200]);
});

test('while events keep coming each poll waits twice as long; a final event is polled for at once', () => {
  const flood = Array.from({ length: 6000 }, (_, index): Timed => [1000 + 10 * index, 'event']);
  const made = pollTimes([[10, 'opened'], ...flood, [61_000, 'final-event']], 61_200, { timeout_ms: hour });
  expect(made.length).toBeLessThan(15);
  expect(made.slice(0, 6)).toEqual([60, 1050, 1110, 1210, 1410, 1810]);
  expect(made.at(-1)).toBe(61_000);
  const calm = pollTimes([...flood.slice(0, 1000), [hour, 'event']], 2 * hour, { timeout_ms: 2 * hour });
  expect(calm).toContain(hour + 50);
});

test('after the stream is lost the recommended pauses start with the first one', () => {
  const timed: Timed[] = [
    [10, 'opened'],
    [20_000, 'lost'],
    [35_000, 'opened'],
    [60_000, 'event'],
  ];
  expect(pollTimes(timed, 100_000, { timeout_ms: hour })).toEqual([
    60, 22_000, 26_000, 34_000, 49_000, 60_050, 90_050,
  ]);
});

test('an unstable stream causes no more polls than no stream', () => {
  const timed = Array.from({ length: 120 }, (_, index): Timed[] => [
    [1000 * index, 'opened'],
    [1000 * index + 100, 'lost'],
  ]).flat();
  expect(pollTimes(timed, 120_000, { timeout_ms: hour }).length).toBeLessThanOrEqual(polled.length + 2);
});

test('while polls fail, an open stream is not relied on', () => {
  const made = pollTimes([[10, 'opened']], 60_000, { timeout_ms: hour, hasFailed: true });
  expect(made).toEqual([60, 4060, 12_060, 27_060, 42_060, 57_060]);
});

test('an interval replaces the pauses without a stream and the longest one with a stream; events are polled for at once', () => {
  expect(pollTimes([], 20_000, { timeout_ms: hour, interval_ms: 5000 })).toEqual([
    5000, 10_000, 15_000, 20_000,
  ]);
  const timed: Timed[] = [
    [10, 'opened'],
    [7000, 'event'],
  ];
  expect(pollTimes(timed, 20_000, { timeout_ms: hour, interval_ms: 5000 })).toEqual([
    60, 5060, 7050, 12_050, 17_050,
  ]);
  expect(pollTimes([], hour, { interval_ms: 60_000 })).toEqual([60_000, 120_000]);
  expect(pollTimes([], hour, { interval_ms: 1000 })).toHaveLength(120);
});
