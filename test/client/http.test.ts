import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { BadProxy, isExcepted } from '../../src/client/addresses.ts';
import { listening, opened } from './connections.ts';

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

const echo: RequestListener = async (request, response) => {
  const { method, url, headers } = request;
  response.writeHead(200, { 'content-type': 'application/json', 'X-Two': ['a', 'b'] });
  response.end(JSON.stringify({ method, url, headers, body: await bodyOf(request) }));
};

const get = { method: 'GET', path: '/v2/routes?limit=1', headers: { 'x-api-key': 'k' }, body: '' };

test('sends method, path after the base URL’s prefix, headers and a body in UTF-8', async () => {
  const host = await listening(createServer(echo));
  const transport = opened(`http://${host}/burq/`);
  const answer = await transport({ ...get, method: 'POST', body: '{"name":"Zoë 🍕"}' });
  expect(answer).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json', 'x-two': 'a, b' },
  });
  const seen: unknown = JSON.parse(answer.body);
  expect(seen).toMatchObject({ method: 'POST', url: '/burq/v2/routes?limit=1', body: '{"name":"Zoë 🍕"}' });
  expect(seen).toMatchObject({ headers: { 'x-api-key': 'k' } });
});

test('many calls share a few connections', async () => {
  const server = createServer(echo);
  let connections = 0;
  server.on('connection', () => (connections += 1));
  const transport = opened(`http://${await listening(server)}`, { connections: 2 });
  await Promise.all(Array.from({ length: 20 }, () => transport(get)));
  expect(connections).toBeLessThanOrEqual(2);
});

test('a slow response times out, before it begins and half way', async () => {
  const silent = opened(`http://${await listening(createServer(() => {}))}`, { requestTimeout_ms: 60 });
  await expect(silent(get)).rejects.toThrow(/within 0\.06 s/);
  const dripping: RequestListener = (_, response) => {
    response.writeHead(200);
    const drops = setInterval(() => response.write(' '), 10);
    onTestFinished(() => clearInterval(drops));
  };
  const slow = opened(`http://${await listening(createServer(dripping))}`, { requestTimeout_ms: 60 });
  await expect(slow(get)).rejects.toThrow(/within 0\.06 s/);
});

test('a request that gets its connection too late is not sent', async () => {
  const asked: (string | undefined)[] = [];
  const gate = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    asked.push(request.url);
    await gate.promise;
    response.end('{}');
  });
  const expiries: (() => void)[] = [];
  const timer = (_ms: number, expired: () => void) => {
    expiries.push(expired);
    return () => {};
  };
  const transport = opened(`http://${await listening(server)}`, { connections: 1, timer });
  const [first, second, third] = ['/1', '/2', '/3'].map((path) => transport({ ...get, path }));
  await expect.poll(() => asked).toEqual(['/1']);
  expiries[1]?.();
  await expect(second).rejects.toThrow(/No response/);
  gate.resolve();
  await Promise.all([first, third]);
  expect(asked).toEqual(['/1', '/3']);
});

test('no server and a broken connection are Unreachable, with address and reason', async () => {
  const server = createServer();
  const host = await listening(server);
  server.close();
  const nothing = opened(`http://${host}`);
  await expect(nothing(get)).rejects.toMatchObject({
    name: 'Unreachable',
    message: `No response from http://${host}: connection refused.`,
    cause: { code: 'ECONNREFUSED' },
  });
  const breaking = createServer((request) => request.socket.destroy());
  await expect(opened(`http://${await listening(breaking)}`)(get)).rejects.toThrow(
    /closed before the response/,
  );
  // A stream of a service whose process is killed.
  const cut = createServer((request, response) => {
    response.writeHead(200, { connection: 'close' }).write('{', () => request.socket.destroy());
  });
  await expect(opened(`http://${await listening(cut)}`)(get)).rejects.toThrow(/the response ended early/);
});

test('a request that cannot be sent is an error of the program', async () => {
  const transport = opened(`http://${await listening(createServer(echo))}`);
  await expect(transport({ ...get, headers: { 'x-a': 'b\r\nc: d' } })).rejects.not.toMatchObject({
    name: 'Unreachable',
  });
});

/** A proxy that tunnels every request to one host. */
async function proxyTo(host: string): Promise<{ proxy: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const [name = '', port = ''] = host.split(':');
    const upstream = connect(Number(port), name, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    for (const end of [upstream, socket]) end.on('error', () => upstream.destroy());
    onTestFinished(() => void upstream.destroy());
  });
  return { proxy: `http://${await listening(server)}`, asked };
}

test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('%s is used', async (name) => {
  const { proxy, asked } = await proxyTo(await listening(createServer(echo)));
  const transport = opened('http://deliveries.test', { environment: { [name]: proxy } });
  expect((await transport(get)).status).toBe(200);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain('deliveries.test');
});

test.each([
  ['http://10.9.8.7', '10.0.0.0/8', true],
  ['http://11.0.0.1', '10.0.0.0/8', false],
  ['http://192.168.7.1', 'a.test, 192.168.0.0/16', true],
  ['http://a.test', '10.0.0.0/8', false],
  ['http://[fd00::5]:8080', 'fd00::5', true],
  ['http://[fd00::5]:8080', '[fd00::5]:8080', true],
  ['http://[fd00::5]:8080', '[fd00::5]:81', false],
  ['http://[fd00::6]', 'fd00::5', false],
  ['http://[fd00::6]:8080', 'fd00::/8', true],
  ['http://[fd00::6]', 'a.test,FD00:0::/64', true],
  ['http://[fe80::6]', 'fd00::/8', false],
  ['http://10.9.8.7', '::/0', false],
  ['http://[fd00::6]', 'fd00::/129', false],
  ['https://a.test', 'a.test.', true],
  ['https://a.test.', 'a.test', true],
  ['http://a.test:8080', 'a.test', true],
  ['http://a.test:8080', 'b.test,.a.test', true],
  ['http://a.test:8080', '*', true],
  ['http://a.test:8080', 'test', true],
  ['http://a.test:8080', 'a.test:8080', true],
  ['http://a.test:8080', 'a.test:80', false],
  ['http://a.test:8080', '*.a.test', false],
  ['http://a.test:8080', 'b.a.test', false],
  ['http://a.test:8080', '', false],
])('%s with NO_PROXY=%s: excepted is %s', (url, exceptions, expected) => {
  expect(isExcepted(new URL(url), exceptions)).toBe(expected);
});

test('NO_PROXY, other schemes and loopback bypass the proxy', async () => {
  const host = await listening(createServer(echo));
  const { proxy, asked } = await proxyTo(host);
  const own = opened(`http://${host}`, { environment: { HTTP_PROXY: proxy } });
  expect((await own(get)).status).toBe(200);
  const environment = { HTTP_PROXY: proxy, NO_PROXY: 'other.test,.invalid' };
  await expect(opened('http://none.invalid', { environment })(get)).rejects.toThrow(/http:\/\/none.invalid/);
  const secure = { HTTPS_PROXY: proxy };
  await expect(opened('http://none.invalid', { environment: secure })(get)).rejects.toThrow(/none.invalid/);
  expect(asked).toEqual([]);
});

test.each([
  ['deliveries.example', /must start with http/],
  ['ftp://deliveries.example', /must start with http/],
  ['', /must start with http/],
  ['https://joe:secret@deliveries.example', /must not contain a user or password/],
  ['https://deliveries.example/?a=1', /must not contain \?/],
])('%s is not a base URL', (baseUrl, message) => {
  expect(() => opened(baseUrl)).toThrow(message);
});

test('a missing response through a proxy names the proxy, and so does an invalid proxy', async () => {
  const HTTP_PROXY = 'http://joe:secret@127.0.0.1:9';
  const away = opened('http://none.invalid', { environment: { HTTP_PROXY } })(get);
  await expect(away).rejects.toThrow(
    'from http://none.invalid through the proxy 127.0.0.1:9: connection refused',
  );
  for (const proxy of ['nonsense', 'socks5://127.0.0.1:9'])
    expect(() => opened('http://none.invalid', { environment: { HTTP_PROXY: proxy } })).toThrow(BadProxy);
  const past = opened('http://none.invalid', { environment: { HTTP_PROXY: 'nonsense', NO_PROXY: '*' } })(get);
  await expect(past).rejects.toThrow(/No response from http:\/\/none\.invalid: /);
});

test('a response that is too long is refused, and the rest of it is not read', async () => {
  let requests = 0;
  let written = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      if (response.destroyed || written > 64 * 1024 * 1024) return;
      written += 65_536;
      response.write('x'.repeat(65_536), more);
    };
    more();
  });
  const transport = opened(`http://${await listening(server)}`, { max_response_bytes: 1024 * 1024 });
  const request = { method: 'GET', path: '/', headers: {}, body: '' };
  await expect(transport(request)).rejects.toMatchObject({
    ...{ name: 'ApiError', code: 'unexpected_answer' },
    message: 'The response of the service is longer than 1 MiB.',
  });
  expect([requests, written < 32 * 1024 * 1024]).toEqual([1, true]);
});

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
] as const)('a body that a service encodes with %s unasked is decoded', async (encoding, encode) => {
  const host = await listening(
    createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
      response.end(encode('{"name":"Zoë 🍕"}'));
    }),
  );
  expect((await opened(`http://${host}`)(get)).body).toBe('{"name":"Zoë 🍕"}');
});

test('an encoded body that is invalid, or too long decoded, stays unchanged', async () => {
  const bodies = [Buffer.from('{}'), gzipSync('x'.repeat(2000))];
  const host = await listening(
    createServer((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bodies.shift());
    }),
  );
  const transport = opened(`http://${host}`, { max_response_bytes: 1000 });
  expect((await transport(get)).body).toBe('{}');
  expect((await transport(get)).body).not.toContain('xxx');
});

test('a byte order mark is removed from the body', async () => {
  const host = await listening(createServer((_, response) => response.end('\uFEFF{"id":7}')));
  expect((await opened(`http://${host}`)(get)).body).toBe('{"id":7}');
});
