import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { HALT } from '../../domain/eta.ts';
import { type Script, scriptOf } from '../../domain/scenarios.ts';
import { type Assignment, interruptionOf, routeScript, SAYING } from './assignments.ts';
import { type Course, type OrderVisits, visitsOfOrder } from './schedule.ts';
import type { AcceptedOrder, AcceptedRoute, Report } from '../port.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NO_DRIVER = 20 * MINUTE;

/** Something that happens to an order, whether or not its courier reports it. Milliseconds since the epoch. */
export interface Moment {
  status: DeliveryStatus;
  at: number;
  /** Whose doing it is. */
  assignment: Assignment;
  /** What can be told of it. */
  told?: Pick<Report, 'pickup_eta' | 'dropoff_eta' | 'reason'>;
}

type Happening = Omit<Moment, 'assignment'>;

/**
 * All that happens to an order of an accepted route, in order of time. What should have come between by `from`, and
 * has not, does so no more; nor is a driver looked for in vain who is there by then.
 */
export function journeyOf(
  route: AcceptedRoute,
  [first, second]: readonly [Assignment, ...Assignment[]],
  order: AcceptedOrder,
  from = Number.NEGATIVE_INFINITY,
): Moment[] {
  const ordinary = momentsOf(first, order);
  const { course } = routeScript(route);
  if (course === undefined || (course === 'reassigned' && second === undefined)) return ordinary;
  const end = endingOf(course, route.accepted_at, first, order.order_id);
  if (end.at <= from || (course === 'no_driver' && first.course.assigned_at <= from)) return ordinary;
  const next = second === undefined ? [] : momentsOf(second, order);
  return [...cutShort(course === 'no_driver' ? [] : ordinary, end), ...next];
}

/** What happens where nothing comes between, in order of time. */
export function momentsOf(assignment: Assignment, { order_id, scenario }: AcceptedOrder): Moment[] {
  const visits = visitsOfOrder(assignment.course, order_id);
  const happenings = [...wayThere(assignment.course, visits), ...atDropoff(visits, scriptOf(scenario))];
  let earliest = Number.NEGATIVE_INFINITY;
  return happenings.map((happening) => {
    // What is taken up and handed over at one halt is so one after the other all the same.
    const at = Math.max(happening.at, earliest);
    earliest = at + SAYING;
    return { ...happening, at, assignment };
  });
}

function wayThere({ assigned_at }: Course, { pickup, dropoff }: OrderVisits): Happening[] {
  const late = pickup.arrived_at - pickup.planned_at;
  const planned = { pickup_eta: pickup.planned_at, dropoff_eta: dropoff.planned_at + HALT };
  const underway = { pickup_eta: pickup.arrived_at, dropoff_eta: dropoff.planned_at + HALT + late };
  const dropoff_eta = dropoff.arrived_at + HALT;
  return [
    { status: 'driver_assigned', at: assigned_at, told: planned },
    { status: 'enroute_pickup', at: pickup.set_out_at + SAYING, told: underway },
    { status: 'arrived_at_pickup', at: pickup.arrived_at },
    { status: 'pickup_complete', at: pickup.arrived_at + HALT },
    { status: 'enroute_dropoff', at: dropoff.set_out_at + SAYING, told: { dropoff_eta } },
    { status: 'arrived_at_dropoff', at: dropoff.arrived_at },
  ];
}

function atDropoff({ dropoff, back }: OrderVisits, { handover, return: end }: Script): Happening[] {
  const completed = dropoff.arrived_at + HALT;
  if (back === null) {
    return [
      { status: 'dropoff_complete', at: completed },
      { status: 'delivered', at: completed + SAYING },
    ];
  }
  const told = { reason: handover ?? 'The parcel could not be handed over' };
  const returning: Happening = { status: 'enroute_to_return', at: dropoff.left_at, told };
  if (end !== 'stuck') return [returning, { status: 'returned', at: back.left_at, told }];
  const lost = { reason: 'The parcel did not come back within 24 hours' };
  return [returning, { status: 'failed', at: dropoff.left_at + DAY, told: lost }];
}

type EndingCourse = NonNullable<Script['course']>;

/** What ends a journey, or a driver's part in it, before its time, and why. */
const endings = {
  reassigned: { status: 'driver_not_assigned', told: { reason: 'The driver was given another task' } },
  no_driver: { status: 'provider_canceled', told: { reason: 'No driver was found' } },
  canceled_before_pickup: { status: 'provider_canceled', told: { reason: 'The driver cannot come' } },
  canceled_after_pickup: { status: 'provider_canceled', told: { reason: 'The driver cannot go on' } },
  operator_canceled: { status: 'burq_canceled', told: { reason: 'Canceled by the operator of the service' } },
} as const satisfies Record<EndingCourse, Omit<Happening, 'at'>>;

function endingOf(course: EndingCourse, accepted_at: number, first: Assignment, order_id: string): Moment {
  const { arrived_at } = visitsOfOrder(first.course, order_id).pickup;
  const instants: Record<EndingCourse, number> = {
    reassigned: interruptionOf(first),
    no_driver: accepted_at + NO_DRIVER,
    canceled_before_pickup: interruptionOf(first),
    // The shortest leg takes a minute: the driver has set out and is not yet at any other stop.
    canceled_after_pickup: arrived_at + HALT + 1.5 * SAYING,
    operator_canceled: interruptionOf(first),
  };
  return { ...endings[course], at: instants[course], assignment: first };
}

/** Everything before the end has happened, nothing after it. */
function cutShort(moments: readonly Moment[], end: Moment): Moment[] {
  return [...moments.filter(({ at }) => at < end.at), end];
}
