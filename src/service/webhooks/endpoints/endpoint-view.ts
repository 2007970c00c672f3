import { Problem } from '../../../contract/errors.ts';
import type { WebhookAttempt, WebhookEndpoint } from '../../../contract/webhook-endpoints.ts';
import type { Connection, Scope, WebhookEndpointRow } from '../../../storage/database.ts';
import {
  findWebhookEndpoint,
  type MessageCount,
  readEndpointSecrets,
  replaceEndpointSecrets,
} from '../../../storage/webhook-endpoints.ts';
import type { AttemptWithEvent } from '../../../storage/webhook-queues.ts';
import type { SealedTable } from '../../runtime/sealing.ts';
import { instant, instantOrNull } from '../../runtime/time.ts';
import { type PreviousSecret, resealSecrets, stillSigning } from '../delivery/attempt.ts';

/** An endpoint as returned by the API, without its secrets. Without a count it has no waiting events. */
export function webhookEndpointView(
  row: WebhookEndpointRow,
  count: MessageCount | undefined,
  now: number,
): WebhookEndpoint {
  const [last] = stillSigning(row, now);
  return {
    id: row.id,
    object: 'webhook_endpoint',
    url: row.url,
    events: JSON.parse(row.events),
    description: row.description,
    status: row.status,
    disabled_reason: row.disabled_reason,
    test_mode: row.test_mode === 1,
    waiting: count?.pending ?? 0,
    exhausted: count?.exhausted ?? 0,
    previous_secret_until: instantOrNull(last?.until ?? null),
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

export function webhookAttemptView(
  row: Omit<AttemptWithEvent, 'sequence' | 'next_attempt_at'>,
): WebhookAttempt {
  return {
    id: row.id,
    object: 'webhook_attempt',
    webhook_endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    event_type: row.event_type,
    delivery_id: row.delivery_id,
    external_order_ref: row.external_order_ref,
    sequence: row.event_sequence,
    number: row.number,
    status: row.status,
    status_code: row.status_code,
    reason: row.reason,
    response: row.response,
    duration_ms: row.duration_ms,
    test_mode: row.test_mode === 1,
    next_attempt_at: instantOrNull(row.followed_at),
    created_at: instant(row.created_at),
  };
}

/** The row of a caller's webhook endpoint. Throws `record_not_found`. */
export async function webhookEndpointOf(
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

/** The same for an enabled endpoint. Throws `webhook_endpoint_disabled` too. */
export async function enabledEndpointOf(
  db: Connection,
  scope: Scope,
  id: string,
): Promise<WebhookEndpointRow> {
  const row = await webhookEndpointOf(db, scope, id);
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
