import type { Operation, WireResponse } from '../contract/operation.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import type { ApiError } from './errors.ts';
import { hasNoPath } from './features.ts';
import { errorOf } from './refusals.ts';
import type { CallInput } from './retries.ts';
import { isList } from './unwrap.ts';

/** Sends a call once, in the given form. */
type SendForm = (operation: Operation, input: CallInput) => Promise<WireResponse>;

/** Paths that other services have, besides those of the contract. */
const otherPaths: Readonly<Record<string, readonly string[]>> = { CreateOrders: ['/v2/orders'] };

/**
 * Sends a call. If its path does not exist or it is refused as invalid, sends it again with the other paths and forms
 * that other services accept. A refused form has no effect, so nothing is done twice.
 */
export async function sendAcceptedForm(
  operation: Operation,
  input: CallInput,
  { send, now }: { send: SendForm; now(): number },
): Promise<WireResponse> {
  let response = await send(operation, input);
  let found = operation;
  for (const path of [...(operation.aliases ?? []), ...(otherPaths[operation.id] ?? [])]) {
    if (!isWithoutPath(response, now())) break;
    found = { ...operation, path };
    response = await send(found, input);
  }
  if (!isInvalid(response)) return response;
  const body = operation.id === 'CreateOrders' ? onlyOrder(input.body) : null;
  if (body !== null) return sendOrder(body, response, (form) => send(found, { ...input, body: form }));
  const other = otherForm(operation, input);
  if (other === null) return response;
  const second = await send(found, other);
  return second.status < 300 ? second : response;
}

/**
 * True if the form may be the reason for the refusal. A service that reports its time implements the whole contract, so
 * its form is right.
 */
function isInvalid({ status, headers }: WireResponse): boolean {
  return (status === 400 || status === 422) && headers['x-service-time'] === undefined;
}

/** A list without its query, or a body with numeric IDs; null if there is neither. */
function otherForm(operation: Operation, { query = {}, ...input }: CallInput): CallInput | null {
  const hasQuery = Object.values(query).some((value) => value !== undefined && value !== null);
  if (isList(operation.answer) && hasQuery) return query.cursor === undefined ? input : null;
  const body = isFields(input.body) ? withNumbers(input.body) : null;
  return body === null ? null : { ...input, query, body };
}

/** The order of a request for one order without auto dispatch. */
function onlyOrder(body: unknown): Fields | null {
  if (!isFields(body) || !Array.isArray(body.orders) || body.orders.length !== 1) return null;
  const isManual = !isFields(body.settings) || (body.settings.mechanism ?? 'manual') === 'manual';
  return isManual && isFields(body.orders[0]) ? body.orders[0] : null;
}

/**
 * After a refusal of `{ "orders": [...] }`, sends the order as the body itself and then as `{ "order": {...} }`. A
 * refusal that mentions the field of a form shows that the service expects this form: the refusal of that form is
 * returned.
 */
async function sendOrder(
  order: Fields,
  refusal: WireResponse,
  send: (body: Fields) => Promise<WireResponse>,
): Promise<WireResponse> {
  // The refusal is about a field of the order, such as `orders[0].dropoff_name`, so the form is right.
  if (/\borders\W{1,3}0\b/.test(refusal.body)) return refusal;
  const bare = await send(order);
  if (!isInvalid(bare)) return bare;
  if (/\borders\b/.test(bare.body)) return refusal;
  return /\border\b/.test(bare.body) ? send({ order }) : bare;
}

/** The request fields that refer to other records by ID. */
const references: readonly string[] = ['order_ids', 'quote_id'];

function withNumbers(body: Fields): Fields | null {
  const entries = Object.entries(body).map(([name, value]) => {
    if (!references.includes(name)) return [name, value] as const;
    return [name, Array.isArray(value) ? value.map(asNumber) : asNumber(value)] as const;
  });
  const hasChanged = JSON.stringify(Object.fromEntries(entries)) !== JSON.stringify(body);
  return hasChanged ? Object.fromEntries(entries) : null;
}

function asNumber(id: unknown): unknown {
  return typeof id === 'string' && /^[1-9]\d{0,14}$/.test(id) ? Number(id) : id;
}

/** True if a response means an unknown path rather than an unknown record. */
export function isWithoutPath(response: WireResponse, now: number): boolean {
  return hasNoPath(response) && !isAboutRecord(errorOf(response, now));
}

export function isAboutRecord({ code, hasCode, status }: ApiError): boolean {
  return status === 404 && hasCode && code !== 'not_found' && /not_found|unknown|missing/.test(code);
}
