import { sql } from 'kysely';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { unpackJson } from '../../../src/storage/event-codec.ts';
import type { Fixture } from '../fixture.ts';

export const phone = '13125550299';
export const person: Partial<OrderRequest> = {
  dropoff_name: 'Marguerite Quillfeather',
  dropoff_phone_number: `+${phone}`,
  dropoff_email: 'marguerite@mail.example',
  dropoff_address: '1060 W Addison St, Chicago, IL 60613',
  dropoff_latitude: 41.94843,
  dropoff_longitude: -87.65534,
  dropoff_unit: 'Apt 77-Q',
  dropoff_notes: 'Ring at the violet door',
  external_order_ref: 'bill 1042',
};
/** What must not be left of the person; notes change during the delivery. */
const traces = ['Marguerite', 'marguerite', 'Quillfeather', 'quillfeather', '5550299', 'Addison', 'addison'];
traces.push('41.94843', '87.65534', 'mail.example', 'mail example', '77-Q', '77 q', 'violet', 'zebra');

function isEvent(row: unknown): row is { data: Uint8Array } {
  return typeof row === 'object' && row !== null && 'data' in row && row.data instanceof Uint8Array;
}

/** Every value of every table as text, by table; records that are stored compressed as their JSON. */
export async function dump({ storage }: Fixture): Promise<Map<string, string>> {
  return storage.run(async (db) => {
    const tables = await db.introspection.getTables();
    const texts = new Map<string, string>();
    for (const { name } of tables) {
      const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
      texts.set(
        name,
        JSON.stringify(rows.map((row) => (isEvent(row) ? { ...row, data: unpackJson(row.data) } : row))),
      );
    }
    return texts;
  });
}

export async function tracesIn(fixture: Fixture): Promise<string[]> {
  const texts = await dump(fixture);
  return [...texts].flatMap(([table, text]) =>
    traces.filter((trace) => text.includes(trace)).map((trace) => `${table}: ${trace}`),
  );
}

/** The sums of the money of all deliveries. */
export async function sums({ storage }: Fixture) {
  const { rows } = await storage.run((db) =>
    sql`select count(*) as count, sum(amount) as sum from charges`.execute(db),
  );
  return rows;
}
