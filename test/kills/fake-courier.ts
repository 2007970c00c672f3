/**
 * A courier as a process of its own: `node fake-courier.ts uber-direct`. Its deliveries progress by themselves, it
 * loses answers and refuses requests now and then, and it reports until it is answered. See `CourierMessage`.
 */
import { request } from 'undici';
import type { DoorDashStatus } from '../fakes/doordash-drive/deliveries.ts';
import { doorDashDrive } from '../fakes/doordash-drive/server.ts';
import { uberDirect } from '../fakes/uber-direct/server.ts';
import type { CourierMessage, CourierReply, CourierService } from './courier-messages.ts';

const step_ms = 40;
/** The requests from one disturbance to the next. */
const requests_between = 5;
const first_retry_ms = 300;
const last_retry_ms = 3_000;

const play = { 'uber-direct': playUberDirect, 'doordash-drive': playDoorDash };

interface Played {
  service: CourierService;
  /** Every delivery that is booked here. */
  bookings: () => Extract<CourierReply, { kind: 'bookings' }>['bookings'];
  /** Takes the deliveries that can progress one step further, or some of them. */
  step: () => Promise<void>;
  /** The number of requests so far. */
  requests: () => number;
  /** Makes one of the next requests go wrong; `number` counts the calls. */
  disturb: (number: number) => void;
}

interface Push {
  headers: Record<string, string>;
  body: string;
}

const pushes = { url: '', open: new Set<Push>() };

/** Reports until it is accepted, some reports twice; reports overtake each other. */
async function report(push: Push): Promise<void> {
  pushes.open.add(push);
  for (let wait_ms = first_retry_ms; ; wait_ms = Math.min(2 * wait_ms, last_retry_ms)) {
    const headers = { ...push.headers, 'content-type': 'application/json' };
    const { url } = pushes;
    const answer = await request(url, { method: 'POST', headers, body: push.body }).catch(() => null);
    await answer?.body.dump();
    if (answer?.statusCode === 200) break;
    await new Promise((resolve) => setTimeout(resolve, wait_ms));
  }
  pushes.open.delete(push);
}

async function playUberDirect(): Promise<Played> {
  const credentials = { client_id: 'client-1', client_secret: 'secret-1', customer_id: 'customer-1' };
  const uber = await uberDirect({ ...credentials, signing_key: 'signing-key-1', live_mode: false });
  let sent = 0;
  uber.webhook.send = async (push) => {
    sent++;
    // The answer of the call that it is about does not wait for it.
    void report(push);
    if (sent % 5 === 0) void report({ ...push });
  };
  const faults = [
    { request: 'POST /deliveries', kind: 'lost' },
    { request: 'POST /deliveries', kind: 'unreached' },
    { request: 'POST /deliveries', kind: { code: 'couriers_busy' } },
    { request: 'POST /delivery_quotes', kind: { code: 'internal_server_error' } },
    { request: 'POST /deliveries', kind: { code: 'internal_server_error' } },
    { request: 'GET /deliveries', kind: 'unreached' },
    { request: 'POST /delivery_quotes', kind: 'lost' },
    { request: 'POST /deliveries', kind: { status: 502, body: '<h1>Bad Gateway</h1>' } },
  ] as const;
  return {
    service: {
      hosts: { 'api.uber.com': uber.origin, 'auth.uber.com': uber.origin },
      settings: { ...credentials, webhook_signing_key: 'signing-key-1' },
    },
    bookings: () =>
      [...uber.state.deliveries.values()].map(({ id, request: booked, status, fee, tip }) => ({
        ...{ id, phone: String(booked.dropoff_phone_number) },
        ...{ state: status === 'canceled' || status === 'delivered' ? status : 'open' },
        ...{ cost: fee - tip, tip },
      })),
    step: async () => {
      for (const { id, status } of [...uber.state.deliveries.values()]) {
        if (status !== 'canceled' && status !== 'delivered' && isTurn()) await uber.step(id);
      }
    },
    requests: () => uber.requests.length,
    disturb: (number) => {
      const fault = faults[number % faults.length];
      if (fault !== undefined) uber.faults.push({ ...fault });
    },
  };
}

const nextStatus: Readonly<Partial<Record<DoorDashStatus, DoorDashStatus>>> = {
  created: 'confirmed',
  confirmed: 'enroute_to_pickup',
  enroute_to_pickup: 'arrived_at_pickup',
  arrived_at_pickup: 'picked_up',
  picked_up: 'enroute_to_dropoff',
  enroute_to_dropoff: 'arrived_at_dropoff',
  arrived_at_dropoff: 'delivered',
};

async function playDoorDash(): Promise<Played> {
  const courier = await doorDashDrive();
  const authorization = 'Basic d2F5YmlsbDpzZWNyZXQ=';
  return {
    service: {
      hosts: { 'openapi.doordash.com': courier.url },
      settings: {
        ...courier.credentials,
        ...{ environment: 'sandbox', webhook_authorization: authorization },
      },
    },
    bookings: () =>
      courier.deliveries.list().flatMap(([id, { request: booked, status, output }]) => {
        if (status === 'quote') return [];
        const state = status === 'cancelled' ? 'canceled' : status === 'delivered' ? status : 'open';
        const { dropoff_phone_number: phone, tip } = booked;
        return [{ id, phone: String(phone), state, cost: Number(output.fee), tip: Number(tip ?? 0) }];
      }),
    step: async () => {
      for (const [id, { status }] of courier.deliveries.list()) {
        const next = nextStatus[status];
        if (next === undefined || !isTurn()) continue;
        const body = await courier.step(id, next);
        if (body !== null) void report({ headers: { authorization }, body });
      }
    },
    requests: () => courier.calls().length,
    disturb: (number) => {
      if (number % 4 === 3) courier.failNext('POST', 'service_fault');
      else courier.loseNext(number % 4 === 2 ? 'GET' : 'POST');
    },
  };
}

/** Whether a delivery progresses in this step. */
function isTurn(): boolean {
  return Math.random() < 0.02;
}

function send(reply: CourierReply): void {
  process.send?.(reply);
}

const name = process.argv[2];
if (name !== 'uber-direct' && name !== 'doordash-drive') throw new Error(`there is no courier ${name}`);
const played = await play[name]();
let disturbances = 0;
let disturbed_at = 0;
let isDisturbing = false;
process.on('message', (message: CourierMessage) => {
  if (message.kind === 'report_to') pushes.url = message.url;
  if (message.kind === 'disturb') isDisturbing = message.isOn;
  if (message.kind === 'list_bookings')
    send({ kind: 'bookings', bookings: played.bookings(), open_reports: pushes.open.size });
});
setInterval(() => {
  void played.step();
  if (!isDisturbing || played.requests() < disturbed_at + requests_between) return;
  disturbed_at = played.requests();
  played.disturb(disturbances++);
}, step_ms);
process.on('disconnect', () => process.exit());
send({ kind: 'ready', service: played.service });
