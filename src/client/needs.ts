import type { Operation } from '../contract/operation.ts';
import type { TSchema } from '../contract/schema.ts';
import { type Fields, isFields, type Presets, propertiesOf } from './lenient.ts';

/** Fields that an answer must have, where it must have any: one of the alternatives. */
const needed: Readonly<Record<string, readonly string[]>> = {
  CreateOrders: ['id', 'batch_id'],
  CreateRoute: ['id'],
  CreateDeliveryInformation: ['id'],
  ListRouteQuotes: ['status', 'data'],
  GetDelivery: ['status'],
  GetOrder: ['status'],
  GetRoute: ['status'],
  GetBatch: ['status'],
  GetAccount: ['test_mode'],
};

/** Whole answers are needed of these: a record of them is of no use without each of its fields. */
const strictTags: readonly string[] = ['Sandbox', 'Service', 'Events', 'Webhooks'];

export function isStrict({ tag }: Pick<Operation, 'tag'>): boolean {
  return strictTags.includes(tag);
}

/** Whether a record has what its operation needs. */
export function hasNeeded({ id }: Pick<Operation, 'id'>, record: Fields): boolean {
  const names = needed[id];
  return names === undefined || names.some((name) => record[name] !== undefined && record[name] !== null);
}

/** The part of an answer that is its list, or its record, whatever is around it. */
export function unwrapped(operation: Operation, data: unknown): unknown {
  if (isList(operation.answer)) return listIn(data);
  if ('items' in operation.answer) return arrayIn(data);
  if (operation.id === 'ListRouteQuotes') return quotesIn(data);
  if (!('properties' in operation.answer)) return data;
  return recordIn(operation, data);
}

export function isList(schema: TSchema): boolean {
  return 'has_more' in propertiesOf(schema);
}

function listIn(data: unknown): unknown {
  if (Array.isArray(data)) return { object: 'list', data, has_more: false, next_cursor: null };
  if (!isFields(data) || Array.isArray(data.data)) return data;
  const [only, ...others] = Object.values(data).filter((value) => Array.isArray(value));
  return only === undefined || others.length > 0 ? data : { ...data, data: only };
}

function arrayIn(data: unknown): unknown {
  const list = listIn(data);
  return isFields(list) && Array.isArray(list.data) ? list.data : data;
}

/** The status of quotes is what their data says, where it is none of the two. */
function quotesIn(data: unknown): unknown {
  const wrapper = Array.isArray(data) ? { data } : data;
  if (!isFields(wrapper)) return data;
  const status = String(wrapper.status).toUpperCase();
  if (status === 'PENDING' || status === 'COMPLETE') return { ...wrapper, status };
  if (!('data' in wrapper) && !('status' in wrapper)) return data;
  return { ...wrapper, status: Array.isArray(wrapper.data) ? 'COMPLETE' : 'PENDING' };
}

function recordIn(operation: Operation, data: unknown): unknown {
  const only: unknown = Array.isArray(data) && data.length === 1 ? data[0] : data;
  const isRecord = (value: unknown): boolean =>
    isFields(value) &&
    (operation.id in needed ? hasNeeded(operation, value) : hasKnown(operation.answer, value));
  if (!isFields(only) || isRecord(only)) return only;
  const inner = Object.values(only)
    .map((value) => (Array.isArray(value) && value.length === 1 ? value[0] : value))
    .find(isRecord);
  if (inner !== undefined) return inner;
  const id = only[`${nounOf(operation)}_id`];
  return id === undefined ? only : { ...only, id };
}

/** Whether a value has a field of the record that others do not have. */
function hasKnown(schema: TSchema, value: Fields): boolean {
  return Object.keys(propertiesOf(schema)).some((name) => name !== 'object' && Object.hasOwn(value, name));
}

/** `order` of the schema with the title Order. */
function nounOf({ answer }: Operation): string {
  return 'title' in answer && typeof answer.title === 'string' ? answer.title.toLowerCase() : '';
}

/** What the fields say that an answer leaves out, known from its request and from the interface. */
export function presetsFor({ id }: Operation, params: Fields, body: unknown): Presets {
  const named = Object.values(params).at(-1);
  const about = named === undefined ? {} : { id: String(named), batch_id: String(named) };
  if (id === 'CreateOrders') return { status: 'open' };
  if (id === 'CreateRoute')
    return { status: 'draft', order_ids: isFields(body) ? (body.order_ids ?? []) : [] };
  if (id === 'DispatchRoute') return { ...about, status: 'dispatched' };
  return id === 'ListRouteQuotes' ? { 'data.route_id': named } : about;
}
