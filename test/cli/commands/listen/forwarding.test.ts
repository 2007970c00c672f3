import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { max_open_events, openReceiver } from '../../../../src/cli/commands/listen/forwarding.ts';
import { now, timer } from '../../../../src/cli/kit/system/streams.ts';
import { listenLocally } from '../../../local-server.ts';
import { event, secret, trial } from './forwarders.ts';
import { settled } from './manual-clock.ts';

test('events of a delivery are sent one by one, those of others beside them', async () => {
  const held = Promise.withResolvers<number>();
  const { forwarder, arrived } = trial((id) => (id === 'a1' ? held.promise : 200));
  for (const one of [event('a1', 1, 'dlv_a'), event('a2', 2, 'dlv_a'), event('b1', 1, 'dlv_b'), event('o1')])
    await forwarder.take(one);
  await settled();
  expect(arrived).toEqual(['a1', 'b1', 'o1']);
  held.resolve(200);
  await settled();
  expect(arrived).toEqual(['a1', 'b1', 'o1', 'a2']);
  expect(forwarder.remaining()).toEqual({ waiting: 0, given_up: 0, since: null });
});

test('a refused event is retried after 5, 15 and 60 s, holds later ones of its delivery, and is then abandoned', async () => {
  const { forwarder, clock, arrived, notices } = trial((id) => (id === 'a1' ? 500 : 200));
  await forwarder.take(event('a1', 1));
  await forwarder.take(event('a2', 2));
  const counts: number[] = [];
  for (const wait of [4_999, 1, 14_999, 1, 59_999]) {
    await clock.pass(wait);
    counts.push(arrived.length);
  }
  expect(counts).toEqual([1, 2, 2, 3, 3]);
  await clock.pass(1);
  expect(arrived).toEqual(['a1', 'a1', 'a1', 'a1', 'a2']);
  expect(notices()).toEqual([
    'failed a1 500 5000',
    'failed a1 500 15000',
    'failed a1 500 60000',
    'failed a1 500 given up',
    'forwarded a2',
  ]);
  expect(forwarder.remaining()).toEqual({ waiting: 0, given_up: 1, since: '2026-03-02T10:00:00.000Z' });
});

test('a redirect is a failure, and is not followed', async () => {
  const moved = { status: 302, headers: { location: 'http://elsewhere/' }, body: '' };
  const { forwarder, notices, clock } = trial((_, nth) => (nth === 1 ? moved : 204));
  await forwarder.take(event('a1', 1));
  await clock.pass(5_000);
  expect(notices()).toEqual(['failed a1 302 5000', 'forwarded a1']);
});

test.each([
  ['20', 20_000],
  ['2', 5_000],
  ['100000', 300_000],
])('a receiver that asks for %s s gets nothing for %d ms', async (asked, wait) => {
  const busy = { status: 429, headers: { 'retry-after': asked }, body: '' };
  const { forwarder, notices } = trial(() => busy);
  await forwarder.take(event('a1', 1));
  await settled();
  expect(notices()).toEqual([`failed a1 429 ${wait}`]);
});

test('an unreachable receiver is retried after 1, 2, 4, 5, 5 s without end, with one message', async () => {
  let isUp = false;
  const { forwarder, clock, arrived, notices } = trial(() => (isUp ? 200 : 'silence'));
  await forwarder.take(event('a1', 1));
  const counts: number[] = [];
  for (const wait of [1_000, 2_000, 4_000, 5_000, 5_000]) {
    await clock.pass(wait);
    counts.push(arrived.length);
  }
  expect(counts).toEqual([2, 3, 4, 5, 6]);
  await clock.pass(3_600_000);
  expect(notices()).toEqual(['down']);
  isUp = true;
  await clock.pass(5_000);
  expect(notices()).toEqual(['down', 'up', 'forwarded a1']);
});

test('an outage is reported once for all deliveries, which continue after one response', async () => {
  let isUp = false;
  const { forwarder, clock, notices } = trial(() => (isUp ? 200 : 'silence'));
  const ids = Array.from({ length: 60 }, (_, index) => `e${index}`);
  for (const id of ids) await forwarder.take(event(id, 1, `dlv_${id}`));
  await clock.pass(60_000);
  isUp = true;
  await forwarder.take(event('new', 1, 'dlv_new'));
  await settled();
  expect(notices().slice(0, 2)).toEqual(['down', 'up']);
  expect(notices().length).toBe(2 + 61);
  expect(forwarder.remaining().waiting).toBe(0);
});

test('one event without a response is not an outage: it is reported once, and others continue', async () => {
  const held = Promise.withResolvers<number>();
  const { forwarder, clock, notices } = trial((id, nth) => {
    if (id === 'bad' && nth === 1) return held.promise.then(() => Promise.reject(brokenOff()));
    return id === 'bad' && nth < 4 ? 'silence' : 200;
  });
  await forwarder.take(event('bad', 1, 'dlv_a'));
  await forwarder.take(event('good', 1, 'dlv_b'));
  await settled();
  held.resolve(0);
  await settled();
  expect(notices()).toEqual(['forwarded good', 'failed bad no answer 1000']);
  await clock.pass(10_000);
  expect(notices().at(-1)).toBe('forwarded bad');
});

function brokenOff(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNABORTED' });
}

test('repeated failures of one event are reported once', async () => {
  let fail = () => {};
  const { forwarder, clock, notices } = trial((id) => {
    if (id !== 'bad') return 200;
    const { promise, reject } = Promise.withResolvers<number>();
    fail = () => reject(brokenOff());
    return promise;
  });
  await forwarder.take(event('bad', 1, 'dlv_a'));
  for (const id of ['g1', 'g2', 'g3']) {
    await forwarder.take(event(id, 1, `dlv_${id}`));
    await settled();
    fail();
    await clock.pass(5_000);
  }
  expect(notices()).toEqual(['forwarded g1', 'failed bad no answer 1000', 'forwarded g2', 'forwarded g3']);
});

test('at most 16 requests run at once, and the next start as others end', async () => {
  let [out, most] = [0, 0];
  const { forwarder, arrived } = trial(async () => {
    out += 1;
    most = Math.max(most, out);
    await settled();
    out -= 1;
    return 200;
  });
  for (let nth = 0; nth < 60; nth += 1) await forwarder.take(event(`e${nth}`));
  await expect.poll(() => arrived.length).toBe(60);
  expect(most).toBe(16);
});

test('no more events are read than there is room for', async () => {
  const held = Promise.withResolvers<number>();
  const { forwarder, arrived } = trial(() => held.promise);
  for (let nth = 1; nth < max_open_events; nth += 1) await forwarder.take(event(`e${nth}`, nth));
  let isTaken = false;
  const last = forwarder.take(event('last', max_open_events)).then(() => {
    isTaken = true;
  });
  await settled();
  expect(isTaken).toBe(false);
  held.resolve(200);
  await last;
  await expect.poll(() => arrived.length).toBe(max_open_events);
});

test('each attempt has the same id and a new signature, which the published library accepts', async () => {
  const { forwarder, clock, requests } = trial((_, nth) => (nth === 1 ? 500 : 200));
  const sent = event('evt_1', 1);
  await forwarder.take(sent);
  await clock.pass(5_000);
  const stamps = requests.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect(requests.map(({ headers }) => headers['webhook-id'])).toEqual(['evt_1', 'evt_1']);
  expect((stamps[1] ?? 0) - (stamps[0] ?? 0)).toBe(5);
  for (const { body, headers } of requests) {
    expect(
      new Webhook(secret).sign('evt_1', new Date(Number(headers['webhook-timestamp']) * 1000), body),
    ).toBe(headers['webhook-signature']);
    expect(JSON.parse(body)).toEqual(sent);
  }
});

test('once stopped it prints what is left and sends no more', async () => {
  const { forwarder, clock, arrived, notices } = trial(() => 'silence');
  await forwarder.take({ ...event('a2', 2), created_at: '2026-03-02T10:05:00.000Z' });
  await forwarder.take(event('o1'));
  await settled();
  expect(forwarder.remaining()).toEqual({ waiting: 2, given_up: 0, since: '2026-03-02T10:00:00.000Z' });
  forwarder.stop();
  await clock.pass(60_000);
  expect(arrived).toEqual(['a2', 'o1']);
  expect(notices()).toEqual(['down']);
});

test.each([502, 503, 504])('a proxy that answers %d for its server counts as unreachable', async (away) => {
  let status = away;
  const { forwarder, clock, arrived, notices, lines } = trial(() => status);
  await forwarder.take(event('a1', 1));
  await forwarder.take(event('b1', 1, 'dlv_b'));
  await clock.pass(1_000);
  expect(arrived.length).toBe(4);
  await clock.pass(3_600_000);
  expect(notices()).toEqual(['down']);
  expect(lines[0]).toMatchObject({ reason: `http://app answered ${away}.` });
  status = 200;
  await clock.pass(5_000);
  expect(notices()).toEqual(['down', 'up', 'forwarded a1', 'forwarded b1']);
});

test('a server with an endless response has accepted the event with its 2xx', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200);
    response.write('more to come');
  });
  const { port, close } = await listenLocally(server);
  const url = `http://127.0.0.1:${port}/hooks`;
  const request = { method: 'POST', path: '/hooks', headers: {}, body: '{}' };
  const { receiver, close: closeReceiver } = await openReceiver({
    ...{ url, host: { now, timer }, verify: true, print: () => {} },
  });
  onTestFinished(async () => {
    await closeReceiver();
    await close();
  });
  const all = Array.from({ length: 20 }, () => receiver.post(request, 1));
  for (const posted of await Promise.all(all)) expect(posted).toMatchObject({ status_code: 200, reason: '' });
});
