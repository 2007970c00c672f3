import { Delivery } from './deliveries.ts';
import { operation } from './operation.ts';
import { routeFields, routeParams } from './routes.ts';
import type { Static } from './schema.ts';
import { Cents, Exact, Reference, Type } from './schema.ts';

export const DispatchedRoute = Type.Object(
  { ...routeFields, deliveries: Type.Array(Delivery) },
  { title: 'DispatchedRoute' },
);
export type DispatchedRoute = Static<typeof DispatchedRoute>;

export const createDispatch = operation({
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
    tip: Type.Optional(Cents('Tip for the driver in cents, split between the deliveries like the price')),
  }),
  answer: DispatchedRoute,
  errors: [
    'record_not_found',
    'route_api_key_test_mode_mismatch',
    'route_not_draft',
    'order_not_open',
    'quotes_not_ready',
    'quote_not_found',
    'quote_expired',
  ],
  acts_after_commit: true,
});
