import { readEndpointSecrets, replaceEndpointSecrets } from '../../../storage/webhook-endpoints.ts';
import type { SealedTable } from '../../runtime/sealing.ts';
import { type PreviousSecret, resealSecrets } from '../delivery/attempt.ts';

/** The signing secrets of webhook endpoints. */
export const sealedEndpoints: SealedTable = {
  read: async (db, after, limit) => {
    const rows = await readEndpointSecrets(db, after, limit);
    return rows.map((row) => ({
      id: row.id,
      stored: [row.secret, ...previousOf(row).map(({ secret }) => secret)],
      reseal: async (sealing, current) => {
        const change = await resealSecrets(sealing, row, current);
        return (connection) => replaceEndpointSecrets(connection, row, change);
      },
    }));
  },
};

function previousOf({ previous_secrets }: { previous_secrets: string }): PreviousSecret[] {
  return JSON.parse(previous_secrets);
}
