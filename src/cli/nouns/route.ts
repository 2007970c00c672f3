import { assumedRoute } from '../../client/answers.ts';
import type { Client } from '../../client/client.ts';
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { Order } from '../../contract/orders.ts';
import type { Route, Stop } from '../../contract/routes.ts';
import { type RouteStatus, routeStatuses } from '../../contract/vocabulary.ts';
import { zoneOf } from '../../domain/addresses.ts';
import { BadOutcome, Failure, type FailureDetails, UsageError } from '../kit/errors/failure.ts';
import type { Hint } from '../kit/polling/poll.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Column, recordResult, type StreamResult } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import type { Answerable, EventFilter, Watched } from '../waiting/service-waiting.ts';
import {
  outcomeOf,
  type RecordKind,
  recordLine,
  type StatusPath,
  statusRecord,
  watchList,
} from '../waiting/status-records.ts';
import type { StatusTarget, Waiting } from '../waiting/waiting-flags.ts';
import { otherMarks } from './order.ts';

/** A route: its columns, how it is created and read, waiting for it, and watching a list of routes. */

/** The help text of the argument that identifies a route. */
export const routeWord = 'Route ID, or the reference of an order in it';

/**
 * Finds the ID of the one route that a text identifies: an ID, which is left to the service, or the reference of an
 * order with a route. Fails with exit 5 if its order has none, and with exit 2 if it has several.
 */
export async function findRouteId(context: Pick<Context, 'client'>, text: string): Promise<string> {
  if (/^[a-z]{2,4}_/.test(text)) return text;
  const client = await context.client();
  let orders: readonly Order[] = [];
  for (const external_order_ref of [text, ...otherMarks(text)]) {
    if (orders.length > 0) break;
    const listed = client.orders.list({ query: { external_order_ref, limit: 10 } });
    orders = await ifSupported(
      listed.then(({ data }) => data.data.filter((each) => each.external_order_ref === external_order_ref)),
      [],
    );
  }
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
  throw new Failure(5, 'record_not_found', `The order "${text}" (${first.id}) is in no route.`, {
    next: [{ ...invocation('routes create', [first.id]), when: 'create a draft route of it' }],
  });
}

/** The zone of its first stop. */
function zoneOfRoute({ stops }: Route): string | null {
  return zoneOf(stops[0]?.address ?? '');
}

/** Columns of routes. */
export const routeColumns: readonly Column<Route>[] = [
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'order_ids', header: 'Orders', kind: 'count', value: (route) => route.order_ids.length },
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
  ...routeColumns.filter(({ field }) => field !== 'order_ids' && field !== 'stops'),
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

const path: StatusPath<RouteStatus> = {
  usual: ['draft', 'dispatched', 'completed'],
  reachable: { dispatched: ['completed', 'canceled'], completed: [], canceled: [] },
};

const kind: RecordKind<Route, RouteStatus> = {
  noun: 'route',
  statuses: routeStatuses,
  words: ({ status, order_ids }) => {
    const orders = `${order_ids.length} ${order_ids.length === 1 ? 'order' : 'orders'}`;
    return status === 'completed' ? `${orders}, every delivery has ended` : orders;
  },
};

/** The events of its deliveries show the changes of a route. */
const events: EventFilter = { types: ['delivery.created', 'delivery.updated'], isAbout: () => true };

/** Waits until a route has a status. */
export function routeWaitable(
  context: Context,
  first: Route,
  target: StatusTarget<RouteStatus>,
): Answerable<Route> & Watched<Route> {
  return {
    ...statusRecord(first, kind),
    poll: () => getRoute(context, first.id),
    events: { ...events, isAbout: ({ route_id }) => route_id === first.id },
    reached: ({ status }) => outcomeOf(status, target, path) === 'reached',
    failed: (route, details) =>
      outcomeOf(route.status, target, path) === 'failed' ? failureOf(route, details) : null,
    hintIfIdle: draftHint,
    answer: (route) => recordResult(route, routeFields(route)),
  };
}

function failureOf({ id, status }: Route, details: FailureDetails): BadOutcome {
  const why = status === 'canceled' ? ': all of its deliveries were' : '';
  const next = [{ ...invocation('routes get', [id]), when: 'see it' }];
  return new BadOutcome(`${id} is ${status}${why}.`, { code: `route_${status}`, next, ...details });
}

/** The hint for a draft, which does not change until it is dispatched. */
function draftHint({ id, status }: Route): Hint | null {
  if (status !== 'draft') return null;
  const command = invocation('routes quote', [id], { watch: true });
  const message = phrase`${id} is a draft and does not change until it is dispatched: ${command}`;
  return { code: 'waits_for_somebody', message, command, when: 'go on with it' };
}

/** Selects the newest routes to watch. */
type Query = NonNullable<NonNullable<Parameters<Client['routes']['list']>[0]>['query']>;

/** Watches the routes of a list until each has ended. */
export function watchRoutes(context: Context, query: Query, waiting: Waiting): StreamResult {
  const { status: filter } = query;
  const watched = {
    list: async () => (await (await context.client()).routes.list({ query })).data.data,
    get: (id: string) => getRoute(context, id),
    idOf: ({ id }: Route) => id,
    isOpen: ({ status }: Route) => status === 'draft' || status === 'dispatched',
    isKept: ({ status }: Route) => filter === undefined || status === filter,
    lineOf: (before: Route | null, route: Route) => recordLine(kind, before, route, [route.id]),
    events,
    command: invocation('routes list'),
    filters: { status: filter },
    open: 'under way',
  };
  return watchList(context, watched, waiting);
}
