/** Runs the service as an HTTP server (`startServer`): its options, how it starts in the right order, and how it stops. */
import type { RequestLog } from '../contract/operation.ts';
import { withoutAbsent } from '../domain/fields.ts';
import {
  defaultLimits,
  defaultMailRules,
  defaultRetention,
  type HttpLimits,
  type MailRules,
  type MapTiles,
  type PlaceServices,
  type RateLimits,
  type Retention,
} from '../domain/operator-settings.ts';
import { createFirstAccount } from './accounts/create-account.ts';
import { createHttpServer, type MountedFetch, serveHttp } from './http/http-server.ts';
import { createShutdown } from './http/shutdown.ts';
import { maxStreamsOf } from './http/stream-limits.ts';
import type { MetricsPlace } from './metrics/service-metrics.ts';
import { isLoopback } from './runtime/address-policy.ts';
import type { ServiceConfig } from './runtime/context.ts';
import type { SmtpSettings } from './runtime/mailer.ts';
import { listenOn } from './runtime/network.ts';
import { fileOwnership, processRunners } from './runtime/processes.ts';
import { createSealing } from './runtime/sealing.ts';
import { readSecretKeys, type SecretKeyOptions } from './runtime/secret-keys.ts';
import { type OpenOptions, openParts } from './runtime/system.ts';
import type { Timers } from './runtime/time.ts';
import { createService, type Service } from './service.ts';

export interface ServerOptions extends OpenOptions {
  host: string;
  /** 0 selects a free port. */
  port: number;
  /** A file or a `postgres://` URL. */
  database: string;
  /** Null: the address that it listens on. */
  publicUrl: string | null;
  /** Null: a sandbox on a SQLite file, hosted on PostgreSQL. */
  sandbox: boolean | null;
  /** See `ServiceConfig`; only of a sandbox. */
  dialect?: 'burq' | undefined;
  seed: string | null;
  /** See `ServiceConfig`. */
  clockOwner?: string | undefined;
  /** Whether it sends webhooks to this machine although others may use it. */
  allowLoopbackWebhooks?: boolean;
  /** Receives a line for each request and error. */
  log: (line: RequestLog) => void;
  /** Missing limits have their defaults. */
  limits?: Partial<HttpLimits>;
  rate_limits?: Partial<RateLimits>;
  /** Absent: the usual times. */
  retention?: Retention;
  parts?: Partial<ServiceConfig>;
  /** The SMTP server for notices to recipients; absent: they are off. */
  smtp?: SmtpSettings | undefined;
  /** Absent: the defaults. */
  mail_rules?: MailRules;
  /** The servers for places; absent: none. */
  places?: PlaceServices;
  /** The tile server for maps; absent: maps are drawn. */
  map_tiles?: MapTiles | undefined;
  /** Answers some requests before the service does; it is given the service's `fetch`. */
  mount?: ((fetch: Service['fetch'], public_url: string) => MountedFetch) | undefined;
  /** Where metrics are served; absent: not at all. */
  metrics?: MetricsPlace | undefined;
}

export interface RunningServer {
  url: string;
  database: string;
  sandbox: boolean;
  /** Where the metrics are; null if they are not served. */
  metrics_url: string | null;
  /** The first keys of a new database, which are not shown again; null if the account already exists. */
  keys: { test: string; live: string } | null;
  /** Whether it can store secrets: see `Sealing`. */
  stores_secrets: boolean;
  /** Ends streams, and keeps answering new connections for a while, each once, so that clients learn that it stops. */
  drain: (ms: number) => Promise<void>;
  /**
   * Accepts no more requests, gives running ones five seconds to finish, and closes the storage. Resolves within nine
   * seconds in any case.
   */
  stop: () => Promise<void>;
}

/**
 * Whether a proxy passes the requests of others on to a loopback address: a public URL of another host, or a proxy that is
 * trusted, is only set for that.
 */
function isPassedOn({ publicUrl, limits }: ServerOptions): boolean {
  const { trusted_proxies = [] } = limits ?? {};
  if (trusted_proxies.length > 0) return true;
  if (publicUrl === null) return false;
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  return host !== 'localhost' && !isLoopback(host);
}

/**
 * Runs the service as a server until it is stopped. Throws `StorageUnavailable`, `UnknownCrashPoint`,
 * `secret_key_missing` if a given key is not one, or the error of listening.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { storage, config: system, close } = await openParts(options.database, options);
  const limits = { ...defaultLimits, ...options.limits };
  const http = createHttpServer(limits);
  try {
    const config = await configOf(options, system, limits);
    const shutdown = createShutdown(http, config.timers);
    const stores_secrets = await config.sealing.isAvailable();
    const measure = () => service.measure();
    const metrics = options.metrics === undefined ? null : await loadMetrics(options.metrics, measure);
    const { url, address } = await listenOn(http, options);
    // Nothing waits from here until the server has its handler: a request before that would have no answer.
    const sandbox = options.sandbox ?? storage.engine === 'sqlite';
    const single = storage.engine === 'sqlite' ? singleFile(options.database) : null;
    const log = (line: RequestLog) => {
      if (line.type === 'request') metrics?.observeRequest(line);
      options.log(line);
    };
    const onFault = (fault: unknown, request_id: string | null) =>
      log({ type: 'fault', at: config.wall.now(), request_id, fault });
    // A connection that cannot be accepted, because the process has too many open files, ends nothing.
    http.on('error', (fault) => onFault(fault, null));
    const service = createService({
      ...config,
      ...(metrics === null ? {} : { observe: metrics.observe }),
      ...single,
      sandbox,
      loopback_webhooks: loopbackWebhooks(options, { sandbox, address }),
      publicUrl: options.publicUrl ?? url,
      onFault,
    });
    serveHttp(http, mounted(service, options, url), {
      ...config,
      clock: service.clock,
      log,
      limits,
      isStopping: shutdown.hasStarted,
    });
    const metrics_server = await metrics?.serve(onFault);
    // Its keys are shown once: it is created after everything that may fail.
    const keys = await createFirstAccount(config).catch(afterClosing(metrics_server));
    service.start();
    return {
      url,
      database: options.database,
      sandbox,
      metrics_url: metrics_server?.url ?? null,
      keys,
      stores_secrets,
      drain: (ms) => shutdown.drain(service, ms),
      stop: async () => {
        await shutdown.stop(service);
        metrics_server?.close();
        single?.ownership.release();
        await close();
      },
    };
  } catch (fault) {
    http.close();
    await close();
    throw fault;
  }
}

/** Reads the keys that encrypt secrets. Throws `secret_key_missing` if a given key is not one. */
export async function checkSecretKey(database: string, options: SecretKeyOptions): Promise<void> {
  await createSealing(readSecretKeys(database, options)).isAvailable();
}

/** The configuration by the options that concern the service. */
async function configOf(
  options: ServerOptions,
  system: Omit<ServiceConfig, 'sandbox' | 'publicUrl'>,
  limits: HttpLimits,
): Promise<Omit<ServiceConfig, 'sandbox' | 'publicUrl'>> {
  const { seed, clockOwner, map_tiles, places, dialect, smtp } = options;
  const { rate_limits = {}, retention = defaultRetention, mail_rules = defaultMailRules } = options;
  return {
    ...system,
    ...(dialect !== undefined && { dialect: (await import('./http/platform-dialect.ts')).burqDialect }),
    ...(seed === null ? {} : { seed }),
    ...withoutAbsent({ clock_owner: clockOwner, map_tiles, places }),
    ...(smtp !== undefined && { sendMail: await loadMailer(smtp, system.timers) }),
    ...{ mail_rules, rate_limits, retention, max_streams: maxStreamsOf(limits) },
    ...options.parts,
  };
}

/**
 * Whether webhooks may be sent to this machine: a sandbox that only this machine uses may. Others must not read its ports
 * through the service, even with the operator's permission.
 */
function loopbackWebhooks(
  options: ServerOptions,
  { sandbox, address }: { sandbox: boolean; address: string },
): ServiceConfig['loopback_webhooks'] {
  if (sandbox && isLoopback(address) && !isPassedOn(options)) return 'allowed';
  return options.allowLoopbackWebhooks === true ? 'unread' : 'refused';
}

/** Throws a fault again once the server of the metrics is closed: it would keep the process running, and its port. */
function afterClosing(metrics: { close: () => void } | undefined) {
  return (fault: unknown): never => {
    metrics?.close();
    throw fault;
  };
}

/** The `fetch` that answers requests: that of the service, or one that is mounted before it. */
function mounted({ fetch }: Service, { mount, publicUrl }: ServerOptions, url: string): MountedFetch {
  return mount === undefined ? fetch : mount(fetch, publicUrl ?? url);
}

/** Few services send mail: its client is only loaded for them. */
async function loadMailer(smtp: SmtpSettings, timers: Timers) {
  const { createSmtpMailer } = await import('./runtime/mailer.ts');
  return createSmtpMailer(smtp, timers);
}

/** Few services are scraped: the metrics are only loaded for them. */
async function loadMetrics(place: MetricsPlace, measure: Service['measure']) {
  const { createServiceMetrics } = await import('./metrics/service-metrics.ts');
  return createServiceMetrics(place, measure);
}

/**
 * The configuration for a database file, which the processes of one machine share: one of them does the background
 * work.
 */
function singleFile(file: string) {
  return { ownership: fileOwnership(file, { keeps: true }), runners: processRunners() };
}
