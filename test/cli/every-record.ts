import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Transport, WireRequest } from '../../src/contract/operation.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { doorDashSettings } from '../fakes/courier-check.ts';
import { tapping } from './driver-taps.ts';
import { freshHome, jsonOf, type Outcome, type RunOptions, waybill } from './harness.ts';
import { orderLine, standingParts, startedAt, storeLine } from './sandbox.ts';
import { receiver } from './webhook-receiver.ts';

/** An id of each kind of record, the record as most commands want it. */
export interface Ids {
  order: string;
  route: string;
  delivery: string;
  batch: string;
  event: string;
  webhook_endpoint: string;
  store: string;
  driver: string;
  courier: string;
  /** A delivery of another driver. */
  carried: string;
  /** Another one, whose handover wrong PINs have locked. */
  locked: string;
  key: string;
  /** Records in a different state, needed by a single command. */
  draft: string;
  request: string;
  delivered: string;
  disputed: string;
  canceled: string;
  processing: string;
  /** The order and the route of the delivery. */
  dispatched: string;
  completed: string;
}

/** A service with a record of every kind, and commands that run on copies of it. */
export interface Records<T = Ids> {
  ids: T;
  /** Runs a command on a copy of its own; `between` is placed in front of its service. */
  run: Run;
  /** Runs several commands on one copy. */
  onCopy<R>(work: (run: Run) => Promise<R>): Promise<R>;
}

export type Run = (
  argv: readonly string[],
  options?: RunOptions & Between,
) => Promise<Outcome & { sent: WireRequest[] }>;

interface Between {
  between?: (transport: Transport) => Transport;
}

const plainly = (transport: Transport) => transport;

const minute = 60_000;

/** Creates a record of every kind once; each command starts with a fresh copy. */
export const everyRecord = (): Promise<Records> => recordsMade(made);

/** Creates records once; each command starts with a fresh copy. */
export async function recordsMade<T>(make: Make<T>): Promise<Records<T>> {
  const home = freshHome();
  const file = join(home, 'first.db');
  let now = startedAt;
  let key: string | null = null;
  const parts = standingParts({ now: () => now });
  const ownKey = {
    read: () => key,
    keep: async (made: string) => {
      key = made;
    },
  };
  const open = (path: string) => openEmbedded({ file: path, key, ownKey, parts });
  const first = await open(file);
  const move = (ms: number) => {
    now += ms;
  };
  const json = async (...argv: string[]) => {
    move(1);
    const sleep = async (ms: number) => move(ms);
    const { stdout, stderr, exit } = await waybill([...argv, '--json'], {
      ...{ home, transport: first.transport, now: () => now, sleep },
    });
    if (exit !== 0) throw new Error(`${argv.join(' ')} ended with ${exit}: ${stderr}`);
    return stdout;
  };
  writeFileSync(join(home, 'courier.json'), JSON.stringify(doorDashSettings('sandbox')));
  const ids = await make(json, first.transport, move);
  await first.close();
  let copies = 0;
  const onCopy: Records['onCopy'] = async (work) => {
    copies += 1;
    const copy = join(home, `${copies}.db`);
    copyFileSync(file, copy);
    if (existsSync(`${file}.secret-key`)) copyFileSync(`${file}.secret-key`, `${copy}.secret-key`);
    const service = await open(copy);
    const at = now;
    const runOnCopy: Run = async (argv, { between = plainly, ...options } = {}) => {
      const sent: WireRequest[] = [];
      const answering = between(service.transport);
      const transport: Transport = (request) => {
        sent.push(request);
        return answering(request);
      };
      const sleep = async (ms: number) => move(ms);
      const clock = { now: () => now, sleep };
      const outcome = await waybill(argv, { home: freshHome(), transport, ...clock, ...options });
      return { ...outcome, sent };
    };
    try {
      return await work(runOnCopy);
    } finally {
      await service.close();
      now = at;
    }
  };
  const run: Run = (argv, options) => onCopy((runOnCopy) => runOnCopy(argv, options));
  return { ids, run, onCopy };
}

export type Json = (...argv: string[]) => Promise<string>;
export type Make<T> = (json: Json, transport: Transport, move: (ms: number) => void) => Promise<T>;

async function made(json: Json, transport: Transport, move: (ms: number) => void): Promise<Ids> {
  const { url } = await receiver();
  const id = async (...argv: string[]) => String(jsonOf(await json(...argv)).id);
  const order = (...flags: string[]) => id(...orderLine, ...flags);
  const newDelivery = (...flags: string[]) => id('deliveries', 'create', ...orderLine.slice(2), ...flags);
  const webhook_endpoint = await id('webhooks', 'create', url);
  await json('webhooks', 'test', webhook_endpoint);
  const store = await id(...storeLine);
  const courier = 'doordash-drive';
  await json('couriers', 'connect', courier, '--settings-from', 'courier.json');
  const driver = await id('drivers', 'add', 'Sam Lee', '--phone', '+13125550133');
  const carried = await carriedDelivery(json, transport, await order());
  await json('drivers', 'prices', '--ask-pin');
  const locked = await carriedDelivery(json, transport, await order(), 5);
  const delivered = await newDelivery('--initiate');
  await json('sandbox', 'advance', '--until', `${delivered}:delivered`);
  const disputed = await newDelivery('--initiate');
  await json('sandbox', 'advance', '--until', `${disputed}:delivered`);
  await json('deliveries', 'dispute', disputed, '--reason', 'It never came');
  const { order_id, route_id } = jsonOf(await json('deliveries', 'get', delivered));
  const canceled = await newDelivery('--initiate', '--simulate', 'no_driver');
  await json('sandbox', 'advance', '--until', `${canceled}:provider_canceled`);
  const batchOf = async (...flags: string[]) =>
    String(jsonOf(await json(...orderLine, '--auto', ...flags)).batch_id);
  const batch = await batchOf();
  move(2 * minute);
  const route = await id('routes', 'create', await order());
  await json('routes', 'quote', route, '--wait');
  const events: unknown = JSON.parse(await json('events', 'list', '--type', 'delivery.updated'));
  for (const ref of ['#1042', '#1043']) await order('--ref', ref);
  const event = Array.isArray(events) ? String(events[0]?.id) : '';
  return {
    ...{ route, batch, event, webhook_endpoint, store, driver, carried, locked, courier },
    ...{ delivered, disputed, canceled },
    ...{ dispatched: String(order_id), completed: String(route_id) },
    processing: await batchOf('--simulate', 'no_quotes'),
    order: await order(),
    draft: await id('routes', 'create', await order()),
    request: await newDelivery(),
    delivery: await newDelivery('--initiate'),
    key: await id('keys', 'create', '--permission', 'read', '--name', 'dashboard'),
  };
}

/** The delivery of an order by an own driver, who is on duty for its dispatch alone. */
async function carriedDelivery(
  json: Json,
  transport: Transport,
  order_id: string,
  wrong_pins = 0,
): Promise<string> {
  const { id: driver, link } = jsonOf(await json('drivers', 'add', 'Ana Ruiz', '--phone', '+13125550134'));
  const tap = tapping(transport, link);
  await tap({ kind: 'duty', on: true });
  const route = String(jsonOf(await json('routes', 'create', order_id)).id);
  await json('routes', 'quote', route, '--wait');
  const { deliveries } = jsonOf(await json('dispatch', route, '--driver', String(driver)));
  const id = Array.isArray(deliveries) ? String(deliveries[0]?.id) : '';
  for (let tries = 0; tries < wrong_pins; tries++) {
    await tap({ kind: 'deliver', delivery_ids: [id], pin: 'none' });
  }
  await tap({ kind: 'duty', on: false });
  return id;
}
