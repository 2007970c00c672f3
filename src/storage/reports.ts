import type { Insertable } from 'kysely';
import type { Connection, ReportRow, ReportTable } from './database.ts';
import { packJson, unpackJson } from './packed-json.ts';
import { keptRows } from './transaction-rows.ts';

export type NewReport = Omit<Insertable<ReportTable>, 'sequence'>;

/** A report's id is unique for its provider. */
export type ReportKey = Pick<ReportRow, 'delivery_id' | 'provider' | 'provider_report_id'>;

const keyOf = ({ delivery_id, provider, provider_report_id }: ReportKey) =>
  JSON.stringify([delivery_id, provider, provider_report_id]);

const rows = keptRows<ReportKey>('reports', keyOf);

const byKey = rows.byKey(async (db, keys) => {
  const parts = keys.map((key) => JSON.parse(key));
  const deliveries = parts.map(([delivery_id]) => String(delivery_id));
  const ids = parts.map(([, , id]) => String(id));
  return db
    .selectFrom('reports')
    .select(['delivery_id', 'provider', 'provider_report_id'])
    .where('delivery_id', 'in', [...new Set(deliveries)])
    .where('provider_report_id', 'in', ids)
    .execute();
});

const insertReports = rows.appendBy<NewReport>((db, reports) => db.insertInto('reports').values(reports));

export async function insertReport(db: Connection, report: NewReport): Promise<void> {
  await insertReports(db, [{ ...report, record: packJson(report.record) }]);
}

/** Those of the given reports that were already received, in any order. */
export async function knownReports(db: Connection, given: readonly ReportKey[]): Promise<ReportKey[]> {
  return byKey.read(db, given.map(keyOf));
}

/** Whether a provider's report about a delivery was already received. */
export async function isKnownReport(db: Connection, key: ReportKey): Promise<boolean> {
  return (await knownReports(db, [key])).length > 0;
}

/** Every report of a delivery, in order of arrival. */
export async function reportsOfDelivery(db: Connection, delivery_id: string): Promise<ReportRow[]> {
  const rows = await db
    .selectFrom('reports')
    .selectAll()
    .where('delivery_id', '=', delivery_id)
    .orderBy('sequence')
    .execute();
  return rows.map((row) => ({ ...row, record: unpackJson(row.record) }));
}
