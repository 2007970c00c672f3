/** Routes, the quotes of providers for them, and their dispatch with one of the quotes. */
import { Delivery } from './deliveries.ts';
import { defineOperation } from './operation.ts';
import { sentOnce } from './orders.ts';
import { platformQuoteFields } from './platform-fields.ts';
import {
  Cents,
  Deleted,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  PlacePrecision,
  paging,
  Reference,
  Several,
  type Static,
  Type,
} from './schema.ts';
import { coarsePrecisions, max_route_orders, routeStatuses } from './vocabulary.ts';

export const Stop = Type.Object({
  sequence: Type.Integer({ description: 'Position in the order of driving, from 1' }),
  kind: Type.Enum(['pickup', 'dropoff']),
  order_ids: Type.Array(Type.String()),
  address: Type.String(),
  lat: Type.Number({ description: 'As precise as the place of the order, as is the longitude' }),
  lng: Type.Number(),
  precision: PlacePrecision(),
  leg_miles: Type.Number({ description: 'Road miles from the previous stop; 0 for the first' }),
});
export type Stop = Static<typeof Stop>;

const routeFields = {
  id: Id('rte'),
  object: Type.Literal('route'),
  status: Type.Enum(routeStatuses),
  order_ids: Type.Array(Type.String()),
  stops: Type.Array(Stop),
  distance_miles: Type.Number(),
  test_mode: Type.Boolean(),
  created_at: Instant(),
  updated_at: Instant(),
};

export const Route = Type.Object(routeFields, { title: 'Route' });
export type Route = Static<typeof Route>;

const routeParams = Exact({ route_id: Id('rte') });

export const createRoute = defineOperation({
  id: 'CreateRoute',
  method: 'POST',
  path: '/v2/routes',
  summary: 'Create a draft route from orders',
  tag: 'Routes',
  permission: 'write',
  body: Exact({
    order_ids: Type.Array(Reference(), { minItems: 1, maxItems: max_route_orders, uniqueItems: true }),
    optimize: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Put the stops in the shortest order, with every pickup before its dropoff',
      }),
    ),
  }),
  answer: Route,
  errors: ['record_not_found', 'order_not_open'],
  acts_after_commit: true,
});

export const listRoutes = defineOperation({
  id: 'ListRoutes',
  method: 'GET',
  path: '/v2/routes',
  summary: 'List routes, newest first',
  tag: 'Routes',
  permission: 'read',
  query: Exact({ status: Type.Optional(Several(routeStatuses)), ...paging }),
  answer: ListOf(Route),
});

export const getRoute = defineOperation({
  id: 'GetRoute',
  method: 'GET',
  path: '/v2/routes/{route_id}',
  summary: 'Get a route with its stops',
  tag: 'Routes',
  permission: 'read',
  params: routeParams,
  answer: Route,
  errors: ['record_not_found', 'route_api_key_test_mode_mismatch'],
});

export const deleteRoute = defineOperation({
  id: 'DeleteRoute',
  method: 'DELETE',
  path: '/v2/routes/{route_id}',
  summary: 'Delete a draft route; its orders become open again',
  tag: 'Routes',
  permission: 'write',
  params: routeParams,
  answer: Deleted({ id: Type.String() }, 'route', 'DeletedRoute'),
  errors: ['record_not_found', 'route_api_key_test_mode_mismatch', 'route_not_draft', 'order_not_open'],
});

export const Job = Type.Object(
  { job_id: Id('job'), object: Type.Literal('job') },
  { title: 'Job', description: 'The asynchronous job that collects the quotes' },
);
export type Job = Static<typeof Job>;

const ifAvailable = (description: string) => Type.Optional(Type.String({ description }));

/** Whether a quote keeps the agreed time. */
export const tooLate = Type.Optional(
  Type.Boolean({
    description:
      'True if the quote cannot keep the agreed time: its `dropoff_eta` is after `dropoff_at`, or its `pickup_eta` more than five ' +
      'minutes after `pickup_at`, of an order. Absent otherwise. Auto dispatch passes over such a quote while another ' +
      'keeps the time, and takes the earliest if none does; a dispatch takes the quote that it names',
  }),
);

export const RouteQuote = Type.Object(
  {
    id: Id('rq'),
    object: Type.Literal('route_quote'),
    cost_of_delivery: Cents('Delivery cost in cents'),
    service_fee: Cents(
      'Service fee in cents: 30 cents and 2.9 % of cost_of_delivery for simulated couriers, 0 for connected couriers ' +
        'and own drivers',
    ),
    fee: Type.Optional(
      Cents('The whole price, as the `fee` of a delivery: cost_of_delivery and service_fee, in cents'),
    ),
    provider: Type.String(),
    account_id: Type.String(),
    route_id: Type.String(),
    courier_name: ifAvailable("Assigned driver's name"),
    courier_image: ifAvailable('URL of the driver image'),
    pickup_time: Type.Optional(Instant('When the courier would pick up')),
    vehicle_id: ifAvailable("The courier's vehicle"),
    separate_deliveries: Type.Optional(
      Type.Integer({
        description:
          'How many deliveries the courier makes of the route, each with a driver and a price of its own; absent if it is one run',
      }),
    ),
    too_late: tooLate,
    eta_precision: Type.Optional(
      Nullable(
        Type.Enum(coarsePrecisions, {
          description:
            'Own drivers only: how coarse the places are that the expected times rest on: while it is `street` or `zip`, ' +
            'show people a window instead of a minute. Null if the houses are known; absent for couriers of companies',
        }),
      ),
    ),
    expires_at: Nullable(Instant()),
    currency: Type.Literal('USD'),
    pickup_eta: Instant(),
    dropoff_eta: Instant('When the last recipient is expected to receive the delivery'),
    created_at: Instant(),
  },
  { title: 'RouteQuote' },
);
export type RouteQuote = Static<typeof RouteQuote>;

export const Decline = Type.Object(
  { provider: Type.String(), code: Type.String(), reason: Type.String() },
  { title: 'Decline', description: 'Why a provider did not quote' },
);
export type Decline = Static<typeof Decline>;

export const RouteQuotes = Type.Object(
  {
    object: Type.Literal('route_quotes'),
    status: Type.Enum(['PENDING', 'COMPLETE']),
    data: Nullable(Type.Array(RouteQuote)),
    reasons: Type.Optional(Type.Array(Decline)),
    requested: Type.Optional(
      Type.Boolean({ description: 'False if they are pending as none were requested yet' }),
    ),
    route_id: Type.Optional(Type.String({ description: 'The route of the quotes; in events only' })),
  },
  { title: 'RouteQuotes' },
);
export type RouteQuotes = Static<typeof RouteQuotes>;

const quoteErrors = ['record_not_found', 'route_api_key_test_mode_mismatch'] as const;

export const requestQuotes = defineOperation({
  id: 'GetRouteQuotes',
  method: 'POST',
  path: '/v2/routes/{route_id}/quotes',
  summary: 'Request quotes from the providers; a second request starts a new round',
  tag: 'Quotes',
  permission: 'write',
  params: routeParams,
  body: Exact({
    driver_id: Type.Optional(
      Reference({
        description:
          'A driver of your own: only the own fleet is asked, and quotes as if this driver took the route, on duty or not',
      }),
    ),
    ...platformQuoteFields,
  }),
  answer: Job,
  errors: [...quoteErrors, 'route_not_draft', 'order_not_open'],
  acts_after_commit: true,
});

export const listQuotes = defineOperation({
  id: 'ListRouteQuotes',
  method: 'GET',
  path: '/v2/routes/{route_id}/quotes',
  summary: 'Get the quotes of a route: null while pending, then an array',
  tag: 'Quotes',
  permission: 'read',
  params: routeParams,
  answer: RouteQuotes,
  errors: quoteErrors,
});

export const DispatchedRoute = Type.Object(
  { ...routeFields, deliveries: Type.Array(Delivery) },
  { title: 'DispatchedRoute' },
);
export type DispatchedRoute = Static<typeof DispatchedRoute>;

export const createDispatch = defineOperation({
  id: 'DispatchRoute',
  method: 'POST',
  path: '/v2/routes/{route_id}/dispatch',
  summary: 'Dispatch a route to the provider of a quote: one delivery for each order',
  tag: 'Dispatch',
  permission: 'write',
  params: routeParams,
  body: Exact({
    quote_id: Reference(),
    driver_id: Type.Optional(
      Reference({
        description: 'With a quote of your own fleet: the driver who gets the route without being asked',
      }),
    ),
    only_with_room: Type.Optional(
      Type.Boolean({
        description:
          'With a quote of your own fleet: refuse with quote_expired, and dispatch nothing, if no driver on duty can take it anymore',
      }),
    ),
    tip: Type.Optional(Cents('Tip for the driver in cents, split between the deliveries like the price')),
    max_cost: Type.Optional(
      Cents(
        'Maximum of cost_of_delivery plus service_fee, in cents: a quote above it is refused. The delivery of a route with one order keeps it',
      ),
    ),
    unique_ref: sentOnce,
  }),
  answer: DispatchedRoute,
  errors: [
    'record_not_found',
    'route_api_key_test_mode_mismatch',
    'route_not_draft',
    'order_not_open',
    'duplicate_ref',
    'store_paused',
    'quotes_not_ready',
    'quote_not_found',
    'quote_used',
    'quote_outdated',
    'quote_expired',
    'cost_above_limit',
  ],
  acts_after_commit: true,
});
