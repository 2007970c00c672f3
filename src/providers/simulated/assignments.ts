import { type Script, scriptOf } from '../../domain/scenarios.ts';
import type { AcceptedRoute } from '../port.ts';
import type { Courier } from './couriers.ts';
import { draw, type Seat } from './drivers.ts';
import { type Drive, type DriverSchedule, planSchedule } from './schedule.ts';

const MINUTE = 60_000;

/** How long after departing a driver reports it, and the least time between two reports. */
export const REPORT_GAP = MINUTE / 2;
/** From that report to an interruption; every approach to a first pickup takes longer. */
const ON_THE_WAY = 2 * MINUTE;
const NEXT_DRIVER = 4 * MINUTE;

/** A driver with their schedule for a route. */
export interface Assignment {
  seat: Seat;
  schedule: DriverSchedule;
}

/** The scenario of a whole route is that of its first order. */
export function routeScript({ orders }: AcceptedRoute): Script {
  return orders[0] === undefined ? {} : scriptOf(orders[0].scenario);
}

/** The orders of a route whose dropoff fails. */
export function unableOrders({ orders }: AcceptedRoute): Set<string> {
  const unable = orders.filter(({ scenario }) => scriptOf(scenario).handover !== undefined);
  return new Set(unable.map(({ order_id }) => order_id));
}

/** The drivers of a route: one, or two where the first is reassigned. */
export function assignmentsOf(courier: Courier, route: AcceptedRoute): [Assignment, ...Assignment[]] {
  const { interruption, assigned_after_minutes = courier.pace.assigned_after_minutes } = routeScript(route);
  const unable = unableOrders(route);
  const first = assign(courier, route, {
    number: 1,
    from: route.accepted_at,
    assigned_after_minutes,
    unable,
  });
  if (interruption !== 'reassigned') return [first];
  return [first, successor(courier, route, { number: 1, gone_at: interruptionOf(first), unable })];
}

/** The driver who replaces one that was reassigned. */
export function successor(
  courier: Courier,
  route: AcceptedRoute,
  { number, gone_at, unable }: Pick<Search, 'number' | 'unable'> & { gone_at: number },
): Assignment {
  const from = gone_at + NEXT_DRIVER;
  return assign(courier, route, { number: number + 1, from, assigned_after_minutes: 0, unable });
}

export interface Search extends Pick<Drive, 'unable'> {
  /** 1 for the first driver of a route, 2 for their replacement, and so on. */
  number: number;
  /** When the search for a driver starts, in milliseconds since the epoch. */
  from: number;
  assigned_after_minutes: number;
}

/** Assigns a driver and plans their schedule. */
export function assign(courier: Courier, route: AcceptedRoute, search: Search): Assignment {
  const { stops, chance, pickup_at, dropoff_at } = route;
  const { number, from, assigned_after_minutes, unable } = search;
  const seat = { courier, chance, number };
  const pace = { ...courier.pace, assigned_after_minutes };
  const wish = { now: from, pickup_at, dropoff_at };
  return { seat, schedule: planSchedule({ pace, stops, wish, unable, direction: draw(seat, 'start') }) };
}

/** When an interruption happens: on the way to the first pickup. */
export function interruptionOf({ schedule: { visits, assigned_at } }: Assignment): number {
  return (visits[0]?.set_out_at ?? assigned_at) + REPORT_GAP + ON_THE_WAY;
}
