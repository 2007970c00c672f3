/**
 * The handlers for own drivers: their records, the links to their page, and what dispatchers do for them, who assign
 * deliveries, report steps that a driver did not tap, and unlock handovers.
 */
import type { reportDelivery, unlockDelivery } from '../../contract/delivery-changes.ts';
import { type ErrorCode, type Fault, invalidRequest, Problem } from '../../contract/errors.ts';
import type {
  assignDelivery,
  changeDriver,
  createDriver,
  Driver,
  deleteDriver,
  getDriver,
  LinkedDriver,
  listDrivers,
  renewDriverLink,
} from '../../contract/providers.ts';
import { canMove, isEnded, isPickedUp, skippedStatuses } from '../../domain/delivery-states.ts';
import { insertStops, keepOrders, type PlannedStop } from '../../domain/driver-plans.ts';
import type { DrivingTimes } from '../../domain/geography.ts';
import { isPinLocked } from '../../domain/order-rules.ts';
import { wordsInSearch } from '../../domain/search-text.ts';
import type { Report } from '../../providers/port.ts';
import type { Connection, DeliveryRow, DriverRow } from '../../storage/database.ts';
import { addSearchWords, deliveriesOfRoute, insertDeliveryNote } from '../../storage/deliveries.ts';
import {
  assignmentOfRoute,
  changeAssignment,
  deletePushesOfDriver,
  deleteDriver as deleteRow,
  insertDriver,
  listDrivers as listRows,
  loadDriver,
  updateDriver,
} from '../../storage/drivers.ts';
import { findOrder } from '../../storage/orders.ts';
import { requireAsSeen } from '../deliveries/as-seen.ts';
import { deliveryFor, lockDeliveryFor } from '../deliveries/delivery.ts';
import { saveDelivery } from '../deliveries/delivery-transitions.ts';
import { createViewpoint, deliveryRecord, deliveryView } from '../deliveries/delivery-view.ts';
import { receiveReport } from '../deliveries/take-report.ts';
import { hashKey } from '../http/authentication.ts';
import { type CallBase, type Handler, readPublicUrl } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { orderRecord } from '../orders/order.ts';
import { instant, instantOrNull } from '../runtime/time.ts';
import { readName, readPhoneDigits } from '../stores/places.ts';
import { assignRoute, isRouteHeld, reportedDriver } from './assignments.ts';
import {
  acceptedDeliveries,
  type DriverLoad,
  deliveriesOfDriver,
  driverFor,
  lastPosition,
  learnWays,
  loadDriverLoad,
  loadDrivers,
  offeredStops,
  planInsertion,
  planReturns,
  remainingStops,
  stopsOfEnds,
} from './driver-load.ts';
import { estimatePlan, expectedTimes } from './plan-estimates.ts';
import { offerWaitingOrders } from './take-taps.ts';

export const addDriver: Handler<typeof createDriver> = async (call) => {
  const { caller, body, now, id, commit } = call;
  const { token, link_hash } = await newLink(call);
  const row: DriverRow = {
    id: id('drv'),
    ...caller.scope,
    name: readName(body.name),
    phone: await driverPhone(body.phone_number),
    vehicle_type: body.vehicle_type ?? 'car',
    link_hash,
    on_duty: 0,
    position: null,
    plan: '[]',
    contact: null,
    assign_without_asking: body.assign_without_asking === true ? 1 : 0,
    created_at: now,
    updated_at: now,
  };
  const driver = await commit(async (transaction) => {
    await insertDriver(transaction, row);
    return linkedView(call, await loadDriverLoad(transaction, row), token);
  });
  // The fleet may have become a provider.
  call.service.connections.forget();
  return driver;
};

export const pageOfDrivers: Handler<typeof listDrivers> = async (call) => {
  const { service, caller, query, now } = call;
  const { for_id } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'drv') };
  const assignable =
    for_id === undefined ? null : await service.storage.read((db) => loadAssignable(db, call, for_id));
  if (assignable !== null) await learnWays(service, { scope: caller.scope, stops: assignable.stops });
  const drive = { now, times: service.router?.known };
  const page = await service.storage.read((db) => listRows(db, wanted));
  const loads = await service.storage.read((db) => loadDrivers(db, page.rows));
  const arrivalOf = (load: DriverLoad) =>
    assignable === null ? {} : { would_arrive_at: instantOrNull(estimateArrival(assignable, load, drive)) };
  const data = loads.map((load) => ({ ...driverView(load), ...arrivalOf(load) }));
  return { ...toPage(page, ({ id }) => id), data };
};

export const readDriver: Handler<typeof getDriver> = async (call) => {
  const load = await call.service.storage.read(async (db) =>
    loadDriverLoad(db, await driverFor(db, call.caller, call.params.driver_id)),
  );
  return driverView(load);
};

export const editDriver: Handler<typeof changeDriver> = async (call) => {
  const { name, phone_number, vehicle_type, assign_without_asking: isUnasked } = call.body;
  const phone = phone_number === undefined ? undefined : await driverPhone(phone_number);
  return call.commit(async (transaction) => {
    const row = await driverFor(transaction, call.caller, call.params.driver_id);
    const change = {
      ...(name !== undefined && { name: readName(name) }),
      ...(phone !== undefined && { phone }),
      ...(vehicle_type !== undefined && { vehicle_type }),
      ...(isUnasked !== undefined && { assign_without_asking: isUnasked ? (1 as const) : (0 as const) }),
      updated_at: call.now,
    };
    await updateDriver(transaction, { id: row.id, ...change });
    return driverView(await loadDriverLoad(transaction, { ...row, ...change }));
  });
};

/** Replaces the link, so that a lost phone sees nothing more. */
export const renewLink: Handler<typeof renewDriverLink> = async (call) => {
  const { token, link_hash } = await newLink(call);
  const updated_at = call.now;
  return call.commit(async (transaction) => {
    const row = await driverFor(transaction, call.caller, call.params.driver_id);
    await updateDriver(transaction, { id: row.id, link_hash, updated_at });
    await deletePushesOfDriver(transaction, row.id);
    return linkedView(call, await loadDriverLoad(transaction, { ...row, updated_at }), token);
  });
};

export const dropDriver: Handler<typeof deleteDriver> = async (call) =>
  call.commit(async (transaction) => {
    const row = await driverFor(transaction, call.caller, call.params.driver_id);
    const { id, name } = row;
    const deliveries = await deliveriesOfDriver(transaction, row);
    if (deliveries.length > 0) {
      const count = deliveries.length === 1 ? '1 delivery' : `${deliveries.length} deliveries`;
      const related_ids = deliveries.map((each) => each.id);
      throw new Problem('driver_has_stops', `${name} still has ${count}.`, [], { related_ids });
    }
    await deleteRow(transaction, id);
    return { id, object: 'driver', deleted: true };
  });

/** A token of 131 random bits, and its hash. */
async function newLink({ service }: CallBase): Promise<{ token: string; link_hash: string }> {
  const token = await service.secrets.base62(22);
  return { token, link_hash: hashKey(token) };
}

function linkedView(call: CallBase, load: DriverLoad, token: string): LinkedDriver {
  return { ...driverView(load), link: `${readPublicUrl(call)}/drive/${token}` };
}

/** The digits of a phone number. Throws `invalid_request`. */
async function driverPhone(text: string): Promise<string> {
  const { readPhone } = await import('../../domain/phones.ts');
  const faults: Fault[] = [];
  const phone = readPhoneDigits(readPhone, text, 'phone_number', faults);
  if (faults.length > 0) throw invalidRequest(faults);
  return phone;
}

/** A driver as returned by the API. */
function driverView(load: DriverLoad): Driver {
  const { driver: row, stops } = load;
  const position = lastPosition(row);
  return {
    id: row.id,
    object: 'driver',
    name: row.name,
    phone_number: row.phone,
    vehicle_type: row.vehicle_type,
    on_duty: row.on_duty === 1,
    assign_without_asking: row.assign_without_asking === 1,
    stops_left: stops.length,
    stops: stops.map((stop) => stopView(stop, load)),
    deliveries: acceptedDeliveries(load).map((each) => ({
      id: each.id,
      external_order_ref: each.external_order_ref,
      picked_up: isPickedUp(each.status),
      pin_locked: isPinLocked(deliveryRecord(each)),
    })),
    location:
      position === null ? null : { lat: position.lat, lng: position.lng, recorded_at: instant(position.at) },
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

function stopView(
  { kind, order_ids, address, lat, lng }: PlannedStop,
  load: DriverLoad,
): Driver['stops'][number] {
  const rows = load.deliveries.filter(({ order_id }) => order_ids.includes(order_id));
  const etas = kind === 'return' ? [] : rows.map((row) => deliveryRecord(row)[kind].eta);
  const expected_at = etas.length === 0 ? null : instant(Math.max(...etas));
  return { kind, delivery_ids: rows.map(({ id }) => id), address, lat, lng, expected_at };
}

/**
 * Gives the route of a delivery to a driver, also if another one has picked up a part of it. A scheduled route that is
 * not offered yet is given to the driver when it is nearly time.
 */
export const assignToDriver: Handler<typeof assignDelivery> = async (call) => {
  const { service, caller, params, body, now } = call;
  await learnWays(service, { scope: caller.scope, driver_id: params.driver_id });
  const chance = await service.chance();
  return call.commit(async (db) => {
    const context = { db, chance, now, providers: service.providers, times: service.router?.known };
    const driver = await driverFor(db, call.caller, params.driver_id);
    const row = await deliveryFor(db, call, body.delivery_id);
    const refused = (why: string) => deliveryProblem('delivery_not_assignable', row, why);
    await requireAsSeen(db, row, body, { countsPlanned: true });
    if (isEnded(row.status)) throw refused(`is ${row.status}`);
    const assignment = await assignmentOfRoute(db, row.route_id);
    if (assignment === undefined) throw refused('is not with your own fleet');
    const { state, dispatch_id } = assignment;
    if (isRouteHeld(assignment, now)) {
      await changeAssignment(db, { dispatch_id, state: 'planned', driver_id: driver.id, updated_at: now });
    } else if (state !== 'accepted' || assignment.driver_id !== driver.id) {
      await assignRoute(context, assignment, driver);
    }
    return deliveryView(await deliveryFor(db, call, row.id), createViewpoint(call));
  });
};

/**
 * Takes a dispatcher's report for an own driver, as if the driver had tapped it. Statuses that must have been passed
 * are reported with it. The note is stored as an internal note of the delivery.
 */
export const reportForDriver: Handler<typeof reportDelivery> = async (call) => {
  const { service, caller, params, body, now } = call;
  const { status, note, failure_reason } = body;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const row = await lockDeliveryFor(db, call, params.deliveryid);
    const refused = (why: string) => deliveryProblem('delivery_not_reportable', row, why);
    await requireAsSeen(db, row, body);
    const driver = await driverOfRoute(db, row.route_id);
    if (driver === undefined) throw refused('is not with a driver of your own');
    const steps = [...skippedStatuses(row.status, status), status];
    const context = { db, chance, now, providers: service.providers, times: service.router?.known };
    const note_id = call.id('nte');
    // A delivery on its way back has a failure reason already, which the note of its return does not replace.
    const isReason = row.status !== 'enroute_to_return' || failure_reason !== undefined;
    const occurred_at = Math.max(now, deliveryRecord(row).reported_at);
    let current = row;
    for (const step of steps) {
      if (!canMove(current.status, step)) throw refused(`is ${row.status} and cannot become ${status}`);
      const isLast = step === status;
      const report: Report = {
        id: `${note_id} ${step}`,
        order_id: row.order_id,
        status: step,
        occurred_at,
        driver: reportedDriver(driver),
        ...(isLast && isReason && { reason: note }),
        ...(isLast && failure_reason !== undefined && { failure_reason }),
      };
      current = await receiveReport(context, current, report);
    }
    if (status === 'enroute_to_return') await planReturns(context, driver);
    await estimatePlan(context, driver.id);
    if (isEnded(status)) await offerWaitingOrders(context, driver.id);
    await insertDeliveryNote(db, {
      id: note_id,
      ...caller.scope,
      delivery_id: row.id,
      note,
      tags: JSON.stringify(['report', status]),
      created_at: now,
    });
    await addSearchWords(db, row.order_id, wordsInSearch(note));
    return deliveryView(current, createViewpoint(call));
  });
};

function deliveryProblem(code: ErrorCode, { id }: DeliveryRow, why: string): Problem {
  return new Problem(code, `Delivery ${id} ${why}.`, [], { related_ids: [id] });
}

/** The driver who has accepted a route; undefined without one. */
async function driverOfRoute(db: Connection, route_id: string): Promise<DriverRow | undefined> {
  const assignment = await assignmentOfRoute(db, route_id);
  if (assignment?.state !== 'accepted' || assignment.driver_id === null) return undefined;
  return loadDriver(db, assignment.driver_id);
}

/** Lifts the lock of a handover: its PIN stays the same. */
export const unlockHandover: Handler<typeof unlockDelivery> = async (call) => {
  const { service, params, body, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const row = await lockDeliveryFor(db, call, params.deliveryid);
    await requireAsSeen(db, row, body);
    const { wrong_pins, ...record } = deliveryRecord(row);
    if (!isPinLocked({ wrong_pins })) throw deliveryProblem('delivery_not_locked', row, 'is not locked');
    const context = { db, chance, now, providers: service.providers };
    return deliveryView(await saveDelivery(context, row, record), createViewpoint(call));
  }, 'read committed');
};

/** A delivery or order that may be assigned to a driver: its remaining stops, and the order whose recipient waits. */
interface Assignable {
  order_id: string;
  stops: PlannedStop[];
  /** The deliveries that move together, as one route. */
  rows: DeliveryRow[];
}

/** Reads a delivery, or an order that has none. Throws `record_not_found`. */
async function loadAssignable(db: Connection, call: CallBase, id: string): Promise<Assignable> {
  if (id.startsWith('ord_')) {
    const order = await findOrder(db, call.caller.scope, id);
    if (order === undefined) throw new Problem('record_not_found', `There is no order ${id}.`);
    if (order.delivery_id !== null) return loadAssignable(db, call, order.delivery_id);
    return { order_id: id, stops: stopsOfEnds(id, orderRecord(order)), rows: [] };
  }
  const delivery = await deliveryFor(db, call, id);
  const rows = (await deliveriesOfRoute(db, delivery.route_id)).filter(({ status }) => !isEnded(status));
  const stops = rows.flatMap((row) => stopsOfEnds(row.order_id, deliveryRecord(row)));
  return { order_id: delivery.order_id, stops: remainingStops(stops, rows), rows };
}

/** When a driver would hand it over, if it was assigned to the driver now; null if its recipient does not wait for it. */
function estimateArrival(
  { order_id, stops, rows }: Assignable,
  load: DriverLoad,
  drive: { now: number; times: DrivingTimes | undefined },
): number | null {
  const others = load.deliveries.filter((row) => !rows.some(({ id }) => id === row.id));
  const rest = keepOrders(load.stops, (order) => others.some((row) => row.order_id === order));
  const insertion = planInsertion({ ...load, stops: rest, deliveries: others }, drive);
  const offered = offeredStops({ ...load, deliveries: others });
  const plan = insertStops(insertStops(rest, offered, insertion), stops, insertion);
  const timesOf = expectedTimes(plan, [...others, ...rows], {
    start: insertion.start,
    ...drive,
    vehicle: load.driver.vehicle_type,
  });
  return timesOf(order_id).dropoff_eta ?? null;
}
