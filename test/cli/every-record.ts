import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Transport, WireRequest } from '../../src/contract/operation.ts';
import { type Embedded, openEmbedded } from '../../src/service/embedded.ts';
import { onEndOfFile } from '../end-of-file.ts';
import { doorDashSettings } from '../fakes/courier-check.ts';
import { listenLocally } from '../local-server.ts';
import { tapping } from './driver-taps.ts';
import { freshHome, jsonOf, type Outcome, type RunOptions, waybill } from './harness.ts';
import { orderLine, standingParts, startedAt, storeLine } from './sandbox.ts';

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

/** Records in a database that can be copied. */
interface Made<T> {
  ids: T;
  files: Readonly<Record<string, Buffer>>;
  machine: Machine;
}

/** The time and the key of a service. */
interface Machine {
  now: number;
  key: string | null;
}

let everyKind: Promise<Made<Ids>> | null = null;

/** A record of every kind, created once in a worker; each command starts with a fresh copy. */
export async function everyRecord(): Promise<Records> {
  everyKind ??= createRecords(made);
  return copiesOf(await everyKind);
}

/** Creates records once; each command starts with a fresh copy. */
export async function recordsMade<T>(make: Make<T>): Promise<Records<T>> {
  return copiesOf(await createRecords(make));
}

/** The clock of a command, and the service on a file. */
function partsOf(machine: Machine) {
  const now = () => machine.now;
  const move = (ms: number) => {
    machine.now += ms;
  };
  const ownKey = {
    read: () => machine.key,
    keep: async (key: string) => {
      machine.key = key;
    },
  };
  const open = (file: string) =>
    openEmbedded({ file, key: machine.key, ownKey, parts: standingParts({ now }) });
  return { clock: { now, sleep: async (ms: number) => move(ms) }, move, open };
}

async function createRecords<T>(make: Make<T>): Promise<Made<T>> {
  const home = freshHome();
  const file = join(home, 'first.db');
  const machine: Machine = { now: startedAt, key: null };
  const { clock, move, open } = partsOf(machine);
  const first = await open(file);
  const json = async (...argv: string[]) => {
    move(1);
    const { stdout, stderr, exit } = await waybill([...argv, '--json'], {
      ...{ home, transport: first.transport, ...clock },
    });
    if (exit !== 0) throw new Error(`${argv.join(' ')} ended with ${exit}: ${stderr}`);
    return stdout;
  };
  writeFileSync(join(home, 'courier.json'), JSON.stringify(doorDashSettings('sandbox')));
  const ids = await make(json, first.transport, move);
  await first.close();
  const endings = ['', '.secret-key'].filter((ending) => existsSync(file + ending));
  const files = Object.fromEntries(endings.map((ending) => [ending, readFileSync(file + ending)]));
  return { ids, files, machine };
}

function copiesOf<T>({ ids, files, machine: made }: Made<T>): Records<T> {
  const home = freshHome();
  const machine = { ...made };
  const { clock, open } = partsOf(machine);
  let copies = 0;
  /** The copy that is open. It is opened by the first request, and is the next one's as long as nothing has changed it. */
  let copy: Promise<Embedded> | null = null;
  let isChanged = false;
  const close = async () => {
    await (await copy)?.close();
    copy = null;
    isChanged = false;
  };
  onEndOfFile(close);
  const openCopy = () => {
    copies += 1;
    const file = join(home, `${copies}.db`);
    for (const [ending, bytes] of Object.entries(files)) writeFileSync(file + ending, bytes, { mode: 0o600 });
    return open(file);
  };
  const answer: Transport = async (request) => {
    if (request.method !== 'GET') isChanged = true;
    copy ??= openCopy();
    return (await copy).transport(request);
  };
  const runOnCopy: Run = async (argv, { between = plainly, ...options } = {}) => {
    const sent: WireRequest[] = [];
    const answering = between(answer);
    const transport: Transport = (request) => {
      sent.push(request);
      return answering(request);
    };
    const outcome = await waybill(argv, { home: freshHome(), transport, ...clock, ...options });
    return { ...outcome, sent };
  };
  const onCopy: Records['onCopy'] = async (work) => {
    try {
      return await work(runOnCopy);
    } finally {
      if (isChanged || machine.now !== made.now) await close();
      Object.assign(machine, made);
    }
  };
  const run: Run = (argv, options) => onCopy((runOnCopy) => runOnCopy(argv, options));
  return { ids, run, onCopy };
}

export type Json = (...argv: string[]) => Promise<string>;
export type Make<T> = (json: Json, transport: Transport, move: (ms: number) => void) => Promise<T>;

async function made(json: Json, transport: Transport, move: (ms: number) => void): Promise<Ids> {
  // For webhooks, as long as the worker lives.
  const server = createServer((_, response) => response.end()).unref();
  const { port } = await listenLocally(server);
  const id = async (...argv: string[]) => String(jsonOf(await json(...argv)).id);
  const order = (...flags: string[]) => id(...orderLine, ...flags);
  const newDelivery = (...flags: string[]) => id('deliveries', 'create', ...orderLine.slice(2), ...flags);
  const webhook_endpoint = await id('webhooks', 'create', `http://127.0.0.1:${port}`);
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
