import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { Arrived } from '../../../../src/cli/commands/listen/lines.ts';
import { type Sink, startSink } from '../../../../src/cli/commands/listen/sink.ts';

interface Trial extends Sink {
  /** The lines that were printed. */
  arrived: Arrived[];
}

async function sinkWith(script: string): Promise<Trial> {
  const arrived: Arrived[] = [];
  const sink = await startSink(script, (line) => void arrived.push(line));
  onTestFinished(() => sink.close());
  return { ...sink, arrived };
}

/** Posts a body; returns the status with its `Retry-After`, or the error code. */
function post({ url }: Sink, body: string): Promise<string> {
  return new Promise((resolve) => {
    const sent = request(`${url}hooks?a=1`, { method: 'POST', headers: { 'webhook-id': body.slice(0, 9) } });
    sent.on('response', (response) => {
      response.resume();
      resolve(`${response.statusCode} ${response.headers['retry-after'] ?? ''}`.trim());
    });
    sent.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    sent.end(body);
  });
}

test('responds by its script over all requests, and prints each attempt', async () => {
  const sink = await sinkWith('500x2,429:5,reset,200');
  const answers: string[] = [];
  for (const body of ['a', 'b', 'c', 'd', 'e', 'f']) answers.push(await post(sink, body));
  expect(answers).toEqual(['500', '500', '429 5', 'ECONNRESET', '200', '200']);
  expect(sink.arrived.map(({ number, event_id }) => [number, event_id])).toEqual(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((body, index) => [index + 1, body]),
  );
  expect(sink.arrived[3]).toMatchObject({ type: 'arrived', event_type: null, answer: 'reset' });
});

test('a stalled sink never responds, and can still be closed', async () => {
  const sink = await sinkWith('hang');
  const answer = post(sink, 'a');
  await expect.poll(() => sink.arrived.length).toBe(1);
  await sink.close();
  expect(await answer).toBe('ECONNRESET');
  expect(await post(sink, 'b')).toBe('ECONNREFUSED');
});

test('listens on loopback only, each on its own port', async () => {
  const [one, other] = [await sinkWith('200'), await sinkWith('204')];
  expect(one.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  expect(one.url).not.toBe(other.url);
  expect(await post(other, 'a')).toBe('204');
  expect(one.arrived).toEqual([]);
});

test('a body that is too large for an event is not printed', async () => {
  const sink = await sinkWith('200');
  expect(await post(sink, 'x'.repeat(1_100_000))).toBe('413');
  expect(sink.arrived).toEqual([]);
});
