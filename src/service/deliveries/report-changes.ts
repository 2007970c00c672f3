/** Computes what a courier's report changes in the record of a delivery, besides the status. */
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { drivenStatuses, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { minute_ms } from '../../domain/durations.ts';
import { isNearStops, type Waypoint } from '../../domain/geography.ts';
import type { Driver, Report } from '../../providers/port.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import type { DeliveryRecord, FactTimes } from './delivery-view.ts';

interface ReportedDelivery {
  row: DeliveryRow;
  record: DeliveryRecord;
  /** The status after the report. */
  status: DeliveryStatus;
  /** Whether a report with the same ID was received before: only facts that occurred later count again. */
  is_known?: boolean;
}

const factNames = ['driver', 'eta', 'pin', 'signature'] as const satisfies readonly (keyof FactTimes)[];

/**
 * What a report changes besides the status. Until the delivery has ended, the report that occurred last is right about
 * driver, estimates, PIN and signature, whether or not it changes the status; of an older one only what the record
 * lacks is taken. Empty if the record says the same already.
 */
export function changesIn(report: Report, reported: ReportedDelivery): Partial<DeliveryRecord> {
  const { row, record, status } = reported;
  const { pin } = report;
  const isLatest = latestFacts(report, reported);
  const { driver, way } = hasDriver(status) ? driverAfter(report, record, isLatest('driver')) : record;
  const said: Partial<DeliveryRecord> = {
    driver,
    way,
    ...(isLatest('eta') && etasIn(report, reported)),
    ...(pin !== undefined && (record.pin === undefined || isLatest('pin')) && { pin }),
    ...(takesProof(status) && proofIn(report, reported, isLatest('signature'))),
  };
  const changes = Object.fromEntries(
    Object.entries(said).filter(([name, value]) => !isEqual(value, Object(record)[name])),
  );
  if (Object.keys(changes).length === 0 || row.status !== status) return changes;
  const facts = factNames.filter((fact) => isLatest(fact) && has(report, fact));
  if (facts.length === 0) return changes;
  const times = Object.fromEntries(facts.map((fact) => [fact, report.occurred_at]));
  return { ...changes, fact_times: { ...record.fact_times, ...times } };
}

/** Whether a report is the latest about a fact of a delivery that has not ended. */
function latestFacts(
  { occurred_at: at }: Report,
  { row, record, is_known = false }: ReportedDelivery,
): (fact: keyof FactTimes) => boolean {
  return (fact) => {
    const known_at = Math.max(record.reported_at, record.fact_times?.[fact] ?? 0);
    return !isEnded(row.status) && (is_known ? at > known_at : at >= known_at);
  };
}

/** The estimates of a report. From the pickup on, that of the pickup is the time at which it was. */
function etasIn(
  { pickup_eta, dropoff_eta }: Report,
  { record, status }: ReportedDelivery,
): Partial<DeliveryRecord> {
  return {
    ...(pickup_eta !== undefined && !isPickedUp(status) && { pickup: { ...record.pickup, eta: pickup_eta } }),
    ...(dropoff_eta !== undefined && { dropoff: { ...record.dropoff, eta: dropoff_eta } }),
  };
}

/** The proofs after a report. A signature that is there already is only replaced by a later one. */
function proofIn(
  { occurred_at: at, proof = [], signature, no_photo_reason, pin_unverified }: Report,
  { row, record }: ReportedDelivery,
  isLatest: boolean,
): Partial<DeliveryRecord> {
  const isOpen = !isEnded(row.status);
  const isSigned = record.signature === null || (isLatest && !hasSignature(record, signature));
  return {
    proof: [...record.proof, ...proof.filter(isMissingIn(record)).map((each) => ({ ...each, at }))],
    ...(signature !== undefined && isSigned && { signature: { ...signature, at } }),
    ...(isOpen && no_photo_reason !== undefined && { no_photo_reason }),
    ...(isOpen && pin_unverified !== undefined && { pin_unverified }),
  };
}

/** Whether changes are worth an event: positions and seconds of an estimate move all the time. */
export function isNoticeable(changes: Partial<DeliveryRecord>, record: DeliveryRecord): boolean {
  const { way: _, fact_times: __, pickup = record.pickup, dropoff = record.dropoff, ...others } = changes;
  const minutesOf = ({ eta }: { eta: number }) => Math.round(eta / minute_ms);
  return (
    Object.keys(others).length > 0 ||
    minutesOf(pickup) !== minutesOf(record.pickup) ||
    minutesOf(dropoff) !== minutesOf(record.dropoff)
  );
}

function has(report: Report, fact: keyof FactTimes): boolean {
  return fact === 'eta'
    ? report.pickup_eta !== undefined || report.dropoff_eta !== undefined
    : report[fact] !== undefined;
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** The driver after a report, and the driver's path. The position of one driver is not that of the next. */
function driverAfter(
  { driver: said, way }: Report,
  record: DeliveryRecord,
  isLatest: boolean,
): Pick<DeliveryRecord, 'driver' | 'way'> {
  const { driver: known } = record;
  const isSame = said === undefined || known === null || isSamePerson(said, known);
  if (!isSame && !isLatest) return record;
  const driver = isSame ? combineDrivers(isLatest ? [known, said] : [said, known]) : said;
  return { driver, way: wayAfter(way, { ...record, way: isSame ? record.way : [] }, isLatest) };
}

function isSamePerson(said: Driver, known: Driver): boolean {
  const parts = ['id', 'name', 'phone'] as const;
  return parts.every((part) => said[part] == null || known[part] == null || said[part] === known[part]);
}

/** One driver as two reports describe the person: the second one is right, the first one adds what it lacks. */
function combineDrivers([first, second]: readonly (Driver | null | undefined)[]): Driver | null {
  if (first == null || second == null) return second ?? first ?? null;
  const given = Object.entries(second).filter(([, value]) => value !== null);
  return { ...first, ...Object.fromEntries(given) };
}

function wayAfter(
  way: readonly Waypoint[] | undefined,
  record: DeliveryRecord,
  isLatest: boolean,
): readonly Waypoint[] {
  const [point, ...others] = way ?? [];
  const last = record.way.at(-1);
  if (way === undefined || (last !== undefined && !isLatest)) return record.way;
  // Several points are planned by a simulated courier, one is where the driver was.
  if (point === undefined || others.length > 0) return way;
  const isNews = isNearStops(point, record) && (last === undefined || last.at <= point.at);
  return isNews ? way : record.way;
}

/** Driver fields are null until a driver is assigned, and while a replacement is searched. */
function hasDriver(status: DeliveryStatus): boolean {
  return drivenStatuses.some((driven) => driven === status) || isPickedUp(status);
}

/** Whether a proof is accepted: a returned parcel was not handed over, whatever a late report contains. */
function takesProof(status: DeliveryStatus): boolean {
  return isPickedUp(status) && status !== 'enroute_to_return' && status !== 'returned';
}

function isMissingIn({ proof: known }: DeliveryRecord) {
  return ({ type, url }: { type: string; url: string }) =>
    !known.some((each) => each.type === type && (each.source ?? each.url) === url);
}

function hasSignature({ signature: known }: DeliveryRecord, said: Report['signature']): boolean {
  return known?.name === said?.name && known?.image_url === said?.image_url;
}
