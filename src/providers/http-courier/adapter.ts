/** Any courier that provides the server which `waybill openapi --courier` describes. */
import { Webhook } from 'standardwebhooks';
import type {
  CourierQuoteRequest,
  courierVehicles,
  DeliveryRequest,
  parcelSizes,
} from '../../contract/courier-protocol/schemas.ts';
import type { ItemSize, VehicleType } from '../../contract/vocabulary.ts';
import { storedAddressFields } from '../../domain/addresses.ts';
import { isPickedUp } from '../../domain/delivery-states.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import {
  type Courier,
  type CourierAdapter,
  type CourierBooking,
  type CourierCapabilities,
  type CourierCheck,
  type CourierCreateRequest,
  type CourierDelivery,
  type CourierOrder,
  type CourierPorts,
  type CourierPush,
  type CourierPushAnswer,
  type CourierSettings,
  type CourierStop,
  lookedUpInCreate,
  type SettingField,
} from '../courier.ts';
import { type CourierCall, jsonRequest, parseFields, withBearer } from '../json-messages.ts';
import { type CancelTerms, ProviderFault } from '../port.ts';
import { bookingFrom, priceAt, problemFrom, quoteFrom, reportsOf } from './reports.ts';

const protocol = 'waybill-courier/1';

const capabilities: CourierCapabilities = {
  vehicles: ['car', 'suv', 'pickup_truck', 'cargo_van', 'box_truck'],
  largest_item: 'extra_large',
  scheduled: true,
  signature: true,
  photo: true,
  pin: false,
  tip: true,
  edits: false,
  returns: true,
  cancel_until: 'picked_up',
  reports: 'push',
  location: true,
  currencies: ['USD'],
  countries: ['US'],
  binding_quotes: true,
  idempotent_create: true,
};
const settings: readonly SettingField[] = [
  {
    name: 'url',
    label: 'Address of the courier',
    help: 'The courier names it, such as https://courier.example/waybill.',
    is_server: true,
  },
  {
    name: 'api_key',
    label: 'API key',
    help: 'The courier gives it to you; test and live deliveries have keys of their own.',
    is_secret: true,
  },
  {
    name: 'webhook_secret',
    label: 'Secret of the events',
    help: 'Begins with whsec_ and is the same on both sides. Without it waybill asks for the status of deliveries.',
    is_secret: true,
    is_optional: true,
  },
];

const pushSetup =
  'Give the courier this address, to which it posts events signed with the secret of your settings.';

export const httpCourier: CourierAdapter = {
  name: 'http',
  title: 'Courier with a waybill server',
  capabilities,
  settings,
  push_setup: pushSetup,
  hosts: ({ url = '' }) => [URL.parse(url)?.host ?? []].flat(),
  connect: (given, ports) => connect(given, createClient(given, ports)),
};

function connect(given: CourierSettings, call: CourierCall): Courier {
  return {
    check: () => check(given, call),
    quote: async (request) => {
      const response = await call('POST', '/quotes', quoteBody(request.order));
      if (response.status === 200) return quoteFrom(response.body, request);
      return { kind: 'declined', ...problemFrom(response) };
    },
    create: async (request) => {
      const response = await call('PUT', pathOf(request.key), createBody(request));
      if (response.status === 200 || response.status === 201) return bookingFrom(response.body);
      if (response.status !== 409) return { kind: 'refused', ...problemFrom(response) };
      // An earlier attempt has booked the delivery with other contents, such as a time that has passed since.
      const earlier = await lookedUpInCreate(find(call, request.key));
      if (earlier === null) throw new ProviderFault(problemFrom(response).reason);
      return earlier;
    },
    find: ({ key }) => find(call, key),
    cancelTerms: async ({ status }) =>
      isPickedUp(status)
        ? { kind: 'refused', reason: 'The courier takes no cancellation after the pickup.' }
        : { kind: 'taken', fee: null },
    cancel: (delivery) => cancel(call, delivery),
    receive: (push) => receivePush(push, given.webhook_secret ?? ''),
    poll: async ({ key }) => {
      const response = await call('GET', pathOf(key));
      if (response.status !== 200) throw new ProviderFault(problemFrom(response).reason);
      return reportsOf(parseFields(response.body));
    },
  };
}

function pathOf(key: string): string {
  return `/deliveries/${encodeURIComponent(key)}`;
}

async function find(call: CourierCall, key: string): Promise<CourierBooking | null> {
  const response = await call('GET', pathOf(key));
  if (response.status === 404) return null;
  if (response.status !== 200) throw new ProviderFault(problemFrom(response).reason);
  return bookingFrom(response.body);
}

async function cancel(call: CourierCall, { key }: CourierDelivery): Promise<CancelTerms> {
  const response = await call('POST', `${pathOf(key)}/cancel`, { reason: 'OTHER' });
  if (response.status === 200) {
    return { kind: 'taken', fee: priceAt(parseFields(response.body), 'cancellationPrice') };
  }
  return { kind: 'refused', reason: problemFrom(response).reason };
}

async function check(
  { url = '', webhook_secret = '' }: CourierSettings,
  call: CourierCall,
): Promise<CourierCheck> {
  const problem = addressProblem(url);
  if (problem !== null) return { kind: 'failed', field: 'url', problem };
  if (webhook_secret !== '' && !isSecret(webhook_secret)) {
    const needed = 'The secret is whsec_ followed by at least 24 bytes in base64.';
    return { kind: 'failed', field: 'webhook_secret', problem: needed };
  }
  const response = await call('GET', '/courier');
  if (response.status === 401 || response.status === 403) {
    return { kind: 'failed', field: 'api_key', problem: problemFrom(response).reason };
  }
  const courier = parseFields(response.body);
  if (response.status !== 200 || courier.protocol !== protocol) {
    const found = `No courier that speaks ${protocol} answers at this address (status ${response.status}).`;
    return { kind: 'failed', field: 'url', problem: found };
  }
  const mode = courier.liveMode === true ? 'live' : courier.liveMode === false ? 'test' : 'unknown';
  return { kind: 'connected', mode };
}

function createClient({ url = '', api_key = '' }: CourierSettings, { http }: CourierPorts): CourierCall {
  const base = url.replace(/\/+$/, '');
  return (method, path, body) => http(withBearer(jsonRequest(method, base + path, body), api_key));
}

/** Why an address cannot be a courier's; null if it can. In private networks it may be unencrypted. */
function addressProblem(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || url.search !== '' || url.hash !== '') {
    return 'The address is a URL without query and fragment, such as https://courier.example/waybill.';
  }
  if (url.username !== '' || url.password !== '')
    return 'The address must not contain a user name or password.';
  const mayBePrivate = /^(\[.*\]|[\d.]+|[^.]+)$/.test(url.hostname);
  return url.protocol === 'https:' || (url.protocol === 'http:' && mayBePrivate)
    ? null
    : 'The address must begin with https://.';
}

/** Reads an event, signed as Standard Webhooks; the specification's own library verifies signature and age. */
function receivePush({ headers, body }: CourierPush, secret: string): CourierPushAnswer {
  if (secret === '') return { kind: 'refused', reason: 'The settings of http have no webhook_secret.' };
  try {
    const event = Buffer.from(body);
    new Webhook(secret).verify(event, { ...headers }, { jsonParse: false });
    return { kind: 'authentic', reports: reportsOf(parseFields(event.toString())) };
  } catch (error) {
    return {
      kind: 'refused',
      reason: error instanceof Error ? error.message : 'The signature is not valid.',
    };
  }
}

function isSecret(text: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(text);
}

// Requests of the courier protocol, which `contract/courier-protocol` describes.

/** The currency of an order's own amounts. */
const currency = 'USD';

const sizes = {
  small: 'SMALL',
  medium: 'MEDIUM',
  large: 'LARGE',
  extra_large: 'EXTRA_LARGE',
} as const satisfies Record<ItemSize, (typeof parcelSizes)[number]>;

const vehicles = {
  car: 'CAR',
  suv: 'SUV',
  pickup_truck: 'PICKUP_TRUCK',
  cargo_van: 'CARGO_VAN',
  box_truck: 'BOX_TRUCK',
} as const satisfies Record<VehicleType, (typeof courierVehicles)[number]>;

export function quoteBody({ pickup, dropoff, ...order }: CourierOrder): CourierQuoteRequest {
  return {
    orderDisplayId: order.external_order_ref,
    merchant: { name: pickup.name, phone: pickup.phone },
    pickupAddress: addressOf(pickup),
    pickupInstructions: pickup.notes,
    customerName: dropoff.name,
    customerPhone: dropoff.phone,
    deliveryAddress: addressOf(dropoff),
    specialInstructions: dropoff.notes,
    items: order.items.map(({ name, quantity, size }) => ({ name, quantity, size: sizes[size] })),
    packageDescription: order.items_description,
    totalOrderPrice: { value: order.order_value, currency },
    tip: { value: order.tip, currency },
    ...(order.vehicle === null ? {} : { vehicle: { type: [vehicles[order.vehicle]] } }),
    signatureRequired: order.request_signature,
    leaveAtDoor: order.request_contactless && !order.request_signature,
    returnToMerchant: order.undeliverable_action === 'return',
    ...(order.pickup_at === null ? {} : { pickupDatetime: new Date(order.pickup_at).toISOString() }),
    ...(order.dropoff_at === null ? {} : { deliveryDatetime: new Date(order.dropoff_at).toISOString() }),
  };
}

export function createBody({ quote_reference, order }: CourierCreateRequest): DeliveryRequest {
  return { quoteId: quote_reference, ...quoteBody(order) };
}

function addressOf({ address, unit: given, latitude, longitude }: CourierStop) {
  const { street = '', unit = '', city = '', state = '', zip = null } = storedAddressFields(address) ?? {};
  const complement = [unit, given].filter((text) => text !== '').join(', ');
  return withoutAbsent({
    formattedAddress: address,
    country: 'US',
    street: street || undefined,
    city: city || undefined,
    state: state || undefined,
    postalCode: zip ?? undefined,
    complement: complement || undefined,
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
  });
}
