import { readCourierSecrets, replaceCourierSecrets } from '../../storage/couriers.ts';
import { secretOwner, storedSecrets } from '../runtime/courier-connections.ts';
import { keyIdOf, type SealedTable, type Sealing } from '../runtime/sealing.ts';

/** The secrets of connected couriers. */
export const sealedCouriers: SealedTable = {
  read: async (db, after, limit) => {
    const rows = await readCourierSecrets(db, after, limit);
    return rows.map((row) => ({
      id: row.push_token,
      stored: Object.values(storedSecrets(row)),
      reseal: async (sealing, current) => {
        const secrets = await resealSecrets(sealing, row, current);
        return (connection) => replaceCourierSecrets(connection, row, secrets);
      },
    }));
  },
};

type Row = Awaited<ReturnType<typeof readCourierSecrets>>[number];

async function resealSecrets(sealing: Sealing, row: Row, current: string): Promise<string> {
  const again: Record<string, string> = {};
  for (const [field, stored] of Object.entries(storedSecrets(row))) {
    const owner = secretOwner(row, field);
    again[field] =
      keyIdOf(stored) === current ? stored : await sealing.seal(owner, await sealing.open(owner, stored));
  }
  return JSON.stringify(again);
}
