import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { listening, opened as openedTo } from './connections.ts';

const post = { method: 'POST', path: '/hooks', headers: {}, body: '{}' };

/** A server, and a transport to it with manual timers. */
async function opened(answer: RequestListener) {
  let connections = 0;
  const server = createServer(answer).on('connection', () => {
    connections += 1;
  });
  const host = await listening(server);
  const timers = new Map<() => void, number>();
  const timer = (ms: number, expired: () => void) => {
    timers.set(expired, ms);
    return () => timers.delete(expired);
  };
  const limits = { requestTimeout_ms: 15_000, max_response_bytes: 65_536, connections: 1 };
  const options = { ...limits, timer, resolvesAtHeaders: true };
  const transport = openedTo(`http://${host}`, options);
  const pass = (limit_ms: number) => {
    for (const [expired, ms] of timers) if (ms <= limit_ms) expired();
  };
  return { transport, pass, connections: () => connections, running: () => [...timers.values()] };
}

test.each(['text/plain', 'text/event-stream'])(
  'a success counts at its headers, even if a body of %s never ends, and the rest is dropped',
  async (type) => {
    const answers: ServerResponse[] = [];
    const { transport, pass } = await opened((_, response) => {
      answers.push(response);
      response.writeHead(200, { 'content-type': type });
      response.write('more to come');
    });
    for (let nth = 1; nth <= 3; nth += 1) {
      const { status, stream } = await transport(post);
      expect([status, stream, answers.length]).toEqual([200, undefined, nth]);
      pass(1_000);
    }
    await expect.poll(() => answers.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  },
);

test('a complete response keeps its connection open', async () => {
  const { transport, connections, running } = await opened((_, response) => response.end('ok'));
  for (let nth = 1; nth <= 3; nth += 1) expect((await transport(post)).status).toBe(200);
  expect(connections()).toBe(1);
  await expect.poll(running).toEqual([]);
});

test('an error response has the start of its body, even if that never ends', async () => {
  const sent = Promise.withResolvers<void>();
  const { transport, pass } = await opened((_, response) => {
    response.writeHead(500);
    response.write('it broke', () => sent.resolve());
  });
  const answer = transport(post);
  let isThere = false;
  void answer.then(() => {
    isThere = true;
  });
  await sent.promise;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isThere).toBe(false);
  pass(15_000);
  expect(await answer).toMatchObject({ status: 500, body: 'it broke' });
  const endless = await opened((_, response) => {
    response.writeHead(500);
    response.on('error', () => {});
    for (let nth = 0; nth < 100; nth += 1) response.write('x'.repeat(10_000));
  });
  expect((await endless.transport(post)).body.length).toBeGreaterThanOrEqual(65_536);
});

test('a time-out before the headers is no response', async () => {
  let isAsked = false;
  const { transport, pass } = await opened(() => {
    isAsked = true;
  });
  const answer = transport(post);
  const refused = expect(answer).rejects.toMatchObject({ name: 'Unreachable' });
  await expect.poll(() => isAsked).toBe(true);
  pass(15_000);
  await refused;
});
