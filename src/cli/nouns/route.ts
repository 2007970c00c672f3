/** A route: its columns, and how it is created and read. */
import { assumedRoute } from '../../client/answers.ts';
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { Order } from '../../contract/orders.ts';
import type { Route, Stop } from '../../contract/routes.ts';
import { findZone } from '../../domain/addresses.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import { kindOfId } from '../records.ts';
import type { Context } from '../session/command.ts';
import { otherMarks } from './find-order.ts';

/** The help text of the argument that identifies a route. */
export const routeWord = 'Route ID, or the ID or reference of an order in it';

type Service = Pick<Context, 'client'>;

/**
 * Finds the ID of the one route that a text identifies: an ID, which is left to the service, or the ID or reference of an
 * order with a route. Fails with exit 5 if its order has none, and with exit 2 if it has several.
 */
export async function findRouteId(service: Service, text: string): Promise<string> {
  const orders = await ifSupported(ordersNamed(service, text), []);
  const [first] = orders;
  if (first === undefined) return text;
  const routes = [...new Set(orders.flatMap(({ route_id }) => route_id ?? []))];
  const [only, ...others] = routes;
  if (others.length > 0)
    throw new UsageError(
      `Orders with the reference "${text}" are in several routes. Use a route ID instead.`,
      {
        choices: routes,
        next: routes.map((id) => ({ ...invocation('routes get', [id]), when: 'see its orders' })),
      },
    );
  if (only !== undefined) return only;
  const { id, status } = first;
  const name = id === text ? id : `"${text}" (${id})`;
  const next =
    status === 'open'
      ? { ...invocation('routes create', [id]), when: 'create a draft route of it' }
      : { ...invocation('orders get', [id]), when: 'see where it is' };
  throw new Failure(5, 'record_not_found', `The order ${name} is in no route.`, { next: [next] });
}

/** The orders with an ID or a reference; none for the ID of another record. */
async function ordersNamed(service: Service, text: string): Promise<readonly Order[]> {
  const isOrder = kindOfId(text)?.name === 'order';
  if (!isOrder && /^[a-z]{2,4}_/.test(text)) return [];
  const { orders } = await service.client();
  if (isOrder) return [(await orders.get({ params: { order_id: text } })).data];
  for (const external_order_ref of [text, ...otherMarks(text)]) {
    const { data } = await orders.list({ query: { external_order_ref, limit: 10 } });
    const named = data.data.filter((each) => each.external_order_ref === external_order_ref);
    if (named.length > 0) return named;
  }
  return [];
}

/** The zone of its first stop. */
function zoneOfRoute({ stops }: Route): string | null {
  return findZone(stops[0]?.address ?? '');
}

export const routeColumns: readonly Column<Route>[] = [
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'orders', header: 'Orders', kind: 'count', value: (route) => route.order_ids.length },
  { field: 'stops', header: 'Stops', kind: 'count', value: (route) => route.stops.length },
  { field: 'distance_miles', header: 'Distance', kind: 'miles', only: 'programs' },
  {
    field: 'distance_miles',
    header: 'Distance',
    kind: 'text',
    only: 'people',
    value: (route) => distanceText(route),
  },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1, zone: zoneOfRoute },
];

/** `2.1 mi`, or `about 2.1 mi` if a stop is only known by its ZIP code. */
export function distanceText({ stops, distance_miles }: Route): string {
  const isRough = stops.some(({ precision }) => precision === 'zip');
  return `${isRough ? 'about ' : ''}${distance_miles} mi`;
}

/** Fields of one route that every route has. */
export const routeRecordColumns: readonly Column<Route>[] = [
  ...routeColumns.filter(({ field }) => field !== 'orders' && field !== 'stops'),
  { field: 'updated_at', header: 'Updated', kind: 'time', zone: zoneOfRoute },
  { field: 'order_ids', header: 'Orders', kind: 'text' },
];

/** Fields of one route, with a line for each stop. */
export function routeFields(route: Route): Column<Route>[] {
  return [
    ...routeRecordColumns,
    ...route.stops.map((stop): Column<Route> => {
      const field = `stops.${stop.sequence}`;
      return { field, header: `Stop ${stop.sequence}`, kind: 'text', value: () => stopText(stop) };
    }),
  ];
}

function stopText({ kind, address, leg_miles, order_ids, precision }: Stop): string {
  const way = leg_miles === 0 ? '' : ` after ${precision === 'zip' ? 'about ' : ''}${leg_miles} mi`;
  const orders = order_ids.length === 1 ? '' : ` (${order_ids.length} orders)`;
  return `${kind}${way} at ${address}${orders}`;
}

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

async function getRoute(service: Service, route_id: string): Promise<Route> {
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
