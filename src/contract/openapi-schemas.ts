/** Gives the schemas of the description what the contract does not repeat: descriptions and examples by field name. */
import { exampleInstant, fieldExamples, type Json } from './openapi-examples.ts';

export interface JsonObject {
  readonly [name: string]: Json;
}

/** Schemas by title, which `$ref` leads to. */
export type Schemas = ReadonlyMap<string, Json>;

/**
 * A schema whose fields all have a description and an example, and whose constants and enumerations have their type.
 * `scope` is the title of the schema, or the name of the field or the operation that has it.
 */
export function annotate(schema: Json, scope: string): Json {
  if (Array.isArray(schema)) return schema.map((part) => annotate(part, scope));
  if (!isObject(schema)) return schema;
  const own = typeof schema.title === 'string' ? schema.title : scope;
  // Generators of clients know no conditions: descriptions say which fields replace others.
  const { if: _, else: __, ...rest } = schema;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([name, part]) => [
      name,
      name === 'properties' ? annotateFields(part, own) : isVerbatim(name, rest) ? part : annotate(part, own),
    ]),
  );
  return { ...typeOfValues(schema), ...inner };
}

/** Keywords whose values are data and not schemas, and the rules between the fields of an object. */
function isVerbatim(keyword: string, schema: JsonObject): boolean {
  if (keyword === 'allOf') return 'properties' in schema;
  return ['const', 'default', 'dependentRequired', 'enum', 'examples', 'required'].includes(keyword);
}

function annotateFields(fields: Json | undefined, scope: string): Json {
  if (!isObject(fields)) return {};
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, annotateField(annotate(field, name), scope, name)]),
  );
}

/** A field with its description and, unless it is a list or an object, its example. */
export function annotateField(field: Json, scope: string, name: string): Json {
  if (!isObject(field)) return field;
  const [first, ...others] = Array.isArray(field.anyOf) ? field.anyOf : [];
  const inner = isObject(first) && !('$ref' in first) ? first : field;
  const description = field.description ?? inner.description ?? factOf(fieldDescriptions, scope, name);
  const example = fieldExample(field, scope, name);
  // The description of what may be null stands once, at the field.
  const { description: moved, ...bare } = inner;
  const isMoved = inner !== field && moved !== undefined && moved === description;
  return {
    ...field,
    ...(isMoved ? { anyOf: [bare, ...others] } : {}),
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { examples: [example] }),
  };
}

function fieldExample(field: JsonObject, scope: string, name: string): Json | undefined {
  const example = factOf(fieldExamples, scope, name);
  if (example !== undefined && fits(field, example)) return example;
  if (!isObject(field.items)) return simpleExample(field);
  const { items } = field;
  if (example !== undefined && fits(items, example)) return [example];
  return Array.isArray(items.enum) ? items.enum.slice(0, 1) : undefined;
}

/** Fields of one name have types of several kinds. */
function fits(field: JsonObject, example: Json): boolean {
  if (Array.isArray(field.anyOf)) return field.anyOf.some((each) => isObject(each) && fits(each, example));
  if ('const' in field) return field.const === example;
  if (Array.isArray(field.enum)) return field.enum.includes(example);
  switch (field.type) {
    case 'integer':
      return Number.isInteger(example);
    case 'array':
      return Array.isArray(example);
    case 'null':
      return example === null;
    case 'object':
      return isObject(example);
    default:
      return typeof example === field.type;
  }
}

function simpleExample(field: JsonObject): Json | undefined {
  if (Array.isArray(field.anyOf)) return field.anyOf.filter(isObject).map(simpleExample).find(isGiven);
  if ('const' in field) return field.const;
  if (Array.isArray(field.enum)) return field.enum[0];
  if (field.type === 'boolean') return true;
  if (field.type === 'integer') return Number(field.minimum ?? 0);
  return field.format === 'date-time' ? exampleInstant : undefined;
}

/** The example of a whole schema, made of those of its fields. */
export function exampleOf(schema: Json | undefined, schemas: Schemas): Json | undefined {
  if (!isObject(schema)) return undefined;
  const [given] = Array.isArray(schema.examples) ? schema.examples : [];
  if (given !== undefined) return given;
  if (typeof schema.$ref === 'string') return exampleOf(schemas.get(titleOf(schema.$ref)), schemas);
  const simple = simpleExample(schema);
  if (simple !== undefined) return simple;
  const [first] = [schema.oneOf, schema.anyOf].flatMap((each) => (Array.isArray(each) ? each : []));
  if (first !== undefined) return exampleOf(first, schemas);
  if (schema.type === 'array') return [exampleOf(schema.items, schemas)].filter(isGiven);
  return objectExample(schema, schemas);
}

/** The example of an object, without optional fields that hold another record: that record has an example of its own. */
function objectExample(
  { type, allOf, properties, required }: JsonObject,
  schemas: Schemas,
): Json | undefined {
  const needed = Array.isArray(required) ? required : [];
  const isShown = (name: string, field: Json) => needed.includes(name) || !holdsRecord(field);
  const parts = Array.isArray(allOf) ? allOf.map((part) => exampleOf(part, schemas)).filter(isObject) : [];
  const fields = (isObject(properties) ? Object.entries(properties) : [])
    .filter(([name, field]) => isShown(name, field))
    .map(([name, field]) => [name, exampleOf(field, schemas)])
    .filter(([, example]) => isGiven(example));
  if (fields.length === 0 && parts.length === 0 && type !== 'object') return undefined;
  return Object.assign({}, ...parts, Object.fromEntries(fields));
}

function holdsRecord(field: Json): boolean {
  return (
    isObject(field) && ('$ref' in field || (Array.isArray(field.anyOf) && field.anyOf.some(holdsRecord)))
  );
}

/** Operations with the same parameters as another. */
const sameParameters: Readonly<Record<string, string>> = {
  ListDetailedDeliveries: 'ListDeliveries',
  StreamEvents: 'ListEvents',
};

/** What the names of operations and of further forms of a record begin with: their fields are those of the record. */
const formPattern =
  /^(?:Check|Connect|Create|Deleted|Detailed|Disable|Disconnected|Dismissed|Dispatched|Enable|Get|Linked|New|Remove)(?=[A-Z])/;

function factOf<T>(facts: Readonly<Record<string, T>>, scope: string, name: string): T | undefined {
  const record = sameParameters[scope] ?? scope.replace(formPattern, '');
  return facts[`${scope}.${name}`] ?? facts[`${record}.${name}`] ?? facts[name];
}

function typeOfValues({ type, ...schema }: JsonObject): JsonObject {
  if (type !== undefined) return {};
  const values = Array.isArray(schema.enum) ? schema.enum : 'const' in schema ? [schema.const] : [];
  return values.length > 0 && values.every((value) => typeof value === 'string') ? { type: 'string' } : {};
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Puts each schema that has a title into the components, once, and refers to it. */
export function refer(schema: Json, schemas: Map<string, Json>): Json {
  if (Array.isArray(schema)) return schema.map((part) => refer(part, schemas));
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [name, refer(part, schemas)]),
  );
  if (typeof schema.title !== 'string') return inner;
  if (!schemas.has(schema.title)) schemas.set(schema.title, inner);
  return referenceTo(schema.title);
}

export function referenceTo(title: string) {
  return { $ref: `#/components/schemas/${title}` };
}

function titleOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** A schema as plain JSON, without the internal fields of the schema library. */
export function toPlainJson(schema: object): Json {
  return JSON.parse(JSON.stringify(schema));
}

/**
 * Descriptions of fields whose schema has none, by name. `scope.name` is for one schema alone: the scope is the title of
 * the schema or the name of the field that holds it, and for a parameter or an untitled body the id of the operation;
 * of a form of a record, such as `LinkedDriver`, also the record.
 */
export const fieldDescriptions: Readonly<Record<string, string>> = {
  account_id: 'The account that the record belongs to',
  address: 'The address in one line, with its country',
  batch_id: 'The batch of auto dispatch; null or empty without auto dispatch',
  'ListOrders.batch_id': 'Only orders of this batch',
  'ListEvents.batch_id': 'Only events of this batch and of its orders',
  cancelable: 'Whether the delivery can be canceled now',
  retryable: 'Whether the delivery can be retried now',
  canceled: 'Orders that were canceled before they were dispatched',
  cancellation_reason: 'The reason given for the cancellation; null unless it was canceled',
  'LeftOut.code': 'Why the provider was left out, as a code',
  'Decline.code': 'Why the provider did not quote, as a code',
  color: 'The color of the vehicle',
  completed_at: 'When the last order reached its outcome; null until then',
  counts: 'How many orders are in each state; they add up to `order_count`',
  courier_img: 'The URL of a picture of the driver; null until one is known',
  courier_location_lat: 'Latitude of the driver in degrees; null until it is known',
  courier_location_lng: 'Longitude of the driver in degrees; null until it is known',
  courier_name: 'The name of the driver; null until one is assigned',
  courier_phone_number: 'The phone number of the driver; null until one is assigned',
  courier_vehicle_type: 'The vehicle of the driver; null until one is assigned',
  created: 'When the quote was made',
  created_at: 'When the record was created',
  'proof_of_delivery.created_at': 'When the proof was taken',
  'status_history.created_at': 'When the status was entered',
  'ClockEvent.created_at': 'The service time of the event',
  currency: 'The currency of all amounts, ISO 4217',
  data: 'The records of this page',
  'RouteQuotes.data': 'The quotes, cheapest first; null while they are pending',
  'Scenarios.data': 'All scenarios',
  'Steps.data': 'The statuses that can follow',
  default_scenario: 'The name of the scenario; null for the happy path',
  deleted: 'Always true',
  deliveries: 'One delivery for each order of the route',
  delivery: 'The latest delivery, with `expand=delivery`; null before the first dispatch',
  delivery_id: 'The delivery, or null',
  'ListEvents.delivery_id': 'Only events of this delivery',
  'ListCharges.delivery_id': 'Only charges of this delivery',
  'ListCharges.order_id': 'Only charges of the deliveries of this order, all attempts',
  'until.delivery_id': 'The delivery to wait for',
  delivery_type: 'Whether the delivery is for now or for a given time',
  description: 'A note for people; empty where none was given',
  details: 'Every fault of the request with its place',
  'Event.details': 'The fields that version 2 adds to the version 1 record, at the time of the event',
  'Delivery.details': 'The fields that version 2 adds to the version 1 record',
  dispatched: 'Orders that a courier company took',
  dispute_reason: 'Why the delivery is disputed; null unless it is',
  dropoff_latitude: 'The latitude of the dropoff in degrees',
  dropoff_longitude: 'The longitude of the dropoff in degrees',
  distance_miles: 'Road miles of the whole route',
  dropoff_address: 'The address of the recipient in one line, with its country',
  dropoff_at: 'The agreed time of the dropoff; null for as soon as possible',
  notices: 'The notices to recipients by e-mail; null while they are off',
  dropoff_email: 'The e-mail address of the recipient; absent without one',
  dropoff_name: 'The name of the recipient',
  dropoff_notes: 'Notes for the driver at the dropoff',
  dropoff_phone_number: 'The phone number of the recipient in international format',
  dropoff_unit: 'Apartment, suite or floor of the dropoff',
  dropoffs: 'The dropoffs of the delivery; always one',
  duration_ms: 'How long the attempt took, in milliseconds',
  ended_at: 'When the attempt ended; null while it runs',
  event_type: 'The type of the event',
  events: 'The types of events that are sent to the endpoint',
  'ClockAdvance.events': 'The events that happened while the clock was moved',
  expand: 'Includes the latest delivery of the order in the response',
  expires: 'When the quote expires; null if it does not',
  expires_at: 'When the quote expires; null if it does not',
  external_order_ref: "The merchant's own reference of the order",
  'ListOrders.external_order_ref': 'Only orders with this reference',
  'ListDeliveries.external_order_ref': 'Only deliveries with this reference',
  failed: 'Orders whose last dispatch was refused or declined',
  happens: 'The course of the delivery in this scenario',
  has_more: 'Whether there is another page',
  id: 'The id of the record',
  image_url: 'The URL of a picture of the signature',
  items: 'The items to carry',
  items_description: 'The items in words, if they are not listed',
  kind: 'The kind of the charge',
  'ListCharges.kind': 'Only charges of this kind',
  'stops.kind': 'Whether items are picked up or dropped off here',
  'upsell.kind': 'Whether `value` is an amount in cents or a share in percent',
  'subsidy.kind': 'Whether `value` is an amount in cents or a share in percent',
  latitude: 'Latitude in degrees',
  longitude: 'Longitude in degrees',
  pickup_latitude: 'The latitude of the pickup in degrees',
  pickup_longitude: 'The longitude of the pickup in degrees',
  lat: 'Latitude in degrees',
  limit: 'The number of records of a page',
  lng: 'Longitude in degrees',
  make: 'The maker of the vehicle',
  mechanism: 'Whether the client dispatches step by step, or the service automatically',
  message: 'The error in words for people',
  mode: 'How service time passes',
  model: 'The model of the vehicle',
  money: 'The charges and refunds in this scenario',
  name: 'The name',
  'Account.name': 'The name of the account',
  'ApiKey.name': 'The name of the key, to tell keys apart',
  'CreateApiKey.name': 'A name for the key, to tell keys apart',
  'items.name': 'The name of the item',
  'signature.name': 'The name of the person who signed',
  'Scenario.name': 'The name of the scenario, as the `x-simulation` header takes it',
  'SandboxProvider.name': 'The name of the courier company',
  'UpdateSandboxProvider.name': 'The name of the courier company',
  'Driver.name': 'The name of the driver, as recipients see it',
  fleet: 'What deliveries by your own drivers cost, and how they are proven',
  taps: 'What was tapped, oldest first',
  position: 'Where the phone is',
  'TapResults.taps': 'What became of each tap, in the same order',
  'taps.outcome':
    'Whether the tap has had its effect, has none anymore, or may be repeated with another value',
  'Store.name': 'The name of the pickup place',
  'StoreRequest.name': 'The name of the pickup place',
  'UpdateStore.name': 'The name of the pickup place',
  next_cursor: 'The `cursor` of the next page; null at the end',
  notes: 'Notes for the driver at the pickup',
  now: 'The time in test mode',
  object: 'The type of the record',
  openapi: 'The version of OpenAPI',
  order_count: 'The number of orders of the batch',
  order_id: 'The order of the delivery',
  'ListTries.order_id': 'The id of the order',
  order_ids: 'The orders of the route, in the order in which they were given',
  'stops.order_ids': 'The orders that are picked up or dropped off here',
  'CreateRoute.order_ids': 'The orders to group, all open, failed or unfulfilled and of one mode',
  order_value: 'The value of the order in cents; 0 where none was given',
  orders: 'A line for each order of the batch',
  'CreateOrders.orders': 'One order for manual dispatch, 1 to 300 for auto dispatch',
  'CreateManyOrders.orders': 'The orders to create, all or none',
  'CreatedOrders.order_ids': 'The orders that were created, in the order of the request',
  path: 'The place of the fault, such as `orders[0].order_value`',
  pending: 'Orders without an outcome yet',
  permission: 'The actions that the key allows',
  pickup_address: 'The address of the pickup in one line, with its country',
  pickup_at: 'The agreed time of the pickup; null for as soon as possible',
  pickup_eta: 'When the courier is expected at the pickup',
  pickup_name: 'The name of the pickup place',
  pickup_notes: 'Notes for the driver at the pickup',
  pickup_phone_number: 'The phone number of the pickup place in international format',
  pickup_store_id: 'The saved pickup place; null if the order has its own pickup fields',
  pickup_unit: 'Suite or floor of the pickup',
  proof_of_delivery: 'Proofs that the courier took at the dropoff',
  provider: 'The name of the delivery provider',
  public_url: 'Base URL of tracking links',
  quantity: 'How many of the item',
  quote_id: 'The id of the quote; null where none was chosen',
  'DispatchRoute.quote_id': 'The quote to dispatch with, of this route',
  quote_preference: 'How a quote is chosen',
  reason: 'The reason in words for people',
  'CancelDelivery.reason': 'The reason for the cancellation',
  'Dispute.reason': 'The reason for the dispute',
  'Dispute.outcome': 'How it was resolved; null while it is open',
  'Dispute.status': 'Whether the dispute is still open',
  'ListAuditEntries.key_id': 'Only changes made with this key',
  'ListAuditEntries.operation': 'Only changes by this operation, such as CancelDelivery',
  'ListAuditEntries.record_id': 'Only changes of this record',
  'ListDisputes.status': 'Only open, or only resolved disputes',
  'ResolveDispute.outcome': 'How the dispute is resolved',
  'ResolveDispute.note': 'An explanation of the outcome',
  'DisputeDelivery.reason': 'The reason for the dispute',
  reasons: 'Providers that did not quote, each with the reason',
  recorded_at: 'When the driver was at this position',
  request_contactless: 'Whether the items are left at the door',
  request_id: 'The id of the request, to look it up in the log of the service',
  request_signature: 'Whether the recipient has to sign; only couriers that take signatures are asked',
  revoked_at: 'When the key was revoked; null while it is valid',
  route_id: 'The route of the order; null without a route',
  'RouteQuote.route_id': 'The route that the quote is for',
  sequence: 'The number of the event within its delivery; null for other events',
  'ListDeliveries.service': 'Only deliveries of this provider',
  service_time: 'The time of the live mode',
  schema_version: 'The version of the schema of the database',
  worker_silent_ms:
    'Milliseconds since the last progress of the background work; null if this process does none',
  warnings: 'What an operator should look at, although the service takes requests',
  'HealthWarning.code': '`cleaning_postponed`: old data is kept because the clock may be wrong',
  'HealthWarning.message': 'What is wrong, and what to do',
  settings: 'The settings of auto dispatch, with defaults filled in',
  'CreateOrders.settings': 'How the orders are dispatched',
  signature: "The recipient's signature; null where there is none",
  signed_at: 'When it was signed',
  size: 'The size of the item',
  slow_seconds: 'How many seconds later the company answers; null unless it is slow',
  state: 'The state of the courier company',
  status: 'The status of the record',
  'payment_method.status': 'Whether simulated payments succeed',
  'ListOrders.status': 'Only orders with one of these statuses',
  'ListBatches.status': 'Only batches with this status',
  'ListRoutes.status': 'Only routes with this status',
  'ListDeliveries.status': 'Only deliveries with one of these statuses or groups of statuses',
  'ListWebhookEndpoints.status': 'Only endpoints with this status',
  'ListWebhookAttempts.status': 'Only attempts with this status',
  'status_history.status': 'The status that was entered',
  'until.status': 'The status to wait for',
  'TakeStep.status': 'The status that the courier reports',
  'Health.status': 'Always `ok`; otherwise the response is an error',
  status_history: 'Every status that the delivery entered since it was initiated, the earliest first',
  stops: 'The stops in the order in which the driver makes them',
  store_id: 'The saved pickup place, or null',
  subsidy: 'The part of the price that the merchant pays for the recipient, or null',
  test_mode: 'Whether the record belongs to test mode',
  tip_limit: "The largest tip of an order in cents; null: the larger of 10000 and the order's value",
  tip: 'The tip for the driver in cents, or 0',
  token: 'The last part of a tracking link',
  tracking_url:
    'The address of the tracking page for the recipient; empty once the recipient or sender was erased',
  truncated: 'True where texts or lists of the record are cut; absent otherwise',
  type: 'The type of the event',
  'vehicle.type': 'The kind of vehicle',
  'proof_of_delivery.type': 'The kind of proof',
  unfulfilled: 'Orders that no courier company took in their time',
  unit: 'Suite or floor of the pickup place',
  until: 'Until a delivery has a status',
  updated_at: 'When the record last changed',
  upsell: "What is added to the price in the recipient's view; null where there is none",
  url: 'The address that events are sent to',
  'proof_of_delivery.url': 'The URL of the proof',
  value: 'Percent of `payment_amount`, 0 to 100',
  vehicle: 'The vehicle that is needed; empty for any',
  'Delivery.vehicle': 'The vehicle of the driver; null until one is assigned',
  webhook_endpoint_id: 'The endpoint that gets the event; all that ask for its type where absent',
};
