import { type Client, createClient } from '../client/client.ts';
import type { Transport } from '../contract/wire.ts';
import { Failure } from './failure.ts';
import type { Host } from './host.ts';
import { saveProfile } from './profiles.ts';
import type { Settings } from './settings.ts';
import type { Watch } from './watch.ts';

/** Something that carries requests to the service in use, and the key that goes with them. */
export interface Line {
  transport: Transport;
  apiKey: string;
  close(): Promise<void>;
}

export interface Connection {
  client: Client;
  close(): Promise<void>;
}

export interface Timing {
  /** For all attempts of one request, in milliseconds. */
  requestTimeout: number;
}

const attemptTimeout_ms = 30_000;

/** A client of the service that the settings name. The embedded service is opened here and nowhere else. */
export async function connect(settings: Settings, host: Host, watch: Watch, timing: Timing): Promise<Connection> {
  const line = await openLine(settings, host, timing);
  const client = createClient({
    transport: watch.around(line.transport),
    apiKey: line.apiKey,
    testMode: settings.mode === null ? null : settings.mode === 'test',
    totalTimeout_ms: timing.requestTimeout,
    userAgent: `waybill/${host.version}`,
    newIdempotencyKey: () => watch.newKey(),
    sleep: (milliseconds) => host.sleep(milliseconds, host.signal),
    wallNow: () => host.now(),
    chance: () => host.chance(),
    observe: watch.observe,
  });
  return { client, close: () => line.close() };
}

async function openLine(settings: Settings, host: Host, timing: Timing): Promise<Line> {
  return settings.target.kind === 'http'
    ? httpLine(settings, settings.target.baseUrl, host, timing)
    : embeddedLine(settings, settings.target.file);
}

async function httpLine(settings: Settings, baseUrl: string, host: Host, timing: Timing): Promise<Line> {
  if (settings.apiKey === null) throw noKey(settings);
  const { httpTransport } = await import('../client/http.ts');
  const transport = httpTransport({
    baseUrl,
    requestTimeout_ms: Math.min(attemptTimeout_ms, timing.requestTimeout),
    timer: host.timer,
    environment: host.environment,
  });
  return { transport, apiKey: settings.apiKey, close: () => transport.close() };
}

function noKey({ name, target }: Settings): Failure {
  const place = target.kind === 'http' && target.baseUrl !== name ? `${name} (${target.baseUrl})` : name;
  return new Failure(4, 'no_api_key', `There is no API key for ${place}.`, {
    hint: 'Log in, or set WAYBILL_API_KEY.',
    next: [{ command: 'waybill login', when: 'store a key in a profile' }],
  });
}

/** A key that this database does not know is replaced by a new one, which the profile keeps; a key given is not. */
async function embeddedLine(settings: Settings, file: string): Promise<Line> {
  const { openEmbedded } = await import('../service/embedded.ts');
  const isOwn = settings.keyOrigin === 'profile' || settings.keyOrigin === 'default';
  const opened = await openEmbedded({ file, key: settings.apiKey, mint: isOwn });
  if (opened.minted && settings.profile !== null) {
    await saveProfile(settings.file, settings.name, { ...settings.profile, api_key: opened.key });
  }
  return { transport: opened.transport, apiKey: opened.key, close: opened.close };
}
