import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openAdministration } from '../../src/service/administration.ts';
import { secretOwner } from '../../src/service/runtime/courier-settings.ts';
import { openParts } from '../../src/service/runtime/system.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { writeCourier } from '../../src/storage/couriers.ts';
import type { Flag } from '../../src/storage/database.ts';
import { percentile } from '../kills/totals.ts';
import { orderRequest } from '../service/fixture.ts';
import { freshHome, serve } from './run.ts';

/** What the holder of an account can send bodies with, in live mode. */
interface Access {
  test: string;
  live: string;
  driver: string;
  courier: string;
}

/** A served process with a shop, and a second account that belongs to its attacker. */
export interface Scene {
  url: string;
  shop: Access;
  other: Access;
}

export async function startScene(): Promise<Scene> {
  const home = freshHome();
  const database = join(home.folder, 'served.db');
  const [shop, other] = [await addAccount(database, 'shop'), await addAccount(database, 'other')];
  const { url } = await serve(home);
  return {
    url,
    shop: { ...shop, driver: await addDriver(url, shop.live) },
    other: { ...other, driver: await addDriver(url, other.live) },
  };
}

/** An account with a connected courier, whose requests the service refuses after it has read them. */
async function addAccount(database: string, name: string): Promise<Omit<Access, 'driver'>> {
  const administration = await openAdministration(database, 'operator');
  const { id, keys } = await administration.create(name);
  await administration.close();
  const keyOf = (mode: 'test' | 'live') => keys.find((each) => each.mode === mode)?.key ?? '';
  const { storage, config, close } = await openParts(database);
  const test_mode: Flag = 0;
  const owner = { account_id: id, test_mode, name: 'http' };
  const sealed = (setting: string, text: string) => config.sealing.seal(secretOwner(owner, setting), text);
  const secrets = {
    api_key: await sealed('api_key', 'key'),
    webhook_secret: await sealed('webhook_secret', `whsec_${Buffer.alloc(32).toString('base64')}`),
  };
  const courier = `${name}-courier`;
  await storage.run((db) =>
    writeCourier(db, {
      ...{ ...owner, state: 'enabled', push_token: courier, secrets: JSON.stringify(secrets) },
      settings: JSON.stringify({ url: 'https://courier.example' }),
      ...{ created_at: 0, updated_at: 0, checked_at: null, last_push_at: null },
    }),
  );
  await close();
  return { test: keyOf('test'), live: keyOf('live'), courier };
}

async function addDriver(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/v2/drivers`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Sam', phone_number: '+13125550133', vehicle_type: 'car' }),
  });
  const { link }: { link: string } = JSON.parse(await response.text());
  return link.split('/').at(-1) ?? '';
}

const mebibyte = 1024 * 1024;

/** A request with a body of a size. */
export interface Body {
  method: string;
  path: string;
  key?: string;
  size: number;
}

const orders = (key: string): Body => ({
  method: 'POST',
  path: '/v2/orders/create',
  key,
  size: 8 * mebibyte,
});
const taps = (token: string): Body => ({ method: 'POST', path: `/drive/${token}/taps`, size: 4 * mebibyte });
const push = (token: string): Body => ({ method: 'POST', path: `/couriers/${token}`, size: 4 * mebibyte });

/** The kinds of large bodies that are not the live account's own. */
export const senders: Readonly<Record<string, (scene: Scene) => Body>> = {
  'no key': () => orders(''),
  "a driver's link that does not exist": () => taps('nobody'),
  'the address of a courier that does not exist': () => push('nobody'),
  'a tracking link that does not exist': () => ({ method: 'PATCH', path: '/track/nobody', size: 8 * 1024 }),
  'a path that takes no body': () => ({ method: 'GET', path: '/health', size: mebibyte }),
  'the test key of the account': ({ shop }) => orders(shop.test),
  'the test key of another account': ({ other }) => orders(other.test),
  'the live key of another account': ({ other }) => orders(other.live),
  "a driver's link of another account": ({ other }) => taps(other.driver),
  'the address of a courier of another account': ({ other }) => push(other.courier),
};

/** How a body is sent: all but its last byte, a byte at a time, or at once, again and again. */
export const paces = ['stalled', 'slow', 'fast'] as const;
type Pace = (typeof paces)[number];

/** What the process of `storm-process.ts` sends. */
export interface Storm {
  port: number;
  bodies: readonly Body[];
  pace: Pace;
  /** The number of sockets for each body. */
  count: number;
}

/** Sends bodies, from a process of its own, until it is ended. */
export async function startStorm(
  { url }: Scene,
  bodies: readonly Body[],
  pace: Pace,
  count: number,
): Promise<() => void> {
  const storm: Storm = { port: Number(new URL(url).port), bodies, pace, count };
  const child = fork(join(import.meta.dirname, 'storm-process.ts'), [JSON.stringify(storm)]);
  const end = () => void child.kill('SIGKILL');
  onTestFinished(end);
  await once(child, 'message');
  return end;
}

const photo = `data:image/jpeg;base64,/9j/${'A'.repeat(600_000)}`;

/** What happened to the live writes of the shop. */
export interface Writes {
  /** By kind of write: how many had each status. */
  statuses: Record<string, Record<string, number>>;
  slowest_ms: number;
  p95_ms: number;
}

/** The shop's live writes for a time: its program creates orders, a driver sends photos, and a courier reports. */
export async function writeFor({ url, shop }: Scene, ms: number): Promise<Writes> {
  const agent = new Agent({ keepAlive: true });
  const statuses: Writes['statuses'] = {};
  const took: number[] = [];
  const started_at = performance.now();
  const sendAll = async (
    kind: string,
    path: string,
    headers: Record<string, string>,
    body: () => unknown,
  ) => {
    const seen: Record<string, number> = {};
    statuses[kind] = seen;
    while (performance.now() - started_at < ms) {
      const sent_at = performance.now();
      const status = await post(url + path, { agent, headers, body: JSON.stringify(body()) });
      took.push(performance.now() - sent_at);
      seen[status] = (seen[status] ?? 0) + 1;
      await pause(kind === 'taps' ? 500 : 50);
    }
  };
  const tap = () => ({ id: String(took.length), kind: 'deliver', at: new Date(), delivery_ids: [], photo });
  await Promise.all([
    sendAll('orders', '/v2/orders/create', { 'x-api-key': shop.live }, () => ({ orders: [orderRequest()] })),
    sendAll('taps', `/drive/${shop.driver}/taps`, {}, () => ({ sent_at: new Date(), taps: [tap()] })),
    sendAll('reports', `/couriers/${shop.courier}`, {}, () => ({})),
  ]);
  agent.destroy();
  return { statuses, slowest_ms: Math.max(...took), p95_ms: percentile(took, 95) };
}

interface Posted {
  agent: Agent;
  headers: Record<string, string>;
  body: string;
}

function post(url: string, { agent, headers, body }: Posted): Promise<string> {
  const all = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const sent = request(url, { method: 'POST', agent, headers: all }, (answer) => {
      answer.resume().on('end', () => resolve(String(answer.statusCode)));
    });
    sent.on('error', (fault) => resolve(String(fault)));
    sent.end(body);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => realTimers.after(ms, resolve));
}
