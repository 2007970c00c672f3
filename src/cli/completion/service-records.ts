import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import { moneyText } from '../kit/args/flags.ts';
import { oneLine } from '../kit/output/sanitize.ts';
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
  if (query.kinds.includes('profile')) return profiles(settings);
  const kinds = query.kinds.filter((kind) => Object.hasOwn(lists, kind));
  const isMissing = settings.target.kind === 'embedded' && !existsSync(settings.target.file);
  if (kinds.length === 0 || (isMissing && host.line === undefined)) return [];
  const { client, close } = await connect(settings, {
    host,
    watch: { around: (transport) => transport, observe: () => {}, newKey: () => '' },
    requestTimeout: timeout_ms,
    learnMode: false,
    opensUnchanged: true,
    onFault: () => {},
    onNotice: () => {},
  });
  const found = await Promise.allSettled(
    kinds.map(async (kind) => (await lists[kind]?.(client, query))?.map((row) => ({ kind, ...row })) ?? []),
  );
  await close();
  return found.flatMap((each) => (each.status === 'fulfilled' ? each.value.flatMap(plain) : []));
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

function profiles({ file }: Settings): KnownRecord[] {
  const { current, profiles } = readProfiles(file);
  return Object.entries(profiles).map(([id, { base_url }]) => {
    const status = `${base_url ?? 'embedded'}${id === current ? ', in use' : ''}`;
    return { kind: 'profile', id, status, reference: '' };
  });
}

type Row = Omit<KnownRecord, 'kind'>;

const query = { limit };

/** The lists of the kinds of records that have one. */
const lists: Readonly<Record<string, (client: Client, line: RecordQuery) => Promise<Row[]>>> = {
  order: async ({ orders }, { statuses }) => {
    const open = (['open', 'failed'] as const).filter((status) => statuses.includes(status));
    const { data } = await orders.list({ query: open.length === 0 ? query : { ...query, status: open } });
    return data.data.map(({ id, status, external_order_ref: reference }) => ({ id, status, reference }));
  },
  delivery: async ({ deliveries }) => {
    const { data } = await deliveries.list({ query });
    return data.data.map(({ id, status, external_order_ref: reference }) => ({ id, status, reference }));
  },
  route: async ({ routes }, { statuses }) => {
    const { data } = await routes.list({
      query: statuses.includes('draft') ? { ...query, status: 'draft' } : query,
    });
    return data.data.map(({ id, status }) => ({ id, status, reference: '' }));
  },
  /** Only those of the route that the line names. */
  quote: async ({ quotes }, { words: [route_id] }) => {
    if (route_id === undefined) return [];
    const { data } = await quotes.list({ params: { route_id } });
    return (data.data ?? []).map(({ id, provider, cost_of_delivery, service_fee }) => {
      const status = `${provider} ${moneyText(cost_of_delivery + service_fee)}`;
      return { id, status, reference: route_id };
    });
  },
  batch: async ({ batches }) => {
    const { data } = await batches.list({ query });
    return data.data.map(({ batch_id: id, status }) => ({ id, status, reference: '' }));
  },
  event: async ({ events }) => {
    const { data } = await events.list({ query });
    return data.data.map(({ id, type }) => ({ id, status: type, reference: '' }));
  },
  webhook_endpoint: async ({ webhooks }) => {
    const { data } = await webhooks.list({ query });
    return data.data.map(({ id, url }) => ({ id, status: url, reference: '' }));
  },
  store: async ({ stores }) => {
    const { data } = await stores.list({ query });
    return data.data.map(({ id, name }) => ({ id, status: name, reference: '' }));
  },
  driver: async ({ drivers }) => {
    const { data } = await drivers.list({ query });
    return data.data.map(({ id, name, on_duty }) => {
      return { id, status: `${name}, ${on_duty ? 'on duty' : 'off duty'}`, reference: '' };
    });
  },
  key: async ({ keys }) => {
    const { data } = await keys.list({ query });
    return data.data.map(({ id, name, permission }) => ({
      id,
      status: `${name}, ${permission}`,
      reference: '',
    }));
  },
};

/** The record with a status on one line; none if its ID has characters that a shell cannot insert. */
function plain(record: KnownRecord): KnownRecord[] {
  const { id, status, reference } = record;
  if (!isPlain(id)) return [];
  return [{ ...record, status: oneLine(status), reference: isPlain(reference) ? reference : '' }];
}

function isPlain(text: string): boolean {
  return text.length <= 200 && !text.includes('\t') && oneLine(text) === text;
}
