import { type getReport, max_report_days, type Report, type ReportRow } from '../../contract/reports.ts';
import {
  deliveryStatuses,
  deliveryStatusesOf,
  type ReportGroup,
  type StatusGroup,
} from '../../contract/vocabulary.ts';
import type { Connection } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { driverNames } from '../../storage/drivers.ts';
import { type ReportSums, reportSums, storeRecords } from '../../storage/report.ts';
import { invalidField } from '../http/answers.ts';
import type { Handler } from '../http/handler.ts';
import { instant, parseInstant } from '../runtime/time.ts';
import { deliveryRecord } from './delivery-view.ts';

const day = 86_400_000;

export const readReport: Handler<typeof getReport> = async ({ service, caller, query, now }) => {
  const by = [...new Set(query.by ?? [])];
  const created_after = parseInstant(query.created_after) ?? 0;
  const created_before = parseInstant(query.created_before) ?? now + 1;
  checkPeriod(created_after, created_before);
  const columns = { courier: 'courier', store: 'store_id', driver: 'driver_id' } as const;
  const wanted = by.flatMap((group) => (group === 'status' ? [] : [columns[group]]));
  const { found, stores, drivers } = await service.storage.read(async (db) => {
    const period = { created_after, created_before };
    const sums = await reportSums(db, { ...caller.scope, ...period, by: wanted, now });
    return {
      found: sums,
      stores: await storeRecords(db, idsIn(sums, 'store_id')),
      drivers: await namesOfDrivers(db, sums),
    };
  });
  const nameIn = (record: string | undefined): string | null =>
    record === undefined ? null : JSON.parse(record).name;
  const rows = divided(found, by).map(({ group, sums }): ReportRow => {
    const { courier, status, store_id, driver_id } = group;
    return {
      courier,
      status,
      store_id,
      store_name: nameIn(stores.get(store_id ?? '')),
      driver_id,
      driver_name: drivers.get(driver_id ?? '') ?? null,
      ...countsOf(sums),
    };
  });
  return {
    object: 'report',
    created_after: instant(created_after),
    created_before: instant(created_before),
    by,
    data: rows.toSorted((a, b) => b.deliveries - a.deliveries),
    total: countsOf(found),
  };
};

function checkPeriod(from: number, to: number): void {
  if (from >= to) throw invalidField('created_after', 'must be before created_before');
  if (to - from > max_report_days * day) {
    throw invalidField('created_after', `must be at most ${max_report_days} days before created_before`);
  }
}

/** The names of the drivers by their ids; of those who were removed, the name that their newest delivery keeps. */
async function namesOfDrivers(db: Connection, sums: readonly ReportSums[]): Promise<Map<string, string>> {
  const names = await driverNames(db, idsIn(sums, 'driver_id'));
  for (const { driver_id, newest_id } of sums) {
    if (driver_id === null || names.has(driver_id)) continue;
    const row = await loadDelivery(db, newest_id);
    const name = row && deliveryRecord(row).driver?.name;
    if (name) names.set(driver_id, name);
  }
  return names;
}

function idsIn(sums: readonly ReportSums[], column: 'store_id' | 'driver_id'): string[] {
  return [...new Set(sums.flatMap((each) => each[column] ?? []))];
}

type Group = Pick<ReportRow, 'courier' | 'status' | 'store_id' | 'driver_id'>;

/** The sums by combination of groups, in the order of the statuses. */
function divided(found: readonly ReportSums[], by: readonly ReportGroup[]) {
  const parts = new Map<string, { group: Group; sums: ReportSums[] }>();
  const inOrder = found.toSorted(
    (a, b) => deliveryStatuses.indexOf(a.status) - deliveryStatuses.indexOf(b.status),
  );
  for (const each of by.length === 0 ? [] : inOrder) {
    const { courier, store_id, driver_id } = each;
    const group = { courier, status: by.includes('status') ? each.status : null, store_id, driver_id };
    const key = JSON.stringify(Object.values(group));
    const part = parts.get(key) ?? { group, sums: [] };
    part.sums.push(each);
    parts.set(key, part);
  }
  return [...parts.values()];
}

function countsOf(all: readonly ReportSums[]): Report['total'] {
  const total = (
    rows: readonly ReportSums[],
    field: 'deliveries' | 'late' | 'cost' | 'timed' | 'passed_ms',
  ) => rows.reduce((sum, row) => sum + row[field], 0);
  const inGroups = (...groups: readonly StatusGroup[]) => {
    const statuses = deliveryStatusesOf(groups);
    return all.filter(({ status }) => statuses.includes(status));
  };
  const arrived = inGroups('fulfilled');
  const active = inGroups('initial', 'in_transit');
  const delivered = total(arrived, 'deliveries');
  const timed = total(arrived, 'timed');
  return {
    deliveries: total(all, 'deliveries'),
    active: total(active, 'deliveries'),
    delivered,
    on_time: delivered - total(arrived, 'late'),
    late: total(arrived, 'late') + total(active, 'late'),
    failed: total(inGroups('failed'), 'deliveries'),
    canceled: total(inGroups('canceled'), 'deliveries'),
    total_cost: total(all, 'cost'),
    average_cost: delivered === 0 ? null : Math.round(total(arrived, 'cost') / delivered),
    average_minutes: timed === 0 ? null : Math.round(total(arrived, 'passed_ms') / timed / 6_000) / 10,
  };
}
