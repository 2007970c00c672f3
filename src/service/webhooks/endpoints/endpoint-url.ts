import type { Fault } from '../../../contract/errors.ts';
import type { ServiceConfig } from '../../runtime/context.ts';
import { isAddress, refusedAs } from '../delivery/address-policy.ts';

const longestUrl = 2048;

/** So long a name is looked up; one that takes longer is looked up again when something is sent. */
const lookup_ms = 3_000;

/** Names that every machine has for itself (RFC 6761, 6.3). */
const ownNames = /^(.+\.)?localhost\.?$|^localhost\.localdomain$|^ip6-(localhost|loopback)$/;

type Parts = Pick<ServiceConfig, 'web' | 'timers' | 'sandbox' | 'loopback_webhooks'>;

/** Why a URL cannot be an endpoint's. A name that leads nowhere just now may lead somewhere when something is sent. */
export async function urlFault(service: Parts, text: string): Promise<Fault | null> {
  const url = URL.parse(text);
  const message = formFault(text, url) ?? (url === null ? null : await hostFault(service, url));
  return message === null ? null : { path: 'url', message };
}

function formFault(text: string, url: URL | null): string | null {
  if (text.length > longestUrl) return `must have ${longestUrl} characters at most`;
  if (url === null || /[\s\p{Cc}]/u.test(text)) return 'must be a URL such as https://shop.example/webhooks';
  if (!/^https?:$/.test(url.protocol)) return 'must begin with http:// or https://';
  if (url.port === '0') return 'must have a port that can be connected to: there is no port 0';
  if (url.username !== '' || url.password !== '') {
    return 'must have no user and no password: that an event is ours, its signature proves';
  }
  return text.includes('#') ? 'must have no fragment: leave out the # and what follows it' : null;
}

async function hostFault(service: Parts, { hostname }: URL): Promise<string | null> {
  const { loopback_webhooks } = service;
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isAddress(host)) return told(`${host} is`, refusedAs(host, loopback_webhooks), service);
  if (ownNames.test(host)) {
    const refused = loopback_webhooks === 'refused' ? 'a loopback address' : null;
    return told(`${host} leads to`, refused, service);
  }
  const addresses = await lookUp(host, service);
  const refused = addresses
    .map((address) => refusedAs(address, loopback_webhooks))
    .find((each) => each !== null);
  return told(`${host} leads to`, refused ?? null, service);
}

/** None where they cannot be found out soon. */
async function lookUp(host: string, { web, timers }: Parts): Promise<readonly string[]> {
  const { promise: late, resolve } = Promise.withResolvers<readonly string[]>();
  const cancel = timers.after(lookup_ms, () => resolve([]));
  const found = web.resolve(host).catch(() => []);
  return Promise.race([found, late]).finally(cancel);
}

function told(subject: string, refused: string | null, { sandbox, loopback_webhooks }: Parts): string | null {
  if (refused === null) return null;
  const fault = `${subject} ${refused}, where nothing is sent`;
  if (loopback_webhooks !== 'refused')
    return `${fault}: name an address that the internet reaches, or one of this machine`;
  if (sandbox && refused === 'a loopback address')
    return `${fault}, unless it listens on a loopback address or runs with --allow-loopback-webhooks`;
  return `${fault}: name one that the internet reaches; \`waybill listen --forward-to URL\` brings events to your machine`;
}
