import { Problem } from '../../../contract/errors.ts';
import type { rotateSecret } from '../../../contract/webhook-endpoints.ts';
import { messageCounts, updateWebhookEndpoint } from '../../../storage/webhook-endpoints.ts';
import type { Handler } from '../../http/handler.ts';
import type { Secrets } from '../../runtime/secrets.ts';
import { instant } from '../../runtime/timestamps.ts';
import { type PreviousSecret, stillSigning } from '../delivery/signing-secrets.ts';
import { webhookEndpointView } from './endpoint-view.ts';
import { webhookEndpointOf } from './find-endpoint.ts';

/** So long the secret before a rotation signs as well (interface, events and webhooks). */
const overlap_ms = 24 * 60 * 60_000;
/** So many earlier secrets sign at most: each is a signature more in the headers of every event. */
const most_previous = 20;

/** A new secret as Standard Webhooks has them (https://www.standardwebhooks.com): base64 of 32 bytes. */
export async function newWebhookSecret(secrets: Secrets): Promise<string> {
  return `whsec_${btoa(await secrets.base62(32))}`;
}

/** Each of the secrets before signs as well for its time: where they are too many, the first of them must end. */
export const rotateWebhookSecret: Handler<typeof rotateSecret> = async (call) => {
  const { service, caller, params, now, commit } = call;
  const secret = await newWebhookSecret(service.secrets);
  return commit(async (db) => {
    const before = await webhookEndpointOf(db, caller.scope, params.webhook_endpoint_id);
    const signing = stillSigning(before, now);
    requireRoom(signing);
    const previous = [{ secret: before.secret, until: now + overlap_ms }, ...signing];
    const change = { secret, previous_secrets: JSON.stringify(previous), updated_at: now };
    await updateWebhookEndpoint(db, before.id, change);
    const counts = await messageCounts(db, [before.id]);
    return { ...webhookEndpointView({ ...before, ...change }, counts.get(before.id), now), secret };
  });
};

/** The one that ends first is the last. */
function requireRoom(signing: readonly PreviousSecret[]): void {
  const last = signing.at(-1);
  if (last === undefined || signing.length < most_previous) return;
  const message = `${signing.length} earlier secrets still sign, and there cannot be more: rotate again from ${instant(last.until)} on.`;
  throw new Problem('invalid_request', message);
}
