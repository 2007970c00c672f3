import { expect, test } from 'vitest';
import type { Transport } from '../../../src/contract/operation.ts';
import { errorOf, failureOf, waybill } from '../harness.ts';

/** A service that responds with an endless stream. */
function streaming(text = ': open\n\n'): { transport: Transport; closed: () => number } {
  let closed = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* chunks() {
    yield text;
    await promise;
  }
  const close = () => {
    closed += 1;
    resolve();
  };
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
  const transport = async () => ({ status: 200, headers, body: '', stream: { chunks: chunks(), close } });
  return { transport, closed: () => closed };
}

const event = {
  id: 'evt_1',
  object: 'event',
  type: 'order.failed',
  created_at: '2026-03-02T10:00:00.000Z',
  test_mode: true,
  sequence: null,
  data: {},
};

test('a raw request for a stream ends immediately and suggests the command that follows it', async () => {
  const { transport, closed } = streaming();
  const line = ['api', 'GET', '/v2/events/stream'];
  const { stdout, stderr, exit } = await waybill([...line, '--json'], { transport });
  expect({ stdout, exit, closed: closed() }).toEqual({ stdout: '', exit: 2, closed: 1 });
  expect(errorOf(stderr)).toMatchObject({
    message: '/v2/events/stream responds with an endless stream.',
    next: [{ command: 'waybill events tail' }],
  });
});

test('--curl shows a stream as it arrives', async () => {
  const { transport, closed } = streaming(`data: ${JSON.stringify(event)}\n\n`);
  const { stderr, exit } = await waybill(['events', 'tail', '--curl', '--limit', '1'], { transport });
  expect([exit, closed()]).toEqual([0, 1]);
  expect(stderr).toContain('curl \\\n  -N \\\n');
});

test.each([false, true])('a path without a method gets a hint, tty %s', async (tty) => {
  const { stderr, exit } = await waybill(['api', '/v2/routes?limit=5'], { tty });
  expect([exit, stderr]).toEqual([2, expect.stringContaining('METHOD must be one of GET, POST, ')]);
  expect(stderr).toContain("The method comes first: waybill api GET '/v2/routes?limit=5'\n");
});

test('--query adds to the query of the path', async () => {
  const line = ['api', 'GET', '/v2/orders?q=joe', '--query', 'limit=2', '--dry-run'];
  expect((await waybill(line)).stdout).toContain('/v2/orders?q=joe&limit=2\n');
});

test('a method may be in lower case; an unknown one is refused with the choices', async () => {
  const { stdout, exit } = await waybill(['api', 'post', '/v2/routes', '--dry-run', '--json']);
  expect([exit, stdout]).toEqual([0, expect.stringContaining('"method":"POST"')]);
  expect(await failureOf(waybill(['api', 'gte', '/v2/routes', '--json']))).toMatchObject({
    exit: 2,
    hint: 'Did you mean GET?',
    choices: expect.arrayContaining(['PUT']),
  });
});

test('JSON as an argument gets a hint to --file', async () => {
  const { stderr, exit } = await waybill(['api', 'POST', '/v2/orders/create', '{"orders":[]}']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--file FILE, or from stdin with --file -.')]);
});
