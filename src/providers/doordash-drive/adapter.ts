/**
 * DoorDash Drive. A quote and the delivery that becomes of it are one resource there, under the ID that waybill gave
 * the quote: a create accepts the quote, and without one it makes a delivery under its own key. Both can be repeated,
 * and both can be looked up after a lost response.
 */
import { createHmac } from 'node:crypto';
import { addressLine, storedAddressFields } from '../../domain/addresses.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import {
  type Courier,
  type CourierAdapter,
  type CourierBooking,
  type CourierCapabilities,
  type CourierChanges,
  type CourierCheck,
  type CourierCreateRequest,
  type CourierDelivery,
  type CourierHttpResponse,
  type CourierItem,
  type CourierOrder,
  type CourierPorts,
  type CourierPush,
  type CourierPushAnswer,
  type CourierQuote,
  type CourierQuoteRequest,
  type CourierRefusal,
  type CourierSettings,
  type CourierStop,
  isSameSecret,
  lookedUpInCreate,
  type SettingField,
} from '../courier.ts';
import {
  type CourierCall,
  jsonRequest,
  listAt,
  parseFields,
  textAt,
  toFields,
  withBearer,
} from '../json-messages.ts';
import { type CancelTerms, type Declined, ProviderBusy, ProviderFault } from '../port.ts';
import {
  bookingFrom,
  isBooked,
  problemFrom,
  quoteFrom,
  refusalFrom,
  reportOfEvent,
  reportsOfDelivery,
} from './reports.ts';

const capabilities: CourierCapabilities = {
  vehicles: ['car'],
  largest_item: 'large',
  scheduled: true,
  signature: true,
  photo: true,
  pin: false,
  tip: true,
  edits: true,
  returns: true,
  cancel_until: 'assigned',
  reports: 'push',
  location: true,
  currencies: ['USD'],
  countries: ['US'],
  binding_quotes: true,
  idempotent_create: true,
};
const settings: readonly SettingField[] = [
  {
    name: 'developer_id',
    label: 'Developer ID',
    help: 'In the DoorDash Developer Portal under Credentials.',
  },
  {
    name: 'key_id',
    label: 'Key ID',
    help: 'Stands below the developer ID.',
  },
  {
    name: 'signing_secret',
    label: 'Signing secret',
    help: 'Shown once, when the credentials are created.',
    is_secret: true,
  },
  {
    name: 'environment',
    label: 'Environment of the credentials',
    help: 'The portal shows it beside the credentials: both environments have the same address.',
    choices: ['sandbox', 'production'],
  },
  {
    name: 'webhook_authorization',
    label: 'Authorization value of the webhook',
    help: 'A long random text of your own, such as "Basic " with base64, that you also enter in the portal.',
    is_secret: true,
    is_optional: true,
  },
];

const pushSetup =
  'In the DoorDash Developer Portal, add a webhook with this address and the authorization value of your settings, ' +
  'and choose the delivery events. Without it waybill asks DoorDash for the status of each delivery.';

export const doorDashDrive: CourierAdapter = {
  name: 'doordash-drive',
  title: 'DoorDash Drive',
  capabilities,
  is_untested_live: true,
  settings,
  push_setup: pushSetup,
  hosts: () => hosts,
  connect: (given, ports) => connect(given, createClient(given, ports)),
};

/** The statuses in which a delivery can be canceled. */
const withoutDasher: readonly CourierDelivery['status'][] = [
  'delivery_created',
  'scheduled',
  'driver_not_assigned',
];

function connect(given: CourierSettings, call: CourierCall): Courier {
  return {
    check: () => check(given, call),
    quote: (request) => quote(call, request),
    create: (request) => create(call, request),
    find: ({ key, quote_reference }) => find(call, quote_reference ?? key),
    cancelTerms: async ({ status }) =>
      withoutDasher.includes(status)
        ? { kind: 'taken', fee: null }
        : { kind: 'refused', reason: 'DoorDash takes no cancellation once a Dasher is assigned' },
    cancel: (delivery) => cancel(call, delivery),
    update: async ({ reference }, changes) => {
      const response = await call('PATCH', pathOf(reference), updateBody(changes));
      return response.status === 200 ? { kind: 'taken' } : refusalFrom(response);
    },
    receive: (push) => receivePush(push, given.webhook_authorization ?? ''),
    poll: async (delivery) => {
      const response = await call('GET', pathOf(delivery.reference));
      if (response.status !== 200) throw new ProviderFault(problemFrom(response).reason);
      return reportsOfDelivery(parseFields(response.body), delivery);
    },
  };
}

function pathOf(reference: string): string {
  return `/drive/v2/deliveries/${encodeURIComponent(reference)}`;
}

async function quote(call: CourierCall, request: CourierQuoteRequest): Promise<CourierQuote | Declined> {
  const response = await call('POST', '/drive/v2/quotes', deliveryBody(request));
  if (response.status === 200) return quoteFrom(response.body, request);
  // The ID is ours alone, so that a duplicate is the quote of an earlier attempt.
  const earlier = response.status === 409 ? await call('GET', pathOf(request.key)) : null;
  if (earlier?.status === 200) return quoteFrom(earlier.body, request);
  return { kind: 'declined', ...problemFrom(response) };
}

async function create(
  call: CourierCall,
  request: CourierCreateRequest,
): Promise<CourierBooking | CourierRefusal> {
  const { key, quote_reference } = request;
  const id = quote_reference ?? key;
  const response =
    quote_reference === null
      ? await call('POST', '/drive/v2/deliveries', deliveryBody(request))
      : await call('POST', `/drive/v2/quotes/${encodeURIComponent(id)}/accept`, acceptBody(request));
  if (response.status === 200) return bookingFrom(parseFields(response.body), id);
  // The ID is ours alone, so that a duplicate is an earlier attempt of this create.
  if (response.status === 409) {
    const earlier = await lookedUpInCreate(find(call, id));
    // The earlier delivery may appear later: after a refusal, a second courier would be booked.
    if (earlier === null) throw new ProviderFault(problemFrom(response).reason);
    return earlier;
  }
  const refusal = refusalFrom(response);
  return quote_reference !== null && isAboutId(response) ? { ...refusal, code: 'quote_expired' } : refusal;
}

/** Whether DoorDash refuses the ID of a quote: it knows none, or the quote is too old. */
function isAboutId({ body }: CourierHttpResponse): boolean {
  const fields = parseFields(body);
  const faults = listAt(fields, 'field_errors').map((entry) => textAt(toFields(entry), 'field'));
  return textAt(fields, 'code') === 'unknown_delivery_id' || faults.includes('external_delivery_id');
}

async function find(call: CourierCall, id: string): Promise<CourierBooking | null> {
  const response = await call('GET', pathOf(id));
  if (response.status === 404) return null;
  if (response.status !== 200) throw new ProviderFault(problemFrom(response).reason);
  const fields = parseFields(response.body);
  return isBooked(fields) ? bookingFrom(fields, id) : null;
}

async function cancel(call: CourierCall, { reference }: CourierDelivery): Promise<CancelTerms> {
  const response = await call('PUT', `${pathOf(reference)}/cancel`);
  if (response.status === 200) return { kind: 'taken', fee: null };
  const { reason } = problemFrom(response);
  const code = textAt(parseFields(response.body), 'reason');
  if (code === 'delivery_cancelled') return { kind: 'taken', fee: null };
  const isPending = code === 'delivery_creation_in_progress' || code === 'duplicate_request';
  if (isPending) throw new ProviderBusy(reason, 5);
  return { kind: 'refused', reason };
}

/** Reads a delivery that cannot exist, and then whether the businesses of the account are for tests. */
async function check({ environment }: CourierSettings, call: CourierCall): Promise<CourierCheck> {
  if (environment !== 'sandbox' && environment !== 'production') {
    return { kind: 'failed', field: 'environment', problem: 'The environment is sandbox or production.' };
  }
  const response = await call('GET', pathOf('waybill-check'));
  if (response.status !== 404 && response.status !== 200) {
    const field = response.status === 401 ? 'signing_secret' : null;
    return { kind: 'failed', field, problem: problemFrom(response).reason };
  }
  const businesses = await call('GET', '/developer/v1/businesses');
  const marks = listAt(parseFields(businesses.body), 'result').map((entry) => toFields(entry).is_test);
  const isTest = environment === 'sandbox';
  if (marks.length > 0 && marks.every((mark) => mark === !isTest)) {
    const problem = `The credentials are of the ${isTest ? 'production' : 'sandbox'} environment.`;
    return { kind: 'failed', field: 'environment', problem };
  }
  return { kind: 'connected', mode: isTest ? 'test' : 'live' };
}

const origin = 'https://openapi.doordash.com';
/** The hosts that are called. */
const hosts = [new URL(origin).host];
const token_seconds = 300;

/** Sends requests to DoorDash Drive, each with a token of its own. */
function createClient(settings: CourierSettings, { http, now }: CourierPorts): CourierCall {
  return (method, path, body) =>
    http(withBearer(jsonRequest(method, `${origin}${path}`, body), tokenOf(settings, now())));
}

/** The signed token of a call: a JWT by RFC 7519 with HS256, whose key is the decoded signing secret. */
export function tokenOf(settings: CourierSettings, now: number): string {
  const issued = Math.floor(now / 1000);
  const header = { alg: 'HS256', typ: 'JWT', 'dd-ver': 'DD-JWT-V1' };
  const claims = {
    aud: 'doordash',
    iss: settings.developer_id,
    kid: settings.key_id,
    iat: issued,
    exp: issued + token_seconds,
  };
  const signed = `${base64url(header)}.${base64url(claims)}`;
  const key = Buffer.from(settings.signing_secret ?? '', 'base64url');
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

function base64url(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/**
 * Reads a webhook. DoorDash signs nothing: it sends the authorization value that the merchant entered in its portal,
 * which is compared in constant time.
 */
function receivePush({ headers, body, now }: CourierPush, authorization: string): CourierPushAnswer {
  if (authorization === '') {
    return { kind: 'refused', reason: 'The settings of doordash-drive have no webhook_authorization.' };
  }
  if (!isSameSecret(headers.authorization ?? '', authorization)) {
    return { kind: 'refused', reason: 'The Authorization header is not the value of the settings.' };
  }
  const report = reportOfEvent(parseFields(Buffer.from(body).toString('utf8')), now);
  return { kind: 'authentic', reports: report === null ? [] : [report] };
}

// The bodies of requests, by the OpenAPI document of DoorDash Drive of version 2.1.59.

const max_item_name = 100;
const max_item_quantity = 100;

/** Everything else of the delivery was given with the quote. */
function acceptBody({ order }: CourierCreateRequest) {
  return { tip: order.tip, dropoff_phone_number: order.dropoff.phone };
}

export function updateBody({ pickup_notes, dropoff_notes, tip }: CourierChanges) {
  return withoutAbsent({ pickup_instructions: pickup_notes, dropoff_instructions: dropoff_notes, tip });
}

/** The body of a quote request, of which some have places alone, and of a create request without a quote. */
export function deliveryBody({ key, order }: { key: string; order: CourierOrder }) {
  const { pickup, dropoff } = order;
  return {
    external_delivery_id: key,
    pickup_address: addressOf(pickup),
    ...withoutEmpty({
      pickup_business_name: pickup.name,
      pickup_phone_number: pickup.phone,
      pickup_instructions: pickup.notes,
      pickup_reference_tag: order.external_order_ref,
    }),
    dropoff_address: addressOf(dropoff),
    // For the Dasher's navigation only; DoorDash takes none of the pickup.
    ...(dropoff.latitude !== undefined && {
      dropoff_location: { lat: dropoff.latitude, lng: dropoff.longitude },
    }),
    ...withoutEmpty({ dropoff_phone_number: dropoff.phone, dropoff_instructions: dropoff.notes }),
    ...contactOf(dropoff.name),
    order_value: order.order_value,
    items: itemsOf(order),
    tip: order.tip,
    ...timesOf(order),
    ...handoverOf(order),
    ...undeliverableOf(order),
  };
}

function withoutEmpty(texts: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** DoorDash leaves the parcel at the door if nothing is said. */
function undeliverableOf({ undeliverable_action }: CourierOrder) {
  if (undeliverable_action === 'leave_at_door') return {};
  return { action_if_undeliverable: undeliverable_action === 'discard' ? 'dispose' : 'return_to_pickup' };
}

/** The address in one line with the unit behind the street. */
function addressOf({ address, unit }: CourierStop): string {
  const parts = storedAddressFields(address);
  if (unit === '') return address;
  if (parts === null || parts.city === '') return `${address}, ${unit}`;
  return addressLine(
    [parts.street, parts.unit, unit].filter((line) => line !== ''),
    parts,
  );
}

/** First name and rest, without the characters that DoorDash refuses in names. */
function contactOf(name: string) {
  const [given = '', ...family] = name
    .replace(/[~`@#$%^&*+=?;[\]{}]/g, ' ')
    .trim()
    .split(/\s+/);
  return withoutAbsent({
    dropoff_contact_given_name: given || undefined,
    dropoff_contact_family_name: family.join(' ') || undefined,
  });
}

function itemsOf({ items, items_description }: CourierOrder) {
  const listed = items.length > 0 ? items : [{ name: items_description, quantity: 1 }];
  return listed.flatMap(linesOf);
}

/** An item in as many lines as its quantity needs. */
function linesOf({ name, quantity }: Pick<CourierItem, 'name' | 'quantity'>) {
  const line = name.replace(/\s+/g, ' ').trim();
  const short = line.slice(0, max_item_name).replace(/[\ud800-\udbff]$/, '') || 'Items';
  const lines = Math.max(1, Math.ceil(quantity / max_item_quantity));
  return Array.from({ length: lines }, (_, line) => ({
    name: short,
    quantity: Math.min(quantity - line * max_item_quantity, max_item_quantity),
  }));
}

function timesOf({ pickup_at, dropoff_at }: CourierOrder) {
  const timeText = (at: number | null) => (at === null ? undefined : new Date(at).toISOString());
  return withoutAbsent({ pickup_time: timeText(pickup_at), dropoff_time: timeText(dropoff_at) });
}

/** A signature needs the recipient, so that it excludes leaving the parcel at the door. */
function handoverOf({ request_signature, request_contactless }: CourierOrder) {
  return {
    contactless_dropoff: request_contactless && !request_signature,
    ...(request_signature ? { dropoff_options: { signature: 'required' } } : {}),
  };
}
