import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAdmission } from '../../../src/service/http/admission.ts';
import { createFairShare } from '../../../src/service/http/fair-share.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { orderRequest } from '../fixture.ts';
import { fakeTimers } from '../webhooks/fake-web.ts';
import { serve } from './raw-http.ts';

/**
 * An admission of two requests at a time and two that wait, of different holders, as one has at most a quarter. `send` sends
 * a request that ends when the test resolves it.
 */
function narrow(limits = { max_used: 5, max_waiting: 5, max_wait_ms: 500 }) {
  const timers = fakeTimers();
  const admission = createAdmission({ timers, monotonic: { now: () => 0 } }, limits);
  const started: string[] = [];
  const send = (name: string, holder = name) => {
    const end = Promise.withResolvers<string>();
    const answer = admission.run([holder], () => {
      started.push(name);
      return end.promise;
    });
    return { answer, ...end };
  };
  return { timers, started, send };
}

const refused = { code: 'overloaded', headers: { 'retry-after': '1' } };

/** Passes enough turns of the event loop for every request that can be admitted. */
async function turns() {
  for (let count = 0; count < 10; count += 1) await turn();
}

test('requests wait in order, and one beyond the queue’s limit is refused immediately', async () => {
  const { timers, started, send } = narrow();
  const [a, b] = ['a', 'b'].map((name) => send(name));
  await turns();
  const [c, d] = ['c', 'd'].map((name) => send(name));
  await expect(send('e').answer).rejects.toMatchObject(refused);
  await turns();
  expect(started).toEqual(['a', 'b']);
  const failed = new Error('failed');
  b?.reject(failed);
  await expect(b?.answer).rejects.toBe(failed);
  await turns();
  expect(started).toEqual(['a', 'b', 'c']);
  for (const each of [a, c, d]) each?.resolve('answered');
  expect(await Promise.all([a?.answer, c?.answer, d?.answer])).toEqual(['answered', 'answered', 'answered']);
  // All places are free again, and no timer is left.
  for (const each of [send('f'), send('g')]) each.resolve('answered');
  await turns();
  expect([started.slice(3), timers.waiting()]).toEqual([['d', 'f', 'g'], 0]);
});

test('a request that waited too long is refused and leaves the queue', async () => {
  const { timers, started, send } = narrow();
  const [a, b] = ['a', 'b'].map((name) => send(name));
  await turns();
  const late = send('late');
  timers.pass(500);
  await expect(late.answer).rejects.toMatchObject(refused);
  a?.resolve('answered');
  b?.resolve('answered');
  await Promise.all([a?.answer, b?.answer]);
  send('c');
  await turns();
  expect(started).toEqual(['a', 'b', 'c']);
});

test('a request is not refused for time in which the process was held up', async () => {
  const { timers, started, send } = narrow();
  send('a');
  timers.pass(500);
  await turns();
  expect([started, timers.waiting()]).toEqual([['a'], 0]);
});

test('a holder with many requests leaves places for others, which take turns with it', async () => {
  const { started, send } = narrow({ max_used: 16, max_waiting: 16, max_wait_ms: 500 });
  const first = send('first');
  await turns();
  const flood = Array.from({ length: 30 }, (_, index) => send(`flood ${index}`, 'flood'));
  const outcomes = flood.map(({ answer }) =>
    answer.then(
      () => 'answered',
      () => 'refused',
    ),
  );
  await turns();
  expect(started).toEqual(['first', 'flood 0', 'flood 1', 'flood 2']);
  const others = ['a', 'b', 'b', 'c'].map((holder, index) => send(`other ${index}`, holder));
  await turns();
  expect(started.slice(4)).toEqual(['other 0', 'other 1', 'other 3', 'other 2']);
  for (const each of [first, ...flood.slice(0, 2)]) each.resolve('answered');
  await turns();
  expect(started.slice(8)).toEqual(['flood 3', 'flood 4']);
  for (const each of [...flood, ...others]) each.resolve('answered');
  expect(await Promise.all(others.map(({ answer }) => answer))).toHaveLength(4);
  const counted = await Promise.all(outcomes);
  expect(counted.filter((each) => each === 'answered')).toHaveLength(7);
});

test('after other work has held up the process, 16 requests are admitted in each turn', async () => {
  const timers = fakeTimers();
  let now = 0;
  const limits = { max_used: 43, max_waiting: 100, max_wait_ms: 500 };
  // The clock advances by 20 ms each time that it is read.
  const admission = createAdmission({ timers, monotonic: { now: () => (now += 20) } }, limits);
  let started = 0;
  const hung = Promise.withResolvers<void>();
  const answers = Array.from({ length: 50 }, (_, index) =>
    admission.run([`account ${index}`], async () => {
      started += 1;
      await hung.promise;
    }),
  );
  const counts: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    await turn();
    counts.push(started);
  }
  // The last ten wait for others to end.
  expect(counts.filter((each, index) => each !== counts[index - 1])).toEqual([16, 32, 40]);
  hung.resolve();
  await Promise.all(answers);
  expect([started, timers.waiting()]).toEqual([50, 0]);
});

const all = 64 * 1024;

/** Takes as much as a holder may have, one at a time; returns how much. */
function fill(share: ReturnType<typeof createFairShare>, ...holder: string[]): number {
  let taken = 0;
  while (share.take(holder, 1)) taken += 1;
  return taken;
}

test('a holder has at most a quarter of what the others leave', () => {
  const share = createFairShare(all);
  const taken = Array.from({ length: 8 }, (_, index) => fill(share, `holder ${index}`));
  expect(taken.slice(0, 3)).toEqual([all / 4, (all * 3) / 16, (all * 9) / 64]);
  // A new one finds room beside many that have taken all they can.
  expect(taken[7]).toBeGreaterThan(all / 32);
});

test('what is released can be taken again, by others too', () => {
  const share = createFairShare(all);
  const taken = fill(share, 'one');
  share.release(['one'], taken);
  expect(fill(share, 'other')).toBe(taken);
  expect(share.take(['other'], 1)).toBe(false);
  expect(share.take(['one'], 1)).toBe(true);
});

test('the members of a group divide its part in the same way', () => {
  const share = createFairShare(all);
  expect(fill(share, 'group', 'one')).toBe(all / 16);
  expect(fill(share, 'group', 'two')).toBe((all * 3) / 64);
  expect(fill(share, 'other')).toBe((all - all / 16 - (all * 3) / 64) / 4);
  let members = 0;
  while (members < 1_000) members += Math.sign(fill(share, 'group', `member ${members}`)) || 1_000;
  expect(fill(share, 'third')).toBeGreaterThan(all / 8);
});

test('over HTTP a refusal is a 503 with Retry-After, and health still answers', async () => {
  const hung = Promise.withResolvers<void>();
  const server = await serve({
    parts: {
      timers: { ...realTimers, after: (ms, wake) => realTimers.after(ms === 500 ? 1 : ms, wake) },
      providers: [],
      gazetteer: async () => {
        await hung.promise;
        throw new Error('no addresses');
      },
    },
  });
  const headers = { 'x-api-key': server.key, 'content-type': 'application/json' };
  const body = JSON.stringify({ orders: [orderRequest()] });
  const create = () => fetch(`${server.url}/v2/orders/create`, { method: 'POST', headers, body });
  const running = Array.from({ length: 128 }, create);
  const more = await Promise.race([...running, ...Array.from({ length: 8 }, create)]);
  expect([more.status, more.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await more.json()).toMatchObject({ code: 'overloaded' });
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  hung.resolve();
  await Promise.all(running);
});
