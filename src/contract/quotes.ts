import { operation } from './operation.ts';
import { routeParams } from './routes.ts';
import type { Static } from './schema.ts';
import { Cents, Exact, Id, Instant, Nullable, Reference, Type } from './schema.ts';

export const Job = Type.Object(
  { job_id: Id('job'), object: Type.Literal('job') },
  { title: 'Job', description: 'The asynchronous job that collects the quotes' },
);
export type Job = Static<typeof Job>;

const ifAvailable = (description: string) => Type.Optional(Type.String({ description }));

/** The quote of one provider for a route. */
export const RouteQuote = Type.Object(
  {
    id: Id('rq'),
    object: Type.Literal('route_quote'),
    cost_of_delivery: Cents('Delivery cost in cents'),
    service_fee: Cents(
      'Service fee in cents: 30 cents and 2.9 % of cost_of_delivery for simulated couriers, 0 for connected couriers ' +
        'and own drivers',
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
    route_id: Type.Optional(Type.String({ description: 'The route of the quotes; in events only' })),
  },
  { title: 'RouteQuotes' },
);
export type RouteQuotes = Static<typeof RouteQuotes>;

const errors = ['record_not_found', 'route_api_key_test_mode_mismatch'] as const;

export const requestQuotes = operation({
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
  }),
  answer: Job,
  errors: [...errors, 'route_not_draft', 'order_not_open'],
  acts_after_commit: true,
});

export const listQuotes = operation({
  id: 'ListRouteQuotes',
  method: 'GET',
  path: '/v2/routes/{route_id}/quotes',
  summary: 'Get the quotes of a route: null while pending, then an array',
  tag: 'Quotes',
  permission: 'read',
  params: routeParams,
  answer: RouteQuotes,
  errors,
});
