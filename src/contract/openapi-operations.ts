/** The OpenAPI descriptions of the operations, and of the events that the service sends to webhook endpoints. */
import { BatchSummary } from './batches.ts';
import { Delivery } from './deliveries.ts';
import { CourierLocation, Event, SimulatedNotice } from './events.ts';
import { exampleDropoff, exampleIds, examplePickup, examplePush, type Json } from './openapi-examples.ts';
import { isObject, type JsonObject, referenceTo } from './openapi-schemas.ts';
import type { operations } from './operations.ts';
import { Order } from './orders.ts';
import { RouteQuotes } from './routes.ts';
import { type TSchema, Type } from './schema.ts';
import { type EventType, eventTypes } from './vocabulary.ts';

type Verbs = (typeof operations)[keyof typeof operations];
type IdOf<V> = V extends unknown
  ? { [K in keyof V]: V[K] extends { id: infer I extends string } ? I : never }[keyof V]
  : never;
type OperationId = IdOf<Verbs>;

/** More about each operation than its summary says. */
export const operationDescriptions: Readonly<Record<string, string>> = {
  GetAccount:
    'Returns the account, and the mode and the permission of the key. A client learns its mode here.',
  UpdateAccount: 'Changes the settings given. Test and live mode have settings of their own.',
  CreateApiKey: 'Creates a key. The response shows the key itself once; only a hash of it is stored.',
  ListApiKeys: 'Lists the keys of the account, revoked ones included.',
  RevokeApiKey: 'Revokes a key. Requests with it are refused from then on.',
  ListAuditEntries:
    'Lists who changed what: an entry for each request that was carried out with a key of the account in the mode of the key used. Reads, refused requests and repeats leave none. Entries are kept for 400 days.',
  CreateOrders:
    'With `settings.mechanism` `manual`, creates one order and answers with it. With `auto`, accepts 1 to 300 orders, all or none, answers 202 with a batch, and dispatches them in the background.',
  CreateManyOrders:
    'Creates 1 to 300 orders for manual dispatch, all or none: an error names the orders it is about. Returns their IDs in the order of the request.',
  CreateOrder:
    'Creates one order and answers with it, with `latest_delivery` null. The places are own fields, stores, or objects in `pickup` and `dropoff`. Items without a size get the one that the sizes of the parcel say.',
  ListOrders: 'Lists orders, filtered by status, reference, batch and time.',
  GetOrder:
    'Returns one order. `expand=delivery` adds its latest delivery as a version 1 record, `expand=latest_delivery` in the fields of the public platform.',
  UpdateOrder:
    'Changes the agreed time of an order that is not dispatched. The quotes of its draft route go, as they were for another time; an attempt of auto dispatch that is under way begins again. A route of several orders keeps its times: delete it first.',
  CancelOrder:
    'Cancels an order. Where it is dispatched, its delivery is canceled at the price of the courier.',
  DeleteOrder:
    'Cancels an order that is in no route and has no delivery. Its record stays, with the status `canceled`.',
  ListBatches: 'Lists batches without their orders.',
  GetBatch: 'Returns a batch with the outcome of each of its orders so far.',
  CancelBatch: 'Cancels the orders that are still pending. Dispatched orders stay as they are.',
  FindPlaces:
    'Finds addresses as for a single order, by what the geocoder has answered before or answers within two seconds. Nothing but its answers is stored.',
  ListWaitingOrders:
    'Lists the orders of auto dispatch without an outcome yet: since when each waits, why, and when the next attempt starts.',
  ListTries:
    'Lists the attempts of auto dispatch for an order: the provider chosen, and why each other was not.',
  CreateRoute:
    'Creates a draft route of 1 to 25 open orders. With `optimize`, stops are ordered for the shortest way with every pickup before its dropoff.',
  ListRoutes: 'Lists routes, filtered by status.',
  GetRoute: 'Returns one route with its orders and stops.',
  DeleteRoute: 'Deletes a draft route. Its orders are open again.',
  GetRouteQuotes:
    'Starts a job that asks the providers for quotes of a draft route. Read the quotes with `ListRouteQuotes`, or subscribe to `route_quotes.completed`.',
  ListRouteQuotes:
    'Returns the quotes of the latest request. While `status` is `PENDING`, `data` is null; then it is an array, empty if no provider quotes.',
  DispatchRoute:
    'Dispatches a draft route with one of its quotes and charges the price. Where the payment is declined or the provider refuses, the deliveries are `failed` and any payment is refunded.',
  QuoteDelivery: 'Returns a quote of each provider that takes the delivery, within the call.',
  CreateDeliveryInformation:
    'Stores a delivery in status `request`. With `initiate`, a courier is selected and charged at once.',
  ListDeliveries: 'Lists deliveries, filtered by status, reference, provider, phone number, text and time.',
  GetDelivery:
    'Returns one delivery with its costs, driver, proofs and history. Its fields never change; `GetDetailedDelivery` returns more.',
  ListDetailedDeliveries:
    'Lists deliveries with the same filters as `ListDeliveries`: the same records, each with `details`.',
  GetDetailedDelivery: 'Returns the record of `GetDelivery` with `details`, to which fields may be added.',
  InitiateDelivery: 'Selects a courier for a delivery in status `request` and charges the price.',
  EditDelivery: 'Changes notes, units, names and phone numbers of a delivery before its pickup.',
  CancelDelivery: 'Cancels a delivery. `GetCancellation` returns the price without canceling.',
  GetRetryTerms:
    'Asks providers for quotes and returns what a retry costs with the one that is selected, without storing anything.',
  GetCancellation: 'Returns whether the delivery can be canceled, the fee, and the refund.',
  RetryDelivery:
    'Dispatches the order of a failed or canceled delivery again. The response is the new delivery.',
  DisputeDelivery: 'Marks a delivered delivery as disputed.',
  CreateDeliveryNote:
    'Adds a note that only the account sees: couriers, recipients and events do not get it.',
  ListNotes: 'Lists the notes of all deliveries, such as those of a shift, or those with a tag.',
  ListDeliveryNotes: 'Lists the notes that were added to a delivery.',
  UnlockDelivery:
    'Five wrong PINs lock the handover of a delivery of your own fleet. This lifts the lock: the driver may try again, with the same PIN.',
  ReportDelivery:
    'Reports the status of a delivery for a driver of your own fleet whose phone is dead, by the rules of taps on the page: statuses that must have been passed are reported with it. Neither a PIN nor a proof is needed. The note is kept as an internal note of the delivery, with `report` and the status as its tags.',
  ListDisputes: 'Lists the disputes of deliveries, open and resolved ones.',
  GetDispute: 'Returns the dispute of a delivery with its outcome.',
  ResolveDispute:
    'Sets the outcome of an open dispute. With `refunded`, the amount is a new charge of the kind `refund`.',
  GetReport:
    'Counts the deliveries that were created in a period, with their cost and times: all together in `total`, and divided by courier, status, store or own driver in `data`, or by several of them.',
  ListCharges: 'Lists charges and refunds. The rows of a delivery add up to what was paid for it.',
  ListEvents: 'Lists events with the record as it was at the time of each.',
  StreamEvents:
    'Streams events as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). Comments keep the connection open.',
  GetEvent: 'Returns one event.',
  ResendEvent: 'Sends an event again, whether it was received before or not.',
  CreateWebhookEndpoint:
    'Creates an endpoint that events are sent to. The response shows its secret once; verify signatures with it.',
  ListWebhookEndpoints: 'Lists webhook endpoints of the mode of the key.',
  GetWebhookEndpoint: 'Returns one webhook endpoint with the number of its waiting events.',
  UpdateWebhookEndpoint:
    'Changes the URL, the types of events, the description or the status of an endpoint.',
  DeleteWebhookEndpoint: 'Deletes an endpoint. Events that wait for it are not sent.',
  RotateWebhookSecret:
    'Creates a new secret and shows it once. Requests carry signatures with both secrets for 24 hours.',
  TestWebhookEndpoint: 'Sends a test event and returns what the endpoint answered.',
  ListWebhookAttempts: 'Lists attempts to send events to an endpoint, with status codes and responses.',
  CreateStore: 'Saves a pickup place. Orders name it in `pickup_store_id` instead of the pickup fields.',
  ListStores: 'Lists saved pickup places.',
  GetStore: 'Returns one saved pickup place.',
  UpdateStore: 'Changes the fields given of a saved pickup place.',
  DeleteStore: 'Deletes a saved pickup place. Orders that were created with it keep its fields.',
  ListCouriers:
    'Lists the couriers that can be connected, what each can do, which settings it takes, and whether it is connected in the mode of the key. Secrets are never returned.',
  ConnectCourier:
    'Stores the settings of a courier after a call to the courier has shown that they work and are for the mode of the key. Secrets are encrypted. Enter `push_url` at the courier, so that it can report.',
  CheckCourier: 'Calls the courier with the stored settings, without changing anything there.',
  EnableCourier: 'Lets a disabled courier quote again.',
  DisableCourier: 'Requests no more quotes from the courier. Its deliveries under way continue.',
  RemoveCourier:
    'Deletes the settings of the courier. While its deliveries are under way that is refused without `force`: they would no longer be followed, and could not be canceled.',
  CreateDriver:
    "Adds a driver of your own. The response shows the link of the driver's page once; only a hash of it is stored.",
  ListDrivers: 'Lists your own drivers, with their stops and last positions.',
  GetDriver: 'Returns one driver.',
  UpdateDriver:
    'Changes the fields given of a driver. With `assign_without_asking` the driver gets deliveries without an offer.',
  RenewDriverLink:
    "Creates a new link of the driver's page and shows it once. The old link stops working at once.",
  DeleteDriver: 'Removes a driver who has no stops left. Deliveries keep the name and the phone number.',
  AssignDelivery:
    'Gives a route of the fleet to a driver without asking, or takes it from another one. What is picked up by then keeps its status, PIN, charges and tracking link: only the driver and the expected time change.',
  ShowDriverPage: "Returns the driver's page as HTML. The token is the secret; no key is needed.",
  SendTaps:
    'Applies what was tapped, each tap once by its id. The token is the secret; no key is needed. Limited to sixty requests in a minute.',
  SubscribeDriver:
    "Returns the service's key for Web Push, and stores the subscription that the phone's browser made with it. The token is the secret; no key is needed.",
  ShowDriverManifest: "Returns the manifest that makes the driver's page installable.",
  ShowDriverWorker: "Returns the service worker of the driver's page.",
  ShowProofPicture: 'Returns a picture of a proof of delivery. The token is the secret; no key is needed.',
  ShowMapScript: 'Returns Leaflet, which pages load if the operator has set a tile server.',
  ShowMapStyle: 'Returns the style of Leaflet, which pages load if the operator has set a tile server.',
  ShowBoard: "Returns the dispatcher's board as HTML. The page asks for an API key and reads with it.",
  GetClock: 'Returns the time of test mode and when the next task is due.',
  SetClock: 'Sets whether the time of test mode is real, scaled or moved by hand.',
  AdvanceClock:
    'Moves the time of test mode forward. Everything that becomes due is done at its time, in order.',
  ListScenarios: 'Lists the scenarios that the simulated couriers can follow.',
  GetSandboxSettings: 'Returns the scenario of orders that name none.',
  UpdateSandboxSettings: 'Sets the scenario of orders that name none.',
  ListSteps: 'Lists the statuses that the simulated courier can report next.',
  TakeStep: 'Makes the simulated courier report a status now.',
  GetSandboxProvider: 'Returns the state of a simulated courier company.',
  UpdateSandboxProvider: 'Makes a simulated courier company fail, slow down or recover.',
  ResetSandbox: 'Deletes all test records of the account and restarts its random streams from a seed.',
  ListFailedTasks: 'Lists background tasks that the service gave up.',
  RetryFailedTask: 'Schedules a failed background task again.',
  DismissFailedTask: 'Deletes a failed background task.',
  ShowTracking: 'Returns the tracking page as HTML. The token is the secret; no key is needed.',
  UpdateTracking:
    'Changes the notes for the courier until the pickup. The token is the secret; no key is needed. Limited to ten changes in ten minutes.',
  GetDescription: 'Returns this document. No key is needed.',
  GetLiveness: 'Returns `ok` while the process runs, also if its database is unavailable. No key is needed.',
  GetHealth:
    'Returns `ok` if the service can take requests: its database answers and is migrated, its background work makes progress, and it is not shutting down. Also at `/health/ready`. No key is needed.',
} satisfies Record<OperationId, string>;

const order = {
  pickup_address: examplePickup,
  pickup_name: 'Ohio Street Grill',
  pickup_phone_number: '+13125550100',
  dropoff_address: exampleDropoff,
  dropoff_name: 'Joe Diner',
  dropoff_phone_number: '+13125550142',
  items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
  external_order_ref: '1042',
};

/** A whole request body for each operation that takes one. */
export const requestExamples: Readonly<Record<string, Json>> = {
  UpdateAccount: { upsell: { kind: 'percent', value: 10 }, subsidy: null },
  CreateApiKey: { permission: 'write', name: 'Point of sale' },
  CreateOrders: {
    orders: [order],
    settings: { mechanism: 'auto', quote_preference: 'cheapest', max_cost: 2000 },
  },
  CreateManyOrders: { orders: [order] },
  CreateOrder: {
    external_order_ref: '1042',
    items: [{ name: 'Roses', quantity: 2, unit_price: 5000 }],
    length: 10,
    width: 9,
    height: 7,
    dimension_unit: 'in',
    weight: 2,
    weight_unit: 'lb',
    pickup: { name: 'Ohio Street Grill', phone_number: '+13125550100', address: examplePickup },
    dropoff: { name: 'Joe Diner', phone_number: '+13125550142', address: exampleDropoff },
  },
  FindPlaces: { addresses: [exampleDropoff] },
  CreateRoute: { order_ids: [exampleIds.ord], optimize: true },
  DispatchRoute: { quote_id: exampleIds.rq, tip: 300 },
  QuoteDelivery: { pickup_address: examplePickup, dropoff_address: exampleDropoff, items: order.items },
  CreateDeliveryInformation: { ...order, tip: 300, initiate: false },
  InitiateDelivery: { quote_id: exampleIds.quo },
  EditDelivery: { dropoff_unit: 'Apt 4', dropoff_notes: 'Ring twice' },
  CancelDelivery: { reason: 'The customer changed their mind.' },
  UpdateOrder: { dropoff_at: '2026-03-02T20:00:00.000Z' },
  CancelOrder: { if_status: 'open' },
  UnlockDelivery: { if_status: 'enroute_dropoff' },
  CreateDeliveryNote: { text: 'Called at 6 pm, nobody answered', tags: ['callback'] },
  RetryDelivery: { quote_preference: 'fastest' },
  DisputeDelivery: { reason: 'The recipient has received nothing.' },
  ResolveDispute: { outcome: 'refunded', amount: 500, note: 'Half of it was missing.' },
  ResendEvent: { webhook_endpoint_id: exampleIds.whe },
  CreateWebhookEndpoint: {
    url: 'https://shop.example/hooks',
    events: ['delivery.updated'],
    description: 'Kitchen display',
  },
  UpdateWebhookEndpoint: { events: ['*'], status: 'enabled' },
  CreateStore: {
    name: 'Ohio Street Grill',
    address: examplePickup,
    phone_number: '+13125550100',
    notes: 'Back door',
  },
  UpdateStore: { notes: 'Back door' },
  SubscribeDriver: { subscription: examplePush },
  UpdateDriver: { assign_without_asking: true },
  GetRouteQuotes: { driver_id: exampleIds.drv },
  ConnectCourier: {
    settings: { customer_id: '2d3c1c0e', client_id: 'vN7q', client_secret: 'k3yRing' },
  },
  AssignDelivery: { delivery_id: exampleIds.dlv },
  ReportDelivery: { status: 'delivered', note: 'Sam called from the door: his phone is dead' },
  SendTaps: {
    sent_at: '2026-03-02T12:00:05.000Z',
    taps: [{ id: 'tap-1', kind: 'deliver', at: '2026-03-02T12:00:00.000Z', delivery_ids: [exampleIds.dlv] }],
    position: { lat: 41.8925, lng: -87.6262, at: '2026-03-02T12:00:00.000Z' },
  },
  CreateDriver: { name: 'Sam Lee', phone_number: '+13125550133', vehicle_type: 'car' },
  UpdateTracking: { dropoff_notes: 'Ring twice' },
  SetClock: { mode: 'scaled', rate: 60 },
  AdvanceClock: { by: 600 },
  UpdateSandboxSettings: { default_scenario: 'happy_path' },
  TakeStep: { status: 'driver_assigned' },
  UpdateSandboxProvider: { state: 'slow', slow_seconds: 30, for_seconds: 1800 },
  ResetSandbox: { seed: 'demo' },
} satisfies Partial<Record<OperationId, Json>>;

interface EventFacts {
  /** The schema of the event. */
  title: string;
  /** The record that it carries as its data. */
  record: TSchema;
  when: string;
}

const eventFacts: Record<EventType, EventFacts> = {
  'route_quotes.completed': {
    title: 'RouteQuotesCompletedEvent',
    record: RouteQuotes,
    when: 'The quotes of a route are complete',
  },
  'order.dispatched': { title: 'OrderDispatchedEvent', record: Order, when: 'A courier accepted an order' },
  'order.unfulfilled': {
    title: 'OrderUnfulfilledEvent',
    record: Order,
    when: 'No courier accepted an order before its deadline',
  },
  'order.failed': { title: 'OrderFailedEvent', record: Order, when: 'The last delivery of an order failed' },
  'order.canceled': { title: 'OrderCanceledEvent', record: Order, when: 'An order was canceled' },
  'batch.completed': {
    title: 'BatchCompletedEvent',
    record: BatchSummary,
    when: 'No order of a batch is pending anymore',
  },
  'delivery.created': { title: 'DeliveryCreatedEvent', record: Delivery, when: 'A delivery was created' },
  'delivery.updated': { title: 'DeliveryUpdatedEvent', record: Delivery, when: 'A delivery has changed' },
  'delivery.location_updated': {
    title: 'DeliveryLocationUpdatedEvent',
    record: CourierLocation,
    when: 'The position of a courier has changed; sent only where its type is named',
  },
  'notice.simulated': {
    title: 'NoticeSimulatedEvent',
    record: SimulatedNotice,
    when: 'Test mode did not send a notice to the recipient',
  },
  'webhook.test': {
    title: 'WebhookTestEvent',
    record: Type.Object({}),
    when: 'A test of an endpoint, sent to that endpoint alone',
  },
};

/**
 * Describes events: a schema for each type by its title, and `Event`, their union with `type` as the discriminator.
 * `refer` adds a schema to the components and returns a reference to it.
 */
export function describeEvents(refer: (schema: object) => Json): Record<string, Json> {
  // Without its title, which is that of the union.
  const base = refer(Type.Object(Event.properties));
  const variants = eventTypes.map((type) => [eventFacts[type].title, variantOf(type, base, refer)] as const);
  const union = {
    description: 'A change, with the record as it was at that moment. `type` says which record `data` is.',
    oneOf: variants.map(([title]) => referenceTo(title)),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(eventTypes.map((type) => [type, referenceTo(eventFacts[type].title).$ref])),
    },
  };
  return { ...Object.fromEntries(variants), Event: union };
}

function variantOf(type: EventType, base: Json, refer: (schema: object) => Json): Json {
  const { title, record, when } = eventFacts[type];
  if (!isObject(base) || !isObject(base.properties) || !isObject(base.properties.data)) return base;
  const { additionalProperties: _, ...data } = base.properties.data;
  const whole = { ...data, allOf: [refer(record)] };
  const { details, ...common } = base.properties;
  const isDetailed = record === Delivery && details !== undefined;
  const required = Array.isArray(base.required) ? base.required : [];
  const properties = {
    ...common,
    type: { type: 'string', const: type, description: 'The type of the event', examples: [type] },
    data: type === 'webhook.test' ? { ...data, additionalProperties: true } : whole,
    ...(isDetailed ? { details } : {}),
  };
  return {
    ...base,
    title,
    description: when,
    properties,
    required: isDetailed ? [...required, 'details'] : required,
  };
}

/** The requests to webhook endpoints, one for each type of event. `exampleOf` makes the example of a schema. */
export function describeWebhooks(exampleOf: (title: string) => Json): JsonObject {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOf(type, exampleOf) }]));
}

function webhookOf(type: EventType, exampleOf: (title: string) => Json): JsonObject {
  const { title, when } = eventFacts[type];
  const content = { 'application/json': { schema: referenceTo(title), example: exampleOf(title) } };
  return {
    operationId: `Receive${title}`,
    summary: when,
    description: `${when}. The request is signed as Standard Webhooks describes; verify it before use.`,
    tags: ['Webhooks'],
    security: [],
    parameters: webhookParameters.map(({ name }) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { description: 'The event', required: true, content },
    responses: Object.fromEntries(
      Object.keys(webhookResponses).map((status) => [
        status,
        { $ref: `#/components/responses/Webhook.${status}` },
      ]),
    ),
  };
}

/** The headers of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, the specification). */
export const webhookParameters = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event, the same at each attempt: a receiver handles each id once',
    schema: { type: 'string', examples: [exampleIds.evt] },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was signed, in Unix seconds',
    schema: { type: 'integer', examples: [1772452800] },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      'Signatures of id, timestamp and body, space-separated; more than one during a secret rotation',
    schema: { type: 'string', examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] },
  },
];

/** Responses of an endpoint and what follows from each. */
export const webhookResponses = {
  '2XX': { description: 'Received, within 15 s: it is not sent again' },
  '410': { description: 'The endpoint is gone: it is disabled and receives nothing more' },
  default: {
    description:
      'Any other response, a redirect included: it is sent again for 75 h, and can be resent after that',
    headers: {
      'retry-after': {
        description: 'When to retry, in seconds or as a date',
        schema: { type: 'string', examples: ['30'] },
      },
    },
  },
};
