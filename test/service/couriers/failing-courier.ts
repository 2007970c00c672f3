import { onTestFinished } from 'vitest';
import { createCircuitBreakers } from '../../../src/service/runtime/circuit-breakers.ts';
import { systemWeb } from '../../../src/service/runtime/network.ts';
import { createCourierHttp } from '../../../src/service/runtime/outgoing-calls.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { fakeHttp } from '../../fakes/fake-http.ts';
import { start, startClient } from '../fixture.ts';

export const failingHost = 'courier.example';

/** A service whose account has connected a courier with a server of its own, which then fails until it recovers. */
export async function startFailing() {
  let isFailing = false;
  let requests = 0;
  let now = start;
  const clock = { now: () => now };
  const server = await fakeHttp(() => {
    requests += 1;
    return isFailing ? { status: 503 } : { status: 200, body: { protocol: 'waybill-courier/1' } };
  });
  onTestFinished(server.close);
  const circuits = createCircuitBreakers(clock);
  const courier_http = createCourierHttp({
    ...{ timers: realTimers, wall: clock, circuits, web: systemWeb, allows_private: false },
    hosts: { [failingHost]: server.url },
  });
  const { fixture, client } = await startClient({ parts: { courier_http, circuits, wall: clock } });
  const params = { name: 'http' };
  const settings = { url: `https://${failingHost}/waybill`, api_key: 'key-1' };
  await client.couriers.connect({ params, body: { settings } });
  isFailing = true;
  return {
    fixture,
    /** Checks the courier so many times. */
    check: async (count: number) => {
      for (let call = 0; call < count; call++) await client.couriers.check({ params }).catch(() => {});
    },
    /** The courier as it is listed. */
    listed: async (key?: string) => {
      const { data } = (await fixture.client(key).couriers.list()).data;
      return data.find(({ name }) => name === 'http');
    },
    now: clock.now,
    pass: (ms: number) => {
      now += ms;
    },
    recover: () => {
      isFailing = false;
    },
    requests: () => requests,
  };
}
