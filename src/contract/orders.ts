/** Orders: their fields in requests, the record, and the operations on them. */
import { AcceptedBatch } from './batches.ts';
import { Delivery, dueAndDelivered, searchText } from './deliveries.ts';
import { defineOperation } from './operation.ts';
import { batchRule, orderRules, settingsRules, sizeRule } from './order-rules.ts';
import {
  DropoffStop,
  LatestDelivery,
  PickupStop,
  platformItemFields,
  platformOrderFields,
  singleOrderRules,
} from './platform-fields.ts';
import {
  Cents,
  Count,
  createdBetween,
  Deleted,
  Email,
  Exact,
  Id,
  Instant,
  Latitude,
  ListOf,
  Longitude,
  Nullable,
  orderCoordinates,
  paging,
  Reference,
  requiredUnless,
  Several,
  type Static,
  Text,
  Type,
  Words,
} from './schema.ts';
import {
  autoPreferences,
  deliveryStatuses,
  itemSizes,
  max_notes,
  max_request_orders,
  mechanisms,
  orderStatuses,
  undeliverableActions,
  vehicleTypes,
} from './vocabulary.ts';

const itemFields = {
  name: Words(200),
  quantity: Type.Optional(Count({ minimum: 1, maximum: 999, default: 1 })),
  size: Type.Optional(
    Text(30, {
      default: 'small',
      description: `One of ${itemSizes.join(', ')}, case-insensitive; s, m, l, xl, xlarge and extra-large are accepted too`,
    }),
  ),
};
const ItemRequest = Exact(itemFields, { rules: [sizeRule] });

/** The items of requests that may come from programs for the public platform. */
const platformItems = Type.Optional(
  Type.Array(Exact({ ...itemFields, ...platformItemFields }, { rules: [sizeRule] }), { maxItems: 50 }),
);

export const addressLine =
  'One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used';
/** The longest text with a phone number: with an extension or a second number. */
export const max_phone_length = 100;
export const phoneFormat =
  'A US number as people write it, or international with a plus sign; what stands beside it, such as an extension, is added to the notes';

export const undeliverable =
  'What the courier does with a parcel that it cannot hand over. `return`: it brings it back to the pickup, and may ' +
  'charge for the way. `leave_at_door`, `discard`: only of couriers that offer it; own drivers and simulated couriers ' +
  'bring it back';

export const givenLatitude =
  'Given together with the longitude, at most 25 miles from the centre of the ZIP code; default: found by the address';

/** The request fields of an order; version 1 deliveries take the same ones. */
export const orderRequestFields = {
  pickup_store_id: Type.Optional(
    Words(100, { description: 'A store to pick up from, instead of the pickup fields' }),
  ),
  pickup_address: Type.Optional(Words(200, { description: `${addressLine}; required without a store` })),
  pickup_latitude: Type.Optional(Latitude(givenLatitude)),
  pickup_longitude: Type.Optional(Longitude()),
  pickup_name: Type.Optional(Words(200, { description: 'Required without a store' })),
  pickup_phone_number: Type.Optional(
    Words(max_phone_length, { description: `${phoneFormat}; required without a store` }),
  ),
  pickup_unit: Type.Optional(Text(200)),
  pickup_notes: Type.Optional(Text(max_notes)),
  pickup_at: Type.Optional(Instant('Schedules the delivery; cannot be combined with dropoff_at')),
  dropoff_address: Words(200, { description: addressLine }),
  dropoff_latitude: Type.Optional(Latitude(givenLatitude)),
  dropoff_longitude: Type.Optional(Longitude()),
  dropoff_name: Words(200),
  dropoff_phone_number: Words(max_phone_length, { description: phoneFormat }),
  dropoff_email: Type.Optional(
    Email({ description: 'Where the recipient gets notices, if the account sends any' }),
  ),
  dropoff_unit: Type.Optional(Text(200)),
  dropoff_notes: Type.Optional(Text(max_notes)),
  dropoff_at: Type.Optional(Instant('Schedules the delivery; cannot be combined with pickup_at')),
  items: Type.Optional(Type.Array(ItemRequest, { maxItems: 50 })),
  items_description: Type.Optional(Text(500)),
  external_order_ref: Type.Optional(Text(155)),
  order_value: Type.Optional(Cents('Value of the order, in cents')),
  tip: Type.Optional(Cents('Tip for the driver, in cents')),
  request_signature: Type.Optional(Type.Boolean()),
  request_contactless: Type.Optional(Type.Boolean()),
  vehicle: Type.Optional(Type.Enum(vehicleTypes)),
  undeliverable_action: Type.Optional(
    Type.Enum(undeliverableActions, {
      description: `${undeliverable}. Default: that of the store, otherwise \`return\``,
    }),
  ),
};

/** Whether the references of the request must be free. */
export const uniqueRef = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Refuse a reference that is in use, or that the request has twice, with `duplicate_ref`. A reference is in use for ' +
      '30 days, unless its order is canceled, failed or unfulfilled. Checked in the transaction that creates',
  }),
);

/** The pickup's own fields are required, unless a saved place stands for them. */
const pickupOrStore = {
  description:
    'Requires `pickup_address`, `pickup_name` and `pickup_phone_number`, or `pickup_store_id` instead of them',
  ...requiredUnless('pickup_store_id', ['pickup_address', 'pickup_name', 'pickup_phone_number']),
};

export const OrderRequest = Exact(orderRequestFields, {
  title: 'OrderRequest',
  ...pickupOrStore,
  rules: orderRules,
});
export type OrderRequest = Static<typeof OrderRequest>;

export const Item = Type.Object({
  name: Type.String(),
  quantity: Type.Integer(),
  size: Type.Enum(itemSizes),
});
export type Item = Static<typeof Item>;

export const Order = Type.Object(
  {
    id: Id('ord'),
    object: Type.Literal('order'),
    status: Type.Enum(orderStatuses),
    batch_id: Nullable(Type.String()),
    route_id: Nullable(Type.String()),
    delivery_id: Nullable(Type.String({ description: 'The latest delivery of this order' })),
    pickup_address: Type.String(),
    pickup_name: Type.String(),
    pickup_phone_number: Type.String(),
    pickup_unit: Type.String(),
    pickup_notes: Type.String(),
    pickup_at: Nullable(Instant()),
    pickup_store_id: Nullable(Type.String()),
    dropoff_address: Type.String(),
    ...orderCoordinates,
    dropoff_name: Type.String(),
    dropoff_phone_number: Type.String(),
    dropoff_email: Type.Optional(Type.String()),
    dropoff_unit: Type.String(),
    dropoff_notes: Type.String(),
    dropoff_at: Nullable(Instant()),
    items: Type.Array(Item),
    items_description: Type.String(),
    external_order_ref: Type.String(),
    order_value: Type.Integer(),
    tip: Type.Integer(),
    request_signature: Type.Boolean(),
    request_contactless: Type.Boolean(),
    vehicle: Type.Enum([...vehicleTypes, '']),
    undeliverable_action: Type.Enum(undeliverableActions, { description: undeliverable }),
    test_mode: Type.Boolean(),
    created_at: Instant(),
    updated_at: Instant(),
    delivery: Type.Optional(Nullable(Delivery)),
    latest_delivery: Type.Optional(Nullable(LatestDelivery)),
    delivery_status: Type.Optional(
      Nullable(
        Type.Enum(deliveryStatuses, {
          description:
            'The status of its latest delivery, null without one; only in lists with `expand=deliveries`',
        }),
      ),
    ),
    delivery_count: Type.Optional(
      Type.Integer({ description: 'How many deliveries it has had; only in lists with `expand=deliveries`' }),
    ),
    total_cost: Type.Optional(
      Type.Integer({
        description:
          'What all its deliveries cost in cents, less refunds; only in lists with `expand=deliveries`',
      }),
    ),
    matched: Type.Optional(
      Type.String({
        description: 'The fields that `q` matched, such as `dropoff name`; only in searched lists',
      }),
    ),
  },
  { title: 'Order', description: 'An order of a merchant' },
);
export type Order = Static<typeof Order>;

const seconds = (minimum: number, maximum: number, preset: number) =>
  Type.Integer({ minimum, maximum, default: preset, description: 'Seconds' });

/** How the orders of a request are dispatched; all fields but `mechanism` apply to auto dispatch only. */
export const OrderSettings = Exact(
  {
    mechanism: Type.Optional(Type.Enum(mechanisms, { default: 'manual' })),
    quote_preference: Type.Optional(Type.Enum(autoPreferences, { default: 'cheapest' })),
    providers: Type.Optional(
      Type.Array(Words(50), {
        minItems: 1,
        maxItems: 20,
        uniqueItems: true,
        description:
          'Providers to ask for quotes, in order of preference; default: all available to the account',
      }),
    ),
    max_cost: Type.Optional(
      Cents('Maximum of cost_of_delivery plus service_fee, in cents; quotes above it are not selected'),
    ),
    retry_window: Type.Optional(seconds(0, 86_400, 1800)),
    retry_interval: Type.Optional(seconds(10, 3600, 300)),
  },
  { rules: settingsRules },
);
export type OrderSettings = Static<typeof OrderSettings>;

/** Whether a dispatch is refused if another order with the reference of one of its orders was sent before. */
export const sentOnce = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Refuse with `duplicate_ref` if another order of the last 30 days has the reference of one of these and is dispatched, or pending in a batch. Checked in the transaction that dispatches',
  }),
);

const orderParams = Exact({ order_id: Id('ord') });

const creationErrors = [
  'record_not_found',
  'address_not_geocodable',
  'duplicate_ref',
  'simulation_not_allowed',
  'simulation_unknown',
] as const;

export const createOrders = defineOperation({
  id: 'CreateOrders',
  method: 'POST',
  path: '/orders/create',
  aliases: ['/v2/orders/create'],
  summary: `Create orders: one for manual dispatch, 1 to ${max_request_orders} for auto dispatch`,
  tag: 'Orders',
  permission: 'write',
  body: Exact(
    {
      orders: Type.Array(OrderRequest, { minItems: 1, maxItems: max_request_orders }),
      settings: Type.Optional(OrderSettings),
      unique_ref: uniqueRef,
    },
    { rules: [batchRule] },
  ),
  answer: Order,
  accepted: { schema: AcceptedBatch, object: 'batch', when: 'settings.mechanism is auto' },
  errors: [...creationErrors, 'limit_reached'],
  body_limit: 8 * 1024 * 1024,
  acts_after_commit: true,
});

/** The fields of one order, which has its own or those of the public platform. */
export const singleOrderFields = {
  ...orderRequestFields,
  dropoff_address: Type.Optional(orderRequestFields.dropoff_address),
  dropoff_name: Type.Optional(orderRequestFields.dropoff_name),
  dropoff_phone_number: Type.Optional(orderRequestFields.dropoff_phone_number),
  ...platformOrderFields,
  items: platformItems,
};

/** One order with its fields as own fields, or its ends as objects. */
const SingleOrder = Exact(
  {
    ...singleOrderFields,
    pickup: Type.Optional(PickupStop),
    dropoff: Type.Optional(DropoffStop),
    unique_ref: uniqueRef,
  },
  { title: 'SingleOrderRequest', rules: singleOrderRules },
);

export const createOrder = defineOperation({
  id: 'CreateOrder',
  method: 'POST',
  path: '/v2/orders',
  aliases: ['/v1/orders'],
  summary: 'Create one order for manual dispatch, also as programs for the public platform send it',
  tag: 'Orders',
  permission: 'write',
  body: SingleOrder,
  answer: Order,
  errors: creationErrors,
  acts_after_commit: true,
});

/** The response for several orders: their IDs only, as the caller has their fields. */
const CreatedOrders = Type.Object(
  {
    object: Type.Literal('created_orders'),
    order_ids: Type.Array(Id('ord')),
    test_mode: Type.Boolean(),
  },
  { title: 'CreatedOrders' },
);

export const createManyOrders = defineOperation({
  id: 'CreateManyOrders',
  method: 'POST',
  path: '/v2/orders/bulk',
  summary: `Create up to ${max_request_orders} orders for manual dispatch`,
  tag: 'Orders',
  permission: 'write',
  body: Exact({
    orders: Type.Array(OrderRequest, { minItems: 1, maxItems: max_request_orders }),
    unique_ref: uniqueRef,
  }),
  answer: CreatedOrders,
  errors: creationErrors,
  body_limit: 8 * 1024 * 1024,
  acts_after_commit: true,
});

export const listOrders = defineOperation({
  id: 'ListOrders',
  method: 'GET',
  path: '/v2/orders',
  summary: 'List orders, newest first',
  tag: 'Orders',
  permission: 'read',
  query: Exact({
    status: Type.Optional(Several(orderStatuses)),
    external_order_ref: Type.Optional(Text(155)),
    batch_id: Type.Optional(Reference()),
    q: searchText,
    store_id: Type.Optional(Reference()),
    expand: Type.Optional(Type.Enum(['deliveries'])),
    ...dueAndDelivered,
    ...createdBetween,
    ...paging,
  }),
  answer: ListOf(Order),
});

export const getOrder = defineOperation({
  id: 'GetOrder',
  method: 'GET',
  path: '/v2/orders/{order_id}',
  summary: 'Get an order',
  tag: 'Orders',
  permission: 'read',
  params: orderParams,
  query: Exact({ expand: Type.Optional(Type.Enum(['delivery', 'latest_delivery'])) }),
  answer: Order,
  errors: ['record_not_found'],
});

export const updateOrder = defineOperation({
  id: 'UpdateOrder',
  method: 'PATCH',
  path: '/v2/orders/{order_id}',
  summary: 'Change the time of an order that is not dispatched',
  tag: 'Orders',
  permission: 'write',
  params: orderParams,
  body: Exact(
    {
      pickup_at: Type.Optional(Instant('Replaces the agreed time of the order')),
      dropoff_at: Type.Optional(Instant('Replaces the agreed time of the order')),
    },
    { minProperties: 1, rules: [{ one: ['pickup_at', 'dropoff_at'] }] },
  ),
  answer: Order,
  errors: ['record_not_found', 'order_not_open'],
});

export const cancelOrder = defineOperation({
  id: 'CancelOrder',
  method: 'POST',
  path: '/v2/orders/{order_id}/cancel',
  summary: 'Cancel an order; if it is dispatched, its delivery is canceled',
  tag: 'Orders',
  permission: 'write',
  params: orderParams,
  body: Exact({
    if_status: Type.Optional(
      Type.Enum(orderStatuses, {
        description:
          'The status that it had when you looked: in another one now, the cancellation is refused with `record_changed`',
      }),
    ),
  }),
  answer: Order,
  errors: ['record_not_found', 'record_changed', 'order_not_open', 'delivery_not_cancelable'],
});

export const deleteOrder = defineOperation({
  id: 'DeleteOrder',
  method: 'DELETE',
  path: '/v2/orders/{order_id}',
  summary: 'Cancel an order that is not dispatched',
  tag: 'Orders',
  permission: 'write',
  params: orderParams,
  answer: Deleted({ id: Id('ord') }, 'order', 'DeletedOrder'),
  errors: ['record_not_found', 'order_not_open'],
});

/** An order without an outcome yet in auto dispatch. */
export const WaitingOrder = Type.Object(
  {
    object: Type.Literal('waiting_order'),
    order: Order,
    attempts: Count({ description: 'Number of attempts started' }),
    waiting_since: Instant('When auto dispatch accepted the order'),
    next_attempt_at: Nullable(Instant('When the next attempt starts; null during an attempt')),
    retry_until: Instant('No attempt starts after this time'),
    reason: Type.String({ description: 'Why the last attempt failed; empty if none has' }),
  },
  { title: 'WaitingOrder' },
);
export type WaitingOrder = Static<typeof WaitingOrder>;

export const listWaitingOrders = defineOperation({
  id: 'ListWaitingOrders',
  method: 'GET',
  path: '/v2/waiting_orders',
  summary: 'List the orders that auto dispatch has found no courier for yet, newest first',
  tag: 'Batches',
  permission: 'read',
  query: Exact(paging),
  answer: ListOf(WaitingOrder),
});
