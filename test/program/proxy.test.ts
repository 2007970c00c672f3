import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { orderLine } from '../cli/sandbox.ts';
import { certificate } from '../fakes/smtp/certificate.ts';
import { oneOf } from '../in-part.ts';
import { listenLocally } from '../local-server.ts';
import { ended, freshHome, type Home, serve, start, waybill } from './run.ts';

// The whole way through a proxy on the built program: what the bundle leaves out of undici is only missed there.

/** A service over http or https without records; a home that trusts its certificate. */
async function service(scheme: 'http' | 'https'): Promise<{ port: number; home: Home }> {
  const list = { object: 'list', data: [], has_more: false, next_cursor: null };
  const server = scheme === 'http' ? createServer() : createSecureServer(certificate);
  server.on('request', (request: IncomingMessage, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(list));
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  return { port, home: trustingHome(scheme) };
}

/** A home for a service at deliveries.test, whose certificate it trusts. */
function trustingHome(scheme: string): Home {
  const home = freshHome({
    WAYBILL_API_KEY: 'wb_test_x',
    WAYBILL_BASE_URL: `${scheme}://deliveries.test`,
  });
  const trusted = join(home.folder, 'trusted.pem');
  writeFileSync(trusted, certificate.cert);
  home.env.NODE_EXTRA_CA_CERTS = trusted;
  return home;
}

interface ProxyRules {
  /** The user and password, as in a URL. */
  login?: string;
  /** The status of every answer in place of a connection. */
  refusal?: number;
}

/** A proxy that leads every host to one port, over CONNECT or by forwarding; gives what it was asked for. */
async function proxyTo(port: number, { login, refusal }: ProxyRules) {
  const asked: string[] = [];
  const expected = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  const statusFor = ({ method, url, headers }: IncomingMessage): number => {
    asked.push(`${method} ${url}`);
    return refusal ?? (headers['proxy-authorization'] === expected ? 200 : 407);
  };
  const proxy = createServer((request, response) => {
    const status = statusFor(request);
    if (status !== 200) return void response.writeHead(status).end('<title>Blocked</title>');
    const { pathname, search } = new URL(request.url ?? '');
    fetch(`http://127.0.0.1:${port}${pathname}${search}`).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(await answer.text());
    });
  });
  proxy.on('connect', (request, socket) => {
    const status = statusFor(request);
    socket.on('error', () => {});
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    onTestFinished(() => void upstream.destroy());
  });
  const { port: own, close } = await listenLocally(proxy);
  onTestFinished(close);
  return { host: `127.0.0.1:${own}`, asked };
}

interface Case extends ProxyRules {
  scheme?: 'http' | 'https';
  /** The value of the variable; HOST is the proxy's host and port. */
  proxy: string;
  variable?: string;
  exit: number;
  /** A part of stderr. */
  says?: string;
}

const cases: Record<string, Case> = {
  'https through a proxy without a password': { proxy: 'http://HOST', exit: 0 },
  'https through a proxy with a password': { proxy: 'http://joe:s3cret@HOST', login: 'joe:s3cret', exit: 0 },
  'a password with escapes': { proxy: 'http://joe:50%25%40@HOST', login: 'joe:50%@', exit: 0 },
  'a proxy without a scheme': { proxy: 'HOST', exit: 0 },
  'ALL_PROXY in lower case': { proxy: 'http://HOST', variable: 'all_proxy', exit: 0 },
  'http through a proxy with a password': {
    ...{ scheme: 'http', proxy: 'http://joe:s3cret@HOST', login: 'joe:s3cret', exit: 0 },
  },
  'https, and the proxy wants a password': {
    ...{ proxy: 'http://HOST', login: 'joe:s3cret', exit: 7 },
    says: 'The proxy HOST wants a user and a password (status 407). Set HTTPS_PROXY=http://USER:PASSWORD@HOST.',
  },
  'http, and the proxy wants a password': {
    ...{ scheme: 'http', proxy: 'http://HOST', login: 'joe:s3cret', exit: 7 },
    says: 'The proxy HOST wants a user and a password (status 407). Set HTTP_PROXY=http://USER:PASSWORD@HOST.',
  },
  'https with a wrong password': {
    ...{ proxy: 'http://joe:wrong@HOST', login: 'joe:s3cret', exit: 7 },
    says: 'The proxy HOST does not accept the user and password in HTTPS_PROXY (status 407).',
  },
  'http with a wrong password': {
    ...{ scheme: 'http', proxy: 'http://joe:wrong@HOST', login: 'joe:s3cret', exit: 7 },
    says: 'The proxy HOST does not accept the user and password in HTTP_PROXY (status 407).',
  },
  'a proxy that refuses the host': {
    ...{ proxy: 'http://HOST', refusal: 403, exit: 7 },
    says: 'The proxy HOST refused a connection to https://deliveries.test (status 403).',
  },
  'a percent sign that is no escape': {
    ...{ proxy: 'http://u:50%off@HOST', exit: 2 },
    says: 'Invalid proxy URL in HTTPS_PROXY: a % in its user or password needs two hex digits after it.',
  },
  'a scheme that is not spoken': {
    proxy: 'socks5://HOST',
    exit: 2,
    says: 'Invalid proxy URL in HTTPS_PROXY',
  },
};

test.each(Object.entries(cases).filter(oneOf(2)))(
  '%s',
  async (_, { scheme = 'https', proxy: text, variable, ...rest }) => {
    const { port, home } = await service(scheme);
    const { host, asked } = await proxyTo(port, rest);
    const filled = (given: string) => given.replaceAll('HOST', host);
    home.env[variable ?? `${scheme.toUpperCase()}_PROXY`] = filled(text);
    const { exit, stderr } = await waybill(home, 'deliveries', 'list');
    expect({ exit, stderr }).toEqual({
      exit: rest.exit,
      stderr: expect.stringContaining(filled(rest.says ?? '')),
    });
    expect(stderr).not.toMatch(/s3cret|wrong|50%off|fault of waybill/);
    const first = scheme === 'https' ? 'CONNECT deliveries.test:443' : /^GET http:\/\/deliveries\.test\//;
    if (rest.exit !== 2) expect(asked[0]).toMatch(first);
  },
);

test('login and a followed delivery work through a tunnel, and a proxy that is gone is named', async () => {
  const served = await serve(freshHome());
  const { port } = new URL(served.url);
  const front = createTlsServer(certificate, (socket) => {
    const upstream = connect(Number(port), '127.0.0.1');
    for (const end of [socket, upstream]) end.on('error', () => upstream.destroy());
    upstream.pipe(socket).pipe(upstream);
    onTestFinished(() => void socket.destroy());
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  onTestFinished(() => void front.close());
  const address = front.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const { host } = await proxyTo(address.port, {});
  const home = trustingHome('https');
  Object.assign(home.env, { HTTPS_PROXY: `http://${host}`, WAYBILL_API_KEY: served.keys.test });
  expect(await waybill(home, 'whoami', '--jq', '.mode')).toMatchObject({ exit: 0, stdout: 'test\n' });
  const sample = ['deliveries', 'create', ...orderLine.slice(2), '--initiate', '-o', 'id'];
  const made = await waybill(home, ...sample);
  expect(made.exit).toBe(0);
  const followed = ended(start(home, ['deliveries', 'watch', made.stdout.trim(), '--json']));
  await waybill(home, 'sandbox', 'advance', '--drain');
  expect(await followed).toMatchObject({ exit: 0, stdout: expect.stringContaining('"delivered"') });
  home.env.HTTPS_PROXY = 'http://127.0.0.1:9';
  const { exit, stderr } = await waybill(home, 'orders', 'list');
  expect([exit, stderr]).toEqual([
    7,
    expect.stringContaining('through the proxy 127.0.0.1:9: connection refused'),
  ]);
});

/** What a hotel's network, or a proxy that wants a login, answers to every request. */
const networkPages: Record<string, { status: number; body: string }> = {
  'a login page': { status: 200, body: '<title>Sign in</title>' },
  'no content': { status: 204, body: '' },
};

test.each(Object.entries(networkPages))(
  '%s in place of the service is exit 7',
  async (_, { status, body }) => {
    const written: string[] = [];
    const network = createServer((request, response) => {
      if (request.method !== 'GET') written.push(`${request.method} ${request.url}`);
      request.resume();
      response.writeHead(status, body === '' ? {} : { 'content-type': 'text/html' }).end(body);
    });
    const { port, close } = await listenLocally(network);
    onTestFinished(close);
    const home = freshHome({
      WAYBILL_API_KEY: 'wb_test_x',
      WAYBILL_BASE_URL: `http://127.0.0.1:${port}`,
    });
    for (const line of [
      ['orders', 'list'],
      [...orderLine, '--idempotency-key', 'k1'],
    ]) {
      const { exit, stderr } = await waybill(home, ...line);
      expect([line[1], exit, stderr]).toEqual([line[1], 7, expect.stringContaining('Check the base URL')]);
      expect(stderr).not.toMatch(/no idempotency keys|Without the flag/);
    }
    expect(written).toEqual([]);
  },
);
