import type { rotateSecret } from '../contract/webhook-endpoints.ts';
import { messageCounts, updateWebhookEndpoint } from '../storage/webhook-endpoints.ts';
import type { Handler } from './endpoint.ts';
import type { Secrets } from './ports/secrets.ts';
import { webhookEndpointOf } from './webhook-lookups.ts';
import { webhookEndpointView } from './webhook-view.ts';
import { stillSigning } from './webhooks/secrets.ts';

/** So long the secret before a rotation signs as well (interface, events and webhooks). */
const overlap_ms = 24 * 60 * 60_000;
/** So many earlier secrets sign at most: each is a signature more in the headers of every event. */
const most_previous = 5;

/** A new secret as Standard Webhooks has them (https://www.standardwebhooks.com): base64 of 32 bytes. */
export async function newWebhookSecret(secrets: Secrets): Promise<string> {
  return `whsec_${btoa(await secrets.base62(32))}`;
}

/** Each of the last few secrets signs as well for its time: rotating once more takes none away that is in use. */
export const rotateWebhookSecret: Handler<typeof rotateSecret> = async (call) => {
  const { service, caller, params, now, commit } = call;
  const secret = await newWebhookSecret(service.secrets);
  return commit(async (db) => {
    const before = await webhookEndpointOf(db, caller.scope, params.webhook_endpoint_id);
    const previous = [{ secret: before.secret, until: now + overlap_ms }, ...stillSigning(before, now)];
    const change = {
      secret,
      previous_secrets: JSON.stringify(previous.slice(0, most_previous)),
      updated_at: now,
    };
    await updateWebhookEndpoint(db, before.id, change);
    const counts = await messageCounts(db, [before.id]);
    return { ...webhookEndpointView({ ...before, ...change }, counts.get(before.id), now), secret };
  });
};
