/** A shop's report on its deliveries in a period: the sums of `storage/shop-report-sums.ts` added up by the groups that were asked for. */
import type { getReport, Report, ReportRow } from '../../contract/accounting.ts';
import type { QueryOf } from '../../contract/operation.ts';
import {
  deliveryStatuses,
  expandStatusNames,
  max_reason_messages,
  max_report_days,
  type ReportGroup,
  type StatusGroup,
  weekdayNames,
} from '../../contract/vocabulary.ts';
import { zipOf } from '../../domain/address-text.ts';
import { day_ms, hour_ms } from '../../domain/durations.ts';
import { isRescheduled } from '../../domain/status-words.ts';
import type { Connection } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { driverNames } from '../../storage/drivers.ts';
import { storeNames } from '../../storage/places.ts';
import { type QuoteSums, quoteSums } from '../../storage/quote-sums.ts';
import { type ReportQuery, type ReportSums, reportSums } from '../../storage/shop-report-sums.ts';
import { invalidField } from '../http/answers.ts';
import type { Handler } from '../http/handler.ts';
import { instant, parseInstant } from '../runtime/time.ts';
import { deliveryRecord } from './delivery-view.ts';

/** What the rows of a report are told apart by; null where it was not asked for. */
type Group = Omit<ReportRow, keyof Report['total'] | 'store_name' | 'reason_messages'>;

/** A row of the report before it is added up. */
interface Part {
  group: Group;
  sums: ReportSums[];
}

const noGroup: Group = {
  ...{ courier: null, status: null, store_id: null, driver_id: null, driver_name: null },
  ...{ customer_name: null, customer_contact: null, address: null, zip: null, reason: null },
  ...{ day: null, weekday: null, hour: null },
};

/** The columns by which the sums are read for each group. */
const columnsOf = {
  courier: ['courier'],
  status: ['reason'],
  store: ['store_id'],
  // Couriers do not tell their drivers apart but by name: another courier's is another driver.
  driver: ['courier', 'driver_id', 'driver_name'],
  customer: ['customer_name', 'customer_contact'],
  address: ['address'],
  zip: ['address'],
  reason: ['reason', 'failure_message'],
  day: ['hour'],
  weekday: ['hour'],
  hour: ['hour'],
} as const satisfies Record<ReportGroup, ReportQuery['by']>;

export const readReport: Handler<typeof getReport> = async ({ service, caller, query, now }) => {
  const by = [...new Set(query.by ?? [])];
  const period = readPeriod(query, now);
  const clock = clockOf(query.time_zone ?? 'UTC', period);
  const wanted: ReportQuery = {
    ...caller.scope,
    ...period,
    store_id: query.store_id,
    by: by.flatMap((group) => [...columnsOf[group]]),
    hour_ms: clock.unit_ms,
    // What is promised for the start belongs to the period, and what is under way may be promised for later than now.
    due: { after: period.created_after - 1, before: parseInstant(query.created_before) },
    now,
    as_of: parseInstant(query.as_of),
  };
  // Of a quote the store is not known.
  const isByCourier = by.join() === 'courier' && query.store_id === undefined;
  const { found, stores, drivers, quotes } = await service.storage.read(async (db) => {
    const sums = await reportSums(db, wanted);
    return {
      found: sums,
      quotes: isByCourier ? await quoteSums(db, wanted) : null,
      stores: await namesOf(db, sums, 'store_id'),
      drivers: await namesOf(db, sums, 'driver_id'),
    };
  });
  const parts = divided(found, by, clock);
  const rows = [...parts, ...neverChosen(parts, quotes)].map(({ group, sums }): ReportRow => {
    const { courier, status, store_id, driver_id, driver_name, ...others } = group;
    return {
      courier,
      status,
      store_id,
      store_name: stores.get(store_id ?? '') ?? null,
      driver_id,
      driver_name: driver_name ?? drivers.get(driver_id ?? '') ?? null,
      ...others,
      reason_messages: [...new Set(sums.flatMap((each) => each.failure_message ?? []))].slice(
        0,
        max_reason_messages,
      ),
      ...countsOf(sums),
      ...(quotes && quoteCounts(quotes.filter((each) => each.courier === courier))),
    };
  });
  return {
    object: 'report',
    created_after: instant(period.created_after),
    created_before: instant(period.created_before),
    by,
    data: rows.toSorted((a, b) => byTime(a, b) || b.orders - a.orders || b.deliveries - a.deliveries),
    total: { ...countsOf(found), ...(quotes && quoteCounts(quotes)) },
  };
};

/** The period of a report, by default until now. Throws `invalid_request` for one that is too long, or empty. */
function readPeriod(query: QueryOf<typeof getReport>, now: number) {
  const created_after = parseInstant(query.created_after) ?? 0;
  const end = parseInstant(query.created_before) ?? now + 1;
  const created_before = Math.min(end, parseInstant(query.as_of) ?? end);
  if (created_after >= created_before) throw invalidField('created_after', 'must be before created_before');
  if (created_before - created_after > max_report_days * day_ms) {
    const message = `must be at most ${max_report_days} days before the end of the period`;
    throw invalidField('created_after', message);
  }
  return { created_after, created_before };
}

/** Couriers that quoted in the period, and were not chosen. */
function neverChosen(parts: readonly Part[], quotes: QuoteSums[] | null): Part[] {
  const known = new Set(parts.map(({ group }) => group.courier));
  return (quotes ?? [])
    .filter(({ courier }) => !known.has(courier))
    .map(({ courier }) => ({ group: { ...noGroup, courier }, sums: [] }));
}

function quoteCounts(all: readonly QuoteSums[]) {
  const total = (field: 'quotes' | 'taken' | 'cost') => all.reduce((sum, each) => sum + each[field], 0);
  const quotes = total('quotes');
  const average_quote = quotes === 0 ? null : Math.round(total('cost') / quotes);
  return { quotes, quotes_taken: total('taken'), average_quote };
}

/** Rows of days, weekdays and hours are in their order: the three as one number, like the digits of a time. */
function byTime(a: ReportRow, b: ReportRow): number {
  const placeOf = ({ day, weekday, hour }: ReportRow) =>
    24 *
      ((day === null ? 0 : Date.parse(day) / day_ms) * 7 +
        (weekday === null ? 0 : weekdayNames.indexOf(weekday))) +
    (hour ?? 0);
  return placeOf(a) - placeOf(b);
}

type Weekday = (typeof weekdayNames)[number];
interface Clock {
  /** An hour; a quarter of one where the hours of the zone do not begin with those of UTC. */
  unit_ms: number;
  /** The date, the weekday and the hour of a unit that is counted from the epoch. */
  read: (unit: number) => { day: string; weekday: Weekday; hour: number };
}

/** The clock of a zone for a period. Throws `invalid_request` for an unknown zone. */
function clockOf(
  timeZone: string,
  { created_after, created_before }: { created_after: number; created_before: number },
): Clock {
  const known = new Map<number, ReturnType<Clock['read']>>();
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      weekday: 'long',
      hour: 'numeric',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  } catch {
    throw invalidField('time_zone', `must be an IANA time zone such as America/Chicago, not ${timeZone}`);
  }
  const partsAt = (at: number) => {
    const parts = format.formatToParts(at);
    return (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  };
  // The middle, too: one zone changes its clocks by half an hour.
  const times = [created_after, (created_after + created_before) / 2, created_before];
  const isWhole = times.every((at) => Number(partsAt(at - (at % hour_ms))('minute')) === 0);
  const unit_ms = isWhole ? hour_ms : hour_ms / 4;
  const read = (unit: number) => {
    const found = known.get(unit);
    if (found !== undefined) return found;
    const part = partsAt(unit * unit_ms);
    const weekday = weekdayNames.find((name) => name === part('weekday').toLowerCase()) ?? 'monday';
    const moment = {
      day: `${part('year')}-${part('month')}-${part('day')}`,
      weekday,
      hour: Number(part('hour')),
    };
    known.set(unit, moment);
    return moment;
  };
  return { unit_ms, read };
}

/** The names of stores or drivers by their ids. A deleted one has the name that its newest delivery keeps. */
async function namesOf(
  db: Connection,
  sums: readonly ReportSums[],
  column: 'store_id' | 'driver_id',
): Promise<Map<string, string>> {
  const ids = [...new Set(sums.flatMap((each) => each[column] ?? []))];
  const names = column === 'store_id' ? await storeNames(db, ids) : await driverNames(db, ids);
  const newestFirst = sums.toSorted((a, b) => (a.newest_id < b.newest_id ? 1 : -1));
  for (const { [column]: id, newest_id } of newestFirst) {
    if (id === null || names.has(id)) continue;
    const row = await loadDelivery(db, newest_id);
    if (row === undefined) continue;
    const { pickup, driver } = deliveryRecord(row);
    const name = column === 'store_id' ? pickup.name : driver?.name;
    if (name) names.set(id, name);
  }
  return names;
}

/** The sums by combination of groups, in the order of the statuses. */
function divided(found: readonly ReportSums[], by: readonly ReportGroup[], clock: Clock): Part[] {
  const asked = <T>(group: ReportGroup, value: T) => (by.includes(group) ? value : null);
  const parts = new Map<string, Part>();
  const inOrder = found.toSorted(
    (a, b) => deliveryStatuses.indexOf(a.status) - deliveryStatuses.indexOf(b.status),
  );
  for (const each of by.length === 0 ? [] : inOrder) {
    const { courier, store_id, driver_id, customer_name, address } = each;
    // The engines know no case of other letters than those of ASCII, or another one.
    const customer_contact = each.customer_contact?.toLowerCase() ?? null;
    // An own driver's name may have been changed between two deliveries.
    const driver_name = driver_id === null ? each.driver_name : null;
    const isOfReschedule = isRescheduled({ status: each.status, cancellation_reason: each.reason });
    const at = each.hour === null ? null : clock.read(each.hour);
    const [day, weekday] = [asked('day', at?.day ?? null), asked('weekday', at?.weekday ?? null)];
    const place = {
      address: asked('address', address),
      zip: asked('zip', zipOf(address ?? '')),
    };
    const who = { driver_id, driver_name, customer_name, customer_contact };
    const group: Group = {
      courier,
      status: asked('status', isOfReschedule ? 'rescheduled' : each.status),
      ...{ store_id, ...who, ...place, reason: asked('reason', each.reason) },
      ...{ day, weekday, hour: asked('hour', at?.hour ?? null) },
    };
    // An e-mail address is one customer, whatever the name.
    const name = customer_contact?.includes('@') ? null : customer_name?.toLowerCase();
    const key = JSON.stringify(Object.values({ ...group, customer_name: name }));
    const part = parts.get(key) ?? { group, sums: [] };
    part.sums.push(each);
    parts.set(key, part);
  }
  return [...parts.values()];
}

/** The sum of a field. */
type Total = (
  rows: readonly ReportSums[],
  field: Exclude<keyof ReportSums, keyof Group | 'failure_message' | 'newest_id' | 'passed_list'>,
) => number;
const total: Total = (rows, field) => rows.reduce((sum, row) => sum + row[field], 0);

function inGroups(all: readonly ReportSums[], ...groups: readonly StatusGroup[]): ReportSums[] {
  const statuses = expandStatusNames(groups);
  return all.filter(({ status }) => statuses.includes(status));
}

function ordersIn(all: readonly ReportSums[], wanted: ReportSums['status']): number {
  return total(
    all.filter(({ status }) => status === wanted),
    'orders',
  );
}

function countsOf(all: readonly ReportSums[]): Report['total'] {
  const arrived = inGroups(all, 'fulfilled');
  const active = inGroups(all, 'initial', 'in_transit');
  const failed = inGroups(all, 'failed');
  const dropped = all.filter(({ status }) => status === 'provider_canceled');
  return {
    orders: total(all, 'orders'),
    deliveries: total(all, 'deliveries'),
    declined: total(all, 'declined'),
    dropped: total(dropped, 'deliveries'),
    failed_tries: total(failed, 'deliveries') - total(all, 'declined'),
    active: total(active, 'orders'),
    scheduled: ordersIn(all, 'scheduled'),
    delivered: total(arrived, 'orders'),
    on_time: total(arrived, 'promised_arrived') - total(arrived, 'late'),
    late: total(all, 'late'),
    late_active: total(active, 'late'),
    failed: total(failed, 'orders'),
    returning: ordersIn(all, 'enroute_to_return'),
    canceled: total(inGroups(all, 'canceled'), 'orders'),
    ...costsOf(all, arrived),
    ...minutesOf(all, arrived),
    order_value: total(all, 'order_value'),
    delivered_value: total(arrived, 'order_value'),
    quoted_cost: total(arrived, 'quoted_cost'),
    quoted_difference: total(arrived, 'last_cost') - total(arrived, 'quoted_cost'),
    over_quote: total(all, 'over_quote'),
    over_quote_cost: total(all, 'over_quote_cost'),
    ...{ quotes: null, quotes_taken: null, average_quote: null },
  };
}

function costsOf(all: readonly ReportSums[], arrived: readonly ReportSums[]) {
  const [tipped, delivered] = [total(all, 'tipped'), total(arrived, 'orders')];
  const parts = {
    courier_prices: total(all, 'prices'),
    service_fees: total(all, 'service_fees'),
    return_fees: total(all, 'return_fees'),
    cancellation_fees: total(all, 'cancellation_fees'),
    adjustments: total(all, 'adjustments'),
    tips: total(all, 'tips'),
  };
  return {
    total_cost: total(all, 'cost'),
    ...parts,
    refunds: Object.values(parts).reduce((rest, part) => rest - part, total(all, 'cost')),
    average_tip: tipped === 0 ? null : Math.round(parts.tips / tipped),
    average_cost: delivered === 0 ? null : Math.round(total(arrived, 'last_cost') / delivered),
  };
}

function minutesOf(all: readonly ReportSums[], arrived: readonly ReportSums[]) {
  const timed = total(arrived, 'timed');
  const times = arrived
    .flatMap(({ passed_list }) => passed_list?.split(',').map(Number) ?? [])
    .sort((a, b) => a - b);
  /** The average of the times at these places. */
  const minutesAt = (...places: readonly number[]) => {
    const ms = places.reduce((sum, place) => sum + (times.at(place) ?? 0), 0);
    return averageMinutes(ms, times.length === 0 ? 0 : places.length);
  };
  const last = times.length - 1;
  const [passed_ms, pickup_ms] = [total(arrived, 'passed_ms'), total(arrived, 'pickup_ms')];
  return {
    average_minutes: averageMinutes(passed_ms, timed),
    median_minutes: minutesAt(Math.floor(last / 2), Math.ceil(last / 2)),
    shortest_minutes: minutesAt(0),
    longest_minutes: minutesAt(-1),
    average_assign_minutes: averageMinutes(total(arrived, 'assigned_ms'), total(arrived, 'assigned')),
    average_pickup_minutes: averageMinutes(pickup_ms, timed),
    average_driving_minutes: averageMinutes(passed_ms - pickup_ms, timed),
    average_wait_minutes: averageMinutes(total(all, 'wait_ms'), total(all, 'waited')),
    waited: total(all, 'waited'),
    average_late_minutes: averageMinutes(total(arrived, 'late_ms'), total(arrived, 'late')),
  };
}

function averageMinutes(ms: number, count: number): number | null {
  return count === 0 ? null : Math.round(ms / count / 6_000) / 10;
}
