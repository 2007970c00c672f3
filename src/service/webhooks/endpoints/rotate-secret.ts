import { Problem } from '../../../contract/errors.ts';
import type { rotateSecret } from '../../../contract/webhook-endpoints.ts';
import { messageCounts, updateWebhookEndpoint } from '../../../storage/webhook-endpoints.ts';
import type { Handler } from '../../http/handler.ts';
import { keyIdOf } from '../../runtime/sealing.ts';
import type { Secrets } from '../../runtime/secrets.ts';
import { instant } from '../../runtime/time.ts';
import { type PreviousSecret, stillSigning } from '../delivery/attempt.ts';
import { webhookEndpointOf, webhookEndpointView } from './endpoint-view.ts';

/** How long the previous secret signs after a rotation. */
const overlap_ms = 24 * 60 * 60_000;
/** The maximum number of previous secrets: each adds a signature to the headers of every event. */
const max_previous = 20;

/** A secret in the format of Standard Webhooks (https://www.standardwebhooks.com): base64 of 32 bytes. */
export async function newWebhookSecret(secrets: Secrets): Promise<string> {
  return `whsec_${btoa(await secrets.base62(32))}`;
}

/** Each previous secret signs for its time: if there are too many, the oldest must expire first. */
export const rotateWebhookSecret: Handler<typeof rotateSecret> = async (call) => {
  const { service, caller, params, now, commit } = call;
  const { sealing } = service;
  const { webhook_endpoint_id } = params;
  const secret = await newWebhookSecret(service.secrets);
  const sealed = await sealing.seal(webhook_endpoint_id, secret);
  return commit(async (db) => {
    const before = await webhookEndpointOf(db, caller.scope, webhook_endpoint_id);
    const signing = stillSigning(before, now);
    requireRoom(signing);
    // Endpoints from before there were keys have plain secrets.
    const replaced =
      keyIdOf(before.secret) === null ? await sealing.seal(before.id, before.secret) : before.secret;
    const previous = [{ secret: replaced, until: now + overlap_ms }, ...signing];
    const change = { secret: sealed, previous_secrets: JSON.stringify(previous), updated_at: now };
    await updateWebhookEndpoint(db, before.id, change);
    const counts = await messageCounts(db, [before.id]);
    return { ...webhookEndpointView({ ...before, ...change }, counts.get(before.id), now), secret };
  });
};

/** The last one expires first. */
function requireRoom(signing: readonly PreviousSecret[]): void {
  const last = signing.at(-1);
  if (last === undefined || signing.length < max_previous) return;
  const message = `The limit of ${signing.length} previous secrets is reached. Rotate again after ${instant(last.until)}.`;
  throw new Problem('invalid_request', message);
}
