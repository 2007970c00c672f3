import { expect, test } from 'vitest';
import { visiblyCatchingUp } from '../../../src/cli/session/observed-requests.ts';
import type { Transport, WireRequest } from '../../../src/contract/operation.ts';

const request: WireRequest = { method: 'GET', path: '/', headers: {}, body: '' };

/** A service with slow responses on a simulated clock, and the displayed waits. */
function slow() {
  let now = 0;
  let takes = 0;
  let due: { at: number; expired(): void } | null = null;
  const shown: string[] = [];
  const host = {
    now: () => now,
    timer: (milliseconds: number, expired: () => void) => {
      due = { at: now + milliseconds, expired };
      return () => {
        due = null;
      };
    },
  };
  const transport: Transport = async () => {
    now += takes;
    if (due !== null && due.at <= now) due.expired();
    return { status: 200, headers: {}, body: '' };
  };
  const show = async () => {
    shown.push('shown');
    return { say: () => {}, stop: () => void shown.push('stopped') };
  };
  const carry = visiblyCatchingUp(transport, { host, show });
  const after = async (...durations: number[]) => {
    for (const duration of durations) {
      takes = duration;
      await carry(request);
    }
    return shown.splice(0);
  };
  return { after };
}

test('a wait of more than a second is shown until the response', async () => {
  const { after } = slow();
  expect(await after(999)).toEqual([]);
  expect(await after(10, 1000)).toEqual(['shown', 'stopped']);
});

test('slow consecutive requests count together, quick ones do not', async () => {
  const { after } = slow();
  expect(await after(700, 400)).toEqual(['shown', 'stopped']);
  expect(await after(10, 700, 10, 700)).toEqual([]);
  expect(await after(...Array(30).fill(200))).toEqual([]);
});
