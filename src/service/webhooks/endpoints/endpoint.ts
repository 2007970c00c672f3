import { Problem } from '../../../contract/errors.ts';
import type { Connection, Scope, WebhookEndpointRow } from '../../../storage/database.ts';
import {
  findWebhookEndpoint,
  readEndpointSecrets,
  replaceEndpointSecrets,
} from '../../../storage/webhook-endpoints.ts';
import type { SealedTable } from '../../runtime/sealing.ts';
import { type PreviousSecret, resealSecrets } from '../delivery/attempt.ts';

/** The row of a caller's webhook endpoint. Throws `record_not_found`. */
export async function findOwnWebhookEndpoint(
  db: Connection,
  scope: Scope,
  id: string,
): Promise<WebhookEndpointRow> {
  return requireEndpoint(await findWebhookEndpoint(db, scope, id), id);
}

/** The row that was found. Throws `record_not_found` if none was. */
export function requireEndpoint(row: WebhookEndpointRow | undefined, id: string): WebhookEndpointRow {
  if (row === undefined) throw new Problem('record_not_found', `There is no webhook endpoint ${id}.`);
  return row;
}

/** Throws `record_not_found` if there is none, and `webhook_endpoint_disabled`. */
export async function enabledEndpointOf(
  db: Connection,
  scope: Scope,
  id: string,
): Promise<WebhookEndpointRow> {
  const row = await findOwnWebhookEndpoint(db, scope, id);
  if (row.status === 'enabled') return row;
  const message = `The webhook endpoint ${id} is disabled: ${row.disabled_reason}.`;
  throw new Problem('webhook_endpoint_disabled', message);
}

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
