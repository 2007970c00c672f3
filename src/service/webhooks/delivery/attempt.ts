/** One attempt to send an event: it is signed with the secrets of its endpoint. */
import { Webhook } from 'standardwebhooks';
import { Problem } from '../../../contract/errors.ts';
import type { WebhookEndpointRow } from '../../../storage/database.ts';
import type { LoggedEvent } from '../../../storage/events.ts';
import { eventView } from '../../events/event-log.ts';
import type { ServiceConfig, ServiceContext } from '../../runtime/context.ts';
import { reseal, type Sealing } from '../../runtime/sealing.ts';
import type { WebhookRequest, WebhookResult } from '../../runtime/service-ports.ts';

type Parts = Pick<ServiceConfig, 'clock' | 'wall' | 'sealing' | 'onFault' | 'dialect'> &
  Pick<ServiceContext, 'webhook_client'>;

/** An event, with the account's public URL: the base of tracking links. */
export interface Sendable {
  event: LoggedEvent;
  publicUrl: string;
  /** The JSON that is sent, once it is made: the same for all endpoints. */
  body?: string;
}

const unsent: WebhookResult = {
  status_code: null,
  reason: 'the service failed to send it',
  response: '',
  retry_after_ms: undefined,
  duration_ms: 0,
};

/** Sends an event to an endpoint once, signed with its current secrets. Never rejects. */
export async function sendEvent(
  service: Parts,
  endpoint: WebhookEndpointRow,
  event: Sendable,
): Promise<WebhookResult> {
  try {
    return await service.webhook_client.post(await signedPost(service, endpoint, event));
  } catch (fault) {
    if (fault instanceof Problem && fault.code === 'secret_key_missing') {
      return { ...unsent, reason: `the service cannot sign it: ${fault.message}` };
    }
    // An internal error; other endpoints are not affected.
    service.onFault?.(fault, null);
    return unsent;
  }
}

async function signedPost(
  service: Parts,
  endpoint: WebhookEndpointRow,
  sendable: Sendable,
): Promise<WebhookRequest> {
  const { event, publicUrl } = sendable;
  const { dialect } = service;
  sendable.body ??= bodyOf(dialect, JSON.stringify(eventView(event, publicUrl)));
  const { body } = sendable;
  const secrets = await secretsInForce(service.sealing, endpoint, service.clock.now());
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'waybill',
    ...signatureHeaders({ id: event.id, body, now: service.wall.now() }, secrets),
    ...dialect?.signatureHeaders({ body, now: service.wall.now() }, secrets),
  };
  return { url: endpoint.url, headers, body };
}

function bodyOf(dialect: Parts['dialect'], body: string): string {
  return dialect === undefined ? body : dialect.writeBody(body);
}

/** The signed parts of a request. */
interface Message {
  /** The event's id, by which receivers recognize duplicates. */
  id: string;
  body: string;
  /** Wall time in milliseconds: receivers reject a difference of more than five minutes. */
  now: number;
}

/** The headers of Standard Webhooks: one signature for each secret, made by the specification's own library. */
export function signatureHeaders(
  { id, body, now }: Message,
  secrets: readonly string[],
): Record<string, string> {
  const at = new Date(now);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}

/** A secret replaced by a rotation. */
export interface PreviousSecret {
  /** As stored: see `WebhookEndpointRow`. */
  secret: string;
  /** Until when, in service time, it signs as well. */
  until: number;
}

/** An endpoint's previous secrets that still sign at a service time, latest first. */
export function stillSigning(
  { previous_secrets }: Pick<WebhookEndpointRow, 'previous_secrets'>,
  now: number,
): PreviousSecret[] {
  const all: PreviousSecret[] = JSON.parse(previous_secrets);
  return all.filter(({ until }) => now < until);
}

type SecretsRow = Pick<WebhookEndpointRow, 'id' | 'secret' | 'previous_secrets'>;

/** The decrypted secrets of rows that are in use: the sender reads an endpoint once for a page of messages. */
const opened = new WeakMap<SecretsRow, Map<string, string>>();

/**
 * The secrets that sign at a service time, including previous ones for a while after a rotation. Those of one row
 * object are decrypted once. Throws `secret_key_missing`.
 */
export async function secretsInForce(
  sealing: Sealing,
  endpoint: SecretsRow,
  now: number,
): Promise<readonly string[]> {
  const stored = [endpoint.secret, ...stillSigning(endpoint, now).map(({ secret }) => secret)];
  const known = opened.get(endpoint) ?? new Map<string, string>();
  opened.set(endpoint, known);
  const open = async (secret: string) => {
    const plain = known.get(secret) ?? (await sealing.open(endpoint.id, secret));
    known.set(secret, plain);
    return plain;
  };
  return Promise.all(stored.map(open));
}

/** The secrets of an endpoint with those encrypted again that are not encrypted with the key `current`. */
export async function resealSecrets(
  sealing: Sealing,
  endpoint: SecretsRow,
  current: string,
): Promise<Pick<SecretsRow, 'secret' | 'previous_secrets'>> {
  const again = (stored: string) => reseal(sealing, { owner: endpoint.id, stored, current });
  const previous: PreviousSecret[] = JSON.parse(endpoint.previous_secrets);
  const all = previous.map(async ({ secret, until }) => ({ secret: await again(secret), until }));
  return {
    secret: await again(endpoint.secret),
    previous_secrets: JSON.stringify(await Promise.all(all)),
  };
}
