import { createServer, type RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { ProviderBusy, ProviderFault } from '../../../src/providers/port.ts';
import { createCircuitBreakers } from '../../../src/service/runtime/circuit-breakers.ts';
import { systemWeb } from '../../../src/service/runtime/network.ts';
import { createCourierHttp } from '../../../src/service/runtime/outgoing-calls.ts';
import { monotonicClock, realTimers, wallClock } from '../../../src/service/runtime/time.ts';
import { fakeHttp } from '../../fakes/fake-http.ts';
import { listenLocally } from '../../local-server.ts';

const account = { account_id: 'acct_1', test_mode: false };
const host = 'api.courier.example';

/** A courier's server behind the host `api.courier.example`, and the client that reaches it. */
async function reach(answer: RequestListener) {
  const server = createServer(answer);
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  let now = 0;
  const running = new Set<() => void>();
  const circuits = createCircuitBreakers({ now: () => now });
  const http = createCourierHttp({
    web: systemWeb,
    allows_private: true,
    wall: wallClock,
    circuits,
    timers: {
      ...realTimers,
      after: (_ms, wake) => {
        running.add(wake);
        return () => running.delete(wake);
      },
    },
    hosts: { 'api.courier.example': `http://127.0.0.1:${port}` },
  });
  return {
    get: (path = '/v1', scope = account) =>
      http(scope)({
        method: 'GET',
        url: `https://api.courier.example${path}`,
        headers: { accept: 'text/plain' },
      }),
    post: (body: string) =>
      http(account)({ method: 'POST', url: 'https://api.courier.example/v1?a=b', headers: {}, body }),
    /** Lets every time limit pass. */
    expire: () => {
      for (const wake of running) wake();
    },
    ...{ states: circuits.states, waitOf: circuits.waitOf },
    pass: (ms: number) => {
      now += ms;
    },
  };
}

const faultOf = (call: Promise<unknown>) => call.then(() => null).catch((fault: unknown) => fault);

test('a request reaches the origin that stands for its host, and every status but 429 is returned', async () => {
  const { post } = await reach(async (request, response) => {
    const chunks: unknown[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(422, { 'X-Kind': 'echo' }).end(`${request.method} ${request.url} ${chunks.join('')}`);
  });
  const { status, headers, body } = await post('{"a":1}');
  expect([status, headers['x-kind'], body]).toEqual([422, 'echo', 'POST /v1?a=b {"a":1}']);
});

test('a 429 response is a busy courier, with the time that it asks to wait', async () => {
  const { get } = await reach((request, response) => {
    response.writeHead(429, request.url === '/v1' ? { 'retry-after': '7' } : {}).end();
  });
  expect(await faultOf(get())).toMatchObject({ retry_after_seconds: 7 });
  expect(await faultOf(get('/v2'))).toMatchObject({ retry_after_seconds: 2 });
  expect(await faultOf(get())).toBeInstanceOf(ProviderBusy);
});

test('no complete response in time is a fault of the courier', async () => {
  const reached = Promise.withResolvers<void>();
  const { get, expire } = await reach((_, response) => {
    response.writeHead(200).write('a part');
    reached.resolve();
  });
  const fault = faultOf(get());
  await reached.promise;
  expire();
  expect(await fault).toBeInstanceOf(ProviderFault);
  expect(String(await fault)).toContain('api.courier.example did not answer within 8 s');
});

test('a response that is compressed unasked is read', async () => {
  const { get } = await reach((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{"name":"Zoë"}'));
  });
  expect((await get()).body).toBe('{"name":"Zoë"}');
});

test('a response that is too large, or none, is a fault of the courier', async () => {
  const { get } = await reach((request, response) => {
    if (request.url === '/v1') response.writeHead(200).end('x'.repeat(4 * 1024 * 1024 + 1));
    else response.destroy();
  });
  expect(String(await faultOf(get()))).toContain('sent more than 4194304 bytes');
  expect(await faultOf(get('/v2'))).toBeInstanceOf(ProviderFault);
});

test('after five faults in a row a courier is not called for 30 seconds, and then once to try', async () => {
  let calls = 0;
  let status = 500;
  const { get, pass, states } = await reach((_, response) => {
    calls += 1;
    response.writeHead(status).end();
  });
  for (let call = 0; call < 5; call++) {
    expect(String(await faultOf(get()))).toContain('api.courier.example answered 500');
    expect(states()).toMatchObject([{ host, open: call === 4 ? 1 : 0 }]);
  }
  expect(states()).toEqual([{ host, open: 1, wait_ms: 30_000 }]);
  expect(await faultOf(get())).toMatchObject({ retry_after_seconds: 30 });
  pass(29_000);
  expect(await faultOf(get())).toMatchObject({ retry_after_seconds: 1 });
  expect(calls).toBe(5);
  pass(1_000);
  expect(states()).toEqual([{ host, open: 1, wait_ms: 0 }]);
  const [tried, refused] = await Promise.all([faultOf(get()), faultOf(get())]);
  expect([tried, refused]).toEqual([expect.any(ProviderFault), expect.any(ProviderBusy)]);
  pass(30_000);
  status = 200;
  expect((await get()).status).toBe(200);
  expect(states()).toEqual([]);
  expect((await get()).status).toBe(200);
  expect(calls).toBe(8);
});

test('the faults of one account and mode do not stop the calls of another', async () => {
  let isFailing = true;
  const { get, states, waitOf } = await reach((_, response) => {
    response.writeHead(isFailing ? 500 : 200).end();
  });
  for (let call = 0; call < 5; call++) await faultOf(get());
  expect(await faultOf(get())).toBeInstanceOf(ProviderBusy);
  isFailing = false;
  const others = [
    { account_id: 'acct_2', test_mode: false },
    { ...account, test_mode: true },
  ];
  for (const other of others) {
    expect((await get('/v1', other)).status).toBe(200);
    expect(waitOf(other, [host])).toBe(0);
  }
  expect(await faultOf(get())).toBeInstanceOf(ProviderBusy);
  expect(waitOf(account, [host])).toBe(30_000);
  // The others' success does not close it.
  expect(states()).toEqual([{ host, open: 1, wait_ms: 30_000 }]);
});

test('the state of the hosts is kept within limits, and open breakers longest', () => {
  const circuits = createCircuitBreakers({ now: () => 0 });
  const failing = circuits.of(account, 'failing.example');
  for (let call = 0; call < 5; call++) failing.recordFault();
  for (let number = 0; number < 12_000; number++)
    circuits.of(account, `host-${number}.example`).recordFault();
  expect(circuits.states()).toHaveLength(10_000);
  expect(circuits.waitOf(account, ['host-1.example', 'failing.example'])).toBe(30_000);
  for (let number = 0; number < 12_000; number++)
    circuits.of(account, `host-${number}.example`).recordSuccess();
  expect(circuits.states()).toHaveLength(1);
});

/** Couriers at public addresses alone, whose names lead to this machine. */
const parts = {
  timers: realTimers,
  wall: wallClock,
  circuits: createCircuitBreakers(monotonicClock),
  web: { ...systemWeb, resolve: async () => ['127.0.0.1'] },
  allows_private: false,
};

async function startFake() {
  const server = await fakeHttp(() => ({ status: 200, body: { ok: true } }));
  onTestFinished(server.close);
  return server;
}

const get = (url: string) => ({ method: 'GET' as const, url, headers: {} });

test('a courier at an address that is not public is not called', async () => {
  const server = await startFake();
  // A fake server permits its own address alone, not each host at its port.
  const hosts = { 'fake.example': server.url };
  const http = createCourierHttp({ ...parts, hosts })(account);
  expect(await http(get('https://fake.example/courier'))).toMatchObject({ status: 200 });
  const called = (host: string) => http(get(`https://${host}:${server.port}/courier`));
  const permission = 'address, and the service runs without --allow-private-couriers';
  await expect(called('courier.example')).rejects.toThrow(`resolves to a loopback ${permission}`);
  await expect(called('[::1]')).rejects.toThrow(`is a loopback ${permission}`);
  await expect(called('10.0.0.8')).rejects.toThrow(`is a private ${permission}`);
  await expect(called('100.64.0.1')).rejects.toThrow(`is a shared ${permission}`);
  await expect(called('169.254.169.254')).rejects.toThrow('is a metadata address, which is not allowed');
});

test('with permission couriers on this machine and in private networks are called, without encryption', async () => {
  const server = await startFake();
  const connect = () =>
    systemWeb.connect({ address: '127.0.0.1', port: server.port, servername: null }, signal);
  const { signal } = new AbortController();
  const http = createCourierHttp({ ...parts, allows_private: true, web: { ...parts.web, connect } })(account);
  for (const host of ['127.0.0.1', 'courier', '[::1]', '10.0.0.8', '192.168.1.20', '[fd12::1]']) {
    const answered = await http(get(`http://${host}:${server.port}/courier`));
    expect(answered).toMatchObject({ status: 200, body: '{"ok":true}' });
  }
  for (const host of ['169.254.169.254', '198.51.100.1', '0.0.0.0']) {
    await expect(http(get(`http://${host}/courier`))).rejects.toThrow('is not allowed');
  }
  await expect(http(get('http://8.8.8.8/courier'))).rejects.toThrow('a public address, which needs https://');
});
