/**
 * Uber Direct: https://developer.uber.com/docs/deliveries. A create can be repeated: our key is its idempotency key and
 * its external ID, and a duplicate names the delivery that exists.
 */
import { createHmac } from 'node:crypto';
import {
  type Courier,
  type CourierAdapter,
  type CourierBooking,
  type CourierCapabilities,
  type CourierChanges,
  type CourierCheck,
  type CourierCreateRequest,
  type CourierDelivery,
  type CourierPorts,
  type CourierProof,
  type CourierPush,
  type CourierPushAnswer,
  type CourierRefusal,
  type CourierReport,
  isSameSecret,
  lookedUpInCreate,
  reportHash,
  type SettingField,
} from '../courier.ts';
import {
  amountAt,
  type CourierCall,
  type JsonFields,
  listAt,
  parseFields,
  positionAt,
  textAt,
  timeAt,
  toFields,
} from '../json-messages.ts';
import { type CancelTerms, ProviderFault } from '../port.ts';
import {
  createClient,
  deliveryBody,
  hosts,
  problemOf,
  problemUnlessBusy,
  quoteBody,
  readSettings,
  refusalCode,
  type UberDirectSettings,
  updateBody,
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

const settings: readonly SettingField[] = [
  {
    name: 'client_id',
    label: 'Client ID',
    help: 'On direct.uber.com under Developer, for test or for production.',
  },
  {
    name: 'client_secret',
    label: 'Client secret',
    help: 'Stands below the client ID.',
    is_secret: true,
  },
  {
    name: 'customer_id',
    label: 'Customer ID',
    help: 'Stands above the client ID; each organization has its own.',
  },
  {
    name: 'webhook_signing_key',
    label: 'Signing key of the webhook',
    help: 'Shown when you edit the webhook on direct.uber.com; it exists only after the webhook was created.',
    is_secret: true,
    is_optional: true,
  },
  {
    name: 'handover_pin',
    label: 'Ask recipients for a PIN',
    help: 'With "always", the recipient tells the courier a PIN, unless the order is signed for or left at the door.',
    is_optional: true,
    choices: ['never', 'always'],
  },
];

const pushSetup =
  'On direct.uber.com, create a webhook under Developer with this address for event.delivery_status and ' +
  'event.courier_update, and add its signing key to the settings. Without it waybill asks Uber Direct for the ' +
  'status of each delivery.';

const capabilities: CourierCapabilities = {
  // The courier chooses the vehicle by the sizes of the items.
  vehicles: [],
  largest_item: 'extra_large',
  scheduled: true,
  signature: true,
  photo: true,
  pin: true,
  tip: true,
  edits: true,
  returns: true,
  cancel_until: 'refused',
  reports: 'push',
  location: true,
  currencies: ['USD'],
  countries: ['US'],
  binding_quotes: true,
  idempotent_create: true,
};

export const uberDirect: CourierAdapter = {
  name: 'uber-direct',
  title: 'Uber Direct',
  capabilities,
  is_untested_live: true,
  settings,
  push_setup: pushSetup,
  hosts: () => hosts,
  connect: (given, ports) => connect(readSettings(given), ports),
};

const pickedUp: readonly CourierDelivery['status'][] = [
  ...(['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff', 'dropoff_complete'] as const),
  ...(['delivered', 'enroute_to_return', 'returned'] as const),
];

function connect(given: UberDirectSettings, ports: CourierPorts): Courier {
  const call = createClient(given, ports);
  const options = { asks_pin: given.asks_pin, test_mode: ports.test_mode };
  return {
    check: () => check(call),
    quote: async ({ order, now }) => {
      const response = await call('POST', '/delivery_quotes', quoteBody(order, now));
      if (response.status === 200) return quoteFrom(parseFields(response.body), now);
      return { kind: 'declined', ...problemUnlessBusy(response) };
    },
    create: (request) => create(call, request, deliveryBody(request, options)),
    find: ({ key }) => find(call, key),
    cancelTerms: async ({ status }) =>
      pickedUp.includes(status)
        ? { kind: 'refused', reason: 'Uber Direct does not cancel a delivery that was picked up' }
        : { kind: 'taken', fee: feeOf(status) },
    cancel: (delivery) => cancel(call, delivery),
    update: ({ reference }, changes) => update(call, reference, changes),
    receive: (push) => receivePush(push, given.webhook_signing_key),
    poll: (delivery) => poll(call, delivery),
  };
}

/** A cancellation is free until a courier is assigned; a later one may be charged, and the response does not say. */
function feeOf(status: CourierDelivery['status']): number | null {
  return ['delivery_created', 'scheduled', 'driver_not_assigned'].includes(status) ? 0 : null;
}

function pathOf(reference: string): string {
  return `/deliveries/${encodeURIComponent(reference)}`;
}

async function create(
  call: CourierCall,
  { key, order }: CourierCreateRequest,
  body: object,
): Promise<CourierBooking | CourierRefusal> {
  const response = await call('POST', '/deliveries', body);
  const fields = parseFields(response.body);
  if (response.status === 200) return bookingFrom(fields, order.tip);
  const code = refusalCode(fields, response.status);
  // An earlier attempt of this create may have been answered with a delivery, or have used the quote.
  const earlier =
    code === 'duplicate_delivery' || code === 'used_quote'
      ? await lookedUpInCreate(earlierBooking(call, key, textAt(toFields(fields.metadata), 'delivery_id')))
      : null;
  return earlier ?? { kind: 'refused', ...problemUnlessBusy(response) };
}

/** The delivery that was booked with the key; the courier may have named it. */
async function earlierBooking(
  call: CourierCall,
  key: string,
  reference: string | null,
): Promise<CourierBooking | null> {
  if (reference === null) return find(call, key);
  const delivery = await read(call, reference);
  return textAt(delivery, 'external_id') === key ? bookingFrom(delivery) : null;
}

async function update(
  call: CourierCall,
  reference: string,
  changes: CourierChanges,
): Promise<{ kind: 'taken' } | CourierRefusal> {
  const response = await call('POST', pathOf(reference), updateBody(changes));
  if (response.status === 200) return { kind: 'taken' };
  const { tip, ...others } = changes;
  // The answer to an earlier attempt may have been lost: its tip is paid.
  const isTipped =
    refusalCode(parseFields(response.body), response.status) === 'tip_already_recorded_error' &&
    amountAt(await read(call, reference), 'tip') === tip;
  if (!isTipped) return { kind: 'refused', ...problemUnlessBusy(response) };
  return Object.keys(others).length === 0 ? { kind: 'taken' } : update(call, reference, others);
}

/** A delivery as it is now; throws `ProviderFault` if it cannot be read. */
async function read(call: CourierCall, reference: string): Promise<JsonFields> {
  const response = await call('GET', pathOf(reference));
  if (response.status !== 200) throw new ProviderFault(problemUnlessBusy(response).reason);
  return parseFields(response.body);
}

const page_size = 100;
const max_pages = 5;

/**
 * Looks the latest deliveries through for our key. The courier can only be asked for lists: one that is not among the
 * latest 500 is found by the create that follows, whose refusal as a duplicate names it.
 */
async function find(call: CourierCall, key: string): Promise<CourierBooking | null> {
  let query = `limit=${page_size}`;
  for (let page = 0; page < max_pages; page++) {
    const response = await call('GET', `/deliveries?${query}`);
    if (response.status !== 200) throw new ProviderFault(problemUnlessBusy(response).reason);
    const fields = parseFields(response.body);
    const deliveries = listAt(fields, 'data').map(toFields);
    const found = deliveries.find((delivery) => textAt(delivery, 'external_id') === key);
    if (found !== undefined) return bookingFrom(found);
    // The address of the next page comes without a scheme.
    const [, next = ''] = (textAt(fields, 'next_href') ?? '').split('?');
    if (next === '' || deliveries.length === 0) return null;
    query = next;
  }
  return null;
}

async function cancel(call: CourierCall, { reference, status }: CourierDelivery): Promise<CancelTerms> {
  const response = await call('POST', `${pathOf(reference)}/cancel`);
  if (response.status === 200) return { kind: 'taken', fee: feeOf(status) };
  const { reason } = problemUnlessBusy(response);
  const isEnded = refusalCode(parseFields(response.body), response.status) === 'noncancelable_delivery';
  const isCanceled = isEnded && textAt(await read(call, reference), 'status') === 'canceled';
  return isCanceled ? { kind: 'taken', fee: feeOf(status) } : { kind: 'refused', reason };
}

/** The current status, position and times, and the status of the journey back of a returned parcel. */
async function poll(call: CourierCall, { reference, now }: CourierDelivery): Promise<CourierReport[]> {
  const delivery = await read(call, reference);
  const report = statusReport(delivery, { at: now });
  const back = textAt(delivery, 'status') === 'returned' ? relatedId(delivery) : null;
  // The status is told although a fault leaves the others for the next poll.
  const backReport =
    back === null
      ? null
      : await read(call, back).then((found) => statusReport(found, { at: now }), withoutIt);
  const proofs = (await missingProofs(call, delivery).catch(withoutIt)) ?? [];
  const reports = [
    report === null || proofs.length === 0 ? report : withProofs(report, proofs),
    backReport,
    positionOf(delivery, now),
    timesReport(delivery, now),
  ];
  return reports.filter((each) => each !== null);
}

/** A `catch` handler that resolves with null where the courier failed. */
function withoutIt(fault: unknown): null {
  if (fault instanceof ProviderFault) return null;
  throw fault;
}

/** A report with more proofs; it is another one than that without them. */
function withProofs(report: CourierReport, proofs: readonly CourierProof[]): CourierReport {
  const id = [report.id, ...proofs.map(({ type }) => type)].join(':');
  return { ...report, id, proofs: [...(report.proofs ?? []), ...proofs] };
}

function positionOf(delivery: JsonFields, now: number): CourierReport | null {
  const position = positionAt(toFields(delivery.courier), 'location');
  const at = timeAt(delivery, 'updated') ?? now;
  if (position === null || delivery.complete === true) return null;
  const id = [textAt(delivery, 'id'), at, position.lat, position.lng].join(':');
  return positionReport(delivery, { id, at, position });
}

/** The documents of the proofs that the delivery names without the address of a picture, such as a PIN. */
async function missingProofs(call: CourierCall, delivery: JsonFields): Promise<CourierProof[]> {
  if (textAt(delivery, 'status') !== 'delivered') return [];
  const taken = toFields(toFields(delivery.dropoff).verification);
  const missing = [
    ...(textAt(toFields(taken.pin_code), 'entered') === null ? [] : [['pin', 'pincode'] as const]),
    ...(hasNoPicture(taken.picture) ? [['photo', 'picture'] as const] : []),
    ...(hasNoPicture(taken.signature) ? [['signature', 'signature'] as const] : []),
  ];
  const path = `${pathOf(textAt(delivery, 'id') ?? '')}/proof-of-delivery`;
  const found: CourierProof[] = [];
  for (const [type, name] of missing) {
    const response = await call('POST', path, { waypoint: 'dropoff', type: name });
    const data = response.status === 200 ? textAt(parseFields(response.body), 'document') : null;
    if (data !== null) found.push({ type, data });
  }
  return found;
}

function hasNoPicture(proof: unknown): boolean {
  return proof !== undefined && textAt(toFields(proof), 'image_url') === null;
}

/** A harmless call, and the mode of the latest delivery if there is one. */
async function check(call: CourierCall): Promise<CourierCheck> {
  const response = await call('GET', '/deliveries?limit=1');
  const fields = parseFields(response.body);
  if (response.status !== 200) {
    const code = refusalCode(fields, response.status);
    const field = { unauthorized: 'client_secret', customer_not_found: 'customer_id' }[code] ?? null;
    return { kind: 'failed', field, problem: problemOf(response).reason };
  }
  const [latest] = listAt(fields, 'data').map(toFields);
  const live = latest === undefined ? null : liveOf(latest);
  const mode = live === null ? 'unknown' : live ? 'live' : 'test';
  return { kind: 'connected', mode };
}

/**
 * Reads a webhook. Its signature is the HMAC-SHA256 of the body in hexadecimal digits, with a key that each webhook
 * has: https://developer.uber.com/docs/deliveries/webhooks. `x-postmates-signature` is the older name of its header.
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
  const { delivery_id: id, status, live_mode } = event;
  // What the event says itself counts where its data does not.
  const delivery = { id, status, live_mode, ...toFields(event.data) };
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
