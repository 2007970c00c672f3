/**
 * The timeline of an order at a simulated courier: the statuses that it reaches over time, with the driver of each. A
 * scenario may interrupt it, by one event that ends the part of the first driver.
 */
import type { DeliveryStatus, FailureReason } from '../../contract/vocabulary.ts';
import { failureMessages } from '../../domain/delivery-states.ts';
import { day_ms, minute_ms } from '../../domain/durations.ts';
import { type Script, scenarioScript } from '../../domain/scenarios.ts';
import { halt_ms } from '../../domain/timetable.ts';
import type { AcceptedOrder, AcceptedRoute, Report } from '../port.ts';
import { type Courier, draw, type Seat } from './couriers.ts';
import {
  type Drive,
  type DriverSchedule,
  type OrderVisits,
  planSchedule,
  visitsOfOrder,
} from './driver-schedule.ts';

const no_driver_after_ms = 20 * minute_ms;
/** How long after departing a driver reports it, and the least time between two reports. */
const report_gap_ms = minute_ms / 2;
/** From the report of departing to an interruption; every approach to a first pickup takes longer. */
const interrupted_after_ms = 2 * minute_ms;
const next_driver_after_ms = 4 * minute_ms;

/** A driver of a route, and what this one does for it. */
export interface Assignment {
  seat: Seat;
  schedule: DriverSchedule;
}

/** For whom the courier searches, and from when. */
interface Search extends Pick<Drive, 'unable'> {
  /** 1 for the first driver of a route, 2 for their replacement, and so on. */
  number: number;
  /** When the search for a driver starts, in milliseconds since the epoch. */
  from: number;
  assigned_after_minutes: number;
}

/** A status that an order reaches, whether or not its courier reports it. `at` is milliseconds since the epoch. */
export interface TimelineEntry {
  status: DeliveryStatus;
  at: number;
  /** The driver it belongs to. */
  assignment: Assignment;
  details?: Pick<Report, 'pickup_eta' | 'dropoff_eta' | 'reason' | 'failure_reason'>;
}

type OrderEvent = Omit<TimelineEntry, 'assignment'>;

type Interruption = NonNullable<Script['interruption']>;

/** The interruptions of a timeline, or of one driver's part of it, with their reasons. */
const interruptions = {
  reassigned: { status: 'driver_not_assigned', details: { reason: 'The driver was reassigned' } },
  no_driver: { status: 'provider_canceled', details: { reason: 'No driver was found' } },
  canceled_before_pickup: { status: 'provider_canceled', details: { reason: 'The driver is unavailable' } },
  canceled_after_pickup: { status: 'provider_canceled', details: { reason: 'The driver cannot continue' } },
  operator_canceled: {
    status: 'burq_canceled',
    details: { reason: 'Canceled by the operator of the service' },
  },
} as const satisfies Record<Interruption, Omit<OrderEvent, 'at'>>;

/**
 * Every status of an order of an accepted route, in order of time, with the interruption that its scenario plans.
 * An interruption planned before `from` no longer happens; neither does `no_driver` once a driver is assigned.
 */
export function plannedTimeline(
  route: AcceptedRoute,
  [first, second]: readonly [Assignment, ...Assignment[]],
  order: AcceptedOrder,
  from = Number.NEGATIVE_INFINITY,
): TimelineEntry[] {
  const ordinary = undisturbedTimeline(first, order);
  const { interruption } = routeScript(route);
  if (interruption === undefined || (interruption === 'reassigned' && second === undefined)) return ordinary;
  const end = interruptionEntry(interruption, route.accepted_at, first, order.order_id);
  if (end.at <= from || (interruption === 'no_driver' && first.schedule.assigned_at <= from)) return ordinary;
  const next = second === undefined ? [] : undisturbedTimeline(second, order);
  return [...cutAt(interruption === 'no_driver' ? [] : ordinary, end), ...next];
}

/** The statuses of an order without an interruption, in order of time. */
export function undisturbedTimeline(
  assignment: Assignment,
  { order_id, scenario }: AcceptedOrder,
): TimelineEntry[] {
  const visits = visitsOfOrder(assignment.schedule, order_id);
  const events = [
    ...entriesToDropoff(assignment.schedule, visits),
    ...entriesAtDropoff(visits, scenarioScript(scenario)),
  ];
  let earliest = Number.NEGATIVE_INFINITY;
  return events.map((event) => {
    // A pickup and a dropoff at one halt still follow each other.
    const at = Math.max(event.at, earliest);
    earliest = at + report_gap_ms;
    return { ...event, at, assignment };
  });
}

function entriesToDropoff({ assigned_at }: DriverSchedule, { pickup, dropoff }: OrderVisits): OrderEvent[] {
  const late = pickup.arrived_at - pickup.planned_at;
  const planned = { pickup_eta: pickup.planned_at, dropoff_eta: dropoff.planned_at + halt_ms };
  const underway = { pickup_eta: pickup.arrived_at, dropoff_eta: dropoff.planned_at + halt_ms + late };
  const dropoff_eta = dropoff.arrived_at + halt_ms;
  return [
    { status: 'driver_assigned', at: assigned_at, details: planned },
    { status: 'enroute_pickup', at: pickup.set_out_at + report_gap_ms, details: underway },
    { status: 'arrived_at_pickup', at: pickup.arrived_at },
    { status: 'pickup_complete', at: pickup.arrived_at + halt_ms },
    { status: 'enroute_dropoff', at: dropoff.set_out_at + report_gap_ms, details: { dropoff_eta } },
    { status: 'arrived_at_dropoff', at: dropoff.arrived_at },
  ];
}

function entriesAtDropoff({ dropoff, back }: OrderVisits, { handover, return: end }: Script): OrderEvent[] {
  const completed = dropoff.arrived_at + halt_ms;
  if (back === null) {
    return [
      { status: 'dropoff_complete', at: completed },
      { status: 'delivered', at: completed + report_gap_ms },
    ];
  }
  const details = failureDetails(handover ?? 'handover_failed');
  const returning: OrderEvent = { status: 'enroute_to_return', at: dropoff.left_at, details };
  if (end !== 'stuck') return [returning, { status: 'returned', at: back.left_at, details }];
  return [
    returning,
    { status: 'failed', at: dropoff.left_at + day_ms, details: failureDetails('return_not_completed') },
  ];
}

export function failureDetails(code: FailureReason): Pick<Report, 'reason' | 'failure_reason'> {
  return { reason: failureMessages[code], failure_reason: code };
}

function interruptionEntry(
  interruption: Interruption,
  accepted_at: number,
  first: Assignment,
  order_id: string,
): TimelineEntry {
  const { arrived_at } = visitsOfOrder(first.schedule, order_id).pickup;
  const instants: Record<Interruption, number> = {
    reassigned: interruptionOf(first),
    no_driver: accepted_at + no_driver_after_ms,
    canceled_before_pickup: interruptionOf(first),
    // The shortest leg takes a minute, so the driver has left and has not reached another stop.
    canceled_after_pickup: arrived_at + halt_ms + 1.5 * report_gap_ms,
    operator_canceled: interruptionOf(first),
  };
  return { ...interruptions[interruption], at: instants[interruption], assignment: first };
}

/** The entries before the interruption, then the interruption. */
function cutAt(moments: readonly TimelineEntry[], end: TimelineEntry): TimelineEntry[] {
  return [...moments.filter(({ at }) => at < end.at), end];
}

/** The scenario of a whole route is that of its first order. */
export function routeScript({ orders }: AcceptedRoute): Script {
  return orders[0] === undefined ? {} : scenarioScript(orders[0].scenario);
}

export function unableOrders({ orders }: AcceptedRoute): Set<string> {
  const unable = orders.filter(({ scenario }) => scenarioScript(scenario).handover !== undefined);
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
  const from = gone_at + next_driver_after_ms;
  return assign(courier, route, { number: number + 1, from, assigned_after_minutes: 0, unable });
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
  return (visits[0]?.set_out_at ?? assigned_at) + report_gap_ms + interrupted_after_ms;
}
