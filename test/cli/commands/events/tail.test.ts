import { expect, test } from 'vitest';
import { ApiError, Unreachable } from '../../../../src/client/errors.ts';
import type { Transport } from '../../../../src/contract/operation.ts';
import { jsonOf, objectsIn, waybill } from '../../harness.ts';
import { quotedRoute, type Sandbox, sandbox } from '../../sandbox.ts';
import { running } from '../listen/listeners.ts';

/** Completes a delivery; returns the id of its route. */
async function delivered(box: Sandbox): Promise<string> {
  const route = await quotedRoute(box);
  await box.json(['dispatch', route, '--cheapest', '--yes']);
  await box.json(['sandbox', 'advance', '--drain']);
  return route;
}

test('each event is a line as it happens, and Ctrl+C ends it', async () => {
  const box = await sandbox();
  await quotedRoute(box);
  const before = await box.json(['sandbox', 'advance', '--drain']);
  const line = ['events', 'tail', '--since', String(before.now), '--json'];
  const tail = running(box.run, line);
  await delivered(box);
  const all = JSON.parse((await box.run(['events', 'list', '--all', '--json'])).stdout);
  const listener = await tail;
  await expect.poll(() => listener.lines().at(-1)).toEqual(all[0]);
  const { exit, stderr } = await listener.stop();
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
  expect(all.toReversed()).toEqual(expect.arrayContaining(listener.lines()));
  expect(listener.lines('delivery.updated').length).toBeGreaterThan(1);
  // The first page may have no event with a field that others have.
  const first = await box.run(['events', 'list', '--limit', '1', '--json=type,data.counts']);
  expect([first.exit, JSON.parse(first.stdout)]).toEqual([
    0,
    [{ type: all[0].type, data: { counts: null } }],
  ]);
});

test('--limit ends it after a number, --since begins earlier, --type and --delivery filter', async () => {
  const box = await sandbox();
  const route = await delivered(box);
  const { order_ids } = await box.json(['routes', 'get', route]);
  const order = await box.json(['orders', 'get', String(order_ids)]);
  const of = ['events', 'tail', '--delivery', String(order.delivery_id), '--since', '2d'];
  const { stdout, exit } = await box.run([...of, '--type', 'delivery.*', '--limit', '3', '--json']);
  const events = objectsIn(stdout);
  expect([exit, events.map(({ sequence }) => sequence)]).toEqual([0, [1, 2, 3]]);
  const types = ['--type', 'order.failed,route_quotes.completed', '--limit', '1'];
  const one = ['events', 'tail', '--since', '2d', ...types];
  const people = await box.run(one, { tty: true, columns: 200 });
  expect(people.stdout).toMatch(/ {2}route_quotes\.completed {2}\S*evt_/);
  const cells = (await box.run(one)).stdout.trimEnd().split('\t');
  expect(cells.slice(1)).toEqual([
    'route_quotes.completed',
    expect.stringMatching(/^evt_/),
    route,
    'COMPLETE',
  ]);
});

test('tail says that the clock is stopped', async () => {
  const box = await sandbox();
  await box.json(['sandbox', 'clock', 'manual']);
  await quotedRoute(box);
  await box.json(['sandbox', 'advance', '--drain']);
  const tail = await running(box.run, ['events', 'tail', '--since', '1h']);
  await expect.poll(() => box.requests.some(({ path }) => path === '/v2/sandbox/clock')).toBe(true);
  await box.json(['sandbox', 'clock']);
  expect((await tail.stop()).stderr).toContain('The clock of this sandbox is stopped');
});

test('an unreachable service is waited for, with one message', async () => {
  const controller = new AbortController();
  let [opened, waits] = [0, 0];
  async function* chunks() {
    yield ': open\n\n';
  }
  const transport: Transport = async () => {
    opened += 1;
    if (opened > 1) throw new Unreachable('No response from http://shop: connection refused.');
    const headers = { 'content-type': 'text/event-stream' };
    return { status: 200, headers, body: '', stream: { chunks: chunks(), close: () => {} } };
  };
  const sleep = async () => {
    waits += 1;
    if (waits === 5) controller.abort();
  };
  const { signal } = controller;
  const { exit, stderr } = await waybill(['events', 'tail', '--json'], { transport, sleep, signal });
  expect([exit, jsonOf(stderr)]).toEqual([0, expect.objectContaining({ type: 'hint', code: 'unreachable' })]);
});

/** A service whose stream only opens; it ends as given, and the last one ends the command. */
async function tailed(ends: readonly ('at once' | 'lasting' | Error)[]) {
  const controller = new AbortController();
  let opened = 0;
  const timers = new Map<() => void, number>();
  async function* chunks(end: (typeof ends)[number] | undefined) {
    yield ': open\nid: evt_1\n\n';
    await new Promise((resolve) => setImmediate(resolve));
    if (end === 'lasting') for (const [expired, ms] of timers) if (ms === 10_000) expired();
    if (end === undefined) controller.abort();
  }
  const transport: Transport = async ({ path }) => {
    if (!path.startsWith('/v2/events/stream'))
      return refusalOf(new ApiError('Not here.', { code: 'forbidden', status: 403 }));
    const end = ends[opened];
    opened += 1;
    if (end instanceof ApiError) return refusalOf(end);
    if (end instanceof Error) throw end;
    const headers = { 'content-type': 'text/event-stream' };
    return { status: 200, headers, body: '', stream: { chunks: chunks(end), close: () => {} } };
  };
  const timer = (ms: number, expired: () => void) => {
    timers.set(expired, ms);
    return () => timers.delete(expired);
  };
  const options = { transport, sleep: async () => {}, timer, signal: controller.signal };
  const { stderr } = await waybill(['events', 'tail', '--json'], options);
  const hints = objectsIn(stderr);
  return hints.map(({ code, message }) => ({ code, message: String(message) }));
}

function refusalOf({ code, status, message }: ApiError) {
  return { status, headers: {}, body: JSON.stringify({ object: 'error', code, message }) };
}

test('one ended stream is not reported; repeated ends are reported once, and so is recovery', async () => {
  expect(await tailed(['at once'])).toEqual([]);
  const hints = await tailed(['at once', 'at once', 'at once', 'at once', 'lasting']);
  expect(hints.map(({ code }) => code)).toEqual(['stream_ends', 'reachable']);
  expect(hints[0]?.message).not.toMatch(/cannot be reached/);
});

test('tail says that the service no longer knows the last event, and continues', async () => {
  const forgotten = new ApiError('There is no event evt_1.', { code: 'record_not_found', status: 404 });
  const hints = await tailed(['at once', forgotten]);
  expect(hints.map(({ code }) => code)).toEqual(['event_forgotten']);
});

test('protocol messages are hidden from people', async () => {
  const broken = Object.assign(new Error('Invalid character in chunk size'), { name: 'HTTPParserError' });
  const [hint] = await tailed(['at once', broken]);
  expect(hint?.message).toContain('not valid HTTP');
  expect(hint?.message).not.toContain('chunk');
});

test('an unknown batch is exit 5, a start in the future 2', async () => {
  const box = await sandbox();
  expect((await box.run(['events', 'tail', '--batch', 'bat_nope'])).exit).toBe(5);
  for (const line of [
    ['events', 'tail'],
    ['listen', '--sink', '200'],
  ]) {
    const { exit, stdout, stderr } = await box.run([...line, '--since', '2099-01-01']);
    expect([exit, stdout, stderr]).toEqual([2, '', expect.stringContaining('is still to come')]);
  }
});
