import type { Insertable } from 'kysely';
import { appendedTable } from './collected-inserts.ts';
import type { Connection, ReportRow, ReportTable } from './database.ts';
import { packJson, unpackJson } from './packed-json.ts';
import { rowsById } from './transaction-rows.ts';

export type NewReport = Omit<Insertable<ReportTable>, 'sequence'>;

/** A report's id is unique for its provider. */
export type ReportKey = Pick<ReportRow, 'provider' | 'provider_report_id'>;

const keyOf = ({ provider, provider_report_id }: ReportKey) => JSON.stringify([provider, provider_report_id]);

const received = rowsById<ReportKey>(keyOf, async (db, keys) => {
  const pairs = keys.map((key) => JSON.parse(key));
  const providers = pairs.map(([provider]) => String(provider));
  const ids = pairs.map(([, id]) => String(id));
  return db
    .selectFrom('reports')
    .select(['provider', 'provider_report_id'])
    .where('provider', 'in', [...new Set(providers)])
    .where('provider_report_id', 'in', ids)
    .execute();
});

const reports = appendedTable<NewReport>((db, rows) => db.insertInto('reports').values(rows));

export async function insertReport(db: Connection, report: NewReport): Promise<void> {
  await reports.append(db, [{ ...report, record: packJson(report.record) }]);
  received.inserted(db, [report]);
}

/** Those of the given reports that were already received, in any order. */
export async function knownReports(db: Connection, given: readonly ReportKey[]): Promise<ReportKey[]> {
  return received.read(db, given.map(keyOf));
}

/** Whether a provider's report was already received. */
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
