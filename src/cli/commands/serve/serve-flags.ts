import { isIP } from 'node:net';
import { BadBaseUrl, parseBaseUrl } from '../../../client/addresses.ts';
import {
  defaultLimits,
  defaultRateLimits,
  defaultRetention,
  type HttpLimits,
  type RateLimits,
  type Retention,
} from '../../../domain/service-limits.ts';
import { BadValue, choice, duration, type Flag, flag, integer, text } from '../../kit/args/flags.ts';
import { secretKeyFlag } from '../../session/connect.ts';
import { databaseFlag } from '../../session/database-flag.ts';
import { smtpFlags } from './smtp-flags.ts';
import { wordsFlag } from './words-flag.ts';

/** `--public-url`: an HTTP URL, used in links. */
function publicUrlFlag(): Flag<string | undefined> {
  const options = { summary: 'Public URL, used in tracking links', placeholder: 'URL' };
  return { ...text(options), read: (texts) => readUrl(texts.at(-1) ?? '') };
}

const day_ms = 24 * 60 * 60_000;

/** Milliseconds; NaN for an invalid text. */
function keptFor(base: Flag<number | undefined>, texts: readonly string[]): number {
  try {
    return base.read(texts) ?? Number.NaN;
  } catch (error) {
    if (error instanceof BadValue) return Number.NaN;
    throw error;
  }
}

/** How long data is kept: at least a day, because clients continue lists and streams where they stopped. */
function keepFlag(what: string, usual: number): Flag<number> {
  const base = duration({ summary: `How long to keep ${what}`, default: usual, group: 'Retention' });
  return { ...base, read: (texts) => readKept(base, texts) };
}

/** The same without a default. */
function optionalKeepFlag(what: string): Flag<number | undefined> {
  const base = duration({ summary: `How long to keep ${what}`, group: 'Retention' });
  return { ...base, read: (texts) => readKept(base, texts) };
}

/** In milliseconds. Throws BadValue for less than a day. */
function readKept(base: Flag<number | undefined>, texts: readonly string[]): number {
  const kept_ms = keptFor(base, texts);
  if (kept_ms >= day_ms) return kept_ms;
  throw new BadValue(`must be a duration of one day or more, such as 1d or 90d, not "${texts.at(-1)}"`);
}

/** Data older than its retention is deleted every hour. */
const retentionFlags = {
  keepEvents: keepFlag('events and the state of their webhooks', defaultRetention.events_ms),
  keepAttempts: keepFlag('attempts to send webhooks', defaultRetention.attempts_ms),
  keepReports: keepFlag('the requests of couriers as received', defaultRetention.reports_ms),
  keepQuotes: keepFlag('quotes that were not dispatched', defaultRetention.quotes_ms),
  keepAudit: keepFlag('the record of changes', defaultRetention.audit_ms),
  keepPersonalData: optionalKeepFlag(
    'names, addresses and phone numbers after the end of a delivery (default: until erased)',
  ),
};

type RetentionValues = { [K in keyof typeof retentionFlags]: ReturnType<(typeof retentionFlags)[K]['read']> };

/** Returns the retention set by the flags. */
export function retentionOf(flags: RetentionValues): { retention: Retention } {
  return {
    retention: {
      events_ms: flags.keepEvents,
      attempts_ms: flags.keepAttempts,
      reports_ms: flags.keepReports,
      quotes_ms: flags.keepQuotes,
      audit_ms: flags.keepAudit,
      personal_data_ms: flags.keepPersonalData ?? defaultRetention.personal_data_ms,
    },
  };
}

const group = 'Limits';
const mebibyte = 1024 * 1024;
/** How long a load balancer has to notice the shutdown after SIGTERM. */
const drain_ms = 1_000;

/** Limits for each client, so that no client starves the others. */
const limitFlags = {
  maxConnections: integer({
    summary: 'Maximum open connections; more are closed',
    ...{ default: defaultLimits.max_connections, minimum: 1, group },
  }),
  receiveTimeout: duration({
    summary: 'Time limit for receiving a request',
    ...{ default: defaultLimits.request_timeout_ms, group },
  }),
  sendTimeout: duration({
    summary: 'Time limit for a client to read a response, or the next part of a stream',
    ...{ default: defaultLimits.response_timeout_ms, group },
  }),
  idleTimeout: duration({
    summary: 'How long to keep idle connections open',
    ...{ default: defaultLimits.idle_timeout_ms, group },
  }),
  bodyMemory: integer({
    summary: 'Maximum memory for request bodies, in MiB',
    ...{ default: defaultLimits.max_body_bytes / mebibyte, minimum: 32, group, placeholder: 'MIB' },
  }),
  rateLimit: integer({
    summary:
      'Requests per second for each account and mode (default: 20, unlimited in the sandbox; 0: unlimited)',
    group,
  }),
  wrongKeys: integer({
    summary: 'Unknown API keys per minute for each client address',
    ...{ default: defaultRateLimits({ sandbox: false }).wrong_keys_per_minute, minimum: 1, group },
  }),
  trustedProxy: trustedProxyFlag(),
  drainDelay: duration({
    summary: 'How long to accept new connections after SIGTERM or SIGHUP',
    ...{ default: drain_ms, group },
  }),
};

/** The flags of `serve`; each has an environment variable, and a line in the file of `--config`. */
export const serveFlags = {
  host: text({ summary: 'Address to listen on', default: '127.0.0.1', placeholder: 'HOST' }),
  port: integer({
    summary: 'Port to listen on; 0 picks a free one',
    default: 4010,
    maximum: 65_535,
    placeholder: 'PORT',
  }),
  database: databaseFlag(),
  waitForDatabase: duration({
    summary: 'How long to retry at the start while the database is unavailable',
    default: 0,
  }),
  secretKeyFile: secretKeyFlag(),
  publicUrl: publicUrlFlag(),
  sandbox: flag({
    summary: 'Simulate couriers for test keys (default on SQLite)',
    negatable: true,
  }),
  seed: text({ summary: 'Random seed: the same seed gives the same results', placeholder: 'SEED' }),
  clockOwner: text({
    summary: 'Account whose admin keys move clock and seed of a sandbox that several share (default: none)',
    placeholder: 'ACCOUNT',
  }),
  allowLoopbackWebhooks: flag({
    summary:
      'Allow webhooks to this machine even if others can use the service; response bodies are not stored',
  }),
  allowPrivateCouriers: flag({
    summary: 'Allow couriers on this machine and in private networks; merchants choose their addresses',
  }),
  metricsPort: integer({
    summary: 'Port for Prometheus metrics at /metrics; 0 picks a free one (default: no metrics)',
    maximum: 65_535,
    placeholder: 'PORT',
  }),
  metricsHost: text({
    summary: 'Address to listen on for metrics',
    default: '127.0.0.1',
    placeholder: 'HOST',
  }),
  logFormat: choice({
    choices: ['text', 'json'],
    summary: 'Format of the log on stderr; json has one object a line',
    default: 'text',
  }),
  config: text({
    summary: 'File with a line for each flag, such as `port = 4010`; flags and variables override it',
    placeholder: 'FILE',
  }),
  check: flag({ summary: 'Show the settings and where each comes from, without starting' }),
  ...smtpFlags,
  ...limitFlags,
  ...retentionFlags,
};

type LimitValues = { [K in keyof typeof limitFlags]: ReturnType<(typeof limitFlags)[K]['read']> };

/** Returns the service limits set by the flags. */
export function limitsOf(flags: LimitValues): { limits: HttpLimits; rate_limits: Partial<RateLimits> } {
  const { rateLimit } = flags;
  return {
    limits: {
      max_connections: flags.maxConnections,
      request_timeout_ms: flags.receiveTimeout,
      response_timeout_ms: flags.sendTimeout,
      idle_timeout_ms: flags.idleTimeout,
      trusted_proxies: flags.trustedProxy,
      max_body_bytes: flags.bodyMemory * mebibyte,
    },
    rate_limits: {
      wrong_keys_per_minute: flags.wrongKeys,
      ...(rateLimit === undefined ? {} : { requests_per_second: rateLimit === 0 ? null : rateLimit }),
    },
  };
}

/** `--trusted-proxy`: networks such as `10.0.0.0/8` or addresses. */
function trustedProxyFlag(): Flag<string[]> {
  const summary = 'Network of proxies trusted to set X-Forwarded-For';
  return wordsFlag({ summary, placeholder: 'CIDR', group }, readNetwork);
}

function readNetwork(given: string): string {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(given) ?? [];
  const version = isIP(address);
  if (version > 0 && Number(prefix ?? 0) <= (version === 4 ? 32 : 128)) return given;
  throw new BadValue(`must be an address or network such as 10.0.0.0/8, not "${given}"`);
}

function readUrl(given: string): string {
  try {
    parseBaseUrl(given);
    return given;
  } catch (error) {
    if (!(error instanceof BadBaseUrl)) throw error;
    throw new BadValue('must be a URL that starts with http:// or https:// and has no password');
  }
}
