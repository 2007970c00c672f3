import { type Script, scriptOf } from '../../domain/scenarios.ts';
import type { Courier } from './couriers.ts';
import { type Course, type Drive, planCourse } from './schedule.ts';
import { draw, type Seat } from './drivers.ts';
import type { AcceptedRoute } from '../port.ts';

const MINUTE = 60_000;

/** Drivers say that they have set out so long after it. */
export const SAYING = MINUTE / 2;
/** Between that and whatever stops them; every way to a first pickup takes longer. */
const ON_THE_WAY = 2 * MINUTE;
const NEXT_DRIVER = 4 * MINUTE;

/** A driver with all that they do for a route. */
export interface Assignment {
  seat: Seat;
  course: Course;
}

/** What concerns a whole route is the fate of its first order. */
export function routeScript({ orders }: AcceptedRoute): Script {
  return orders[0] === undefined ? {} : scriptOf(orders[0].scenario);
}

/** The orders of a route that cannot be handed over. */
export function unableOrders({ orders }: AcceptedRoute): Set<string> {
  const unable = orders.filter(({ scenario }) => scriptOf(scenario).handover !== undefined);
  return new Set(unable.map(({ order_id }) => order_id));
}

/** The drivers of a route: one, or a second where the first is taken away. */
export function assignmentsOf(courier: Courier, route: AcceptedRoute): [Assignment, ...Assignment[]] {
  const { course, assigned_after_minutes = courier.pace.assigned_after_minutes } = routeScript(route);
  const unable = unableOrders(route);
  const first = assign(courier, route, {
    number: 1,
    from: route.accepted_at,
    assigned_after_minutes,
    unable,
  });
  if (course !== 'reassigned') return [first];
  return [first, successor(courier, route, { number: 1, gone_at: interruptionOf(first), unable })];
}

/** Who comes in the place of a driver who was taken away at an instant. */
export function successor(
  courier: Courier,
  route: AcceptedRoute,
  { number, gone_at, unable }: Pick<Search, 'number' | 'unable'> & { gone_at: number },
): Assignment {
  const from = gone_at + NEXT_DRIVER;
  return assign(courier, route, { number: number + 1, from, assigned_after_minutes: 0, unable });
}

export interface Search extends Pick<Drive, 'unable'> {
  /** 1 for the first driver of a route, 2 for who takes over, and so on. */
  number: number;
  /** When a driver is looked for, in milliseconds since the epoch. */
  from: number;
  assigned_after_minutes: number;
}

/** One driver and their course. */
export function assign(courier: Courier, route: AcceptedRoute, search: Search): Assignment {
  const { stops, chance, pickup_at, dropoff_at } = route;
  const { number, from, assigned_after_minutes, unable } = search;
  const seat = { courier, chance, number };
  const pace = { ...courier.pace, assigned_after_minutes };
  const wish = { now: from, pickup_at, dropoff_at };
  return { seat, course: planCourse({ pace, stops, wish, unable, direction: draw(seat, 'start') }) };
}

/** When what comes between does so: on the way to the first pickup. */
export function interruptionOf({ course: { visits, assigned_at } }: Assignment): number {
  return (visits[0]?.set_out_at ?? assigned_at) + SAYING + ON_THE_WAY;
}
