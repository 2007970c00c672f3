import type { Insertable } from 'kysely';
import type { Connection, ReportRow, ReportTable } from './database.ts';

export type NewReport = Omit<Insertable<ReportTable>, 'sequence'>;

export async function insertReport(db: Connection, report: NewReport): Promise<void> {
  await db.insertInto('reports').values(report).execute();
}

/** Whether a provider's report was already received. */
export async function isKnownReport(
  db: Connection,
  provider: string,
  provider_report_id: string,
): Promise<boolean> {
  const row = await db
    .selectFrom('reports')
    .select('sequence')
    .where('provider', '=', provider)
    .where('provider_report_id', '=', provider_report_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** Every report of a delivery, in order of arrival. */
export async function reportsOfDelivery(db: Connection, delivery_id: string): Promise<ReportRow[]> {
  return db
    .selectFrom('reports')
    .selectAll()
    .where('delivery_id', '=', delivery_id)
    .orderBy('sequence')
    .execute();
}
