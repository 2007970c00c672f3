/**
 * The reports of a simulated courier: all are planned when it accepts a route (`scheduleReports`), and planned again after
 * a step (`takeStep`). Of the timeline of an order (`timeline.ts`) each entry that the courier tells becomes a report
 * (`reportOf`), which arrives as the feed of the scenario has it (`arrivals`): in time, swapped, repeated or late.
 */
import type { DeliveryStatus, ProofType } from '../../contract/vocabulary.ts';
import { drivenStatuses, isEnded } from '../../domain/delivery-states.ts';
import { minute_ms, second_ms } from '../../domain/durations.ts';
import type { Waypoint } from '../../domain/geography.ts';
import { scenarioScript } from '../../domain/scenarios.ts';
import { halt_ms } from '../../domain/timetable.ts';
import type {
  AcceptedOrder,
  AcceptedRoute,
  Chance,
  Driver,
  DueReport,
  Report,
  Step,
  Stepped,
} from '../port.ts';
import { type Courier, driverOf, everyStatus } from './couriers.ts';
import { pathOfOrder, shiftSchedule, visitsOfOrder } from './driver-schedule.ts';
import {
  type Assignment,
  assign,
  assignmentsOf,
  failureDetails,
  interruptionOf,
  plannedTimeline,
  routeScript,
  successor,
  type TimelineEntry,
  unableOrders,
  undisturbedTimeline,
} from './timeline.ts';

/** An order with the courier that carries it. */
interface Carried {
  courier: Courier;
  route: AcceptedRoute;
  order: AcceptedOrder;
}

/** All reports of a route, in order of arrival. A pure function of its arguments. */
export function scheduleReports(courier: Courier, route: AcceptedRoute): DueReport[] {
  const assignments = assignmentsOf(courier, route);
  const dues = route.orders.flatMap((order) => {
    const timeline = plannedTimeline(route, assignments, order);
    return scheduleOrderReports({ courier, route, order }, { timeline });
  });
  return dues.sort(byArrival);
}

/** The timeline of an order and what was reported of it before. */
interface ReportPlan {
  timeline: readonly TimelineEntry[];
  /** Reports that were made before. */
  earlier?: readonly Report[];
  /** A prefix of the counts in report ids, different for each plan of an order. */
  mark?: string;
}

/** All reports of an order's timeline, in order of arrival. */
function scheduleOrderReports(
  carried: Carried,
  { timeline, earlier = [], mark = '' }: ReportPlan,
): DueReport[] {
  const reports = reportedEntries(carried, timeline).map(({ entry, count }) =>
    reportOf(carried, entry, `${mark}${count}`),
  );
  const all = [...earlier, ...reports];
  const isLate = scenarioScript(carried.order.scenario).feed === 'late';
  const extra = [...lateProof(carried, all, mark), ...(isLate ? oldReport(carried, all, mark) : [])];
  return [...arrivals(carried, reports, extra)].sort(byArrival);
}

function byArrival(left: DueReport, right: DueReport): number {
  return left.due_at - right.due_at;
}

/**
 * Moves an order to a status now: its driver is there at once and continues as usual. What its scenario plans for
 * later still happens. The other orders of the route keep their times. Throws for an order that is not on the route.
 */
export function takeStep(courier: Courier, route: AcceptedRoute, step: Step): Stepped {
  const { order_id, status, now, lost_drivers = 0 } = step;
  const order = route.orders.find((each) => each.order_id === order_id);
  if (order === undefined) throw new Error(`order ${order_id} is not on the route`);
  const carried = { courier, route, order };
  const assignment = assignmentAt(carried, step);
  const mark = `step-${now}${lost_drivers === 0 ? '' : `-${lost_drivers + 1}`}`;
  const report = reportAt(carried, step, { assignment, mark });
  const timeline = timelineAfter(carried, step, assignment);
  const plan = { timeline, earlier: [report], mark: `${mark}-${status}-` };
  return { report, feed: scheduleOrderReports(carried, plan) };
}

/** The driver's assignment, shifted so that the status is reached now. */
function assignmentAt(carried: Carried, { status, now, lost_drivers = 0 }: Step): Assignment {
  const { courier, route, order } = carried;
  const unable = unableAt(carried, status);
  const search = { number: lost_drivers + 1, from: now, assigned_after_minutes: 0, unable };
  const assignment = assign(courier, route, search);
  const { schedule } = assignment;
  if (status === 'driver_assigned') return { ...assignment, schedule: { ...schedule, assigned_at: now } };
  // A step to `returned` completes the return even if the scenario would not.
  const moved: AcceptedOrder = status === 'returned' ? { ...order, scenario: 'happy_path' } : order;
  const moments = undisturbedTimeline(assignment, moved);
  const at = moments.find((moment) => moment.status === status)?.at ?? now;
  return { ...assignment, schedule: shiftSchedule(schedule, now - at) };
}

/** The orders whose dropoff fails; a status at or after the dropoff decides it for this order. */
function unableAt({ route, order }: Carried, status: DeliveryStatus): Set<string> {
  const unable = unableOrders(route);
  if (status === 'enroute_to_return' || status === 'returned') unable.add(order.order_id);
  if (status === 'dropoff_complete' || status === 'delivered') unable.delete(order.order_id);
  return unable;
}

function reportAt(
  carried: Carried,
  { status, now }: Step,
  { assignment, mark }: { assignment: Assignment; mark: string },
): Report {
  const { order } = carried;
  const etas = isDriven(status) ? etasAt(assignment, order, now) : {};
  const details = { ...etas, ...reasonOf(status, order) };
  const report = reportOf(carried, { status, at: now, assignment, details }, mark);
  return isDriven(status) ? { ...report, way: pathUntilDone(assignment, order) } : report;
}

/** The ETAs that are still in the future. */
function etasAt({ schedule }: Assignment, { order_id }: AcceptedOrder, now: number) {
  const { pickup, dropoff } = visitsOfOrder(schedule, order_id);
  const dropoff_eta = dropoff.arrived_at + halt_ms;
  return {
    ...(pickup.arrived_at > now && { pickup_eta: pickup.arrived_at }),
    ...(dropoff_eta > now && { dropoff_eta }),
  };
}

/** The statuses of the order after the step. */
function timelineAfter(carried: Carried, { status, now }: Step, present: Assignment): TimelineEntry[] {
  const { courier, route, order } = carried;
  const { number } = present.seat;
  if (isEnded(status) || status === 'request') return [];
  if (status === 'driver_not_assigned') {
    const next = successor(courier, route, { number, gone_at: now, unable: unableOrders(route) });
    return plannedTimeline({ ...route, accepted_at: now }, [next], order, now);
  }
  if (!isDriven(status)) {
    const restarted = { ...route, accepted_at: now };
    return plannedTimeline(restarted, assignmentsOf(courier, restarted), order);
  }
  return plannedTimeline(route, [present, ...replacement(carried, present)], order, now).filter(
    ({ at }) => at > now,
  );
}

/** The driver who replaces the first one, if the route's scenario reassigns it. */
function replacement({ courier, route }: Carried, present: Assignment): Assignment[] {
  const { number } = present.seat;
  if (number > 1 || routeScript(route).interruption !== 'reassigned') return [];
  const gone_at = interruptionOf(present);
  return [successor(courier, route, { number, gone_at, unable: unableOrders(route) })];
}

type ReasonDetails = Pick<Report, 'reason' | 'failure_reason'>;

function reasonOf(status: DeliveryStatus, { scenario }: AcceptedOrder): ReasonDetails {
  const { handover = 'handover_failed' } = scenarioScript(scenario);
  const reasons: Partial<Record<DeliveryStatus, ReasonDetails>> = {
    driver_not_assigned: { reason: 'The driver was reassigned' },
    enroute_to_return: failureDetails(handover),
    returned: failureDetails(handover),
    failed: failureDetails('courier_failed'),
    provider_canceled: { reason: 'Canceled by the courier' },
    customer_canceled: { reason: 'Canceled by the merchant' },
    burq_canceled: { reason: 'Canceled by the operator of the service' },
  };
  return reasons[status] ?? {};
}

/** The statuses that a sparse feed has. */
const sparse: readonly DeliveryStatus[] = ['driver_assigned', 'pickup_complete', 'delivered'];

/**
 * The entries that the courier reports, each with how often its status occurred. Every courier reports interruptions.
 */
function reportedEntries<Each extends { status: DeliveryStatus }>(
  { courier, order }: Carried,
  timeline: readonly Each[],
): { entry: Each; count: number }[] {
  const few = scenarioScript(order.scenario).feed === 'sparse';
  const counts = new Map<DeliveryStatus, number>();
  return timeline.flatMap((entry) => {
    const { status } = entry;
    const isReported = courier.statuses.includes(status) && (!few || sparse.includes(status));
    if (everyStatus.includes(status) && !isReported) return [];
    const count = (counts.get(status) ?? 0) + 1;
    counts.set(status, count);
    return { entry, count };
  });
}

const unknown: Driver = { name: null, image: null, phone: null, vehicle_type: null, vehicle: null };

/** The report of a timeline entry. The count distinguishes reports of one status. */
function reportOf(carried: Carried, entry: TimelineEntry, count: number | string): Report {
  const { courier, route, order } = carried;
  const { status, at, assignment, details } = entry;
  return {
    id: reportId(carried, status, count),
    order_id: order.order_id,
    status,
    occurred_at: at,
    ...(isDriven(status) && { driver: reportedDriver(assignment, route, order) }),
    ...(status === 'driver_assigned' && { way: pathUntilDone(assignment, order) }),
    ...(isDriven(status) && pinOf(courier, route.chance, order)),
    ...details,
    ...(status === 'delivered' && !isProofLate(courier, order) && proofOf(courier, route.reference, order)),
  };
}

/**
 * The courier's id of a report: a repeated report has the same. It names the order by its place in the route, as each
 * report is stored with its id, and found by it.
 */
function reportId({ route, order }: Carried, subject: string, count: number | string): string {
  const place = 1 + route.orders.findIndex(({ order_id }) => order_id === order.order_id);
  return `${route.reference}:${place}:${subject}:${count}`;
}

/** True for statuses at which a driver has or had the order. */
function isDriven(status: DeliveryStatus): boolean {
  const later: readonly DeliveryStatus[] = ['delivered', 'enroute_to_return', 'returned'];
  return later.includes(status) || drivenStatuses.some((driven) => driven === status);
}

/** The driver as the order's reports show them. */
function reportedDriver({ seat }: Assignment, { vehicles }: AcceptedRoute, order: AcceptedOrder): Driver {
  return scenarioScript(order.scenario).courier === 'unknown' ? unknown : driverOf(seat, vehicles);
}

/** The driver's path as far as the courier and the order's scenario report positions. */
function pathUntilDone({ seat, schedule }: Assignment, { order_id, scenario }: AcceptedOrder): Waypoint[] {
  const { location, courier } = scenarioScript(scenario);
  const reportsLocation = seat.courier.courier_fields.includes('location');
  if (!reportsLocation || courier === 'unknown' || location === 'none') return [];
  const path = pathOfOrder(schedule, order_id);
  return location === 'stale' ? path.slice(0, 1) : path;
}

/** In a shuffled feed a report arrives this long after the one that it should precede, and is repeated later. */
const swap_delay_ms = 5 * second_ms;
const repeat_delay_ms = minute_ms;
/** How long after the last report an old one arrives. */
const late_delay_ms = 10 * minute_ms;

/** When each report of an order arrives, unsorted. */
function arrivals({ courier, order }: Carried, reports: readonly Report[], extra: DueReport[]): DueReport[] {
  const { feed } = scenarioScript(order.scenario);
  if (feed !== 'shuffled' && courier.feed !== 'shuffled') return [...reports.map(inTime), ...extra];
  return [...shuffled(reports), ...extra].flatMap((due) => [
    due,
    { ...due, due_at: due.due_at + repeat_delay_ms },
  ]);
}

function inTime(report: Report): DueReport {
  return { due_at: report.occurred_at, report };
}

/** Swaps ordinary reports pairwise; interruptions keep their place. */
function shuffled([first, second, ...rest]: readonly Report[]): DueReport[] {
  if (first === undefined) return [];
  if (second === undefined) return [inTime(first)];
  if (!isOrdinary(first) || !isOrdinary(second)) return [inTime(first), ...shuffled([second, ...rest])];
  return [inTime(second), { due_at: second.occurred_at + swap_delay_ms, report: first }, ...shuffled(rest)];
}

function isOrdinary({ status }: Report): boolean {
  return status !== null && everyStatus.includes(status);
}

/** An old report that is repeated after the last one. */
function oldReport(carried: Carried, reports: readonly Report[], mark: string): DueReport[] {
  const reportAt = (wanted: DeliveryStatus) => reports.find(({ status }) => status === wanted);
  const old = reportAt('enroute_dropoff') ?? reportAt('pickup_complete');
  const last = reports.at(-1);
  if (old === undefined || last === undefined) return [];
  const id = reportId(carried, `${old.status}`, `${mark}again`);
  return [{ due_at: last.occurred_at + late_delay_ms, report: { ...old, id } }];
}

function lateProof(carried: Carried, reports: readonly Report[], mark: string): DueReport[] {
  const { courier, route, order } = carried;
  const delivered = reports.find(({ status }) => status === 'delivered');
  const proof = proofOf(courier, route.reference, order);
  if (delivered === undefined || proof.proof === undefined || !isProofLate(courier, order)) return [];
  const occurred_at = delivered.occurred_at + proofDelayMinutes(courier, order) * minute_ms;
  const { order_id } = order;
  return [
    inTime({ id: reportId(carried, 'proof', `${mark}1`), order_id, status: null, occurred_at, ...proof }),
  ];
}

type Proof = Pick<Report, 'proof' | 'signature'>;

/**
 * The proof of a delivery; empty if absent. A photo if the courier takes photos, plus a signature if the order
 * requires one; otherwise, for a handover in person, the recipient's PIN.
 */
function proofOf(courier: Courier, reference: string, order: AcceptedOrder): Proof {
  const types = proofTypes(courier, order);
  if (types.length === 0) return {};
  const url = (type: ProofType) =>
    `https://couriers.example/proofs/${encodeURIComponent(reference)}/${encodeURIComponent(order.order_id)}/${type}.png`;
  const proof = types.map((type) => ({ type, url: url(type) }));
  if (!types.includes('signature')) return { proof };
  return { proof, signature: { name: order.recipient, image_url: url('signature') } };
}

/** The PIN of a handover that is proved by one; the same in every report. */
function pinOf(courier: Courier, chance: Chance, order: AcceptedOrder): Pick<Report, 'pin'> {
  if (!proofTypes(courier, order).includes('pin')) return {};
  const number = Math.floor(chance(`${courier.name} pin ${order.fate ?? order.order_id}`) * 10_000);
  return { pin: String(number).padStart(4, '0') };
}

/** Minutes from `delivered` to its proof. */
function proofDelayMinutes(courier: Courier, { scenario }: AcceptedOrder): number {
  return scenarioScript(scenario).proof === 'late' ? 10 : courier.proof_late_minutes;
}

function isProofLate(courier: Courier, order: AcceptedOrder): boolean {
  return proofDelayMinutes(courier, order) > 0;
}

function proofTypes(courier: Courier, order: AcceptedOrder): ProofType[] {
  const { proof: fate } = scenarioScript(order.scenario);
  if (fate === 'never') return [];
  // A scenario with a proof has one for every courier.
  const kinds: readonly ProofType[] =
    fate !== undefined && courier.proof.length === 0 ? ['photo'] : courier.proof;
  const wanted: ProofType[] = ['photo'];
  if (fate !== 'photo_only' && order.request_signature) wanted.push('signature');
  else if (fate !== 'photo_only' && !order.request_contactless) wanted.push('pin');
  return wanted.filter((type) => kinds.includes(type));
}
