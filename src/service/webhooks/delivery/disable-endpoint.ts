import type { Connection, WebhookEndpointRow } from '../../../storage/database.ts';
import { disableWebhookEndpoint } from '../../../storage/webhook-endpoints.ts';

/** Disables an endpoint that has answered 410: what waits for it waits until it is enabled again. */
export async function disableGone(db: Connection, endpoint: WebhookEndpointRow, now: number): Promise<void> {
  await disableWebhookEndpoint(db, endpoint, { reason: 'it answered 410 Gone', now });
}
