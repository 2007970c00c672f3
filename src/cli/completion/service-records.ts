/** The records of the service that complete a line, read within half a second. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { moneyText } from '../kit/args/flags.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { recordKind } from '../records.ts';
import { connect, type ServiceHost } from '../session/connect.ts';
import { readProfiles } from '../settings/profiles.ts';
import { readSettings, type Settings } from '../settings/settings.ts';
import type { KnownRecord, RecordQuery } from './candidates.ts';

/** Completion without an answer within this time has no candidates. */
const timeout_ms = 500;
const limit = 100;

/** The records that complete a line, newest first; none if they cannot be read in time. Nothing is changed. */
export function serviceRecords(query: RecordQuery, host: ServiceHost): Promise<KnownRecord[]> {
  const none = () => [];
  return Promise.race([
    readRecords(query, host).catch(none),
    host.sleep(timeout_ms, host.signal).then(none, none),
  ]);
}

async function readRecords(query: RecordQuery, host: ServiceHost): Promise<KnownRecord[]> {
  const settings = settingsOf(query, host);
  if (settings === null) return [];
  if (query.kinds.includes('profile')) return listProfiles(settings);
  const kinds = query.kinds.filter((kind) => kind === 'quote' || recordKind(kind) !== undefined);
  const isMissing = settings.target.kind === 'embedded' && !existsSync(settings.target.file);
  if (kinds.length === 0 || (isMissing && host.openTransport === undefined)) return [];
  const { client, close } = await connect(settings, {
    host,
    observer: { wrapTransport: (transport) => transport, observe: () => {}, newKey: () => '' },
    requestTimeout: timeout_ms,
    learnMode: false,
    opensUnchanged: true,
    onFault: () => {},
    onNotice: () => {},
  });
  const found = await Promise.allSettled(kinds.map((kind) => listRecords(client, kind, query)));
  await close();
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value.flatMap(shellSafeRecord) : []));
}

/** The settings as the program would read them; null with a key file that is a pipe, which can be read only once. */
function settingsOf({ flags }: RecordQuery, host: ServiceHost): Settings | null {
  const { environment } = host;
  const asked = (flag: string, variable: string) => flags[flag] || environment[variable] || undefined;
  const apiKeyFile = asked('--api-key-file', 'WAYBILL_API_KEY_FILE');
  if (apiKeyFile !== undefined && !statSync(resolve(host.folder, apiKeyFile)).isFile()) return null;
  return readSettings(
    {
      profile: asked('--profile', 'WAYBILL_PROFILE'),
      baseUrl: asked('--base-url', 'WAYBILL_BASE_URL'),
      apiKeyFile,
    },
    new Map([['apiKeyFile', flags['--api-key-file'] ? 'flag' : 'environment']]),
    host,
  );
}

function listProfiles({ file }: Settings): KnownRecord[] {
  const { current, profiles } = readProfiles(file);
  return Object.entries(profiles).map(([id, { base_url }]) => {
    const status = `${base_url ?? 'embedded'}${id === current ? ', in use' : ''}`;
    return { kind: 'profile', id, status, reference: '' };
  });
}

/** The records of a kind; quotes only of the route that the line names. */
async function listRecords(
  client: Client,
  kind: string,
  { statuses, words }: RecordQuery,
): Promise<KnownRecord[]> {
  if (kind === 'quote') return listQuotes(client, words[0]);
  const briefs = await recordKind(kind)?.latest(client, limit, statuses);
  return (briefs ?? []).map(({ id, status, reference }) => ({ kind, id, status, reference }));
}

async function listQuotes(client: Client, route_id: string | undefined): Promise<KnownRecord[]> {
  if (route_id === undefined) return [];
  const { data } = await client.quotes.list({ params: { route_id } });
  return (data.data ?? []).map(({ id, provider, cost_of_delivery, service_fee }) => {
    const status = `${provider} ${moneyText(cost_of_delivery + service_fee)}`;
    return { kind: 'quote', id, status, reference: route_id };
  });
}

/** The record with a status on one line; none if its ID has characters that a shell cannot insert. */
function shellSafeRecord(record: KnownRecord): KnownRecord[] {
  const { id, status, reference } = record;
  if (!isShellSafe(id)) return [];
  return [{ ...record, status: oneLine(status), reference: isShellSafe(reference) ? reference : '' }];
}

function isShellSafe(text: string): boolean {
  return text.length <= 200 && !text.includes('\t') && oneLine(text) === text;
}
