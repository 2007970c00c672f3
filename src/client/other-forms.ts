import type { Operation } from '../contract/operation.ts';
import type { WireResponse } from '../contract/wire.ts';
import { type Fields, isFields } from './lenient.ts';
import type { CallInput } from './requests.ts';
import { isList } from './unwrap-response.ts';

/** Another form of a request that was refused as invalid, which another service may accept: a list without its query, or numeric IDs. Null if no other form exists. */
export function otherForm(
  operation: Operation,
  { query = {}, ...input }: CallInput,
  { status, headers }: WireResponse,
): CallInput | null {
  // A service with the whole contract reports its time with every response.
  if ((status !== 400 && status !== 422) || headers['x-service-time'] !== undefined) return null;
  const hasQuery = Object.values(query).some((value) => value !== undefined && value !== null);
  if (isList(operation.answer) && hasQuery) return query.cursor === undefined ? input : null;
  const body = isFields(input.body) ? withNumbers(input.body) : null;
  return body === null ? null : { ...input, query, body };
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
