import { createServer, type IncomingMessage } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import type { TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import type { Timer } from '../../src/client/response-stream.ts';
import {
  CourierDescription,
  type CourierQuoteRequest,
  courierPaths,
  type DeliveryEventType,
} from '../../src/contract/courier-protocol/schemas.ts';
import type { Transport } from '../../src/contract/operation.ts';
import { type Fields, isFields } from '../../src/domain/fields.ts';

/** Requests to the courier's server, and a receiver of its events, for all cases of the conformance test. */

export interface Answer {
  status: number;
  type: string;
  /** Undefined if the body is not JSON. */
  body: unknown;
}

/** A case cannot be tested, because what it needs did not work or is not offered. */
export class Skipped extends Error {}

/** A request of a courier about a delivery. */
export interface Callback {
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** A delivery that a case has booked. */
export interface Booked {
  orderId: string;
  request: Fields;
  answer: Answer;
}

/** Receives the events that a courier posts. */
export interface Callbacks {
  /** An address for one delivery, whose first requests are answered with a failure. */
  addressFor(orderId: string, failures?: number): string;
  /** The requests for a delivery; waits until there are as many, or for the timeout. */
  received(orderId: string, count: number): Promise<readonly Callback[]>;
}

export interface ProbeOptions {
  transport: Transport;
  apiKey: string;
  /** Begins with whsec_; empty if the courier posts nothing. */
  webhookSecret: string;
  /** Null: the courier cannot reach this machine. */
  callbacks: Callbacks | null;
  /** Random letters and digits that tell the orders of this run from those of others. */
  run: string;
  now(): number;
}

export class Probe {
  readonly options: ProbeOptions;
  #orders = 0;
  readonly #shared = new Map<string, Promise<readonly Callback[]>>();
  #description: Promise<Answer> | null = null;

  constructor(options: ProbeOptions) {
    this.options = options;
  }

  now(): number {
    return this.options.now();
  }

  /** Sends a request; `key` null: without an API key. */
  async call(method: string, path: string, body?: unknown, key: string | null = this.options.apiKey) {
    return this.send(method, path, body === undefined ? '' : JSON.stringify(body), key);
  }

  async send(method: string, path: string, body: string, key: string | null): Promise<Answer> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body !== '') headers['content-type'] = 'application/json';
    if (key !== null) headers.authorization = `Bearer ${key}`;
    const response = await this.options.transport({ method, path, headers, body });
    return {
      status: response.status,
      type: response.headers['content-type'] ?? '',
      body: jsonIn(response.body),
    };
  }

  describe(): Promise<Answer> {
    this.#description ??= this.call('GET', courierPaths.describe);
    return this.#description;
  }

  /** Makes an observation that several cases share. */
  once(name: string, observe: () => Promise<readonly Callback[]>): Promise<readonly Callback[]> {
    const known = this.#shared.get(name) ?? observe();
    this.#shared.set(name, known);
    return known;
  }

  async order(): Promise<Fields> {
    const { body } = await this.describe();
    const isDescription = faultIn(CourierDescription, body) === null;
    const { testAddresses } = isDescription ? fieldsIn(body) : {};
    const addresses = fieldsIn(testAddresses);
    const named = {
      pickupAddress: withoutPosition(addresses.pickup),
      deliveryAddress: withoutPosition(addresses.delivery),
    };
    return { ...sampleOrder(), ...(testAddresses === undefined ? {} : named) };
  }

  orderId(): string {
    this.#orders += 1;
    return `check_${this.options.run}_${this.#orders}`;
  }

  async quote(changes: Fields = {}): Promise<Answer> {
    return this.call('POST', courierPaths.quote, { ...(await this.order()), ...changes });
  }

  create(orderId: string, request: Fields): Promise<Answer> {
    return this.call('PUT', pathOf(courierPaths.delivery, orderId), request);
  }

  read(orderId: string): Promise<Answer> {
    return this.call('GET', pathOf(courierPaths.delivery, orderId));
  }

  cancel(orderId: string): Promise<Answer> {
    return this.call('POST', pathOf(courierPaths.cancel, orderId), { reason: 'OTHER' });
  }

  simulate(orderId: string, event: DeliveryEventType, reason?: string): Promise<Answer> {
    return this.call('POST', pathOf(courierPaths.simulate, orderId), {
      event,
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /** A request for a delivery with a quote of its own. */
  async request(): Promise<Fields> {
    const quoteId = textIn(fieldsIn((await this.quote()).body), 'quoteId');
    if (quoteId === null) throw new Skipped('there is no quote to book');
    return { quoteId, ...(await this.order()) };
  }

  /** Books a delivery and lets events happen. */
  async book(events: readonly DeliveryEventType[] = [], failures = 0): Promise<Booked> {
    const orderId = this.orderId();
    const callbackURL = this.options.callbacks?.addressFor(orderId, failures);
    const request = { ...(await this.request()), ...(callbackURL === undefined ? {} : { callbackURL }) };
    const answer = await this.create(orderId, request);
    if (!isDone(answer)) throw new Skipped(`no delivery could be booked (status ${answer.status})`);
    for (const event of events) {
      const { status } = await this.simulate(orderId, event);
      if (status !== 200) throw new Skipped(`${event} could not be simulated (status ${status})`);
    }
    return { orderId, request, answer };
  }
}

/** An address as waybill sends it where only the address is known. */
function withoutPosition(address: unknown): Fields {
  const { latitude: _latitude, longitude: _longitude, ...known } = fieldsIn(address);
  return known;
}

export function isDone({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** The types of the events of a delivery. */
export function eventTypes(delivery: unknown): string[] {
  return eventsIn(delivery).map((event) => textIn(event, 'type') ?? '');
}

export function eventsIn(delivery: unknown): Fields[] {
  return listIn(fieldsIn(delivery), 'events').map(fieldsIn);
}

function pathOf(template: string, orderId: string): string {
  return template.replace('{orderId}', orderId);
}

/** The fields of an answer, which may have any shape; empty if it has none. */
export function fieldsIn(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function textIn(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

export function timeIn(fields: Fields, name: string): number | null {
  const time = Date.parse(textIn(fields, name) ?? '');
  return Number.isNaN(time) ? null : time;
}

export function listIn(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first deviation of a value from its schema; null if it is valid. */
export function faultIn(schema: TSchema, value: unknown): string | null {
  if (value === undefined) return 'the body is not JSON';
  if (Check(schema, value)) return null;
  const [, errors] = Errors(schema, value);
  const isPlain = ({ keyword, message }: (typeof errors)[number]) =>
    keyword !== 'anyOf' && message !== 'must be null';
  const error = errors.find(isPlain) ?? errors[0];
  const path = error?.instancePath.slice(1).replaceAll('/', '.');
  return `${path === undefined || path === '' ? 'the body' : path} ${error?.message ?? 'is not valid'}`;
}

/** Gives a fault if a status differs. */
export function statusFault(status: number, wanted: number, what = 'the status'): string | null {
  return status === wanted ? null : `${what} is ${status}, not ${wanted}`;
}

/** Two addresses in Chicago, for couriers that name none. */
const chicago = {
  pickup: {
    formattedAddress: '233 S Wacker Dr, Chicago, IL 60606, USA',
    country: 'US',
    state: 'IL',
    city: 'Chicago',
    street: '233 S Wacker Dr',
    postalCode: '60606',
  },
  delivery: {
    formattedAddress: '600 E Grand Ave, Chicago, IL 60611, USA',
    country: 'US',
    state: 'IL',
    city: 'Chicago',
    street: '600 E Grand Ave',
    postalCode: '60611',
    complement: 'Apt 5',
  },
};

/** An address that does not exist, which no courier serves. */
export const nowhere = { formattedAddress: '1 Null Island, XX 00000', country: 'US', postalCode: '00000' };

/** An order as waybill sends it. */
function sampleOrder(): CourierQuoteRequest {
  return {
    orderDisplayId: 'A-100',
    merchant: { name: 'Lakeside Books', phone: '+13125557701' },
    pickupAddress: chicago.pickup,
    pickupInstructions: 'Back door',
    customerName: 'Ada Byron',
    customerPhone: '+13125557702',
    deliveryAddress: chicago.delivery,
    specialInstructions: 'Ring twice',
    items: [{ name: 'Atlas', quantity: 2, size: 'SMALL' }],
    packageDescription: 'Books',
    totalOrderPrice: { value: 2500, currency: 'USD' },
    tip: { value: 300, currency: 'USD' },
    signatureRequired: false,
    leaveAtDoor: false,
    returnToMerchant: true,
  };
}

/** A demand of the courier protocol that is tested on its own. */
export interface Case {
  /** Such as `quote-expiry`. */
  name: string;
  /** The demand, as a sentence with the courier as its subject. */
  demand: string;
  /**
   * Gives what was found instead, or null if the demand is met. Throws `Skipped` if it cannot be tested.
   */
  test(probe: Probe): Promise<string | null>;
}

interface ReceiverOptions {
  /** 0 for a free one. */
  port: number;
  /** The address that leads here; null: this machine's own. */
  url: string | null;
  /** How long to wait for a request. */
  timeout_ms: number;
  timer: Timer;
}

/** Receives the events of a courier under an address for each delivery. */
export async function startReceiver(
  options: ReceiverOptions,
): Promise<Callbacks & { close(): Promise<void> }> {
  const received = new Map<string, Callback[]>();
  const failures = new Map<string, number>();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const orderId = request.url?.split('/').at(-1) ?? '';
      const left = failures.get(orderId) ?? 0;
      failures.set(orderId, left - 1);
      received.set(orderId, [...(received.get(orderId) ?? []), { headers: headersOf(request), body }]);
      response.writeHead(left > 0 ? 500 : 204).end();
      for (const wake of waiting) wake();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: options.port }, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const base = (options.url ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '');
  return {
    addressFor: (orderId, count = 0) => {
      failures.set(orderId, count);
      return `${base}/${orderId}`;
    },
    received: async (orderId, count) => {
      const { promise: expired, resolve: expire } = Promise.withResolvers<void>();
      let isExpired = false;
      const cancel = options.timer(options.timeout_ms, () => {
        isExpired = true;
        expire();
      });
      while ((received.get(orderId)?.length ?? 0) < count && !isExpired) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await Promise.race([promise, expired]);
        waiting.delete(resolve);
      }
      cancel();
      return received.get(orderId) ?? [];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
