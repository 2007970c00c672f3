import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { oneOf } from '../in-part.ts';
import { runBatchKills } from '../kills/batch-kills.ts';
import { sendRequest } from '../kills/requests.ts';
import { faultsOf, newServerFiles, type Ready, startServerProcess } from '../kills/server-process.ts';
import { orderRequest } from '../service/fixture.ts';
import { eventsOf } from '../service/webhooks/received-events.ts';
import { startReceiver } from '../service/webhooks/receiver.ts';

/** Sends a request with one key until it gets a response. */
async function insist(ready: Ready | null, key: string, path: string, body: unknown): Promise<void> {
  const idempotency_key = `${path} ${JSON.stringify(body).length}`;
  await sendRequest(ready?.url ?? '', key, { method: 'POST', path, body, idempotency_key });
}

test.each(['webhook.after_send:1', 'webhook.before_send:4'].filter(oneOf(2)))(
  'a service that is killed at %s sends every event, twice at most',
  async (crash_at) => {
    const place = newServerFiles();
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const first = startServerProcess(place, crash_at);
    const ready = await first.ready;
    const key = ready?.keys?.test ?? '';
    await insist(ready, key, '/v2/webhook_endpoints', { url: receiver.url });
    await insist(ready, key, '/v2/sandbox/clock', { mode: 'scaled', rate: 3_600 });
    await insist(ready, key, '/v1/delivery_information', { ...orderRequest(), initiate: true });
    expect(await first.death).toEqual({ isOurs: false });
    const second = startServerProcess(place, null);
    const { url = '' } = (await second.ready) ?? {};
    const expected = await ended(url, key);
    await expect.poll(() => expected.filter((id) => !idsOf().includes(id))).toEqual([]);
    await second.kill();
    const times = expected.map((id) => idsOf().filter((each) => each === id).length);
    expect(Math.max(...times)).toBeLessThanOrEqual(2);
    // An event that was delivered but not recorded is sent again with the same id.
    if (crash_at.startsWith('webhook.after_send')) expect(times).toContain(2);
    expect(faultsOf(place)).toEqual([]);

    function idsOf(): string[] {
      return eventsOf(receiver.received).map(({ id }) => id);
    }
  },
);

/** The events of the only delivery until it is delivered. */
async function ended(url: string, key: string): Promise<string[]> {
  for (;;) {
    const answered = await sendRequest(url, key, { method: 'GET', path: '/v2/events?limit=100' });
    const { data }: { data: { id: string; data: { status?: string } }[] } = JSON.parse(
      JSON.stringify(answered?.body ?? { data: [] }),
    );
    if (data.some((event) => event.data.status === 'delivered')) {
      return data.map(({ id }) => id);
    }
    await pause(100);
  }
}

/** The short version of test/heavy/service-kills.test.ts. */
test.each([
  ['SQLite', { kills: 1, orders: 10, processes: 1, interval_ms: 500, seed: 1 }],
  ['PostgreSQL', { kills: 1, orders: 10, processes: 2, interval_ms: 300, seed: 1 }],
])('a batch on %s completes correctly while its processes are killed', async (engine, plan) => {
  const place = newServerFiles(engine === 'PostgreSQL' ? await newDatabase() : undefined);
  const { totals } = await runBatchKills({ ...plan, place });
  expect(totals.kills).toBeGreaterThanOrEqual(plan.kills);
});
