/**
 * The connection of a run, which the first call of `client()` opens (`connect.ts`). Before the first write stderr says
 * whose records change: `kitchen · live mode`. The profile stores what the service reports about itself and the key.
 */
import { isThisMachine } from '../../client/addresses.ts';
import type { Notice } from '../../client/calls.ts';
import type { Client } from '../../client/client.ts';
import { allFeatures, type Feature } from '../../client/service-features.ts';
import type { GlobalValues } from '../kit/args/global-flags.ts';
import { Failure, stackTexts } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import type { OutputSettings } from '../kit/output/output-settings.ts';
import type { ProgressDisplay } from '../kit/output/progress.ts';
import { sanitized } from '../kit/output/safe-text.ts';
import type { Text } from '../kit/result/message.ts';
import { changeProfiles, type Profile } from '../settings/profiles.ts';
import type { Settings } from '../settings/settings.ts';
import type { Connection, ServiceHost } from './connect.ts';
import { createRequestObserver, type RequestObserver } from './observed-requests.ts';

type Mode = 'test' | 'live';

/** A connection to the service that opens on first use. */
export interface LazyConnection {
  observer: RequestObserver;
  client(): Promise<Client>;
  /** Runs due work of the embedded service until it is closed; false for another service. */
  runService(): Promise<boolean>;
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
  globals: GlobalValues;
  output: OutputSettings;
  host: ServiceHost;
  /** Whether writes are possible: then the mode is verified before anything is sent. */
  writes: boolean;
  /** Whether the embedded service is opened unchanged: see `Context.client`. */
  opensUnchanged: boolean;
  /** Writes a line to stderr, even with --quiet. */
  warn(line: Text): void;
  /** Confirms a write in an unknown mode; throws if not confirmed. */
  confirmMode(): Promise<void>;
  waits: ProgressDisplay;
}

/** The known mode and features: those of the settings, and once connected those that the service reported. */
type Learned = Pick<Connection, 'mode' | 'features'>;

/** Creates a connection to the service in the settings, which opens when it is first used. */
export function lazyConnection(options: ConnectionOptions): LazyConnection {
  const { settings, globals, output, host, waits } = options;
  const learned: Learned = { mode: settings.mode, features: settings.profile?.service ?? null };
  const say = (text: string) => writeLine(host, text);
  let isSaid = output.quiet;
  const announce = () => {
    if (!isSaid) say(contextText({ profile: settings.name, mode: learned.mode }, output.json));
    isSaid = true;
  };
  const { dryRun, curl, debug, showPii, idempotencyKey = null } = globals;
  const observer = createRequestObserver({
    host,
    settings,
    waits,
    dryRun,
    curl,
    debug,
    showPii,
    idempotencyKey,
    say,
    json: output.json,
    isRepeatable: () => learned.features?.idempotency !== false,
    beforeWrite: announce,
  });
  let connection: Promise<Connection> | null = null;
  const connected = () => {
    connection ??= openConnection(options, observer, learned);
    return connection;
  };
  return {
    observer,
    announce,
    client: async () => (await connected()).client,
    runService: async () => {
      const { run } = await connected();
      run?.();
      return run !== undefined;
    },
    mode: async () => {
      const { client } = await connected();
      if (learned.mode === null && learned.features?.account === false) return 'live';
      learned.mode ??= (await client.account.get()).data.test_mode ? 'test' : 'live';
      return learned.mode;
    },
    has: (feature) => learned.features?.[feature] !== false,
    close: async () => {
      await (await connection?.catch(() => null))?.close();
    },
  };
}

/** The line that a command writes before it changes something: whose records, and in which mode. */
function contextText(context: { profile: string; mode: Mode | null }, isJson: boolean): string {
  if (isJson) return JSON.stringify({ type: 'context', ...context });
  return `${context.profile} · ${context.mode === null ? 'mode not known' : `${context.mode} mode`}`;
}

/** Connects, adds to `learned` what the service reports, and throws if a write is not possible or not wanted. */
async function openConnection(
  { settings, globals, output, host, writes, opensUnchanged, warn, confirmMode }: ConnectionOptions,
  observer: RequestObserver,
  learned: Learned,
): Promise<Connection> {
  const { connect } = await import('./connect.ts');
  const { dryRun, debug, idempotencyKey, requestTimeout } = globals;
  const learnMode = writes && !dryRun && !isModeCertain(settings);
  const onFault = (fault: unknown) => {
    if (debug) writeLine(host, `* ${sanitized(stackTexts()(fault))}`);
  };
  const onNotice = createNoticeHandler(settings, warn);
  if (isKeyUnencrypted(settings) && !output.quiet && !dryRun) warn(unencryptedKeyWarning);
  const limits = { requestTimeout, learnMode, opensUnchanged };
  const connection = await connect(settings, { host, observer, ...limits, onFault, onNotice });
  Object.assign(learned, { mode: connection.mode, features: connection.features });
  storeLearned(settings, connection);
  try {
    if (idempotencyKey !== undefined && connection.features?.idempotency === false)
      throw noIdempotencyKeysError();
    if (learnMode && connection.mode === null) await confirmMode();
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Writes a line to stderr. A reader that is gone does not matter. */
export function writeLine({ stderr }: Pick<Host, 'stderr'>, text: string): void {
  stderr.write(`${text}\n`).catch(() => {});
}

const unencryptedKeyWarning =
  'The API key is sent without encryption: everyone on the way can read it. Use an address with https://.';

/** Whether the key goes to another machine without encryption. */
function isKeyUnencrypted({ target }: Settings): boolean {
  if (target.kind === 'embedded') return false;
  const { protocol, hostname } = new URL(target.baseUrl);
  return protocol === 'http:' && !isThisMachine(hostname);
}

/** Exit 6, before anything is sent: the service would execute a repeated command again. */
function noIdempotencyKeysError(): Failure {
  const message =
    'This service has no idempotency keys: --idempotency-key cannot make it safe to repeat a command.';
  return new Failure(6, 'not_supported', message, {
    param: '--idempotency-key',
    hint: 'Without the flag the command is sent once. Nothing was changed.',
  });
}

/** Whether the key cannot be of another mode: a key of a URL or in a file may have been replaced. */
function isModeCertain({ mode, keyOrigin, target, profile }: Settings): boolean {
  const isOwn = keyOrigin === 'default' || (keyOrigin === 'profile' && profile?.api_key_file === undefined);
  return target.kind === 'embedded' && mode === 'test' && isOwn;
}

/** Stores the mode and features that the service has reported, if they are new. */
function storeLearned(settings: Settings, learned: Learned): void {
  const { profile } = settings;
  const mode = settings.mode === null ? learned.mode : null;
  const service = learned.features === allFeatures ? null : learned.features;
  if (mode === null && (service === null || service === profile?.service)) return;
  const changes = { ...(mode !== null && { mode }), ...(service !== null && { service }) };
  changeOwnProfile(settings, (kept) => ({ ...kept, ...changes }));
}

/** Changes the profile that has the key, if it still exists. If that fails, the next command learns it again. */
function changeOwnProfile(
  { file, name, profile, keyOrigin }: Settings,
  change: (profile: Profile) => Profile,
): void {
  if (profile === null || keyOrigin === 'flag' || keyOrigin === 'environment') return;
  try {
    changeProfiles(file, (all) => {
      const stored = Object.hasOwn(all.profiles, name) ? all.profiles[name] : undefined;
      return stored === undefined ? all : { ...all, profiles: { ...all.profiles, [name]: change(stored) } };
    });
  } catch {}
}

/** Shows notices about responses of other services, and stores which features they lack. */
function createNoticeHandler(settings: Settings, warn: (line: Text) => void) {
  const shown = new Set<string>();
  return (notice: Notice): void => {
    if (notice.kind === 'lacking') {
      const lack = { [notice.feature]: false };
      changeOwnProfile(settings, (kept) => ({ ...kept, service: { ...kept.service, ...lack } }));
      return;
    }
    const key = JSON.stringify(notice);
    // A command may read the same list several times.
    if (!shown.has(key)) warn(noticeText(notice));
    if (notice.kind === 'filtered') shown.add(key);
  };
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
  }
}
