import type {
  Courier,
  CourierAdapter,
  CourierBooking,
  CourierChanges,
  CourierCreateRequest,
  CourierDelivery,
  CourierPorts,
  CourierReport,
} from '../../../src/providers/courier.ts';
import { courierProvider } from '../../../src/providers/courier-provider.ts';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import { ProviderFault } from '../../../src/providers/port.ts';
import { secretOwner } from '../../../src/service/runtime/courier-settings.ts';
import type { CrashPoint } from '../../../src/service/runtime/crash-points.ts';
import { createCourierBookings } from '../../../src/service/runtime/system.ts';
import { writeCourier } from '../../../src/storage/couriers.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { deliveryOf, statusesOf } from '../delivery-runs.ts';
import { dispatchRoute, type Fixture, orderRequest, startFixture } from '../fixture.ts';

/** A courier company within the test, which keeps what was booked and does as its script says. */
export interface ScriptedCourier {
  fixture: Fixture;
  /** The creates that reached the courier, by key. */
  creates: CourierCreateRequest[];
  /** The deliveries at the courier, by key; canceled ones are kept. */
  booked: Map<string, { booking: CourierBooking; isCanceled: boolean }>;
  /** The reports that the next poll returns. */
  polled: CourierReport[];
  /** The number of polls. */
  polls: () => number;
  /** Sends reports to the push address, as the courier does. */
  push: (reports: readonly CourierReport[], signature?: string) => Promise<{ status: number; body: string }>;
}

export interface Script {
  /** Called instead of booking; resolves with null to book as usual. */
  create?: (
    request: CourierCreateRequest,
    number: number,
  ) => Promise<{ kind: 'refused'; reason: string } | null>;
  /** Loses the response of these creates, from 1, after they are booked. */
  lost?: readonly number[];
  canFind?: boolean;
  isIdempotent?: boolean;
  cancel?: 'refused' | (() => Promise<'refused' | null>);
  /** Called before a change is taken. */
  update?: (delivery: CourierDelivery, changes: CourierChanges) => Promise<unknown>;
  /** In cents, null if it does not say; default 0. */
  cancellation_fee?: number | null;
  /** The price of a booking in cents; default that of the quote, 700. */
  booked_at?: number;
  /** Ends an attempt at the passage of this point, from 1, as a crash of the process does. */
  crash?: { at: CrashPoint; passage: number };
  /** Responds to requests for pictures. */
  pictures?: CourierPorts['http'];
  /** What the bookings say about themselves. */
  live?: boolean | null;
}

const capabilities: CourierAdapter['capabilities'] = {
  ...{ vehicles: ['car'], largest_item: 'large', scheduled: true, signature: true, photo: true, pin: true },
  ...{ tip: true, edits: true, returns: true, cancel_until: 'picked_up', reports: 'push', location: true },
  ...{ currencies: ['USD'], countries: ['US'], binding_quotes: true },
  ...{ idempotent_create: true },
};

const minute = 60_000;

/** A service whose account has connected the courier `scripted` in test mode. */
export async function startScripted(
  script: Script = {},
  { location }: { location?: string } = {},
): Promise<ScriptedCourier> {
  const creates: CourierCreateRequest[] = [];
  const booked: ScriptedCourier['booked'] = new Map();
  const polled: CourierReport[] = [];
  let polls = 0;
  const { cancellation_fee: fee = 0 } = script;
  const courier: Courier = {
    check: async () => ({ kind: 'connected', mode: 'test' }),
    quote: async ({ key, now }) => ({
      kind: 'quoted',
      reference: `quote ${key}`,
      ...{ cost: 700, currency: 'USD', expires_at: now + 15 * minute },
      ...{ pickup_eta: now + 10 * minute, dropoff_eta: now + 30 * minute },
    }),
    create: async (request) => {
      creates.push(request);
      const instead = (await script.create?.(request, creates.length)) ?? null;
      if (instead !== null) return { ...instead, code: 'request_refused' };
      const known = script.isIdempotent === false ? undefined : booked.get(request.key)?.booking;
      const reference = known?.reference ?? `del_${booked.size + 1}`;
      const live = script.live === undefined ? false : script.live;
      const cost = script.booked_at ?? 700;
      const booking = { kind: 'accepted', reference, cost, tracking_url: null, live } as const;
      booked.set(request.key, { booking, isCanceled: false });
      if (script.lost?.includes(creates.length) === true) throw new ProviderFault('the response was lost');
      return booking;
    },
    cancelTerms: async () => ({ kind: 'taken', fee }),
    cancel: async ({ key }) => {
      const outcome = typeof script.cancel === 'function' ? await script.cancel() : script.cancel;
      if (outcome === 'refused') return { kind: 'refused', reason: 'a driver is on the way' };
      const delivery = booked.get(key);
      if (delivery !== undefined) delivery.isCanceled = true;
      return { kind: 'taken', fee };
    },
    update: async (...change) => {
      await script.update?.(...change);
      return { kind: 'taken' };
    },
    receive: ({ headers, body }) =>
      headers['x-signature'] === 'right'
        ? { kind: 'authentic', reports: JSON.parse(Buffer.from(body).toString()) }
        : { kind: 'refused', reason: 'its signature is wrong' },
    poll: async () => {
      polls += 1;
      return polled.splice(0);
    },
    ...(script.canFind !== false && { find: async ({ key }) => booked.get(key)?.booking ?? null }),
  };
  const adapter: CourierAdapter = {
    ...{ name: 'scripted', title: 'Scripted', settings: [], push_setup: null },
    capabilities: { ...capabilities, idempotent_create: script.isIdempotent ?? true },
    hosts: () => [],
    connect: () => courier,
  };
  const { pictures } = script;
  let passages = 0;
  const crash = (point: CrashPoint) => {
    if (point !== script.crash?.at) return;
    passages += 1;
    if (passages === script.crash.passage) throw new Error(`the process ended at ${point}`);
  };
  const fixture = await startFixture({
    parts: { crash, ...(pictures !== undefined && { courier_http: () => pictures }) },
    ...(location !== undefined && { location }),
    providersOf: ({ connections: { settings }, storage, clock }) => [
      ...simulatedProviders(memoryRecords()),
      courierProvider(
        { name: 'scripted', load: async () => adapter },
        {
          ...{ settings, now: () => 0, bookings: createCourierBookings(storage, clock) },
          http: () => () => Promise.reject(new Error('the scripted courier sends no requests')),
        },
      ),
    ],
  });
  await connect(fixture);
  const push: ScriptedCourier['push'] = (reports, signature = 'right') =>
    fixture.send('POST', '/couriers/token-1', {
      body: reports,
      headers: { 'x-signature': signature, 'content-type': 'text/plain' },
    });
  return { fixture, creates, booked, polled, polls: () => polls, push };
}

async function connect({ storage, config, client, now }: Fixture): Promise<void> {
  const { data } = await client().account.get();
  const owner = { account_id: data.account_id, test_mode: 1, name: 'scripted' } as const;
  const secret = await config.sealing.seal(secretOwner(owner, 'key'), 'secret');
  const times = { created_at: now(), updated_at: now(), checked_at: null, last_push_at: null };
  await storage.run((db) =>
    writeCourier(db, {
      ...{ ...owner, ...times, state: 'enabled', settings: '{}', push_token: 'token-1' },
      secrets: JSON.stringify({ key: secret }),
    }),
  );
  config.connections.forget();
}

/** Dispatches a new route of so many orders to the scripted courier. */
export function dispatchScripted({ fixture }: ScriptedCourier, count = 1) {
  const requests = Array.from({ length: count }, () => orderRequest({ tip: 200 }));
  return dispatchRoute(fixture, { requests, provider: 'scripted' });
}

/** A dispatched delivery of $7.00 and a tip of $2.00, with its key at the courier. */
export async function dispatchOne(courier: ScriptedCourier) {
  const { deliveries } = await dispatchScripted(courier);
  return { id: deliveries[0]?.id ?? '', key: courier.creates.at(-1)?.key ?? '' };
}

/** The statuses that a delivery has had. */
export async function historyOf({ fixture }: ScriptedCourier, id: string) {
  return statusesOf(await deliveryOf(fixture, id));
}

/** A report of the courier about the delivery with a key. */
export function reportOf(
  key: string | null,
  status: CourierReport['status'],
  change: Partial<CourierReport> = {},
): CourierReport {
  return { id: `${status}`, key, reference: null, status, occurred_at: 1_000, ...change };
}
