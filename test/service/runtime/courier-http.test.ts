import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCircuitBreakers } from '../../../src/service/runtime/circuit-breaker.ts';
import { createCourierHttp } from '../../../src/service/runtime/courier-http.ts';
import { systemWeb } from '../../../src/service/runtime/network.ts';
import { monotonicClock, realTimers, wallClock } from '../../../src/service/runtime/time.ts';
import { fakeHttp } from '../../fakes/fake-http.ts';

let server: Awaited<ReturnType<typeof fakeHttp>>;

beforeEach(async () => {
  server = await fakeHttp(() => ({ status: 200, body: { ok: true } }));
});
afterEach(() => server.close());

const parts = {
  timers: realTimers,
  wall: wallClock,
  circuits: createCircuitBreakers(monotonicClock),
  web: { ...systemWeb, resolve: async () => ['127.0.0.1'] },
  allows_private: false,
};
const account = { account_id: 'acct_1', test_mode: true };
const get = (url: string) => ({ method: 'GET' as const, url, headers: {} });

test('a courier at an address that is not public is not called', async () => {
  const http = createCourierHttp(parts)(account);
  const called = (host: string) => http(get(`https://${host}:${server.port}/courier`));
  const permission = 'address, and the service runs without --allow-private-couriers';
  await expect(called('courier.example')).rejects.toThrow(`resolves to a loopback ${permission}`);
  await expect(called('[::1]')).rejects.toThrow(`is a loopback ${permission}`);
  await expect(called('10.0.0.8')).rejects.toThrow(`is a private ${permission}`);
  await expect(called('100.64.0.1')).rejects.toThrow(`is a shared ${permission}`);
  await expect(called('169.254.169.254')).rejects.toThrow('is a metadata address, which is not allowed');
});

test('with permission couriers on this machine and in private networks are called, without encryption', async () => {
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
