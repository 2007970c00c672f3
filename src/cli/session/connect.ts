/** Connects to the service of the settings: over HTTP, or by opening the embedded service in this process. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Notice } from '../../client/calls.ts';
import { type Client, createClient } from '../../client/client.ts';
import { allFeatures, type Features } from '../../client/service-features.ts';
import type { Transport } from '../../contract/operation.ts';
import type { Embedded, EmbeddedOptions, KeyPlace } from '../../service/embedded.ts';
import { Failure, hintFrom } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { invocation } from '../kit/result/message.ts';
import { explainFileError, makeFolder } from '../kit/system/files.ts';
import { changeProfile, checkWritable, readProfiles } from '../settings/profiles.ts';
import type { Settings } from '../settings/settings.ts';
import { findSecretKey, placesIn, testHooksFailure, testHooksOf } from './embedded-settings.ts';
import type { RequestObserver } from './observed-requests.ts';

/** A connection that sends requests to the service, with its API key. */
interface ServiceTransport {
  transport: Transport;
  apiKey: string;
  /** Runs due background work until it is closed, if the service is in this process. */
  run?: () => void;
  close(): Promise<void>;
}

/** The machine, optionally with a transport that replaces the one of the settings. */
export interface ServiceHost extends Host {
  openTransport?: (settings: Settings) => Promise<ServiceTransport>;
}

export interface Connection {
  client: Client;
  /** As the service reported, else as in the settings. */
  mode: Settings['mode'];
  /** The known features of the service, or null. */
  features: Features | null;
  /** Runs due background work until it is closed, if the service is in this process. */
  run?: () => void;
  close(): Promise<void>;
}

interface ConnectOptions {
  host: ServiceHost;
  observer: Pick<RequestObserver, 'wrapTransport' | 'observe' | 'newKey'>;
  /** The time limit for all attempts of a request, in milliseconds. */
  requestTimeout: number;
  /** Requests the mode of the key before anything else is sent. */
  learnMode: boolean;
  /** Opens the embedded service read-only: no key is created, and no due work is done. */
  opensUnchanged: boolean;
  /** Receives internal errors of the embedded service, which its responses hide. */
  onFault: (fault: unknown) => void;
  /** Receives notices about a response. */
  onNotice: (notice: Notice) => void;
}

const attempt_timeout_ms = 30_000;

/** Creates a client for the service in the settings. Only this function opens the embedded service. */
export async function connect(settings: Settings, options: ConnectOptions): Promise<Connection> {
  const opened = await openTransport(settings, options);
  const close = () => opened.close();
  const run = opened.run === undefined ? {} : { run: opened.run };
  const features = settings.profile?.service ?? null;
  const client = clientFor(opened, { ...settings, features }, options);
  const isModeKnown = !options.learnMode || (features?.account === false && settings.mode !== null);
  if (isModeKnown) return { client, mode: settings.mode, features, ...run, close };
  try {
    const state = await readServiceState(client, settings);
    return { client: clientFor(opened, { ...settings, ...state }, options), ...state, ...run, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type ServiceState = Pick<Connection, 'mode' | 'features'>;

/** Requests the mode of the key and the features. For a service without accounts the profile has the mode. */
async function readServiceState(client: Client, { mode, target, profile }: Settings): Promise<ServiceState> {
  if (target.kind === 'embedded') {
    const { data } = await client.account.get();
    return { mode: data.test_mode ? 'test' : 'live', features: null };
  }
  const learned = await client.learn({ isBrief: true });
  return {
    mode: learned.account === null ? (mode ?? learned.mode) : learned.mode,
    features: learned.features === allFeatures ? allFeatures : { ...profile?.service, ...learned.features },
  };
}

function clientFor(
  opened: ServiceTransport,
  { mode, features, target }: ServiceState & Pick<Settings, 'target'>,
  options: ConnectOptions,
): Client {
  const { host, observer, requestTimeout } = options;
  return createClient({
    transport: observer.wrapTransport(opened.transport),
    baseUrl: target.kind === 'http' ? target.baseUrl : undefined,
    apiKey: opened.apiKey,
    testMode: mode === null ? null : mode === 'test',
    features,
    onNotice: options.onNotice,
    totalTimeout_ms: requestTimeout,
    userAgent: `waybill/${host.version}`,
    newIdempotencyKey: () => observer.newKey(),
    sleep: (milliseconds) => host.sleep(milliseconds, host.signal),
    wallNow: () => host.now(),
    chance: () => host.random(),
    observe: (exchange) => observer.observe(exchange),
  });
}

async function openTransport(settings: Settings, options: ConnectOptions): Promise<ServiceTransport> {
  if (options.host.openTransport !== undefined) return options.host.openTransport(settings);
  if (settings.target.kind === 'embedded')
    return openEmbeddedTransport(settings, settings.target.file, options);
  return openHttpTransport(settings.target.baseUrl, await keyOf(settings, options.host), options);
}

async function keyOf(settings: Settings, host: Host): Promise<string> {
  if (settings.apiKey !== null) return settings.apiKey;
  if (settings.keyPlace !== 'keychain') throw noKeyError(settings);
  const { keyInKeychain } = await import('../settings/key-storage.ts');
  return keyInKeychain(settings, host);
}

async function openHttpTransport(
  baseUrl: string,
  apiKey: string,
  { host, requestTimeout }: ConnectOptions,
): Promise<ServiceTransport> {
  const { httpTransport } = await import('../../client/http.ts');
  const transport = httpTransport({
    baseUrl,
    requestTimeout_ms: Math.min(attempt_timeout_ms, requestTimeout),
    timer: host.timer,
    environment: host.environment,
  });
  return { transport, apiKey, close: () => transport.close() };
}

function noKeyError({ name, target }: Settings): Failure {
  const place = target.kind === 'http' && target.baseUrl !== name ? `${name} (${target.baseUrl})` : name;
  return new Failure(4, 'no_api_key', `There is no API key for ${place}.`, {
    hint: 'Log in, or set WAYBILL_API_KEY.',
    next: [{ ...invocation('login'), when: 'store a key in a profile' }],
  });
}

/** The schema version that this program migrates databases to. */
export async function currentSchema(): Promise<number> {
  return (await import('../../service/embedded.ts')).currentSchema;
}

/** Says that a database file is missing although a trace of it is there, and what to do; null without a trace. */
export async function lostDatabaseText(file: string): Promise<string | null> {
  const { traceAdvice, traceOfDatabase } = await import('../../service/embedded.ts');
  const trace = traceOfDatabase(file);
  return trace === null ? null : `${file} is missing, but ${trace} of it is there: ${traceAdvice}.`;
}

/** Opens the embedded service, and replaces a key of the profile that its database does not know. */
async function openEmbeddedTransport(
  settings: Settings,
  file: string,
  { host, opensUnchanged, onFault }: ConnectOptions,
): Promise<ServiceTransport> {
  const isReplaceable = settings.keyOrigin === 'profile' || settings.keyOrigin === 'default';
  const profileKey: KeyPlace = {
    read: () => {
      const storedKey = readProfiles(settings.file).profiles[settings.name]?.api_key ?? null;
      // If only the unknown key is stored, a new one is created next, and it must be storable.
      if (settings.profile !== null && (storedKey === null || storedKey === settings.apiKey))
        checkWritable(settings.file);
      return storedKey;
    },
    keep: async (api_key) => {
      if (settings.profile === null) return;
      // Even a look-up writes here, for a new database.
      host.interruption.listen();
      changeProfile(settings.file, settings.name, (storedProfile) => {
        // What another process has changed meanwhile wins. The permission belongs to the key that is replaced.
        const { key_permission, ...rest } = { ...settings.profile, ...storedProfile };
        return { ...rest, mode: 'test', api_key };
      });
    },
  };
  const key = settings.apiKey;
  const ownKey = isReplaceable && !opensUnchanged ? profileKey : null;
  const opened = await openService({
    file,
    key,
    ownKey,
    readsOnly: opensUnchanged,
    onFault,
    secretKey: findSecretKey(host),
    places: placesIn(host),
    testHooks: testHooksOf(host),
  });
  return { ...opened, apiKey: key ?? '' };
}

async function openService(options: EmbeddedOptions): Promise<Embedded> {
  if (!existsSync(options.file)) makeDataFolder(dirname(options.file));
  const { openEmbedded } = await import('../../service/embedded.ts');
  const translate = (error: unknown) => {
    throw unusableFile(error, options.file) ?? testHooksFailure(error) ?? error;
  };
  const opened = await openEmbedded(options).catch(translate);
  return { ...opened, transport: (request) => opened.transport(request).catch(translate) };
}

function unusableFile(error: unknown, file: string): Failure | null {
  if (!(error instanceof Error && error.name === 'StorageUnavailable')) return null;
  return new Failure(7, 'storage_unavailable', `The database ${file} cannot be used: ${error.message}`, {
    hint: dataFolderHint,
    ...hintFrom(error),
    next: [{ ...invocation('doctor'), when: 'find the cause' }],
    cause: error,
  });
}

const dataFolderHint = 'WAYBILL_DATA_DIR moves the folder of the data.';

function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    const message = `The data folder ${folder} cannot be made: ${explainFileError(error)}.`;
    throw new Failure(7, 'storage_unavailable', message, { hint: dataFolderHint, cause: error });
  }
}
