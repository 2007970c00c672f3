import type { Client } from '../../client/client.ts';
import type { Route } from '../../contract/routes.ts';
import { type RouteStatus, routeStatuses } from '../../contract/vocabulary.ts';
import { routeFields } from '../columns/routes.ts';
import type { Context } from '../context.ts';
import { BadOutcome } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';
import { phrase } from '../kit/output/message.ts';
import type { Remark } from '../kit/polling/hints.ts';
import { record, type StreamResult } from '../result.ts';
import type { Told } from '../waiting/event-notifications.ts';
import { watchList } from '../waiting/list-waitable.ts';
import { type Moving, recordLine } from '../waiting/status-records.ts';
import { type Course, outcomeAlong } from '../waiting/status-targets.ts';
import type { Waiting } from '../waiting/waiting-flags.ts';

const course: Course<RouteStatus> = {
  way: ['draft', 'dispatched', 'completed'],
  left: { dispatched: ['completed', 'canceled'], completed: [], canceled: [] },
};

/** What is told of deliveries tells of their route. */
const told: Told = { types: ['delivery.created', 'delivery.updated'], isAbout: () => true };

/** Routes as they are waited for. */
export const movingRoutes: Moving<Route, RouteStatus> = {
  noun: 'route',
  statuses: routeStatuses,
  look: async (context, route_id) => {
    const client = await context.client();
    return (await client.routes.get({ params: { route_id } })).data;
  },
  told: ({ id }) => ({ ...told, isAbout: ({ route_id }) => route_id === id }),
  standing: ({ id, status }) => phrase`${id} is ${status}. See it with: ${invocation('routes get', [id])}`,
  idle: draftWaits,
  outcome: (_, { status }, goal) => outcomeAlong(status, goal, course),
  failure: async (_, { id, status }, details) => {
    const why = status === 'canceled' ? ': all of its deliveries were' : '';
    const next = [{ ...invocation('routes get', [id]), when: 'see it' }];
    return new BadOutcome(`${id} is ${status}${why}.`, { code: `route_${status}`, next, ...details });
  },
  answer: (route) => record(route, routeFields(route)),
  words: ({ status, order_ids }) => {
    const orders = `${order_ids.length} ${order_ids.length === 1 ? 'order' : 'orders'}`;
    return status === 'completed' ? `${orders}, every delivery has ended` : orders;
  },
};

/** A draft is dispatched by somebody. */
function draftWaits(_: Context, { id, status }: Route): Remark | null {
  if (status !== 'draft') return null;
  const command = invocation('routes quote', [id], { watch: true });
  const message = phrase`${id} is a draft, and waits for somebody to dispatch it: ${command}`;
  return { code: 'waits_for_somebody', message, command, when: 'go on with it' };
}

/** Which routes are followed: the newest. */
type Query = NonNullable<NonNullable<Parameters<Client['routes']['list']>[0]>['query']>;

/** The routes of a list as they change, until each has ended: exit 8 when time ran out before. */
export function watchRoutes(context: Context, query: Query, waiting: Waiting): StreamResult {
  const { status } = query;
  const parts = {
    list: async () => {
      const client = await context.client();
      return (await client.routes.list({ query })).data.data;
    },
    look: (id: string) => movingRoutes.look(context, id),
    idOf: ({ id }: Route) => id,
    isOpen: (route: Route) => route.status === 'draft' || route.status === 'dispatched',
    isSame: (before: Route, after: Route) => before.updated_at === after.updated_at,
    isKept: (route: Route) => status === undefined || route.status === status,
    lineOf: (before: Route | null, route: Route) => recordLine(movingRoutes, before, route, [route.id]),
    ...{ told, command: invocation('routes list'), filters: { status }, left: 'under way' },
  };
  return watchList(context, parts, waiting);
}
