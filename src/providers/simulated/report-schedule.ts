import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import type { AcceptedRoute, DueReport, Report } from '../port.ts';
import { assignmentsOf } from './assignments.ts';
import { type Courier, everyStatus } from './couriers.ts';
import { isProofLate, proofDelay, proofOf } from './proofs.ts';
import { type Carried, reportId, reportOf } from './reports.ts';
import { type TimelineEntry, timelineOf } from './timeline.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** In a shuffled feed a report arrives this long after the one that it should precede, and is repeated later. */
const SWAP_DELAY = 5 * SECOND;
const REPEAT_DELAY = MINUTE;
/** How long after the last report an old one arrives. */
const LATE_DELAY = 10 * MINUTE;

const sparse: readonly DeliveryStatus[] = ['driver_assigned', 'pickup_complete', 'delivered'];

/** All reports of a route, in order of arrival. A pure function of its arguments. */
export function scheduleReports(courier: Courier, route: AcceptedRoute): DueReport[] {
  const assignments = assignmentsOf(courier, route);
  const dues = route.orders.flatMap((order) =>
    scheduleOrderReports({ courier, route, order }, { timeline: timelineOf(route, assignments, order) }),
  );
  return dues.sort(byArrival);
}

/** The timeline of an order and what was reported of it before. */
export interface ReportPlan {
  timeline: readonly TimelineEntry[];
  /** Reports that were made before. */
  earlier?: readonly Report[];
  /** A prefix of the counts in report ids, different for each plan of an order. */
  mark?: string;
}

/** All reports of an order's timeline, in order of arrival. */
export function scheduleOrderReports(
  carried: Carried,
  { timeline, earlier = [], mark = '' }: ReportPlan,
): DueReport[] {
  const reports = reportedEntries(carried, timeline).map(({ entry, count }) =>
    reportOf(carried, entry, `${mark}${count}`),
  );
  const all = [...earlier, ...reports];
  const isLate = scriptOf(carried.order.scenario).feed === 'late';
  const extra = [...lateProof(carried, all, mark), ...(isLate ? oldReport(carried, all, mark) : [])];
  return [...arrivals(carried, reports, extra)].sort(byArrival);
}

function byArrival(left: DueReport, right: DueReport): number {
  return left.due_at - right.due_at;
}

/**
 * The entries that the courier reports, each with how often its status occurred. Every courier reports interruptions.
 */
function reportedEntries<Each extends { status: DeliveryStatus }>(
  { courier, order }: Carried,
  timeline: readonly Each[],
): { entry: Each; count: number }[] {
  const few = scriptOf(order.scenario).feed === 'sparse';
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

/** When each report of an order arrives, unsorted. */
function arrivals({ courier, order }: Carried, reports: readonly Report[], extra: DueReport[]): DueReport[] {
  const { feed } = scriptOf(order.scenario);
  if (feed !== 'shuffled' && courier.feed !== 'shuffled') return [...reports.map(inTime), ...extra];
  return [...shuffled(reports), ...extra].flatMap((due) => [
    due,
    { ...due, due_at: due.due_at + REPEAT_DELAY },
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
  return [inTime(second), { due_at: second.occurred_at + SWAP_DELAY, report: first }, ...shuffled(rest)];
}

function isOrdinary({ status }: Report): boolean {
  return status !== null && everyStatus.includes(status);
}

function lateProof(carried: Carried, reports: readonly Report[], mark: string): DueReport[] {
  const { courier, route, order } = carried;
  const delivered = reports.find(({ status }) => status === 'delivered');
  const proof = proofOf(courier, route.reference, order);
  if (delivered === undefined || proof.proof === undefined || !isProofLate(courier, order)) return [];
  const occurred_at = delivered.occurred_at + proofDelay(courier, order) * MINUTE;
  const { order_id } = order;
  return [
    inTime({ id: reportId(carried, 'proof', `${mark}1`), order_id, status: null, occurred_at, ...proof }),
  ];
}

/** An old report that is repeated after the last one. */
function oldReport(carried: Carried, reports: readonly Report[], mark: string): DueReport[] {
  const reportAt = (wanted: DeliveryStatus) => reports.find(({ status }) => status === wanted);
  const old = reportAt('enroute_dropoff') ?? reportAt('pickup_complete');
  const last = reports.at(-1);
  if (old === undefined || last === undefined) return [];
  const id = reportId(carried, `${old.status}`, `${mark}again`);
  return [{ due_at: last.occurred_at + LATE_DELAY, report: { ...old, id } }];
}
