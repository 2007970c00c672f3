/** The settings of the operator: HTTP limits, retention, e-mail, and the servers of places and maps. */
import { day_ms } from './durations.ts';

/** Limits for HTTP clients, so that none of them exhausts the server. */
export interface HttpLimits {
  /** Maximum open connections; for another one, the client address with the most of them loses one. */
  max_connections: number;
  /** From the first byte of a request to its last. */
  request_timeout_ms: number;
  /** Time limit for a client to read a response, or each chunk of a stream. */
  response_timeout_ms: number;
  /** How long a connection stays open without a request. */
  idle_timeout_ms: number;
  /** Networks whose X-Forwarded-For header is trusted: `10.0.0.0/8`, or one address. */
  trusted_proxies: readonly string[];
  /** Maximum bytes of all bodies being received or processed, divided among accounts. */
  max_body_bytes: number;
}

export const defaultLimits: HttpLimits = {
  max_connections: 2_000,
  request_timeout_ms: 15_000,
  response_timeout_ms: 30_000,
  idle_timeout_ms: 5_000,
  trusted_proxies: [],
  max_body_bytes: 64 * 1024 * 1024,
};

export interface RateLimits {
  /** Per second for each account and mode; null: unlimited. */
  requests_per_second: number | null;
  /** Per minute for each client address. */
  wrong_keys_per_minute: number;
}

/** A sandbox has no request limit. */
export function defaultRateLimits({ sandbox }: { sandbox: boolean }): RateLimits {
  return { requests_per_second: sandbox ? null : 20, wrong_keys_per_minute: 60 };
}

/** How long an idempotency key answers repeats. */
export const idempotency_key_life_ms = day_ms;

/** How long each kind of data that deliveries no longer need is kept, in milliseconds. */
export interface Retention {
  /** Events, with the records of their webhooks. */
  events_ms: number;
  /** Attempts to send webhooks. */
  attempts_ms: number;
  /** The requests of couriers as received; their content is part of the deliveries. */
  reports_ms: number;
  /** Quotes that were not dispatched. */
  quotes_ms: number;
  /** The record of changes. */
  audit_ms: number;
  /** The stored answers of geocoders. */
  places_ms: number;
  /** The people in orders and deliveries, from their end on; null: until they are erased one by one. */
  personal_data_ms: number | null;
}

export const defaultRetention: Retention = {
  events_ms: 90 * day_ms,
  attempts_ms: 30 * day_ms,
  reports_ms: 30 * day_ms,
  quotes_ms: 90 * day_ms,
  audit_ms: 400 * day_ms,
  places_ms: 365 * day_ms,
  personal_data_ms: null,
};

/** The recipients that the operator permits, so that a key cannot send mail to anyone in the operator's name. */
export interface MailRules {
  /** Whom test mode may send to: addresses, and domains such as `@shop.example`. */
  test_recipients: readonly string[];
  /** How many messages each account and mode may send on a day (UTC). */
  per_day: number;
  /** The name beside the address that messages come from; empty: none. */
  from_name: string;
  /** Where replies go; null: to the address that messages come from. */
  reply_to: string | null;
  /** Whether accounts choose these two themselves. */
  trusts_accounts: boolean;
}

export const defaultMailRules: MailRules = {
  test_recipients: [],
  per_day: 2_000,
  from_name: '',
  reply_to: null,
  trusts_accounts: false,
};

/** Whether test mode may send to an address. */
export function isTestRecipient({ test_recipients }: MailRules, address: string): boolean {
  const own = address.toLowerCase();
  const domain = own.slice(own.lastIndexOf('@'));
  return test_recipients.some((each) => [own, domain].includes(each.toLowerCase()));
}

// The servers that find places and ways. The operator sets them; without any, ZIP codes and straight lines are used.

export const geocoderNames = ['nominatim', 'census'] as const;
export type GeocoderName = (typeof geocoderNames)[number];

/** A server that finds the coordinates of addresses. */
export interface GeocoderSetting {
  name: GeocoderName;
  /** Without a slash at the end. */
  url: string;
  /** How often a process asks it at most. */
  per_second: number;
}

export interface PlaceServices {
  geocoder: GeocoderSetting | null;
  /** The URL of a router with the HTTP interface of OSRM. */
  router: string | null;
}

export const default_geocoder_rate = 1;
export const max_geocoder_rate = 1_000;

/** Reads `nominatim+https://geocoder.example`; null for anything else. */
export function readGeocoder(text: string): Pick<GeocoderSetting, 'name' | 'url'> | null {
  const [, scheme = '', address = ''] = /^([a-z]+)\+(.*)$/.exec(text.trim()) ?? [];
  const name = geocoderNames.find((each) => each === scheme);
  const url = readServerUrl(address);
  return name === undefined || url === null ? null : { name, url };
}

/** An HTTP address without credentials, query or fragment, and without a slash at its end; null for anything else. */
export function readServerUrl(text: string): string | null {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return isPlain ? `${url.origin}${url.pathname.replace(/\/+$/, '')}` : null;
}

/** A server of map tiles, as the operator sets it. */
export interface MapTiles {
  /** With `{z}`, `{x}` and `{y}`. */
  url: string;
  /** The credit of the map's makers, which is shown on the map. */
  attribution: string;
}

/** The origin of the tiles, which pages may load pictures from. */
export function tilesOrigin({ url }: Pick<MapTiles, 'url'>): string {
  return new URL(url).origin;
}

const placeholders = ['{z}', '{x}', '{y}'];

/** Why a URL of tiles is refused, as the end of a sentence; null if it is valid. */
export function tilesFault(url: string): string | null {
  const parsed = URL.parse(url);
  const isSafe = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isOnThisMachine(parsed));
  if (parsed === null || !isSafe || parsed.username !== '') {
    return 'must be a URL that starts with https:// and has no password';
  }
  if (!/^[\w.-]+(:\d+)?$/.test(parsed.host)) return 'must name one host, without {s} or other placeholders';
  const missing = placeholders.filter((each) => !url.includes(each));
  return missing.length === 0 ? null : `must contain ${missing.join(', ')}`;
}

/** Browsers load pictures from this machine also over http://. */
function isOnThisMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1';
}

/** True for a database location that is a URL of PostgreSQL. */
export function isPostgresUrl(location: string): boolean {
  return /^postgres(ql)?:\/\//.test(location);
}
