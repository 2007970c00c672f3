/**
 * Uber Direct: https://developer.uber.com/docs/deliveries. A create can be repeated: our key is its idempotency key and
 * its external ID, and a duplicate names the delivery that exists.
 */
import { createHmac } from 'node:crypto';
import type { ItemSize } from '../../contract/vocabulary.ts';
import { normalizeAddress } from '../../domain/addresses.ts';
import type {
  Courier,
  CourierAdapter,
  CourierBooking,
  CourierChanges,
  CourierCheck,
  CourierCreateRequest,
  CourierDelivery,
  CourierOrder,
  CourierPorts,
  CourierProof,
  CourierPush,
  CourierPushAnswer,
  CourierRefusal,
  CourierReport,
  CourierStop,
} from '../courier.ts';
import { isSameSecret, reportHash } from '../hashes.ts';
import {
  fieldsOf,
  type JsonFields,
  listAt,
  parseFields,
  positionAt,
  textAt,
  timeAt,
} from '../json-fields.ts';
import { type CancelTerms, ProviderFault } from '../port.ts';
import {
  capabilities,
  codeOf,
  createClient,
  hosts,
  problemOf,
  problemUnlessBusy,
  push_setup,
  readSettings,
  settings,
  type UberDirectClient,
  type UberDirectSettings,
} from './client.ts';
import {
  bookingFrom,
  liveOf,
  positionReport,
  quoteFrom,
  refundReport,
  relatedId,
  statusReport,
  timesReport,
} from './reports.ts';

export const uberDirect: CourierAdapter = {
  name: 'uber-direct',
  title: 'Uber Direct',
  capabilities,
  is_untested_live: true,
  settings,
  push_setup,
  hosts: () => hosts,
  connect: (given, ports) => connect(readSettings(given), ports),
};

function connect(given: UberDirectSettings, ports: CourierPorts): Courier {
  const client = createClient(given, ports);
  const options = { asks_pin: given.asks_pin, test_mode: ports.test_mode };
  return {
    check: () => check(client),
    quote: async ({ order, now }) => {
      const response = await client.call('POST', '/delivery_quotes', quoteBody(order, now));
      if (response.status === 200) return quoteFrom(parseFields(response.body), now);
      return { kind: 'declined', ...problemUnlessBusy(response) };
    },
    create: (request) => create(client, request, deliveryBody(request, options)),
    find: ({ key }) => find(client, key),
    cancelTerms: async ({ status }) =>
      pickedUp.includes(status)
        ? { kind: 'refused', reason: 'Uber Direct does not cancel a delivery that was picked up' }
        : { kind: 'taken', fee: feeOf(status) },
    cancel: (delivery) => cancel(client, delivery),
    update: async ({ reference }, changes) => {
      const response = await client.call('POST', pathOf(reference), updateBody(changes));
      return response.status === 200
        ? { kind: 'taken' }
        : { kind: 'refused', ...problemUnlessBusy(response) };
    },
    receive: (push) => receivePush(push, given.webhook_signing_key),
    poll: (delivery) => poll(client, delivery),
  };
}

const pickedUp: readonly CourierDelivery['status'][] = [
  ...(['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff', 'dropoff_complete'] as const),
  ...(['delivered', 'enroute_to_return', 'returned'] as const),
];

/** A cancellation is free until a courier is assigned; a later one may be charged, and the response does not say. */
function feeOf(status: CourierDelivery['status']): number | null {
  return ['delivery_created', 'scheduled', 'driver_not_assigned'].includes(status) ? 0 : null;
}

function pathOf(reference: string): string {
  return `/deliveries/${encodeURIComponent(reference)}`;
}

async function create(
  client: UberDirectClient,
  { key, order }: CourierCreateRequest,
  body: object,
): Promise<CourierBooking | CourierRefusal> {
  const response = await client.call('POST', '/deliveries', body);
  const fields = parseFields(response.body);
  if (response.status === 200) return bookingFrom(fields, order.tip);
  const code = codeOf(fields, response.status);
  // An earlier attempt of this create may have been answered with a delivery, or have used the quote.
  const earlier =
    code === 'duplicate_delivery' || code === 'used_quote'
      ? await earlierBooking(client, key, textAt(fieldsOf(fields.metadata), 'delivery_id'))
      : null;
  return earlier ?? { kind: 'refused', ...problemUnlessBusy(response) };
}

/** The delivery that was booked with the key; the courier may have named it. */
async function earlierBooking(
  client: UberDirectClient,
  key: string,
  reference: string | null,
): Promise<CourierBooking | null> {
  if (reference === null) return find(client, key);
  const delivery = await read(client, reference);
  return textAt(delivery, 'external_id') === key ? bookingFrom(delivery) : null;
}

/** A delivery as it is now; throws `ProviderFault` if it cannot be read. */
async function read(client: UberDirectClient, reference: string): Promise<JsonFields> {
  const response = await client.call('GET', pathOf(reference));
  if (response.status !== 200) throw new ProviderFault(problemUnlessBusy(response).reason);
  return parseFields(response.body);
}

const page_size = 100;
const max_pages = 5;

/**
 * Looks the latest deliveries through for our key. The courier can only be asked for lists: one that is not among the
 * latest 500 is found by the create that follows, whose refusal as a duplicate names it.
 */
async function find(client: UberDirectClient, key: string): Promise<CourierBooking | null> {
  let query = `limit=${page_size}`;
  for (let page = 0; page < max_pages; page++) {
    const response = await client.call('GET', `/deliveries?${query}`);
    if (response.status !== 200) throw new ProviderFault(problemUnlessBusy(response).reason);
    const fields = parseFields(response.body);
    const deliveries = listAt(fields, 'data').map(fieldsOf);
    const found = deliveries.find((delivery) => textAt(delivery, 'external_id') === key);
    if (found !== undefined) return bookingFrom(found);
    // The address of the next page comes without a scheme.
    const [, next = ''] = (textAt(fields, 'next_href') ?? '').split('?');
    if (next === '' || deliveries.length === 0) return null;
    query = next;
  }
  return null;
}

async function cancel(
  client: UberDirectClient,
  { reference, status }: CourierDelivery,
): Promise<CancelTerms> {
  const response = await client.call('POST', `${pathOf(reference)}/cancel`);
  if (response.status === 200) return { kind: 'taken', fee: feeOf(status) };
  const { reason } = problemUnlessBusy(response);
  const isEnded = codeOf(parseFields(response.body), response.status) === 'noncancelable_delivery';
  const isCanceled = isEnded && textAt(await read(client, reference), 'status') === 'canceled';
  return isCanceled ? { kind: 'taken', fee: feeOf(status) } : { kind: 'refused', reason };
}

/** The current status, position and times, and the status of the journey back of a returned parcel. */
async function poll(client: UberDirectClient, { reference, now }: CourierDelivery): Promise<CourierReport[]> {
  const delivery = await read(client, reference);
  const report = statusReport(delivery, { at: now });
  const back = textAt(delivery, 'status') === 'returned' ? relatedId(delivery) : null;
  const backReport = back === null ? null : statusReport(await read(client, back), { at: now });
  const proofs = [...(report?.proofs ?? []), ...(await missingProofs(client, delivery))];
  const reports = [
    report === null || proofs.length === 0 ? report : { ...report, proofs },
    backReport,
    positionOf(delivery, now),
    timesReport(delivery, now),
  ];
  return reports.filter((each) => each !== null);
}

function positionOf(delivery: JsonFields, now: number): CourierReport | null {
  const position = positionAt(fieldsOf(delivery.courier), 'location');
  const at = timeAt(delivery, 'updated') ?? now;
  if (position === null || delivery.complete === true) return null;
  const id = [textAt(delivery, 'id'), at, position.lat, position.lng].join(':');
  return positionReport(delivery, { id, at, position });
}

/** The documents of the proofs that the delivery names without the address of a picture, such as a PIN. */
async function missingProofs(client: UberDirectClient, delivery: JsonFields): Promise<CourierProof[]> {
  if (textAt(delivery, 'status') !== 'delivered') return [];
  const taken = fieldsOf(fieldsOf(delivery.dropoff).verification);
  const missing = [
    ...(textAt(fieldsOf(taken.pin_code), 'entered') === null ? [] : [['pin', 'pincode'] as const]),
    ...(hasNoPicture(taken.picture) ? [['photo', 'picture'] as const] : []),
    ...(hasNoPicture(taken.signature) ? [['signature', 'signature'] as const] : []),
  ];
  const path = `${pathOf(textAt(delivery, 'id') ?? '')}/proof-of-delivery`;
  const found: CourierProof[] = [];
  for (const [type, name] of missing) {
    const response = await client.call('POST', path, { waypoint: 'dropoff', type: name });
    const data = response.status === 200 ? textAt(parseFields(response.body), 'document') : null;
    if (data !== null) found.push({ type, data });
  }
  return found;
}

function hasNoPicture(proof: unknown): boolean {
  return proof !== undefined && textAt(fieldsOf(proof), 'image_url') === null;
}

/** A harmless call, and the mode of the latest delivery if there is one. */
async function check(client: UberDirectClient): Promise<CourierCheck> {
  const response = await client.call('GET', '/deliveries?limit=1');
  const fields = parseFields(response.body);
  if (response.status !== 200) {
    const code = codeOf(fields, response.status);
    const field = { unauthorized: 'client_secret', customer_not_found: 'customer_id' }[code] ?? null;
    return { kind: 'failed', field, problem: problemOf(response).reason };
  }
  const [latest] = listAt(fields, 'data').map(fieldsOf);
  const live = latest === undefined ? null : liveOf(latest);
  const mode = live === null ? 'unknown' : live ? 'live' : 'test';
  return { kind: 'connected', mode };
}

/**
 * Reads a webhook. Its signature is the HMAC-SHA256 of the body in hexadecimal digits, with a key that each webhook
 * has: https://developer.uber.com/docs/deliveries/webhooks. The second header is the older name of the first.
 */
function receivePush({ headers, body, now }: CourierPush, signing_key: string): CourierPushAnswer {
  if (signing_key === '') {
    return { kind: 'refused', reason: 'the settings of uber-direct have no webhook_signing_key' };
  }
  const signature = headers['x-uber-signature'] ?? headers['x-postmates-signature'] ?? '';
  const expected = createHmac('sha256', signing_key).update(body).digest('hex');
  if (!isSameSecret(signature.toLowerCase(), expected)) {
    return { kind: 'refused', reason: 'the x-uber-signature header is not the signature of the body' };
  }
  const event = parseFields(Buffer.from(body).toString('utf8'));
  const reports = reportsOf(event, body, now).filter((report) => report !== null);
  return { kind: 'authentic', reports };
}

function reportsOf(event: JsonFields, body: Uint8Array, now: number): (CourierReport | null)[] {
  const delivery = fieldsOf(event.data);
  const at = timeAt(event, 'created') ?? now;
  switch (textAt(event, 'kind')) {
    case 'event.delivery_status':
    case 'event.delivery_return':
      return [statusReport(delivery, { id: textAt(event, 'id'), at })];
    case 'event.refund_request':
      return [refundReport(event, { id: textAt(event, 'id'), at })];
    case 'event.courier_update': {
      // It has no ID of its own.
      const id = textAt(event, 'id') ?? reportHash(body);
      const position = positionAt(event, 'location');
      return [
        position === null ? null : positionReport(delivery, { id, at, position }),
        timesReport(delivery, at),
      ];
    }
    default:
      return [];
  }
}

const max_notes = 280;
const MINUTE = 60_000;
/** How long before and after an agreed time the courier may arrive; its shortest window has 20 minutes. */
const window_ms = 15 * MINUTE;

const sizes: Readonly<Record<ItemSize, string>> = {
  small: 'small',
  medium: 'medium',
  large: 'large',
  extra_large: 'xlarge',
};

/** The body of a quote request: https://developer.uber.com/docs/deliveries/direct/api. */
export function quoteBody(order: CourierOrder, now: number): object {
  return { ...placesOf(order), ...windowsOf(order, now), ...orderValue(order) };
}

/** How deliveries are to be made on a connection. */
interface DeliveryOptions {
  /** Whether recipients are asked for a PIN where nothing excludes it. */
  asks_pin: boolean;
  /** Whether a robo courier carries it: the only one that moves in Uber's test mode. */
  test_mode: boolean;
}

/**
 * The body of a create request. The key is sent twice: an idempotency key holds for an hour, but the external ID with
 * the manifest reference is unique forever.
 */
export function deliveryBody(
  { key, quote_reference, order, now }: CourierCreateRequest,
  { asks_pin, test_mode }: DeliveryOptions,
): object {
  return {
    ...placesOf(order),
    ...windowsOf(order, now),
    ...orderValue(order),
    ...(quote_reference !== null && { quote_id: quote_reference }),
    pickup_name: order.pickup.name,
    dropoff_name: order.dropoff.name,
    ...notesBody({ pickup_notes: order.pickup.notes, dropoff_notes: order.dropoff.notes }),
    manifest_items: itemsOf(order),
    manifest_reference: order.external_order_ref || order.order_id,
    external_id: key,
    idempotency_key: key,
    ...(order.tip > 0 && { tip: order.tip }),
    ...handoverOf(order, asks_pin),
    undeliverable_action: order.undeliverable_action,
    ...(test_mode && { test_specifications: { robo_courier_specification: { mode: 'auto' } } }),
  };
}

/** The body of an update request. */
export function updateBody({ pickup_notes, dropoff_notes, tip }: CourierChanges): object {
  return {
    ...(pickup_notes !== undefined && { pickup_notes: notesOf(pickup_notes) }),
    ...(dropoff_notes !== undefined && { dropoff_notes: notesOf(dropoff_notes) }),
    ...(tip !== undefined && { tip_by_customer: tip }),
  };
}

/** A quote and the delivery booked by it must name the same places. */
function placesOf({ pickup, dropoff }: CourierOrder): object {
  return {
    pickup_address: addressOf(pickup),
    ...(pickup.latitude !== undefined && {
      ...{ pickup_latitude: pickup.latitude, pickup_longitude: pickup.longitude },
    }),
    pickup_phone_number: pickup.phone,
    dropoff_address: addressOf(dropoff),
    ...(dropoff.latitude !== undefined && {
      ...{ dropoff_latitude: dropoff.latitude, dropoff_longitude: dropoff.longitude },
    }),
    dropoff_phone_number: dropoff.phone,
  };
}

/** An address as a JSON text of its parts; as it is, if its parts are not known. */
function addressOf({ address, unit }: CourierStop): string {
  const parts = normalizeAddress(address);
  const city = parts?.place.at(-1);
  if (parts === null || city === undefined || parts.place.length < 2) {
    return unit === '' ? address : `${address}, ${unit}`;
  }
  return JSON.stringify({
    street_address: [parts.place.slice(0, -1).join(', '), ...(unit === '' ? [] : [unit])],
    city,
    ...(parts.state !== null && { state: parts.state }),
    ...(parts.zip !== null && { zip_code: parts.zip }),
    country: 'US',
  });
}

/** A pickup time is when the parcel is ready; a dropoff time is the middle of a window. */
function windowsOf({ pickup_at, dropoff_at }: CourierOrder, now: number): object {
  if (dropoff_at !== null) {
    return {
      dropoff_ready_dt: isoTime(dropoff_at - window_ms),
      dropoff_deadline_dt: isoTime(dropoff_at + window_ms),
    };
  }
  // A time in the past is refused.
  return pickup_at !== null && pickup_at > now ? { pickup_ready_dt: isoTime(pickup_at) } : {};
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function orderValue({ order_value }: CourierOrder): object {
  return order_value > 0 ? { manifest_total_value: order_value } : {};
}

function itemsOf({ items, items_description }: CourierOrder): object[] {
  if (items.length === 0) return [{ name: items_description || 'Parcel', quantity: 1, size: 'small' }];
  return items.map(({ name, quantity, size }) => ({ name, quantity, size: sizes[size] }));
}

function notesBody(notes: Pick<CourierChanges, 'pickup_notes' | 'dropoff_notes'>): object {
  const written = Object.entries(notes).filter(([, text]) => text !== '');
  return Object.fromEntries(written.map(([name, text]) => [name, notesOf(text)]));
}

/** Notes cut to the length that is accepted. */
function notesOf(text: string): string {
  return text.length > max_notes ? `${text.slice(0, max_notes - 1)}…` : text;
}

/**
 * How the parcel is handed over. A parcel that needs a signature or a PIN cannot be left at the door: a signature has
 * precedence over a handover without contact, and that over a PIN.
 */
function handoverOf({ request_signature, request_contactless }: CourierOrder, asks_pin: boolean): object {
  const met = { deliverable_action: 'deliverable_action_meet_at_door' };
  if (request_signature) {
    const signature_requirement = {
      enabled: true,
      collect_signer_name: true,
      collect_signer_relationship: false,
    };
    return { ...met, dropoff_verification: { signature_requirement } };
  }
  if (request_contactless) {
    return {
      deliverable_action: 'deliverable_action_leave_at_door',
      dropoff_verification: { picture: true },
    };
  }
  return asks_pin ? { ...met, dropoff_verification: { pincode: { enabled: true } } } : met;
}
