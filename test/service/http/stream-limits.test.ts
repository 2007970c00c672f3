import { expect, test } from 'vitest';
import { open, type Served, serve, type Talk } from './raw-http.ts';

const limits = { trusted_proxies: ['127.0.0.1'] };
/** A stream that a proxy passes on for a client. */
const stream = (server: Served, key: string, client: string) =>
  open(
    server,
    `GET /v2/events/stream HTTP/1.1\r\nHost: shop.example\r\nX-API-Key: ${key}\r\nX-Forwarded-For: ${client}`,
  );

async function opened(talks: readonly Talk[]): Promise<void> {
  await expect.poll(() => talks.filter(({ seen }) => seen().includes(': open')).length).toBe(talks.length);
}

/** The response to a stream that is refused, whose connection is closed. */
async function refusal({ seen, closed }: Talk): Promise<string> {
  await closed;
  return seen();
}

/** `count` clients, a stream each. */
const clients = (count: number) => Array.from({ length: count }, (_, index) => `203.0.113.${index + 1}`);

test.each([
  {
    name: 'an account and mode',
    first: (server: Served) => clients(20).map((client) => stream(server, server.key, client)),
    over: (server: Served) => stream(server, server.key, '198.51.100.1'),
    other: (server: Served) => stream(server, server.keys?.live ?? '', '198.51.100.1'),
    refused: /^HTTP\/1.1 429 .*"limit_reached".*This account has 20 event streams open in test mode/s,
  },
  {
    name: 'a client address',
    first: (server: Served) => clients(10).map(() => stream(server, server.key, '203.0.113.1')),
    over: (server: Served) => stream(server, server.keys?.live ?? '', '203.0.113.1'),
    other: (server: Served) => stream(server, server.key, '203.0.113.2'),
    refused: /^HTTP\/1.1 429 .*"limit_reached".*The address 203.0.113.1 has 10 event streams open/s,
  },
  {
    name: 'a service, whose other connections are for requests',
    limits: { max_connections: 12 },
    first: (server: Served) => clients(9).map((client) => stream(server, server.key, client)),
    over: (server: Served) => stream(server, server.keys?.live ?? '', '198.51.100.1'),
    other: (server: Served) => open(server, 'GET /health/live HTTP/1.1\r\nHost: shop.example'),
    refused: /^HTTP\/1.1 503 .*retry-after: 10.*"overloaded".*The service has 9 event streams open/s,
  },
])('streams are limited for $name', async ({ first, over, other, refused, ...given }) => {
  const server = await serve({ limits: { ...limits, ...given.limits } });
  const [one, ...rest] = first(server);
  if (one === undefined) throw new Error('no stream');
  await opened([one, ...rest]);
  expect(await refusal(over(server))).toMatch(refused);
  await expect.poll(other(server).seen).toMatch(/^HTTP\/1.1 200 /);
  one.socket.destroy();
  // The place is free once the service has seen that the client is gone.
  await expect
    .poll(async () => {
      const next = over(server);
      await expect.poll(next.seen).toMatch(/^HTTP\/1.1 /);
      return next.seen();
    })
    .toMatch(/^HTTP\/1.1 200 /);
});

test('behind a proxy the client with the most connections loses one, and then an unused connection', async () => {
  const server = await serve({ limits: { ...limits, max_connections: 6 } });
  const head = (client: string) =>
    `GET /health/live HTTP/1.1\r\nHost: shop.example\r\nX-Forwarded-For: ${client}`;
  const answered = async (client: string) => {
    const talk = open(server, head(client));
    await expect.poll(talk.seen).toContain('200 OK');
    return talk;
  };
  const first = await answered('203.0.113.1');
  const many: Talk[] = [];
  for (const _ of [1, 2, 3]) many.push(await answered('203.0.113.2'));
  for (const client of ['203.0.113.3', '203.0.113.4', '203.0.113.5', '203.0.113.6']) await answered(client);
  await Promise.all(many.slice(1).map(({ closed }) => closed));
  expect([first, many[0]].map((talk) => talk?.socket.destroyed)).toEqual([false, false]);
  await answered('203.0.113.7');
  await first.closed;
});
