import { expect, test } from 'vitest';
import { Unreachable } from '../../../src/client/errors.ts';
import type { Transport, WireResponse } from '../../../src/contract/operation.ts';
import { errorOf, jsonOf } from '../harness.ts';
import { newDelivery } from '../sandbox.ts';
import { hosted } from './hosted.ts';

const { box, run } = await hosted();
const rate = 60;
await box.json(['sandbox', 'clock', 'scaled', '--rate', String(rate)]);

const sent = () => newDelivery(box, '--initiate');

function refusal(status: number, code = 'not_found'): WireResponse {
  const body = { object: 'error', code, message: 'No.', request_id: 'req_1', details: [] };
  return { status, headers: {}, body: JSON.stringify(body) };
}

/** The duration of a delivery in these tests. */
const mostPolls = 7;

test.each([
  ['404', async () => refusal(404)],
  ['a page', async () => ({ status: 200, headers: {}, body: '<html>' })],
])('if the stream is refused with %s it polls at the recommended pauses', async (_, refuse) => {
  const id = await sent();
  const { exit, stdout, stderr, reads, streams } = await run(['deliveries', 'wait', id, '--json'], {
    refuse,
  });
  expect([exit, jsonOf(stdout).status, stderr, streams.length]).toEqual([0, 'delivered', '', 1]);
  expect(reads.filter((path) => path.includes(id)).length).toBeLessThanOrEqual(mostPolls);
});

test('an unreachable stream is opened again, and then used', async () => {
  const id = await sent();
  let tries = 0;
  const refuse = async () => {
    tries += 1;
    if (tries <= 4) throw new Unreachable('No response from there: connection refused.');
    return null;
  };
  const { exit, stderr, streams, lag_ms } = await run(['deliveries', 'wait', id], { refuse });
  expect([exit, stderr.includes('cannot be reached'), lag_ms < 100 * rate]).toEqual([0, false, true]);
  expect(streams).toHaveLength(5);
});

test('changes between the first poll and the opening of the stream are found as it opens', async () => {
  const id = await sent();
  const beforeOpening = async () => box.advance(3_600_000);
  const line = ['deliveries', 'wait', id, '--json'];
  const { exit, reads, streams, took_ms } = await run(line, { beforeOpening });
  expect([exit, streams.length, took_ms]).toEqual([0, 1, 50]);
  expect(reads.filter((path) => path.includes(id))).toHaveLength(2);
});

test.each([
  ['before its first event', 30_000, undefined],
  ['behind an event', 900_000, expect.stringMatching(/^evt_/)],
])('a stream that is lost %s is opened again, and the wait continues', async (_, breaksAfter_ms, last) => {
  const id = await sent();
  const { exit, streams, lag_ms, open } = await run(['deliveries', 'wait', id], { breaksAfter_ms });
  expect([exit, lag_ms < 100 * rate, open]).toEqual([0, true, 0]);
  expect(streams.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, last]);
});

test('a refused key ends the wait at once', async () => {
  const id = await sent();
  const refused = refusal(401, 'unauthorized');
  let isRevoked = false;
  const transport = box.transport;
  const refuse = async () => {
    isRevoked = true;
    return refused;
  };
  const around: Transport = async (request) => (isRevoked ? refused : transport(request));
  const line = ['deliveries', 'wait', id, '--json'];
  const { exit, stderr, streams, took_ms } = await run(line, { refuse, around });
  expect([exit, errorOf(stderr).status, streams.length, took_ms]).toEqual([4, 401, 1, 50]);
});

test('--debug shows the stream being opened, --curl prints it once', async () => {
  const debug = await run(['deliveries', 'wait', await sent(), '--debug']);
  expect(debug.stderr).toMatch(/^> GET \/v2\/events\/stream\?types=/m);
  expect(debug.stderr).toMatch(/^< content-type: text\/event-stream/m);
  const curl = await run(['deliveries', 'wait', await sent(), '--curl']);
  expect(curl.stderr.match(/events\/stream/g)).toHaveLength(1);
});

test('an interruption and the time-out close the stream', async () => {
  const controller = new AbortController();
  const beforeOpening = async () => setImmediate(() => controller.abort());
  const line = ['deliveries', 'wait', await sent()];
  const interrupted = await run(line, { beforeOpening }, { signal: controller.signal });
  expect([interrupted.exit, interrupted.open]).toEqual([130, 0]);
  const late = await run([...line, '--timeout', '5s']);
  expect([late.exit, late.open]).toEqual([8, 0]);
});
