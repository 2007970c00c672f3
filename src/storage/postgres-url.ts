/** The URL of a PostgreSQL server, with the settings that waybill and libpq take in it. */
import pg from 'pg';
import type { PostgresTarget } from './postgres-errors.ts';
import { StorageUnavailable } from './storage.ts';

/** Connection settings for PostgreSQL and their time-outs; 0 sets no limit. */
export interface PostgresSettings {
  /** Maximum connections per process. */
  pool_size: number;
  connect_timeout_ms: number;
  /** How long the server may take to respond; then the connection is closed. */
  response_timeout_ms: number;
  statement_timeout_ms: number;
  /** Shorter than a provider's time-out, so that a lock is not taken for an unresponsive provider. */
  lock_timeout_ms: number;
  idle_in_transaction_session_timeout_ms: number;
}

const defaults: PostgresSettings = {
  pool_size: 10,
  connect_timeout_ms: 5_000,
  response_timeout_ms: 20_000,
  statement_timeout_ms: 15_000,
  lock_timeout_ms: 4_000,
  idle_in_transaction_session_timeout_ms: 30_000,
};

/** The URLs of a server and its standbys, and the settings of a pool. */
export interface PostgresServers {
  urls: string[];
  settings: PostgresSettings;
}

/** The name and port of each server, between the user and the database of a URL that names several, as libpq does. */
const severalServers = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*,[^/?#@]*)(.*)$/s;

/**
 * Removes the settings from a URL and parses them; a URL with several servers becomes one for each. Throws
 * `StorageUnavailable` for invalid values.
 */
export function parsePostgresUrl(text: string): PostgresServers {
  const [, user = '', servers = '', rest = ''] = severalServers.exec(text) ?? [];
  const each = servers
    .split(',')
    .map((server) => parseServerUrl(servers === '' ? text : user + server + rest));
  const [{ settings } = { settings: defaults }] = each;
  return { urls: each.map(({ url }) => url), settings };
}

function parseServerUrl(text: string): { url: string; settings: PostgresSettings } {
  const url = URL.parse(text);
  if (url === null) {
    // A URL without a host is parsed by the driver.
    requireReadable(text);
    return { url: text, settings: defaults };
  }
  const read = (
    name: string,
    preset: number,
    { unit = 'milliseconds', factor = 1, minimum = 0 } = {},
  ): number => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    if (value === null) return preset;
    if (/^\d{1,9}$/.test(value) && Number(value) >= minimum) return Number(value) * factor;
    throw new StorageUnavailable(
      `the parameter ${name} of the database URL is ${value}: expected a number of ${unit}`,
    );
  };
  const settings: PostgresSettings = {
    pool_size: read('pool_size', defaults.pool_size, { unit: 'connections', minimum: 1 }),
    // The parameter of libpq, which is in seconds.
    connect_timeout_ms: read('connect_timeout', defaults.connect_timeout_ms, {
      unit: 'seconds',
      factor: 1000,
    }),
    response_timeout_ms: read('response_timeout', defaults.response_timeout_ms),
    statement_timeout_ms: read('statement_timeout', defaults.statement_timeout_ms),
    lock_timeout_ms: read('lock_timeout', defaults.lock_timeout_ms),
    idle_in_transaction_session_timeout_ms: read(
      'idle_in_transaction_session_timeout',
      defaults.idle_in_transaction_session_timeout_ms,
    ),
  };
  verifyTls(url);
  requirePrimary(url);
  return { url: url.href, settings };
}

function requireReadable(url: string): void {
  try {
    targetOf([url]);
  } catch (error) {
    throw new StorageUnavailable('its URL cannot be read', {
      cause: error,
      advice:
        'It is postgres://USER:PASSWORD@HOST:PORT/DATABASE. In a password, write / as %2F, ? as %3F, # as %23, @ as %40, : as %3A and % as %25.',
    });
  }
}

/** Refuses a libpq attribute that asks for a standby: of several servers the one that can be written is always used. */
function requirePrimary({ searchParams }: URL): void {
  const wanted = searchParams.get('target_session_attrs') ?? 'primary';
  searchParams.delete('target_session_attrs');
  if (!['primary', 'read-write'].includes(wanted))
    throw new StorageUnavailable(
      `the parameter target_session_attrs of the database URL is ${wanted}: expected read-write, because the service writes`,
    );
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** Names the mode that the driver uses: it takes others for `verify-full`, with a warning of several lines in the log. */
function verifyTls({ searchParams }: URL): void {
  const isLenient = searchParams.get('uselibpqcompat') === 'true';
  const mode = searchParams.get('sslmode');
  if (mode === null || isLenient) return;
  if (!sslModes.includes(mode))
    throw new StorageUnavailable(
      `the parameter sslmode of the database URL is ${mode}: expected one of ${sslModes.join(', ')}`,
    );
  if (/^(prefer|require|verify-ca)$/.test(mode)) searchParams.set('sslmode', 'verify-full');
}

/** The settings of a migration, which may take any time. */
export function withoutTimeouts(settings: PostgresSettings): PostgresSettings {
  return {
    ...settings,
    response_timeout_ms: 0,
    statement_timeout_ms: 0,
    lock_timeout_ms: 0,
    idle_in_transaction_session_timeout_ms: 0,
  };
}

/** The server that the URLs name, as errors call it. */
export function targetOf(urls: readonly string[]): PostgresTarget {
  const clients = urls.map((connectionString) => new pg.Client({ connectionString }));
  const addresses = clients.map(({ host, port }) =>
    host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : `${host}:${port}`,
  );
  const [{ user = '', database = '' } = {}] = clients;
  return { user, database, address: addresses.join(' or ') };
}
