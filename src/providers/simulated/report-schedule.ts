import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import { assignmentsOf } from './assignments.ts';
import { type Courier, everyStatus } from './couriers.ts';
import { journeyOf, type Moment } from './timeline.ts';
import type { AcceptedRoute, DueReport, Report } from '../port.ts';
import { isProofLate, proofDelay, proofOf } from './proofs.ts';
import { type Carried, reportId, reportOfMoment } from './reports.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** In a shuffled feed a report comes so long after the one it should come before, and again so much later. */
const BEHIND = 5 * SECOND;
const AGAIN = MINUTE;
/** An old report comes so long after all is over. */
const TOO_LATE = 10 * MINUTE;

const sparse: readonly DeliveryStatus[] = ['driver_assigned', 'pickup_complete', 'delivered'];

/** All that the courier reports of a route, in order of arrival: a pure function of what is given. */
export function feedOf(courier: Courier, route: AcceptedRoute): DueReport[] {
  const assignments = assignmentsOf(courier, route);
  const dues = route.orders.flatMap((order) =>
    feedOfOrder({ courier, route, order }, { journey: journeyOf(route, assignments, order) }),
  );
  return dues.sort(byArrival);
}

/** What there is to tell of an order. */
export interface Telling {
  journey: readonly Moment[];
  /** What was told already. */
  told?: readonly Report[];
  /** Set before the counts in the ids: no two feeds of an order have the same. */
  mark?: string;
}

/** All that the courier reports of a journey of an order, in order of arrival. */
export function feedOfOrder(carried: Carried, { journey, told = [], mark = '' }: Telling): DueReport[] {
  const reports = toldMoments(carried, journey).map(({ moment, count }) =>
    reportOfMoment(carried, moment, `${mark}${count}`),
  );
  const all = [...told, ...reports];
  const isLate = scriptOf(carried.order.scenario).feed === 'late';
  const extra = [...lateProof(carried, all, mark), ...(isLate ? oldReport(carried, all, mark) : [])];
  return [...arrivals(carried, reports, extra)].sort(byArrival);
}

function byArrival(left: DueReport, right: DueReport): number {
  return left.due_at - right.due_at;
}

/** What of a journey is told, each with how often its status was. What comes between, every courier tells. */
function toldMoments<Each extends { status: DeliveryStatus }>(
  { courier, order }: Carried,
  journey: readonly Each[],
): { moment: Each; count: number }[] {
  const few = scriptOf(order.scenario).feed === 'sparse';
  const counts = new Map<DeliveryStatus, number>();
  return journey.flatMap((moment) => {
    const { status } = moment;
    const isTold = courier.statuses.includes(status) && (!few || sparse.includes(status));
    if (everyStatus.includes(status) && !isTold) return [];
    const count = (counts.get(status) ?? 0) + 1;
    counts.set(status, count);
    return { moment, count };
  });
}

/** When each report of an order arrives, in no order. */
function arrivals({ courier, order }: Carried, reports: readonly Report[], extra: DueReport[]): DueReport[] {
  const { feed } = scriptOf(order.scenario);
  if (feed !== 'shuffled' && courier.feed !== 'shuffled') return [...reports.map(inTime), ...extra];
  return [...shuffled(reports), ...extra].flatMap((due) => [due, { ...due, due_at: due.due_at + AGAIN }]);
}

function inTime(report: Report): DueReport {
  return { due_at: report.occurred_at, report };
}

/** Two by two the later comes first; what is out of the ordinary stays in its place. */
function shuffled([first, second, ...rest]: readonly Report[]): DueReport[] {
  if (first === undefined) return [];
  if (second === undefined) return [inTime(first)];
  if (!isOrdinary(first) || !isOrdinary(second)) return [inTime(first), ...shuffled([second, ...rest])];
  return [inTime(second), { due_at: second.occurred_at + BEHIND, report: first }, ...shuffled(rest)];
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

/** One from the way to the dropoff, told anew when nobody waits for it any more. */
function oldReport(carried: Carried, reports: readonly Report[], mark: string): DueReport[] {
  const told = (wanted: DeliveryStatus) => reports.find(({ status }) => status === wanted);
  const old = told('enroute_dropoff') ?? told('pickup_complete');
  const last = reports.at(-1);
  if (old === undefined || last === undefined) return [];
  const id = reportId(carried, `${old.status}`, `${mark}again`);
  return [{ due_at: last.occurred_at + TOO_LATE, report: { ...old, id } }];
}
