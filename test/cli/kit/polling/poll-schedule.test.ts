import { expect, test } from 'vitest';
import { createPace, type News } from '../../../../src/cli/kit/polling/poll-schedule.ts';

/** What is heard, and when. */
type Heard = readonly [at: number, news: News];

interface Days {
  timeout_ms?: number;
  interval_ms?: number;
  /** How long a look takes. */
  look_ms?: number;
  missed?: boolean;
}

/** When looks are made until `end`, in milliseconds, where this is heard meanwhile. */
function looks(
  heard: readonly Heard[],
  end: number,
  { timeout_ms, interval_ms, look_ms = 0, missed = false }: Days = {},
) {
  const pace = createPace(timeout_ms, 0, interval_ms);
  const coming = [...heard];
  const made: number[] = [];
  let now = 0;
  /** Passes time until then, or until something is heard. */
  const pass = (until: number) => {
    const [next] = coming;
    now = Math.max(now, Math.min(until, next?.[0] ?? until));
    if (next === undefined || next[0] > now) return;
    pace.hear(next[1], now);
    coming.shift();
  };
  while (pace.pause(now, missed)) {
    for (let left = pace.left(now); left > 0 && now <= end; left = pace.left(now)) pass(now + left);
    if (now > end) return made;
    made.push(now);
    pace.look(now);
    for (const until = now + look_ms; now < until; ) pass(until);
  }
  return made;
}

const hour = 3_600_000;
const polled = [2000, 6000, 14_000, 29_000, 44_000, 59_000, 74_000, 89_000, 104_000, 119_000];

test('without a stream: the waits of the interface, ten looks where nobody says how long', () => {
  expect(looks([], hour)).toEqual(polled);
  expect(looks([], 134_000, { timeout_ms: hour })).toEqual([...polled, 134_000]);
  expect(looks([], hour, { timeout_ms: 7000 })).toEqual([2000, 6000, 7000]);
});

test('once as the stream opens, then as events are told, and every 30 s for what is held back', () => {
  const heard: Heard[] = [
    [10, 'opened'],
    [12_000, 'told'],
    [50_000, 'told'],
  ];
  expect(looks(heard, 85_000, { timeout_ms: hour })).toEqual([60, 12_050, 42_050, 50_050, 80_050]);
});

test('with a stream and without a time-out it is over after two minutes', () => {
  expect(looks([[10, 'opened']], hour)).toEqual([60, 30_060, 60_060, 90_060, 120_000]);
});

test('what is told within 50 ms is one look; what is told during a look is seen by another', () => {
  const burst = [0, 10, 20, 30].map((after): Heard => [5000 + after, 'told']);
  const options = { timeout_ms: hour, look_ms: 100 };
  expect(looks([[10, 'opened'], ...burst], 20_000, options)).toEqual([60, 5050]);
  expect(looks([[10, 'opened'], ...burst, [5100, 'told']], 20_000, options)).toEqual([60, 5050, 5200]);
});

test('in a flood each look is followed by the next after twice the time, and what ends is seen at once', () => {
  const flood = Array.from({ length: 6000 }, (_, index): Heard => [1000 + 10 * index, 'told']);
  const made = looks([[10, 'opened'], ...flood, [61_000, 'ended']], 61_200, { timeout_ms: hour });
  expect(made.length).toBeLessThan(15);
  expect(made.slice(0, 6)).toEqual([60, 1050, 1110, 1210, 1410, 1810]);
  expect(made.at(-1)).toBe(61_000);
  const calm = looks([...flood.slice(0, 1000), [hour, 'told']], 2 * hour, { timeout_ms: 2 * hour });
  expect(calm).toContain(hour + 50);
});

test('a stream that is lost leaves the waits of the interface, from the first one on', () => {
  const heard: Heard[] = [
    [10, 'opened'],
    [20_000, 'lost'],
    [35_000, 'opened'],
    [60_000, 'told'],
  ];
  expect(looks(heard, 100_000, { timeout_ms: hour })).toEqual([
    60, 22_000, 26_000, 34_000, 49_000, 60_050, 90_050,
  ]);
});

test('a stream that comes back is looked at behind its opening', () => {
  const heard: Heard[] = [
    [10, 'opened'],
    [20_000, 'lost'],
    [21_000, 'opened'],
  ];
  expect(looks(heard, 60_000, { timeout_ms: hour })).toEqual([60, 22_000, 52_000]);
});

test('one that comes and goes all the time is asked no more than without it', () => {
  const heard = Array.from({ length: 120 }, (_, index): Heard[] => [
    [1000 * index, 'opened'],
    [1000 * index + 100, 'lost'],
  ]).flat();
  expect(looks(heard, 120_000, { timeout_ms: hour }).length).toBeLessThanOrEqual(polled.length + 2);
});

test('while looks fail, a stream that stands is not trusted', () => {
  const made = looks([[10, 'opened']], 60_000, { timeout_ms: hour, missed: true });
  expect(made).toEqual([60, 4060, 12_060, 27_060, 42_060, 57_060]);
});

test('an interval stands for every wait without a stream, and for the safety of one; events are told at once', () => {
  expect(looks([], 20_000, { timeout_ms: hour, interval_ms: 5000 })).toEqual([5000, 10_000, 15_000, 20_000]);
  const heard: Heard[] = [
    [10, 'opened'],
    [7000, 'told'],
  ];
  expect(looks(heard, 20_000, { timeout_ms: hour, interval_ms: 5000 })).toEqual([
    60, 5060, 7050, 12_050, 17_050,
  ]);
  expect(looks([], hour, { interval_ms: 60_000 })).toEqual([60_000, 120_000]);
  expect(looks([], hour, { interval_ms: 1000 })).toHaveLength(120);
});
