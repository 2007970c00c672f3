import type { Connection, WebhookEndpointRow } from '../../../storage/database.ts';
import { disableWebhookEndpoint } from '../../../storage/webhook-endpoints.ts';

/** Disables an endpoint that returned 410: its messages wait until it is enabled again. */
export async function disableGone(db: Connection, endpoint: WebhookEndpointRow, now: number): Promise<void> {
  await disableWebhookEndpoint(db, endpoint, { reason: 'it returned 410 Gone', now });
}
