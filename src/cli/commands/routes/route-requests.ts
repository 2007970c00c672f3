import { ifSupported, unlessMissing } from '../../../client/errors.ts';
import { assumedRoute } from '../../../client/lenient.ts';
import type { Route } from '../../../contract/routes.ts';
import type { Context } from '../../session/command.ts';

type Service = Pick<Context, 'client'>;

/**
 * Creates a draft route. A repeat with the same key creates nothing: the response has the route as first created, and
 * `isNew` is false.
 */
export async function createRoute(
  service: Service,
  { order_ids, optimize }: { order_ids: readonly string[]; optimize: boolean },
  idempotencyKey: string,
): Promise<{ route: Route; isNew: boolean }> {
  const client = await service.client();
  const body = { order_ids: [...order_ids], ...(optimize ? {} : { optimize }) };
  const { data, replayed } = await client.routes.create({ body, idempotencyKey });
  return { route: data, isNew: !replayed };
}

export async function getRoute(service: Service, route_id: string): Promise<Route> {
  const client = await service.client();
  return (await client.routes.get({ params: { route_id } })).data;
}

/**
 * Gets the current route; null if it no longer exists. A service without route look-ups validates the route itself, so
 * it counts as a draft.
 */
export function fetchRoute(service: Service, route_id: string): Promise<Route | null> {
  return ifSupported(unlessMissing(getRoute(service, route_id)), assumedRoute(route_id));
}
