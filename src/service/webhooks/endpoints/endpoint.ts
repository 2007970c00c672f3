/** A webhook endpoint: finding it, its sealed secrets, and which URLs are allowed. */
import { type Fault, Problem } from '../../../contract/errors.ts';
import type { Connection, Scope, WebhookEndpointRow } from '../../../storage/database.ts';
import {
  findWebhookEndpoint,
  readEndpointSecrets,
  replaceEndpointSecrets,
} from '../../../storage/webhook-endpoints.ts';
import { isAddress, isLoopback, refusedAs } from '../../runtime/address-policy.ts';
import type { ServiceConfig } from '../../runtime/context.ts';
import type { SealedTable } from '../../runtime/sealing.ts';
import { atMost } from '../../runtime/time.ts';
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

const max_url_length = 2048;

/** The time limit for resolving a name; a slower one is resolved when something is sent. */
const lookup_ms = 3_000;

/** Loopback names (RFC 6761, 6.3). */
const loopback_names = /^(.+\.)?localhost\.?$|^localhost\.localdomain$|^ip6-(localhost|loopback)$/;

type Parts = Pick<ServiceConfig, 'web' | 'timers' | 'loopback_webhooks'>;

/** Why a URL is invalid for an endpoint. A name that does not resolve now may resolve when something is sent. */
export async function urlFault(service: Parts, text: string): Promise<Fault | null> {
  const url = URL.parse(text);
  const message = formFault(text, url) ?? (url === null ? null : await hostFault(service, url));
  return message === null ? null : { path: 'url', message };
}

function formFault(text: string, url: URL | null): string | null {
  if (text.length > max_url_length) return `must have at most ${max_url_length} characters`;
  if (url === null || /[\s\p{Cc}]/u.test(text)) return 'must be a URL such as https://shop.example/webhooks';
  if (!/^https?:$/.test(url.protocol)) return 'must start with http:// or https://';
  if (url.port === '0') return 'must not have port 0';
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user or password: events are authenticated by their signature';
  }
  return text.includes('#') ? 'must not have a fragment: remove the # and everything after it' : null;
}

async function hostFault(service: Parts, { hostname, protocol }: URL): Promise<string | null> {
  const { loopback_webhooks } = service;
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPlain = protocol === 'http:';
  if (isAddress(host)) {
    const refused = refusedAs(host, loopback_webhooks);
    return refusalText(`${host} is`, refused, service) ?? plainFault(isPlain && !isLoopback(host));
  }
  if (loopback_names.test(host)) {
    const refused = loopback_webhooks === 'refused' ? 'a loopback address' : null;
    return refusalText(`${host} resolves to`, refused, service);
  }
  const addresses = await lookUp(host, service);
  const refused = addresses
    .map((address) => refusedAs(address, loopback_webhooks))
    .find((each) => each !== null);
  if (refused !== undefined) return refusalText(`${host} resolves to`, refused, service);
  const isLocal = addresses.length > 0 && addresses.every(isLoopback);
  if (!isLocal && !/[^.]\.[^.]/.test(host))
    return `must have a host with a domain, such as https://shop.example/webhooks, not "${host}"`;
  return plainFault(isPlain && !isLocal);
}

/** Events have names, addresses and phone numbers: only this machine gets them unencrypted. */
function plainFault(isExposed: boolean): string | null {
  return isExposed ? 'must start with https://: http:// would send personal data unencrypted' : null;
}

/** Empty if the addresses cannot be resolved in time. */
async function lookUp(host: string, { web, timers }: Parts): Promise<readonly string[]> {
  const found = web.resolve(host).catch(() => []);
  return atMost<readonly string[]>(timers, lookup_ms, found, () => []);
}

function refusalText(subject: string, refused: string | null, { loopback_webhooks }: Parts): string | null {
  if (refused === null) return null;
  const fault = `${subject} ${refused}, which is not allowed`;
  if (loopback_webhooks !== 'refused') return `${fault}: use a public address, or a loopback address`;
  const forward = 'forward events to your machine with `waybill listen --forward-to URL`';
  return refused === 'a loopback address'
    ? `${fault}: use a public address, ${forward}, or run the service with --allow-loopback-webhooks`
    : `${fault}: use a public address, or ${forward}`;
}
