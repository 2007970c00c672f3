/**
 * Steps of simulated couriers: which statuses one can report now (`legalSteps`), and having it report one (`reportStep`),
 * which replaces what it would have reported later. `acceptedRoute` is what a simulated courier knows of a route.
 */
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { nextStatuses } from '../../domain/delivery-states.ts';
import { zipLegs } from '../../domain/stops.ts';
import type { AcceptedRoute, CourierSimulation, Provider } from '../../providers/port.ts';
import type { Connection, DeliveryRow, DispatchRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { dispatchesOfRoute, loadRoute } from '../../storage/routes.ts';
import { deleteTasksOfSubject } from '../../storage/tasks.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { receiveReport, scheduleReports } from '../deliveries/take-report.ts';
import { orderRecord } from '../orders/order.ts';
import { agreedTime, courierChance } from '../quotes/quote-request.ts';
import { ordersOfRoute, routeStops } from '../routes/route.ts';
import type { Chance } from '../runtime/random.ts';

/** Statuses that a merchant sets and no courier reports. */
const setByMerchants: readonly DeliveryStatus[] = ['customer_canceled', 'disputed'];

/** A delivery with its latest dispatch. */
export interface CarriedDelivery {
  row: DeliveryRow;
  dispatch: DispatchRow | null;
  /** Null if the courier is not simulated. */
  simulation: CourierSimulation | null;
}

export async function loadCarried(
  db: Connection,
  row: DeliveryRow,
  providers: readonly Provider[],
): Promise<CarriedDelivery> {
  const dispatch = (await dispatchesOfRoute(db, row.route_id)).at(-1) ?? null;
  const provider = providers.find(({ name }) => name === row.service);
  return { row, dispatch, simulation: provider?.simulation ?? null };
}

/** The statuses that the delivery's courier could report now; empty without a simulated courier. */
export function legalSteps({ row, dispatch, simulation }: CarriedDelivery): DeliveryStatus[] {
  if (dispatch?.state !== 'accepted' || simulation === null) return [];
  return nextStatuses(row.status).filter((status) => !setByMerchants.includes(status));
}

/**
 * Makes the simulated courier report a status now: one of `legalSteps`. Its pending reports for the delivery are
 * replaced by those that follow the step; the other deliveries of the route keep their times.
 */
export async function reportStep(
  given: TransitionContext,
  { row, dispatch, simulation }: CarriedDelivery,
  status: DeliveryStatus,
): Promise<DeliveryRow> {
  // A request that started before the clock was advanced may follow later changes.
  const context = { ...given, now: Math.max(given.now, row.updated_at) };
  const { db, chance, now } = context;
  const route = await loadRoute(db, row.route_id);
  if (dispatch === null || route === undefined || simulation === null) {
    throw new Error(`delivery ${row.id} has no simulated courier`);
  }
  const orders = await ordersOfRoute(db, route);
  const accepted = acceptedRoute(chance, { route, orders, dispatch }, dispatch.updated_at);
  const step = { order_id: row.order_id, status, now, lost_drivers: lostDrivers(row) };
  const { report, feed } = await simulation.step(accepted, step);
  const moved = await receiveReport(context, row, report);
  if (moved.status === row.status) return moved;
  await deleteTasksOfSubject(db, row.id, ['report.take']);
  await scheduleReports(context, [moved], feed);
  return moved;
}

function lostDrivers(row: DeliveryRow): number {
  const { status_history } = deliveryRecord(row);
  return status_history.filter(({ status }) => status === 'driver_not_assigned').length;
}

/** The route as its provider accepted it; the same on each call. */
export function acceptedRoute(
  chance: Chance,
  { route, orders, dispatch }: { route: RouteRow; orders: readonly OrderRow[]; dispatch: DispatchRow },
  accepted_at: number,
): AcceptedRoute {
  const records = orders.map(orderRecord);
  return {
    route_id: route.id,
    reference: dispatch.id,
    accepted_at,
    stops: zipLegs(routeStops(route)),
    orders: orders.map(acceptedOrder),
    vehicles: records.flatMap(({ vehicle }) => vehicle ?? []),
    ...agreedTime(records, accepted_at),
    chance: courierChance(chance, records, route.id),
  };
}

function acceptedOrder(order: OrderRow): AcceptedRoute['orders'][number] {
  const { dropoff, request_signature, request_contactless, simulation } = orderRecord(order);
  return {
    order_id: order.id,
    recipient: dropoff.name,
    request_signature,
    request_contactless,
    scenario: simulation.scenario,
    ...(simulation.fate === undefined ? {} : { fate: simulation.fate }),
  };
}
