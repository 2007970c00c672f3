import { expect, test } from 'vitest';
import { type Bell, type Clock, type Listener, repeatedly } from '../../../../src/cli/kit/polling/poll.ts';

/** A clock whose sleeps end when they are woken; each is kept. */
function sleeper() {
  const sleeps: { ms: number; woken: AbortSignal }[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: async (ms, woken) => {
      sleeps.push({ ms, woken });
      await new Promise(() => {});
    },
  };
  return { clock, sleeps };
}

/** A bell that is rung by hand. */
function handBell() {
  const listeners = new Set<Listener>();
  const bell: Bell = (listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return { bell, listeners };
}

const patience = { timeout_ms: 60_000, waitFirst: false };

test('the bell is heard from behind the first look until nobody looks any more', async () => {
  const { bell, listeners } = handBell();
  const looks = repeatedly(async () => 'seen', { now: () => 0, sleep: async () => {} }, patience, bell);
  expect((await looks.next()).value).toBe('seen');
  expect(listeners.size).toBe(0);
  await looks.next();
  expect(listeners.size).toBe(1);
  await looks.return(undefined);
  expect(listeners.size).toBe(0);
});

test('what is heard ends a sleep, and its timer with it', async () => {
  const { bell, listeners } = handBell();
  const { clock, sleeps } = sleeper();
  const looks = repeatedly(async () => 'seen', clock, { ...patience, waitFirst: true }, bell);
  const next = looks.next();
  await expect.poll(() => sleeps.length).toBe(1);
  for (const { hear } of listeners) hear('opened');
  await expect.poll(() => sleeps.map(({ ms }) => ms)).toEqual([2000, 50]);
  expect(sleeps.map(({ woken }) => woken.aborted)).toEqual([true, false]);
  for (const { fail } of listeners) fail(new Error('broken'));
  await expect(next).rejects.toThrow('broken');
  expect([sleeps.at(-1)?.woken.aborted, listeners.size]).toEqual([true, 0]);
});

test('what is broken during a look ends the wait behind it', async () => {
  const { bell, listeners } = handBell();
  const look = async () => {
    for (const { fail } of listeners) fail(new Error('broken'));
  };
  const clock = { now: () => 0, sleep: async () => {} };
  const looks = repeatedly(look, clock, { ...patience, waitFirst: true }, bell);
  await looks.next();
  await expect(looks.next()).rejects.toThrow('broken');
  expect(listeners.size).toBe(0);
});
