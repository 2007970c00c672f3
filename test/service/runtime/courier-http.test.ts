import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProviderBusy, ProviderFault } from '../../../src/providers/port.ts';
import { createCircuitBreakers } from '../../../src/service/runtime/circuit-breaker.ts';
import { createCourierHttp } from '../../../src/service/runtime/courier-http.ts';
import { systemWeb } from '../../../src/service/runtime/network.ts';
import { monotonicClock, realTimers, wallClock } from '../../../src/service/runtime/time.ts';
import { type FakeAnswer, fakeHttp } from '../../fakes/fake-http.ts';

let answer: FakeAnswer;
let server: Awaited<ReturnType<typeof fakeHttp>>;

beforeEach(async () => {
  answer = { status: 200, body: { ok: true } };
  server = await fakeHttp(() => answer);
});
afterEach(() => server.close());

const parts = {
  timers: realTimers,
  wall: wallClock,
  circuits: createCircuitBreakers(monotonicClock),
  web: { ...systemWeb, resolve: async () => ['127.0.0.1'] },
  loopback: 'refused' as const,
};
const get = (url: string) => ({ method: 'GET' as const, url, headers: {} });

test('a courier at an address that is not public is not called', async () => {
  const http = createCourierHttp(parts);
  for (const host of ['127.0.0.1', 'courier.example', '[::1]', '10.0.0.8', '169.254.169.254']) {
    const called = http(get(`http://${host}:${server.port}/courier`));
    await expect(called).rejects.toThrow(/is not allowed|resolves to a loopback address/);
  }
});

test('the embedded service calls couriers on its own machine', async () => {
  const http = createCourierHttp({ ...parts, loopback: 'allowed' });
  expect(await http(get(`${server.url}/courier`))).toMatchObject({ status: 200, body: '{"ok":true}' });
});

test('a host is replaced by the fake of a test', async () => {
  const http = createCourierHttp({ ...parts, hosts: { 'courier.example': server.url } });
  expect(await http(get('https://courier.example/a'))).toMatchObject({ status: 200 });
  answer = { status: 429, headers: { 'retry-after': '7' } };
  const busy = await http(get('https://courier.example/a')).catch((fault: unknown) => fault);
  expect(busy).toBeInstanceOf(ProviderBusy);
  expect(busy).toMatchObject({ retry_after_seconds: 7 });
  answer = null;
  await expect(http(get('https://courier.example/a'))).rejects.toBeInstanceOf(ProviderFault);
});
