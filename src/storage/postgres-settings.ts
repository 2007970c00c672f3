import { StorageUnavailable } from './errors.ts';

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

/** The URL parameters that are settings, each with its unit; `connect_timeout` is that of libpq, in seconds. */
const parameters = {
  pool_size: { name: 'pool_size', factor: 1, unit: 'connections', minimum: 1 },
  connect_timeout_ms: { name: 'connect_timeout', factor: 1_000, unit: 'seconds', minimum: 0 },
  response_timeout_ms: { name: 'response_timeout', factor: 1, unit: 'milliseconds', minimum: 0 },
  statement_timeout_ms: { name: 'statement_timeout', factor: 1, unit: 'milliseconds', minimum: 0 },
  lock_timeout_ms: { name: 'lock_timeout', factor: 1, unit: 'milliseconds', minimum: 0 },
  idle_in_transaction_session_timeout_ms: {
    ...{ name: 'idle_in_transaction_session_timeout', factor: 1, unit: 'milliseconds', minimum: 0 },
  },
} as const;

/** Removes the settings from a URL and parses them. Throws `StorageUnavailable` for invalid values. */
export function parsePostgresUrl(text: string): { url: string; settings: PostgresSettings } {
  const url = URL.parse(text);
  // A URL without a host is parsed by the driver.
  if (url === null) return { url: text, settings: defaults };
  const read = (key: keyof PostgresSettings) => {
    const { name, factor, unit, minimum } = parameters[key];
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    if (value === null) return defaults[key];
    if (/^\d{1,9}$/.test(value) && Number(value) >= minimum) return Number(value) * factor;
    throw new StorageUnavailable(
      `the parameter ${name} of the database URL is ${value}: expected a number of ${unit}`,
    );
  };
  const settings: PostgresSettings = {
    pool_size: read('pool_size'),
    connect_timeout_ms: read('connect_timeout_ms'),
    response_timeout_ms: read('response_timeout_ms'),
    statement_timeout_ms: read('statement_timeout_ms'),
    lock_timeout_ms: read('lock_timeout_ms'),
    idle_in_transaction_session_timeout_ms: read('idle_in_transaction_session_timeout_ms'),
  };
  return { url: url.href, settings };
}

/** For migrations, which may take any time. */
export function withoutTimeouts(settings: PostgresSettings): PostgresSettings {
  return {
    ...settings,
    response_timeout_ms: 0,
    statement_timeout_ms: 0,
    lock_timeout_ms: 0,
    idle_in_transaction_session_timeout_ms: 0,
  };
}
