import { isLoopback } from '../../client/addresses.ts';
import type { Notice } from '../../client/calls.ts';
import type { Client } from '../../client/client.ts';
import { allFeatures, type Feature } from '../../client/features.ts';
import type { GlobalValues } from '../kit/args/global-flags.ts';
import { Failure, stackTexts } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import type { OutputSettings } from '../kit/output/output-settings.ts';
import type { Waits } from '../kit/output/progress.ts';
import { sanitized } from '../kit/output/safe-text.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import { changeProfile } from '../settings/profiles.ts';
import type { Settings } from '../settings/settings.ts';
import type { Connection, ServiceHost } from './connect.ts';
import { createRequestObserver, type RequestObserver } from './request-observer.ts';

type Mode = 'test' | 'live';

/** A connection to the service that opens on first use. */
export interface LazyConnection {
  observer: RequestObserver;
  client(): Promise<Client>;
  /** Runs due work of the embedded service until it is closed; false for another service. */
  run(): Promise<boolean>;
  /** The mode of the key; live if unknown. */
  mode(): Promise<Mode>;
  /** Whether the service has a feature; true if unknown. */
  has(feature: Feature): boolean;
  /** Prints the profile and the mode on stderr once. */
  announce(): void;
  close(): Promise<void>;
}

/** The parts of a run from which a connection is made. */
interface ConnectionOptions {
  settings: Settings;
  values: GlobalValues;
  output: OutputSettings;
  host: ServiceHost;
  /** Whether writes are possible: then the mode is verified before anything is sent. */
  writes: boolean;
  /** Whether the embedded service is opened unchanged: see `Context.client`. */
  opensUnchanged: boolean;
  /** Writes a line to stderr, even with --quiet. */
  warn(line: Text): void;
  /** Confirms a write in an unknown mode; throws if not confirmed. */
  agree(): Promise<void>;
  waits: Waits;
}

/** Creates a connection to the service in the settings, which opens when it is first used. */
export function lazyConnection(options: ConnectionOptions): LazyConnection {
  const { settings, values, output, host, writes, opensUnchanged, warn, agree, waits } = options;
  const say = (text: string) => sayOn(host, text);
  let mode = settings.mode;
  let features = settings.profile?.service ?? null;
  let isSaid = output.quiet;
  const announce = () => {
    if (!isSaid) say(output.json ? contextObject() : `${settings.name} · ${modeText()}`);
    isSaid = true;
  };
  const contextObject = () => JSON.stringify({ type: 'context', profile: settings.name, mode });
  const modeText = () => (mode === null ? 'mode not known' : `${mode} mode`);
  const { dryRun, curl, debug, showPii, idempotencyKey = null } = values;
  const observer = createRequestObserver({
    ...{ host, settings, waits, dryRun, curl, debug, showPii, idempotencyKey, say },
    json: output.json,
    isRepeatable: () => features?.idempotency !== false,
    beforeWrite: announce,
  });
  const open = async () => {
    const { connect } = await import('./connect.ts');
    const learnMode = writes && !dryRun && !isKnown(settings);
    const { requestTimeout } = values;
    const onFault = (fault: unknown) => {
      if (debug) say(`* ${sanitized(stackTexts()(fault))}`);
    };
    const onNotice = createNoticeHandler(settings, warn);
    if (isReadable(settings) && !output.quiet && !dryRun) warn(readableKey);
    const limits = { requestTimeout, learnMode, opensUnchanged };
    const connection = await connect(settings, { host, observer, ...limits, onFault, onNotice });
    ({ mode, features } = connection);
    keepLearned(settings, connection);
    try {
      if (idempotencyKey !== null && features?.idempotency === false) throw withoutKeys();
      if (learnMode && mode === null) await agree();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  };
  let connection: Promise<Connection> | null = null;
  const connected = () => {
    connection ??= open();
    return connection;
  };
  return {
    observer,
    announce,
    client: async () => (await connected()).client,
    run: async () => {
      const { run } = await connected();
      run?.();
      return run !== undefined;
    },
    mode: async () => {
      const { client } = await connected();
      if (mode === null && features?.account === false) return 'live';
      mode ??= (await client.account.get()).data.test_mode ? 'test' : 'live';
      return mode;
    },
    has: (feature) => features?.[feature] !== false,
    close: async () => {
      await (await connection?.catch(() => null))?.close();
    },
  };
}

/** Writes a line to stderr. A reader that is gone does not matter. */
export function sayOn({ stderr }: Pick<Host, 'stderr'>, text: string): void {
  stderr.write(`${text}\n`).catch(() => {});
}

const readableKey =
  'The API key is sent without encryption: everyone on the way can read it. Use an address with https://.';

/** Whether the key goes to another machine without encryption. */
function isReadable({ target }: Settings): boolean {
  if (target.kind === 'embedded') return false;
  const { protocol, hostname } = new URL(target.baseUrl);
  return protocol === 'http:' && !isLoopback(hostname);
}

/** Exit 6, before anything is sent: the service would execute a repeated command again. */
function withoutKeys(): Failure {
  const message =
    'This service has no idempotency keys: --idempotency-key cannot make it safe to repeat a command.';
  return new Failure(6, 'not_supported', message, {
    param: '--idempotency-key',
    hint: 'Without the flag the command is sent once. Nothing was changed.',
  });
}

/** The key behind a URL or in a file may be replaced: only the key of the own database is certain. */
function isKnown({ mode, keyOrigin, target, profile }: Settings): boolean {
  const isOwn = keyOrigin === 'default' || (keyOrigin === 'profile' && profile?.api_key_file === undefined);
  return target.kind === 'embedded' && mode === 'test' && isOwn;
}

/** Stores the mode and features of the profile's own key; if that fails, they are requested again next time. */
function keepLearned(
  { file, name, profile, mode, keyOrigin }: Settings,
  learned: Pick<Connection, 'mode' | 'features'>,
): void {
  if (profile === null || keyOrigin === 'flag' || keyOrigin === 'environment') return;
  const isNewMode = mode === null && learned.mode !== null;
  const features = learned.features === allFeatures ? null : learned.features;
  if (!isNewMode && (features === null || features === profile.service)) return;
  const news = {
    ...(isNewMode && learned.mode !== null ? { mode: learned.mode } : {}),
    ...(features === null ? {} : { service: features }),
  };
  try {
    changeProfile(file, name, (kept) => ({ ...profile, ...kept, ...news }));
  } catch {}
}

/** Shows notices about responses of other services, and stores what they say about the service. */
function createNoticeHandler(settings: Settings, warn: (line: Text) => void) {
  const filtered = new Set<string>();
  return (notice: Notice): void => {
    if (notice.kind === 'lacking') {
      keepMissing(settings, notice.feature);
      return;
    }
    const key = JSON.stringify(notice);
    // A command may read the same list several times.
    if (!filtered.has(key)) warn(noticeText(notice));
    if (notice.kind === 'filtered') filtered.add(key);
    // Whole amounts are then read in the same unit next time.
    if (notice.kind === 'main_units') keepMissing(settings, 'cents');
  };
}

/** Stores that the service lacks a feature. */
function keepMissing({ file, name, profile, keyOrigin }: Settings, feature: Feature): void {
  if (profile === null || keyOrigin === 'flag' || keyOrigin === 'environment') return;
  try {
    changeProfile(file, name, (kept) => ({ ...kept, service: { ...kept?.service, [feature]: false } }));
  } catch {}
}

/** The note on a response of another service. */
function noticeText(notice: Exclude<Notice, { kind: 'lacking' }>): Text {
  switch (notice.kind) {
    case 'unread':
      return `The service accepted the request (status ${notice.status}), but its response is not JSON.`;
    case 'filtered': {
      const { names, searched, isWhole } = notice;
      const filters = `${names.length === 1 ? 'filter' : 'filters'} ${names.join(', ')}`;
      const extent = isWhole ? 'all' : 'only the latest';
      const searchedText = searched === 1 ? 'one record was' : `${extent} ${searched} records were`;
      return `The service ignores the ${filters}: ${searchedText} filtered here.`;
    }
    case 'main_units':
      return [
        'The service has amounts with decimals: they are read in dollars instead of cents, and so are whole amounts.',
        ...(notice.hasReadCents ? ['Amounts shown before were 100 times too small.'] : []),
        notice.sent.length > 0
          ? `It was sent ${notice.sent.join(', ')} in cents.`
          : 'Amounts that were sent to it before were in cents.',
      ].join(' ');
    case 'unknown_units': {
      const dollars = invocation('login', [], { amounts: 'dollars' });
      return phrase`The service has shown no amounts yet, and is sent ${notice.sent.join(', ')} in cents. If it takes dollars, store that first: ${dollars}`;
    }
    case 'assumed_units':
      return 'Whole amounts are read in dollars instead of cents, because other amounts of the service have decimals.';
    case 'currency':
      return `Amounts are in the smallest unit of ${notice.currency}, although they are shown with a dollar sign.`;
  }
}
