/** The flags of `serve` by their groups, and the options of the service that they set. */
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { BadBaseUrl, parseBaseUrl, urlPrefix } from '../../../client/addresses.ts';
import { day_ms } from '../../../domain/durations.ts';
import {
  defaultLimits,
  defaultMailRules,
  defaultRateLimits,
  defaultRetention,
  type HttpLimits,
  type MailRules,
  type MapTiles,
  type RateLimits,
  type Retention,
  tilesFault,
} from '../../../domain/operator-settings.ts';
import {
  BadValue,
  choiceFlag,
  durationFlag,
  type Flag,
  integerFlag,
  listFlag,
  moneyFlag,
  parsedTextFlag,
  switchFlag,
  textFlag,
} from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Host } from '../../kit/host/host.ts';
import { databaseFlag } from '../../session/administer.ts';
import type { FlagValues } from '../../session/command.ts';
import { placeFlags, secretKeyFlag } from '../../session/embedded-settings.ts';

const mapGroup = 'Maps';

/** The maps of the recipient's page and the board; without a server they are drawn, without streets. */
const mapFlags = {
  mapTiles: parsedTextFlag(readTilesUrl, {
    summary: 'Map tiles, which browsers load from there (default: maps are drawn, without streets)',
    group: mapGroup,
    placeholder: 'https://HOST/{z}/{x}/{y}.png',
  }),
  mapAttribution: textFlag({
    summary: 'Whom the map of --map-tiles is from, shown on it; the name OpenStreetMap becomes a link',
    group: mapGroup,
    placeholder: 'TEXT',
  }),
};

function readTilesUrl(given: string): string {
  const fault = tilesFault(given);
  if (fault === null) return given;
  throw new BadValue(`${fault}, not "${given}"`);
}

/** The tile server that the flags set; undefined without one. */
export function mapTilesOf({
  mapTiles: url,
  mapAttribution: attribution,
}: FlagValues<typeof mapFlags>): MapTiles | undefined {
  if (url === undefined && attribution === undefined) return undefined;
  if (url === undefined) {
    throw new UsageError('--map-attribution needs --map-tiles.', {
      hint: 'Set the URL of the tiles with --map-tiles, or leave the attribution out.',
    });
  }
  if (attribution === undefined || attribution.trim() === '') {
    throw new UsageError('The attribution of the map is missing.', {
      hint: "Set it with --map-attribution, such as '© OpenStreetMap contributors'.",
    });
  }
  return { url, attribution: attribution.trim() };
}

/** Data older than its retention is deleted every hour. */
const retentionFlags = {
  keepEvents: keepFlag('events and the state of their webhooks', defaultRetention.events_ms),
  keepAttempts: keepFlag('attempts to send webhooks', defaultRetention.attempts_ms),
  keepReports: keepFlag('the requests of couriers as received', defaultRetention.reports_ms),
  keepQuotes: keepFlag('quotes that were not dispatched', defaultRetention.quotes_ms),
  keepAudit: keepFlag('the record of changes', defaultRetention.audit_ms),
  keepPlaces: keepFlag('what the geocoder has answered about addresses', defaultRetention.places_ms),
  keepPersonalData: optionalKeepFlag(
    'names, addresses and phone numbers after the end of a delivery (default: until erased)',
  ),
};

export function retentionOf(flags: FlagValues<typeof retentionFlags>): Retention {
  return {
    events_ms: flags.keepEvents,
    attempts_ms: flags.keepAttempts,
    reports_ms: flags.keepReports,
    quotes_ms: flags.keepQuotes,
    audit_ms: flags.keepAudit,
    places_ms: flags.keepPlaces,
    personal_data_ms: flags.keepPersonalData ?? defaultRetention.personal_data_ms,
  };
}

/** How long data is kept: at least a day, because clients continue lists and streams where they stopped. */
function keepFlag(what: string, usual: number): Flag<number> {
  const base = durationFlag({ summary: `How long to keep ${what}`, default: usual, group: 'Retention' });
  return { ...base, read: (texts) => readKept(base, texts) };
}

/** How long data is kept, from a day on; without a default. */
function optionalKeepFlag(what: string): Flag<number | undefined> {
  const base = durationFlag({ summary: `How long to keep ${what}`, group: 'Retention' });
  return { ...base, read: (texts) => readKept(base, texts) };
}

/** In milliseconds. Throws BadValue for less than a day, and for what is no duration. */
function readKept(base: Flag<number | undefined>, texts: readonly string[]): number {
  const kept_ms = durationOf(base, texts);
  if (kept_ms !== undefined && kept_ms >= day_ms) return kept_ms;
  throw new BadValue(`must be a duration of one day or more, such as 1d or 90d, not "${texts.at(-1)}"`);
}

/** Undefined for what is no duration. */
function durationOf(base: Flag<number | undefined>, texts: readonly string[]): number | undefined {
  try {
    return base.read(texts);
  } catch (error) {
    if (error instanceof BadValue) return undefined;
    throw error;
  }
}

const limitGroup = 'Limits';
const mebibyte = 1024 * 1024;
/** How long a load balancer has to notice the shutdown after SIGTERM. */
const drain_ms = 1_000;

/** A time limit. Of zero, some would close every connection at once, and others none ever. */
function timeLimitFlag(options: { summary: string; default: number; group: string }): Flag<number> {
  const base = durationFlag(options);
  return {
    ...base,
    read: (texts) => {
      const limit_ms = base.read(texts);
      if (limit_ms > 0) return limit_ms;
      throw new BadValue(`must be longer than ${texts.at(-1)}`);
    },
  };
}

/** Limits for each client, so that no client starves the others. */
const limitFlags = {
  maxConnections: integerFlag({
    summary: 'Maximum open connections; more are closed',
    default: defaultLimits.max_connections,
    minimum: 1,
    group: limitGroup,
  }),
  receiveTimeout: timeLimitFlag({
    summary: 'Time limit for receiving a request',
    default: defaultLimits.request_timeout_ms,
    group: limitGroup,
  }),
  sendTimeout: timeLimitFlag({
    summary: 'Time limit for a client to read a response, or the next part of a stream',
    default: defaultLimits.response_timeout_ms,
    group: limitGroup,
  }),
  idleTimeout: timeLimitFlag({
    summary: 'How long to keep idle connections open',
    default: defaultLimits.idle_timeout_ms,
    group: limitGroup,
  }),
  bodyMemory: integerFlag({
    summary: 'Maximum memory for request bodies, in MiB',
    default: defaultLimits.max_body_bytes / mebibyte,
    minimum: 32,
    group: limitGroup,
    placeholder: 'MIB',
  }),
  rateLimit: integerFlag({
    summary:
      'Requests per second for each account and mode (default: 20, unlimited in the sandbox; 0: unlimited)',
    group: limitGroup,
  }),
  wrongKeys: integerFlag({
    summary: 'Unknown API keys per minute for each client address',
    default: defaultRateLimits({ sandbox: false }).wrong_keys_per_minute,
    minimum: 1,
    group: limitGroup,
  }),
  trustedProxy: trustedProxyFlag(),
  drainDelay: durationFlag({
    summary: 'How long to accept new connections after SIGTERM or SIGHUP',
    default: drain_ms,
    group: limitGroup,
  }),
};

export function limitsInFlags(flags: FlagValues<typeof limitFlags>): {
  limits: HttpLimits;
  rate_limits: Partial<RateLimits>;
} {
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
  return wordsFlag({ summary, placeholder: 'CIDR', group: limitGroup }, readNetwork);
}

function readNetwork(given: string): string {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(given) ?? [];
  const version = isIP(address);
  if (version > 0 && Number(prefix ?? 0) <= (version === 4 ? 32 : 128)) return given;
  throw new BadValue(`must be an address or network such as 10.0.0.0/8, not "${given}"`);
}

const mailGroup = 'Notices by e-mail';

/** The mail server; without a host no notices are sent. */
export const smtpFlags = {
  smtpHost: textFlag({
    summary: 'SMTP server for notices to recipients (default: no notices)',
    group: mailGroup,
    placeholder: 'HOST',
  }),
  smtpPort: integerFlag({
    summary: 'Port of the SMTP server (default: 587, with --smtp-tls tls 465)',
    minimum: 1,
    maximum: 65_535,
    group: mailGroup,
    placeholder: 'PORT',
  }),
  smtpTls: choiceFlag({
    choices: ['starttls', 'tls', 'none'],
    summary: 'Encryption: required by STARTTLS, from the start, or none',
    default: 'starttls',
    group: mailGroup,
  }),
  smtpFrom: textFlag({ summary: 'Address that notices come from', group: mailGroup, placeholder: 'EMAIL' }),
  smtpFromName: textFlag({
    summary: 'Name beside that address (default: none)',
    group: mailGroup,
    placeholder: 'NAME',
  }),
  smtpReplyTo: textFlag({
    summary: 'Address for replies (default: that of --smtp-from)',
    group: mailGroup,
    placeholder: 'EMAIL',
  }),
  smtpTrustAccounts: switchFlag({
    summary: 'Let each account choose the name of the sender and the address for replies',
    group: mailGroup,
  }),
  smtpTestRecipient: recipientsFlag(),
  smtpPerDay: integerFlag({
    summary: 'Maximum notices of each account and mode a day',
    minimum: 1,
    maximum: 1_000_000,
    default: defaultMailRules.per_day,
    group: mailGroup,
    placeholder: 'COUNT',
  }),
  smtpUser: textFlag({ summary: 'User of the SMTP server', group: mailGroup, placeholder: 'USER' }),
  smtpPasswordFile: textFlag({
    summary: 'File with the password of that user; WAYBILL_SMTP_PASSWORD can have it instead',
    group: mailGroup,
    placeholder: 'FILE',
  }),
};

export function mailRulesOf(flags: RuleValues): MailRules {
  return {
    test_recipients: flags.smtpTestRecipient,
    per_day: flags.smtpPerDay,
    from_name: flags.smtpFromName ?? '',
    reply_to: flags.smtpReplyTo ?? null,
    trusts_accounts: flags.smtpTrustAccounts,
  };
}

type SmtpValues = FlagValues<typeof smtpFlags>;
type RuleValues = Pick<
  SmtpValues,
  'smtpTestRecipient' | 'smtpPerDay' | 'smtpFromName' | 'smtpReplyTo' | 'smtpTrustAccounts'
>;

/** Addresses of this machine, to which a password may travel without encryption. */
const ownHosts = ['localhost', '127.0.0.1', '::1'];

/** The mail server set by the flags; null without one. Throws UsageError if the flags do not fit together. */
export function smtpSettingsOf(
  { environment, folder }: Pick<Host, 'environment' | 'folder'>,
  flags: Pick<SmtpValues, 'smtpHost' | 'smtpPort' | 'smtpTls' | 'smtpFrom' | 'smtpUser' | 'smtpPasswordFile'>,
) {
  const { smtpHost: host, smtpPort, smtpTls: tls, smtpFrom: from, smtpUser: user } = flags;
  const { smtpPasswordFile: file } = flags;
  if (host === undefined) {
    if (from === undefined && user === undefined && file === undefined) return null;
    throw new UsageError('The SMTP settings have no server.', { hint: 'Name it with --smtp-host.' });
  }
  if (from === undefined || !/^[^\s@<>,]+@[^\s@<>,]+$/.test(from)) {
    throw new UsageError('The address that notices come from is missing or wrong.', {
      hint: 'Set it with --smtp-from, such as orders@shop.example.',
    });
  }
  const password =
    file === undefined ? (environment.WAYBILL_SMTP_PASSWORD ?? '') : readPassword(folder, file);
  if (user !== undefined && password === '') {
    throw new UsageError('The password of the SMTP server is missing.', {
      hint: 'Set WAYBILL_SMTP_PASSWORD or --smtp-password-file.',
    });
  }
  if (user !== undefined && tls === 'none' && !ownHosts.includes(host)) {
    throw new UsageError('A password is not sent without encryption.', {
      hint: 'Leave out --smtp-tls none, or --smtp-user.',
    });
  }
  const port = smtpPort ?? (tls === 'tls' ? 465 : 587);
  return { host, port, tls, user: user ?? null, password, from };
}

function readPassword(folder: string, file: string): string {
  try {
    return readFileSync(resolve(folder, file), 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`The file of the SMTP password cannot be read: ${file}.`, { cause: error });
  }
}

/** `--smtp-test-recipient`: addresses, and domains such as `@shop.example`. */
function recipientsFlag(): Flag<string[]> {
  const summary = 'Address or domain (@shop.example) that test mode may send to (default: none)';
  return wordsFlag({ summary, placeholder: 'EMAIL', group: mailGroup }, readRecipient);
}

function readRecipient(given: string): string {
  if (/^[^\s@<>,]*@[^\s@<>,]+$/.test(given)) return given;
  throw new BadValue(`must be an address, or a domain such as @shop.example, not "${given}"`);
}

/** A flag that is repeated or comma-separated. */
function wordsFlag(options: Parameters<typeof listFlag>[0], read: (word: string) => string): Flag<string[]> {
  const words = (texts: readonly string[]) => texts.flatMap((each) => each.split(/[\s,]+/)).filter(Boolean);
  return { ...listFlag(options), read: (texts) => words(texts).map(read) };
}

/** The tools for assistants over HTTP. */
const mcpFlags = {
  mcp: switchFlag({
    summary: 'Serve the tools for AI assistants at /mcp, for requests with an API key as bearer token',
  }),
  mcpLive: switchFlag({ summary: 'Allow live keys at /mcp: needs --mcp-max-cost' }),
  mcpMaxCost: moneyFlag({
    summary: 'The most in dollars that a shipment of an assistant with a live key may cost, the tip included',
  }),
};

/** The tools for assistants over HTTP; undefined without them. Throws UsageError if the flags do not fit together. */
export function mcpSettingsOf({
  mcp,
  mcpLive,
  mcpMaxCost: most,
}: FlagValues<typeof mcpFlags>): { live_max_cost: number | null } | undefined {
  if (mcpLive && most === undefined) {
    throw new UsageError('--mcp-live needs --mcp-max-cost.', {
      hint: 'Set the most that one shipment of an assistant may cost, such as --mcp-max-cost 25.',
    });
  }
  if (!mcp && (mcpLive || most !== undefined))
    throw new UsageError('--mcp-live and --mcp-max-cost need --mcp.', { hint: 'Add --mcp.' });
  if (!mcpLive && most !== undefined)
    throw new UsageError('--mcp-max-cost needs --mcp-live.', { hint: 'Add --mcp-live, or leave it out.' });
  return mcp ? { live_max_cost: most ?? null } : undefined;
}

/** The dialect of the answers. Throws UsageError if the service is not a sandbox. */
export function dialectOf(dialect: 'burq' | undefined, sandbox: boolean): 'burq' | undefined {
  if (dialect === undefined || sandbox) return dialect;
  throw new UsageError('--dialect needs a sandbox.', { hint: 'Add --sandbox, or leave out --dialect.' });
}

/** The flags of `serve`; each has an environment variable, and a line in the file of `--config`. */
export const serveFlags = {
  host: textFlag({ summary: 'Address to listen on', default: '127.0.0.1', placeholder: 'HOST' }),
  port: integerFlag({
    summary: 'Port to listen on; 0 picks a free one',
    default: 4010,
    maximum: 65_535,
    placeholder: 'PORT',
  }),
  database: databaseFlag(),
  mustExist: switchFlag({
    summary: 'Refuse to make a new database: for a service whose volume may not be mounted',
  }),
  waitForDatabase: durationFlag({
    summary: 'How long to retry at the start while the database is unavailable',
    default: 0,
  }),
  secretKeyFile: secretKeyFlag(),
  publicUrl: parsedTextFlag(readPublicUrl, {
    summary: 'Public URL, used in tracking links',
    placeholder: 'URL',
  }),
  sandbox: switchFlag({
    summary: 'Simulate couriers for test keys (default on SQLite)',
    negatable: true,
  }),
  dialect: choiceFlag({
    summary: 'In a sandbox, answer as programs for the public platform expect: see help platform-programs',
    choices: ['burq'],
  }),
  seed: textFlag({ summary: 'Random seed: the same seed gives the same results', placeholder: 'SEED' }),
  clockOwner: parsedTextFlag(readAccountId, {
    summary: 'Account whose admin keys move clock and seed of a sandbox that several share (default: none)',
    placeholder: 'ACCOUNT',
  }),
  allowLoopbackWebhooks: switchFlag({
    summary:
      'Allow webhooks to this machine even if others can use the service; response bodies are not stored',
  }),
  allowPrivateCouriers: switchFlag({
    summary: 'Allow couriers on this machine and in private networks; merchants choose their addresses',
  }),
  metricsPort: integerFlag({
    summary: 'Port for Prometheus metrics at /metrics; 0 picks a free one (default: no metrics)',
    maximum: 65_535,
    placeholder: 'PORT',
  }),
  metricsHost: textFlag({
    summary: 'Address to listen on for metrics',
    default: '127.0.0.1',
    placeholder: 'HOST',
  }),
  logFormat: choiceFlag({
    choices: ['text', 'json'],
    summary: 'Format of the log on stderr; json has one object a line',
    default: 'text',
  }),
  config: textFlag({
    summary: 'File with a line for each flag, such as `port = 4010`; flags and variables override it',
    placeholder: 'FILE',
  }),
  check: switchFlag({ summary: 'Show the settings and where each comes from, without starting' }),
  ...mcpFlags,
  ...placeFlags,
  ...mapFlags,
  ...smtpFlags,
  ...limitFlags,
  ...retentionFlags,
};

function readPublicUrl(given: string): string {
  try {
    return urlPrefix(parseBaseUrl(given));
  } catch (error) {
    if (!(error instanceof BadBaseUrl)) throw error;
    throw new BadValue('must be a URL that starts with http:// or https://, without a password, ? or #');
  }
}

function readAccountId(given: string): string {
  if (/^acct_[0-9A-Z]+$/.test(given)) return given;
  throw new BadValue(`must be the ID of an account, as \`waybill admin accounts\` shows it, not "${given}"`);
}
