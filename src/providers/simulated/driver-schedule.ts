/** When one simulated driver is where: the halts of a route with their times, and the path between them. */
import { isSameAddress } from '../../domain/addresses.ts';
import { minute_ms } from '../../domain/durations.ts';
import { legTenths, type Point, type Waypoint } from '../../domain/geography.ts';
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

/** How much longer the driver waits if the recipient cannot take the parcel. */
const absent_wait_ms = 5 * minute_ms;
const start_miles = 2;
const miles_per_degree = 69.094;

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
export interface OrderVisits {
  pickup: Visit;
  dropoff: Visit;
  back: Visit | null;
}

/** Everything that one driver does for a route. */
export interface DriverSchedule {
  assigned_at: number;
  start: Point;
  /** In driving order; returns follow the last stop. */
  visits: readonly Visit[];
  orders: ReadonlyMap<string, OrderVisits>;
}

export interface Drive {
  pace: Pace;
  stops: readonly Stop[];
  wish: Wish;
  /** Orders whose dropoff fails. */
  unable: ReadonlySet<string>;
  /** The direction that the driver comes from, as a fraction of a full turn. */
  direction: number;
}

/** Plans when one driver is at each halt. */
export function planSchedule(drive: Drive): DriverSchedule {
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
  return waypointsUntil(schedule, until);
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
function waypointsUntil({ assigned_at, start, visits }: DriverSchedule, until: number): Waypoint[] {
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
