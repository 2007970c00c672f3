/** Requests to Uber: their tokens, their bodies, and the meaning of refusals. */
import type { ItemSize } from '../../contract/vocabulary.ts';
import { storedAddressFields } from '../../domain/addresses.ts';
import { minute_ms } from '../../domain/durations.ts';
import type {
  CourierChanges,
  CourierCreateRequest,
  CourierHttpRequest,
  CourierHttpResponse,
  CourierOrder,
  CourierPorts,
  CourierProblem,
  CourierSettings,
  CourierStop,
} from '../courier.ts';
import {
  type CourierCall,
  type JsonFields,
  jsonRequest,
  numberAt,
  parseFields,
  textAt,
  toFields,
  withBearer,
} from '../json-messages.ts';
import { type DeclineCode, ProviderBusy, ProviderFault } from '../port.ts';

const origin = 'https://api.uber.com';
const tokenUrl = 'https://auth.uber.com/oauth/v2/token';
/** The hosts that are called. */
export const hosts = [origin, tokenUrl].map((url) => new URL(url).host);
const scope = 'eats.deliveries';
/** A token is replaced this long before it expires. */
const margin_ms = minute_ms;

/** The settings of a connection, with the optional ones filled in. */
export interface UberDirectSettings {
  client_id: string;
  client_secret: string;
  customer_id: string;
  /** Empty: webhooks are refused. */
  webhook_signing_key: string;
  asks_pin: boolean;
}

export function readSettings(given: CourierSettings): UberDirectSettings {
  const {
    client_id = '',
    client_secret = '',
    customer_id = '',
    webhook_signing_key = '',
    handover_pin,
  } = given;
  return { client_id, client_secret, customer_id, webhook_signing_key, asks_pin: handover_pin === 'always' };
}

interface Token {
  text: string;
  expires_at: number;
}

/** Reads tokens of a connection. One is kept until shortly before it expires; concurrent calls share one request for it. */
function createTokens(settings: UberDirectSettings, ports: CourierPorts) {
  let kept: Promise<Token | CourierHttpResponse> | null = null;

  function drop(used: typeof kept): void {
    if (kept === used) kept = null;
  }

  function renew(): Promise<Token | CourierHttpResponse> {
    const pending = requestToken(settings, ports);
    kept = pending;
    pending.then(
      (found) => isToken(found) || drop(pending),
      () => drop(pending),
    );
    return pending;
  }

  async function read(): Promise<Token | CourierHttpResponse> {
    const pending = kept ?? renew();
    const found = await pending;
    if (!isToken(found) || found.expires_at > ports.now()) return found;
    // Another call may have renewed it meanwhile.
    return kept === null || kept === pending ? renew() : kept;
  }

  return { read, drop, kept: () => kept };
}

/** Sends requests about the customer's deliveries; the path is that below the customer. */
export function createClient(settings: UberDirectSettings, ports: CourierPorts): CourierCall {
  const tokens = createTokens(settings, ports);

  async function send(request: CourierHttpRequest): Promise<CourierHttpResponse> {
    const found = await tokens.read();
    return isToken(found) ? ports.http(withBearer(request, found.text)) : found;
  }

  return async (method, path, body) => {
    const url = `${origin}/v1/customers/${encodeURIComponent(settings.customer_id)}${path}`;
    const request: CourierHttpRequest = {
      ...jsonRequest(method, url, body),
      // Without a free courier Uber responds with 503.
      isAnswer: (response) => isRefusal(parseFields(response.body)),
    };
    const used = tokens.kept();
    const response = await send(request);
    // Without a kept token the one that was refused is new: another one would be refused, too.
    if (response.status !== 401 || used === null) return response;
    tokens.drop(used);
    return send(request);
  };
}

function isToken(found: Token | CourierHttpResponse): found is Token {
  return 'expires_at' in found;
}

/** A new token by OAuth 2.0 client credentials (RFC 6749, section 4.4), or the response that refuses one. */
async function requestToken(
  settings: UberDirectSettings,
  ports: CourierPorts,
): Promise<Token | CourierHttpResponse> {
  const asked = ports.now();
  const response = await postForm({ ...credentials(settings), scope }, ports);
  // Some organizations have the scope without being allowed to name it.
  const isScopeRefused = textAt(parseFields(response.body), 'error') === 'invalid_scope';
  const last = isScopeRefused ? await postForm(credentials(settings), ports) : response;
  const fields = parseFields(last.body);
  const text = textAt(fields, 'access_token');
  const life_seconds = numberAt(fields, 'expires_in');
  if (last.status === 200 && text !== null && life_seconds !== null) {
    return { text, expires_at: asked + life_seconds * 1000 - margin_ms };
  }
  if (last.status === 200 || last.status >= 500) {
    throw new ProviderFault(`Uber's server for tokens responded with status ${last.status} and no token`);
  }
  return { ...last, status: 401 };
}

function credentials({ client_id, client_secret }: UberDirectSettings): Record<string, string> {
  return { client_id, client_secret, grant_type: 'client_credentials' };
}

function postForm(form: Record<string, string>, { http }: CourierPorts): Promise<CourierHttpResponse> {
  return http({
    method: 'POST',
    url: tokenUrl,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
  });
}

/** Uber's error codes as waybill's: https://developer.uber.com/docs/deliveries/direct/api. */
const refusals: Readonly<Record<string, readonly [DeclineCode, string]>> = {
  unknown_location: ['address_unknown', 'does not find one of the addresses'],
  address_undeliverable: ['address_not_served', 'does not deliver between these addresses'],
  address_undeliverable_limited_couriers: ['no_courier_free', 'has no courier free for these addresses now'],
  couriers_busy: ['no_courier_free', 'has no courier free now'],
  robo_couriers_busy: ['no_courier_free', 'has no robo courier free now'],
  pickup_window_too_small: ['scheduled_not_taken', 'wants a longer time for the pickup'],
  pickup_deadline_too_early: ['scheduled_not_taken', 'cannot be at the pickup so soon'],
  pickup_ready_too_early: ['scheduled_not_taken', 'takes no pickup in the past'],
  pickup_ready_too_late: ['scheduled_not_taken', 'takes no pickup more than 30 days ahead'],
  dropoff_deadline_too_early: ['scheduled_not_taken', 'wants a longer time for the dropoff'],
  dropoff_deadline_before_pickup_deadline: ['scheduled_not_taken', 'cannot make the dropoff so soon'],
  dropoff_ready_after_pickup_deadline: ['scheduled_not_taken', 'cannot keep the parcel until the dropoff'],
  expired_quote: ['quote_expired', 'no longer keeps the price of the quote'],
  used_quote: ['quote_expired', 'has used the quote for another delivery'],
  mismatched_price_quote: ['quote_expired', 'wants a new quote for the changed order'],
  missing_payment: ['account_blocked', 'has no way to bill the account'],
  customer_suspended: ['account_blocked', 'has suspended the account until it has paid'],
  customer_blocked: ['account_blocked', 'does not let the account create deliveries'],
  customer_not_found: ['credentials_wrong', 'does not know the customer ID'],
  unauthorized: ['credentials_wrong', 'refuses the client ID or the client secret'],
  customer_limited: ['rate_limited', 'takes no more requests of the account for now'],
  duplicate_delivery: ['request_refused', 'has another delivery with this reference'],
  delivery_not_found: ['request_refused', 'does not know the delivery'],
  noncancelable_delivery: ['request_refused', 'no longer cancels the delivery'],
  not_allowed: ['request_refused', 'does not allow the request for this account'],
  max_tip_exceeded: ['request_refused', 'does not take so high a tip'],
  tip_already_recorded_error: ['request_refused', 'has recorded a tip before and takes no other'],
  no_tip: ['request_refused', 'takes no empty tip'],
  invalid_tipping_state: ['request_refused', 'takes no tip in the current status'],
};

/** Codes that say nothing about the request: it is unknown whether it had an effect. */
const faults = ['request_timeout', 'internal_server_error', 'unknown_error', 'service_unavailable'];

/** The courier names a limit in the status or in the code, without saying how long it lasts. */
const limit_seconds = 60;

/** Why a request was refused. Throws `ProviderFault` if the response does not say that it was. */
export function problemOf({ status, body }: CourierHttpResponse): CourierProblem {
  const fields = parseFields(body);
  const code = refusalCode(fields, status);
  if (code === 'invalid_params') return invalidParams(fields);
  const [decline, what] = refusals[code] ?? [];
  if (decline !== undefined && what !== undefined) return { code: decline, reason: `Uber Direct ${what}` };
  if (status >= 500 || status < 400 || status === 408 || faults.includes(code)) {
    throw new ProviderFault(`Uber Direct responded with status ${status} (${code || 'no code'})`);
  }
  const detail = textAt(fields, 'message') ?? `status ${status}`;
  return { code: 'request_refused', reason: `Uber Direct refuses the request: ${detail}` };
}

/** As `problemOf`, for a request that can be repeated later: throws `ProviderBusy` where a limit was reached. */
export function problemUnlessBusy(response: CourierHttpResponse): CourierProblem {
  const problem = problemOf(response);
  if (problem.code === 'rate_limited') throw new ProviderBusy(problem.reason, limit_seconds);
  return problem;
}

/** Whether a response with these fields refuses its request, whatever its status. */
function isRefusal(fields: JsonFields): boolean {
  return Object.hasOwn(refusals, textAt(fields, 'code') ?? '');
}

/** The error code; of a response without one, that of its status. */
export function refusalCode(fields: JsonFields, status: number): string {
  const code = textAt(fields, 'code');
  if (code !== null) return code;
  return status === 401 ? 'unauthorized' : '';
}

/** The fields that a refusal is about, with a text each; the names are free, so that only words tell them apart. */
const topics: readonly (readonly [RegExp, DeclineCode])[] = [
  [/phone/i, 'contact_refused'],
  [/address|geocod|location|long\/lat/i, 'address_unknown'],
  [/ready time|deadline|_dt\b/i, 'scheduled_not_taken'],
];

function invalidParams(fields: JsonFields): CourierProblem {
  const entries = Object.entries(toFields(fields.metadata));
  const details = entries.map(([name, text]) => `${name}: ${typeof text === 'string' ? text : 'not valid'}`);
  const detail = details.join('; ') || (textAt(fields, 'message') ?? 'not valid');
  const [, code] = topics.find(([words]) => words.test(details.join('; '))) ?? [];
  return { code: code ?? 'request_refused', reason: `Uber Direct refuses the request: ${detail}` };
}

const max_notes = 280;
/** How long before and after an agreed time the courier may arrive; its shortest window has 20 minutes. */
const window_ms = 15 * minute_ms;

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

export function updateBody({ pickup_notes, dropoff_notes, tip }: CourierChanges): object {
  return {
    ...(pickup_notes !== undefined && { pickup_notes: notesOf(pickup_notes) }),
    ...(dropoff_notes !== undefined && { dropoff_notes: notesOf(dropoff_notes) }),
    ...(tip !== undefined && { tip_by_customer: tip }),
  };
}

/** A quote and the delivery booked by it must name the same places. Of places alone no phones are known. */
function placesOf({ pickup, dropoff }: CourierOrder): object {
  return {
    pickup_address: addressOf(pickup),
    ...(pickup.latitude !== undefined && {
      pickup_latitude: pickup.latitude,
      pickup_longitude: pickup.longitude,
    }),
    ...(pickup.phone !== '' && { pickup_phone_number: pickup.phone }),
    dropoff_address: addressOf(dropoff),
    ...(dropoff.latitude !== undefined && {
      dropoff_latitude: dropoff.latitude,
      dropoff_longitude: dropoff.longitude,
    }),
    ...(dropoff.phone !== '' && { dropoff_phone_number: dropoff.phone }),
  };
}

/** An address as a JSON text of its parts; as it is, if its parts are not known. */
function addressOf({ address, unit: given }: CourierStop): string {
  const parts = storedAddressFields(address);
  if (parts === null || parts.city === '') return given === '' ? address : `${address}, ${given}`;
  const { street, unit, city, state, zip } = parts;
  return JSON.stringify({
    street_address: [street, unit, given].filter((line) => line !== ''),
    city,
    ...(state !== '' && { state }),
    ...(zip !== null && { zip_code: zip }),
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
  const start = text.slice(0, max_notes - 1).replace(/[\ud800-\udbff]$/, '');
  return text.length > max_notes ? `${start}…` : text;
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
