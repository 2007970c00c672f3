import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fraction, seededChance } from '../../src/service/runtime/random.ts';
import { sendRequest } from '../kills/requests.ts';
import { faultsOf, newServerFiles, type ServerProcess, startServerProcess } from '../kills/server-process.ts';
import { orderRequest } from '../service/fixture.ts';
import { eventsOf, numbersTo, sequencesOf } from '../service/webhooks/received-events.ts';
import { startReceiver } from '../service/webhooks/receiver.ts';

const kills = Number(process.env.WEBHOOK_KILLS ?? 60);
const endpoints = 3;

test(`${kills} kills around sending: every event arrives at every endpoint, twice at most, in order`, async () => {
  const place = newServerFiles();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const chance = seededChance('webhook kills');
  const draw = (...of: string[]) => fraction(chance(...of));
  const founding = startServerProcess(place, null);
  const ready = await founding.ready;
  const key = ready?.keys?.test ?? '';
  for (let index = 0; index < endpoints; index += 1) {
    const body = { url: `${receiver.url}/${index}` };
    await sendRequest(ready?.url ?? '', key, { method: 'POST', path: '/v2/webhook_endpoints', body });
  }
  const clock = { mode: 'scaled', rate: 3_600 };
  await sendRequest(ready?.url ?? '', key, { method: 'POST', path: '/v2/sandbox/clock', body: clock });
  await founding.kill();
  for (let kill = 0; kill < kills; kill += 1) {
    const point = draw('point', String(kill)) < 0.7 ? 'webhook.after_send' : 'webhook.before_send';
    // Each process lives long enough that the attempts interrupted before are repeated and recorded.
    const server = startServerProcess(place, `${point}:${90 + Math.floor(draw('count', String(kill)) * 40)}`);
    await busy(server, key, kill);
    await server.death;
  }
  const last = startServerProcess(place, null);
  const url = (await last.ready)?.url ?? '';
  const published = await settled(url, key);
  const arrivals = () => receiver.received.map(({ path, headers }) => `${path} ${headers['webhook-id']}`);
  await expect.poll(() => new Set(arrivals()).size, { timeout: 60_000 }).toBe(endpoints * published.length);
  await last.kill();
  const counts = new Map<string, number>();
  for (const arrival of arrivals()) counts.set(arrival, (counts.get(arrival) ?? 0) + 1);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(2);
  for (let index = 0; index < endpoints; index += 1) expectInOrder(index);
  expect(faultsOf(place)).toEqual([]);

  function expectInOrder(index: number): void {
    const events = eventsOf(receiver.received.filter(({ path }) => path === `/${index}`));
    const seen = new Set<string>();
    const first = events.filter(({ id }) => !seen.has(id) && seen.add(id));
    for (const sequence of sequencesOf(first).values()) expect(sequence).toEqual(numbersTo(sequence.length));
  }
}, 600_000);

/** Creates deliveries until the process dies. */
async function busy(server: ServerProcess, key: string, kill: number): Promise<void> {
  const ready = await server.ready;
  for (let count = 0; !server.isOver() && ready !== null; count += 1) {
    const body = { ...orderRequest(), initiate: true };
    const idempotency_key = `delivery ${kill} ${count}`;
    await sendRequest(ready.url, key, {
      method: 'POST',
      path: '/v1/delivery_information',
      body,
      idempotency_key,
    });
    await pause(100);
  }
}

/** The ids of all events, once nothing happens anymore. */
async function settled(url: string, key: string): Promise<string[]> {
  for (let before: string[] = []; ; ) {
    await pause(3_000);
    const ids = await eventIds(url, key);
    if (ids.length > 0 && ids.length === before.length) return ids;
    before = ids;
  }
}

async function eventIds(url: string, key: string): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const path: string = `/v2/events?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const answered = await sendRequest(url, key, { method: 'GET', path });
    const page: { data: { id: string }[]; next_cursor: string | null } = JSON.parse(
      JSON.stringify(answered?.body),
    );
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return ids;
}
