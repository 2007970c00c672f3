/** The timeline of a simulated driver: the positions over time, and the statuses that an order reaches. */
import type { DeliveryStatus, FailureReason } from '../../contract/vocabulary.ts';
import { isSameAddress } from '../../domain/addresses.ts';
import { failureMessages } from '../../domain/delivery-states.ts';
import { day_ms, minute_ms } from '../../domain/durations.ts';
import { legTenths, type Point, type Waypoint } from '../../domain/geography.ts';
import { type Script, scenarioScript } from '../../domain/scenarios.ts';
import type { Stop } from '../../domain/stops.ts';
import {
  approach_tenths,
  halt_ms,
  type Pace,
  planTimes,
  type Timetable,
  travel,
  type Wish,
} from '../../domain/timetable.ts';
import type { AcceptedOrder, AcceptedRoute, Report } from '../port.ts';
import { type Courier, draw, type Seat } from './couriers.ts';

const no_driver_after_ms = 20 * minute_ms;

/** A status that an order reaches, whether or not its courier reports it. `at` is milliseconds since the epoch. */
export interface TimelineEntry {
  status: DeliveryStatus;
  at: number;
  /** The driver it belongs to. */
  assignment: Assignment;
  details?: Pick<Report, 'pickup_eta' | 'dropoff_eta' | 'reason' | 'failure_reason'>;
}

type OrderEvent = Omit<TimelineEntry, 'assignment'>;

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

/** How long after departing a driver reports it, and the least time between two reports. */
const report_gap_ms = minute_ms / 2;
/** From the report of departing to an interruption; every approach to a first pickup takes longer. */
const interrupted_after_ms = 2 * minute_ms;
const next_driver_after_ms = 4 * minute_ms;

export interface Assignment {
  seat: Seat;
  schedule: DriverSchedule;
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

interface Search extends Pick<Drive, 'unable'> {
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
  return (visits[0]?.set_out_at ?? assigned_at) + report_gap_ms + interrupted_after_ms;
}

/** How much longer the driver waits if the recipient cannot take the parcel. */
const absent_wait_ms = 5 * minute_ms;

/** A halt of the driver. Times are milliseconds since the epoch. */
interface Visit extends Point {
  address: string;
  /** When the driver departed for it. */
  set_out_at: number;
  planned_at: number;
  arrived_at: number;
  left_at: number;
}

/** Where an order is picked up and dropped off, and where it is returned to if the dropoff fails. */
interface OrderVisits {
  pickup: Visit;
  dropoff: Visit;
  back: Visit | null;
}

/** Everything that one driver does for a route. */
interface DriverSchedule {
  assigned_at: number;
  start: Point;
  /** In driving order; returns follow the last stop. */
  visits: readonly Visit[];
  orders: ReadonlyMap<string, OrderVisits>;
}

interface Drive {
  pace: Pace;
  stops: readonly Stop[];
  wish: Wish;
  /** Orders whose dropoff fails. */
  unable: ReadonlySet<string>;
  /** The direction that the driver comes from, as a fraction of a full turn. */
  direction: number;
}

/** Plans when one driver is at each halt. */
function planSchedule(drive: Drive): DriverSchedule {
  const timetable = planTimes(drive.pace, drive.stops, drive.wish);
  const there = visitsOf(drive, timetable);
  const back = visitsBack(drive, there.at(-1));
  return {
    assigned_at: timetable.assigned_at,
    start: startOf(there[0] ?? { lat: 0, lng: 0 }, drive.direction),
    visits: [...new Set(there), ...back],
    orders: orderVisits(drive, there, back),
  };
}

/** The same schedule, later by so many milliseconds (earlier if negative). */
export function shiftSchedule(
  { assigned_at, start, visits, orders }: DriverSchedule,
  by: number,
): DriverSchedule {
  const shifted = new Map(visits.map((visit) => [visit, shiftVisit(visit, by)]));
  const of = (visit: Visit) => shifted.get(visit) ?? shiftVisit(visit, by);
  const parts = [...orders].map(([order_id, { pickup, dropoff, back }]): [string, OrderVisits] => [
    order_id,
    { pickup: of(pickup), dropoff: of(dropoff), back: back === null ? null : of(back) },
  ]);
  return { assigned_at: assigned_at + by, start, visits: visits.map(of), orders: new Map(parts) };
}

function shiftVisit(visit: Visit, by: number): Visit {
  return {
    ...visit,
    set_out_at: visit.set_out_at + by,
    planned_at: visit.planned_at + by,
    arrived_at: visit.arrived_at + by,
    left_at: visit.left_at + by,
  };
}

/** The visits of one order. Throws for an order that is not on the schedule. */
export function visitsOfOrder(schedule: DriverSchedule, order_id: string): OrderVisits {
  const visits = schedule.orders.get(order_id);
  if (visits === undefined) throw new Error(`order ${order_id} is not on the route`);
  return visits;
}

/** The driver's planned path until an order is done; the order's tracking ends there. */
export function pathOfOrder(schedule: DriverSchedule, order_id: string): Waypoint[] {
  const { dropoff, back } = visitsOfOrder(schedule, order_id);
  const until = (back ?? dropoff).left_at;
  return pathOf(schedule, until);
}

/** The visit of each stop. Consecutive stops at one address share a visit. Waiting delays all later visits. */
function visitsOf({ pace, stops, unable }: Drive, { arrivals, pickup_eta }: Timetable): Visit[] {
  let delay = 0;
  let visit: Visit | undefined;
  return stops.map((stop, index) => {
    const waits = stop.kind === 'dropoff' && stop.order_ids.some((id) => unable.has(id));
    if (visit === undefined || stop.leg_tenths > 0) {
      const planned_at = arrivals[index] ?? pickup_eta;
      const arrived_at = planned_at + delay;
      const set_out_at = arrived_at - travel(pace, visit === undefined ? approach_tenths : stop.leg_tenths);
      visit = { ...placeOf(stop), set_out_at, planned_at, arrived_at, left_at: arrived_at + halt_ms };
    }
    if (waits && visit.left_at === visit.arrived_at + halt_ms) {
      visit.left_at += absent_wait_ms;
      delay += absent_wait_ms;
    }
    return visit;
  });
}

/** One visit for each pickup place that orders are returned to, in the order of the pickups. */
function visitsBack({ pace, stops, unable }: Drive, last: Visit | undefined): Visit[] {
  const visits: Visit[] = [];
  let before = last;
  for (const stop of stops) {
    const returns = stop.kind === 'pickup' && stop.order_ids.some((id) => unable.has(id));
    if (!returns || before === undefined || visits.some((visit) => isSameAddress(visit, stop))) continue;
    const set_out_at = before.left_at;
    const arrived_at = set_out_at + travel(pace, isSameAddress(before, stop) ? 0 : legTenths(before, stop));
    before = {
      ...placeOf(stop),
      set_out_at,
      planned_at: arrived_at,
      arrived_at,
      left_at: arrived_at + halt_ms,
    };
    visits.push(before);
  }
  return visits;
}

function orderVisits({ stops, unable }: Drive, there: readonly Visit[], visitsBack: readonly Visit[]) {
  const pickups = new Map<string, Visit>();
  const orders = new Map<string, OrderVisits>();
  for (const [index, stop] of stops.entries()) {
    for (const id of stop.order_ids) {
      const visit = there[index];
      const pickup = pickups.get(id);
      if (stop.kind === 'pickup' && visit !== undefined) pickups.set(id, visit);
      if (stop.kind === 'pickup' || visit === undefined || pickup === undefined) continue;
      const back = unable.has(id) ? visitsBack.find((each) => isSameAddress(each, pickup)) : undefined;
      orders.set(id, { pickup, dropoff: visit, back: back ?? null });
    }
  }
  return orders;
}

function placeOf({ address, lat, lng }: Stop): Pick<Visit, 'address' | 'lat' | 'lng'> {
  return { address, lat, lng };
}

const start_miles = 2;
const miles_per_degree = 69.094;

/** The parts of a driver's schedule that a path is made of. Times are milliseconds since the epoch. */
interface PathParts {
  assigned_at: number;
  start: Point;
  visits: readonly (Point & { set_out_at: number; arrived_at: number; left_at: number })[];
}

/**
 * Where a driver starts: two miles from the first pickup in a straight line, in a direction given as a fraction of a
 * full turn clockwise from north. Over this distance the earth's curvature is ignored.
 */
function startOf(pickup: Point, direction: number): Point {
  const angle = direction * 2 * Math.PI;
  const degrees = start_miles / miles_per_degree;
  const widening = Math.cos((pickup.lat * Math.PI) / 180);
  return {
    lat: sixDecimals(pickup.lat + degrees * Math.cos(angle)),
    lng: sixDecimals(pickup.lng + (degrees * Math.sin(angle)) / widening),
  };
}

/** The start, arrivals and departures up to a time; no two waypoints share a time. */
function pathOf({ assigned_at, start, visits }: PathParts, until: number): Waypoint[] {
  const departed_at = visits[0]?.set_out_at ?? assigned_at;
  const halts = visits.flatMap(({ lat, lng, arrived_at, left_at }) => [
    { lat, lng, at: arrived_at },
    { lat, lng, at: left_at },
  ]);
  const path = [{ ...start, at: assigned_at }, { ...start, at: departed_at }, ...halts];
  return path.filter(({ at }, index) => at <= until && at !== path[index - 1]?.at);
}

function sixDecimals(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
