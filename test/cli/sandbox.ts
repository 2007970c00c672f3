import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll } from 'vitest';
import type { Transport, WireRequest } from '../../src/contract/operation.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import type { ServiceConfig } from '../../src/service/runtime/context.ts';
import { acceptingCouriers, unusedConnections } from '../fakes/courier-check.ts';
import { patientTimers } from '../service/fixture.ts';
import { freshHome, jsonOf, type Outcome, type RunOptions, waybill } from './harness.ts';

/** A service whose clock stands still until it is advanced, and commands that run against it. */
export interface Sandbox {
  run(argv: readonly string[], options?: RunOptions): Promise<Outcome>;
  /** Runs a command with `--json` and returns its answer; fails unless it exits with 0. */
  json(argv: readonly string[], options?: RunOptions): Promise<Record<string, unknown>>;
  advance(ms: number): void;
  /** Waits by advancing the clock, so that what a command waits for happens. */
  passing: { sleep(ms: number): Promise<void> };
  requests: WireRequest[];
  /** Sends requests to it. */
  transport: Transport;
  /** Its SQLite file. */
  file: string;
}

export const startedAt = Date.parse('2026-03-02T10:00:00.000Z');

/** Parts of a service whose time a test passes: on a busy machine, too, a request finds all due work done. */
export const standingParts = (clock: ServiceConfig['clock']): Partial<ServiceConfig> => ({
  ...{ clock, monotonic: clock, timers: patientTimers },
  ...{ courier_http: () => acceptingCouriers, connections: unusedConnections },
});

export async function sandbox(): Promise<Sandbox> {
  const home = freshHome();
  let now = startedAt;
  const parts = standingParts({ now: () => now });
  const file = join(home, 'service.db');
  const service = await openEmbedded({
    file,
    key: null,
    ownKey: { read: () => null, keep: async () => {} },
    parts,
  });
  afterAll(() => service.close());
  const requests: WireRequest[] = [];
  const transport: Transport = (request) => {
    requests.push(request);
    return service.transport(request);
  };
  const run = (argv: readonly string[], options: RunOptions = {}) =>
    waybill(argv, { home, transport, now: () => now, ...options });
  return {
    run,
    json: async (argv, options) => {
      const { stdout, stderr, exit } = await run([...argv, '--json'], options);
      if (exit !== 0) throw new Error(`${argv.join(' ')} ended with ${exit}: ${stderr}`);
      return jsonOf(stdout);
    },
    advance: (ms) => {
      now += ms;
    },
    passing: {
      sleep: async (ms) => {
        now += ms;
      },
    },
    requests,
    file,
    transport,
  };
}

/** Runs a query on the tables of the service. */
export function stored(box: Sandbox, query: string, values: Record<string, number> = {}) {
  const database = new DatabaseSync(box.file);
  try {
    return database.prepare(query).all(values);
  } finally {
    database.close();
  }
}

/** How many requests have created or changed something with POST. */
export const postsTo = (box: Sandbox) => box.requests.filter(({ method }) => method === 'POST').length;

export const orderLine = [
  ...['orders', 'create', '--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'Grill'],
  ...['--pickup-phone', '+13125550101', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
  ...['--dropoff-name', 'Joe Diner', '--dropoff-phone', '+13125550142', '--item', 'Brisket Classic:4:small'],
];

/** The same order as in a file, with another item. */
export const orderFields = {
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'Grill',
  pickup_phone_number: '+13125550101',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Joe Diner',
  dropoff_phone_number: '+13125550142',
  items: [{ name: 'Soup', quantity: 2 }],
};

/** The id of a new store, a millisecond younger than the previous one. */
export async function newStore(box: Sandbox, name: string, ...flags: string[]): Promise<string> {
  box.advance(1);
  const place = ['--address', orderFields.pickup_address, '--phone', orderFields.pickup_phone_number];
  return String((await box.json(['stores', 'create', '--name', name, ...place, ...flags])).id);
}

/** The same service in live mode, with the environment that names it. */
export function liveService(transport: Transport): Pick<RunOptions, 'transport' | 'env'> {
  return {
    transport: async (request) => {
      const answer = await transport(request);
      return { ...answer, body: answer.body.replaceAll('"test_mode":true', '"test_mode":false') };
    },
    env: { WAYBILL_BASE_URL: 'https://live.test', WAYBILL_API_KEY: 'wb_live_madeup0000000000' },
  };
}

export const storeLine = [
  ...['stores', 'create', '--name', 'Grill', '--address', '43 E Ohio St, Chicago, IL 60611'],
  ...['--phone-number', '+13125550101'],
];

/** The id of a new order, a millisecond younger than the previous one. */
export async function newOrder(box: Sandbox, ...flags: string[]): Promise<string> {
  box.advance(1);
  return String((await box.json([...orderLine, '--allow-duplicate-ref', ...flags])).id);
}

/** The id of a new delivery, a millisecond younger than the previous one. It may fail at once, as some scenarios do. */
export async function newDelivery(box: Sandbox, ...flags: string[]): Promise<string> {
  box.advance(1);
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--allow-duplicate-ref', ...flags, '--json'];
  const { stdout, stderr, exit } = await box.run(line);
  if (exit !== 0 && exit !== 9) throw new Error(`${line.join(' ')} ended with ${exit}: ${stderr}`);
  return String(jsonOf(stdout).id);
}

/** The id of a new route with one order and complete quotes. */
export async function quotedRoute(box: Sandbox, ...flags: string[]): Promise<string> {
  const route = String((await box.json(['routes', 'create', await newOrder(box, ...flags)])).id);
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  return route;
}
