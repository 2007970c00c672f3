/**
 * A merchant's own accounts at couriers: connects them after a check, and shows which can be used. Each courier has an
 * adapter with its settings and capabilities; a row says that it is connected, with the settings sealed.
 */
import { type Fault, Problem } from '../../contract/errors.ts';
import type {
  Courier,
  checkCourier,
  connectCourier,
  disableCourier,
  enableCourier,
  listCouriers,
  removeCourier,
} from '../../contract/providers.ts';
import type { CourierAdapter, CourierSettings, SettingField } from '../../providers/courier.ts';
import { ProviderFault } from '../../providers/port.ts';
import {
  changeCourier,
  deleteCourier,
  findCourier,
  listCouriers as listRows,
  writeCourier,
} from '../../storage/couriers.ts';
import type { Connection, CourierRow } from '../../storage/database.ts';
import { idsUnderWay } from '../../storage/delivery-queries.ts';
import { type Call, type CallBase, type Handler, readPublicUrl } from '../http/handler.ts';
import {
  openSecrets,
  openSettings,
  publicSettings,
  sealSettings,
  storedSecrets,
  type Values,
} from '../runtime/courier-settings.ts';
import type { Sealing } from '../runtime/sealing.ts';
import { instantOrNull } from '../runtime/time.ts';

export const readCouriers: Handler<typeof listCouriers> = async (call) => {
  const { service, caller } = call;
  const rows = await service.storage.read((db) => listRows(db, caller.scope));
  const adapters = await Promise.all(service.connectable.map(({ load }) => load()));
  const data = adapters.map((adapter) => {
    const row = rows.find(({ name }) => name === adapter.name);
    return courierView(call, adapter, row);
  });
  return { object: 'list', data, has_more: false };
};

/** The connection was changed while its settings were checked. */
class ChangedMeanwhile extends Error {}

/**
 * Checks the settings before they are stored: a courier that is connected has worked once. Settings that the request
 * leaves out keep their stored values; if those change during the check, all are checked again.
 */
export const connectOneCourier: Handler<typeof connectCourier> = async (call) => {
  const adapter = await adapterOf(call);
  for (;;) {
    try {
      const courier = await connectOnce(call, adapter);
      call.service.connections.forget();
      return courier;
    } catch (fault) {
      if (!(fault instanceof ChangedMeanwhile)) throw fault;
    }
  }
};

async function connectOnce(call: Call<typeof connectCourier>, adapter: CourierAdapter): Promise<Courier> {
  const { service, caller, body, now, commit } = call;
  const { scope } = caller;
  const { name } = adapter;
  const before = await service.storage.run((db) => findCourier(db, scope, name));
  const sent: Values = Object.fromEntries(Object.entries(body.settings));
  const values = await mergeSettings(service.sealing, adapter, { sent, row: before });
  const owner = { ...scope, name };
  const stored = await sealSettings(service.sealing, owner, { fields: adapter.settings, values });
  await checkConnection(call, adapter, values);
  const push_token = before?.push_token ?? (await service.secrets.base62(22));
  return commit(async (db) => {
    const current = await findCourier(db, scope, name);
    if (current?.settings !== before?.settings || current?.secrets !== before?.secrets)
      throw new ChangedMeanwhile();
    const fresh = { state: 'enabled', push_token, created_at: now, last_push_at: null } as const;
    const row: CourierRow = { ...fresh, ...current, ...owner, ...stored, updated_at: now, checked_at: now };
    await writeCourier(db, row);
    return courierView(call, adapter, row);
  });
}

export const checkOneCourier: Handler<typeof checkCourier> = async (call) => {
  const { service, now } = call;
  const adapter = await adapterOf(call);
  const row = await service.storage.run((db) => connectedRow(db, call, adapter));
  await checkConnection(call, adapter, await openSettings(service.sealing, row));
  return changeConnection(call, adapter, { checked_at: now });
};

export const enableOneCourier: Handler<typeof enableCourier> = async (call) =>
  changeConnection(call, await adapterOf(call), { state: 'enabled', updated_at: call.now });

export const disableOneCourier: Handler<typeof disableCourier> = async (call) =>
  changeConnection(call, await adapterOf(call), { state: 'disabled', updated_at: call.now });

export const dropCourier: Handler<typeof removeCourier> = async (call) => {
  const { service, caller, query, commit } = call;
  const adapter = await adapterOf(call);
  const { name } = adapter;
  const removed = await commit(async (db) => {
    await connectedRow(db, call, adapter);
    const under_way = query.force === true ? [] : await idsUnderWay(db, caller.scope, name);
    if (under_way.length > 0) throw hasDeliveries(adapter, under_way);
    await deleteCourier(db, caller.scope, name);
    return { name, object: 'courier' as const, deleted: true as const };
  });
  service.connections.forget();
  return removed;
};

async function changeConnection(
  call: CallBase,
  adapter: CourierAdapter,
  change: Parameters<typeof changeCourier>[2],
): Promise<Courier> {
  const { service, caller, commit } = call;
  const courier = await commit(async (db) => {
    await changeCourier(db, { ...caller.scope, name: adapter.name }, change);
    return courierView(call, adapter, await connectedRow(db, call, adapter));
  });
  service.connections.forget();
  return courier;
}

/** The adapter of the courier in the path. Throws `courier_unknown`. */
async function adapterOf({
  service,
  params,
}: CallBase & { params: { name: string } }): Promise<CourierAdapter> {
  const courier = service.connectable.find(({ name }) => name === params.name);
  if (courier !== undefined) return courier.load();
  const choices = service.connectable.map(({ name }) => name);
  throw new Problem('courier_unknown', `There is no courier ${params.name} to connect.`, [], { choices });
}

async function connectedRow(
  db: Connection,
  { caller }: CallBase,
  adapter: CourierAdapter,
): Promise<CourierRow> {
  const row = await findCourier(db, caller.scope, adapter.name);
  if (row === undefined) throw notConnected(adapter);
  return row;
}

function notConnected({ title }: CourierAdapter): Problem {
  return new Problem('courier_not_connected', `${title} is not connected in the mode of this key.`);
}

/** The maximum number of deliveries that the message of `courier_has_deliveries` names. */
const max_named = 3;

function hasDeliveries({ title }: CourierAdapter, ids: readonly string[]): Problem {
  const named = ids.slice(0, max_named);
  const others = ids.length - named.length;
  const list = others === 0 ? named.join(', ') : `${named.join(', ')} and ${others} more`;
  const what = ids.length === 1 ? 'a delivery' : `${ids.length} deliveries`;
  const message = `${title} has ${what} under way, which could no longer be followed or canceled: ${list}.`;
  return new Problem('courier_has_deliveries', message, [], { related_ids: named });
}

/** The wall time until which this process does not call a courier that failed repeatedly; null if it calls it. */
function pausedUntil(
  { service: { circuits, wall }, caller }: CallBase,
  adapter: CourierAdapter,
  row: CourierRow,
): number | null {
  const scope = { account_id: caller.scope.account_id, test_mode: caller.test_mode };
  const wait_ms = circuits.waitOf(scope, adapter.hosts(publicSettings(row)));
  return wait_ms === 0 ? null : Math.ceil(wall.now() + wait_ms);
}

/**
 * Checks settings at the courier by a call that changes nothing, and that they are for the mode of the key: test
 * settings never serve a live key, and live ones never a test key. Throws `courier_check_failed` and
 * `courier_mode_mismatch`.
 */
async function checkConnection(
  { service, caller }: Pick<CallBase, 'service' | 'caller'>,
  adapter: CourierAdapter,
  settings: CourierSettings,
): Promise<void> {
  const { test_mode } = caller;
  const http = service.courier_http({ account_id: caller.scope.account_id, test_mode });
  const ports = { http, now: service.wall.now, test_mode };
  const { title } = adapter;
  const result = await adapter
    .connect(settings, ports)
    .check()
    .catch((fault: unknown) => {
      if (!(fault instanceof ProviderFault)) throw fault;
      const problem = withoutSecrets(fault.message, adapter, settings);
      throw new Problem('courier_check_failed', `${title} could not be checked: ${problem}`);
    });
  if (result.kind === 'failed') {
    const problem = withoutSecrets(result.problem, adapter, settings);
    const faults = result.field === null ? [] : [fieldFault(result.field, problem)];
    throw new Problem('courier_check_failed', `${title} does not accept the settings: ${problem}`, faults);
  }
  const mode = test_mode ? 'test' : 'live';
  if (result.mode === mode || result.mode === 'unknown') return;
  const message = `These settings of ${title} are for ${result.mode} deliveries, but the key is a ${mode} key.`;
  throw new Problem('courier_mode_mismatch', message);
}

/** Removes the secrets from a courier's message, which may repeat the settings that it was sent. */
function withoutSecrets(
  text: string,
  { settings: fields }: CourierAdapter,
  settings: CourierSettings,
): string {
  const secrets = fields.flatMap(({ name, is_secret }) => (is_secret ? (settings[name] ?? []) : []));
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '…'), text);
}

/** A courier as returned by the API, without its secrets; without a row it is not connected. */
function courierView(call: CallBase, adapter: CourierAdapter, row: CourierRow | undefined): Courier {
  const { name, title, push_setup } = adapter;
  const { idempotent_create: _, ...capabilities } = adapter.capabilities;
  const isPushed = row !== undefined && push_setup !== null;
  return {
    object: 'courier',
    name,
    title,
    state: row?.state ?? 'not_connected',
    settings: adapter.settings.map((field) => settingView(field, row)),
    capabilities: {
      ...capabilities,
      vehicles: [...capabilities.vehicles],
      currencies: [...capabilities.currencies],
      countries: [...capabilities.countries],
    },
    untested_live: adapter.is_untested_live ?? false,
    push_url: isPushed ? `${readPublicUrl(call)}/couriers/${row.push_token}` : null,
    push_setup: push_setup ?? '',
    test_mode: call.caller.test_mode,
    connected_at: instantOrNull(row?.created_at ?? null),
    updated_at: instantOrNull(row?.updated_at ?? null),
    checked_at: instantOrNull(row?.checked_at ?? null),
    last_push_at: instantOrNull(row?.last_push_at ?? null),
    calls_paused_until: instantOrNull(row === undefined ? null : pausedUntil(call, adapter, row)),
  };
}

function settingView(
  { name, label, help, is_secret = false, is_optional = false, choices = [] }: SettingField,
  row: CourierRow | undefined,
): Courier['settings'][number] {
  const value = row === undefined || is_secret ? null : (publicSettings(row)[name] ?? null);
  const is_set = value !== null || (row !== undefined && Object.hasOwn(storedSecrets(row), name));
  return { name, label, help, is_secret, is_optional, choices: [...choices], is_set, value };
}

/**
 * Merges the settings of a request with the stored values of those that it leaves out. Stored secrets are never sent to
 * another server: if the request changes the server, it has to send them again. Throws `invalid_request`, and
 * `secret_key_missing` if a stored secret is needed and cannot be decrypted.
 */
async function mergeSettings(
  sealing: Sealing,
  { settings: fields, title }: CourierAdapter,
  { sent, row }: { sent: Values; row: CourierRow | undefined },
): Promise<CourierSettings> {
  const unknown = Object.keys(sent).filter((name) => !fields.some((field) => field.name === name));
  const trimmed = new Map(Object.entries(sent).map(([name, value]) => [name, value.trim()]));
  const omitted =
    row === undefined ? [] : Object.keys(storedSecrets(row)).filter((name) => !trimmed.has(name));
  const stored = row === undefined ? {} : publicSettings(row);
  const withheld = isServerChanged(fields, { stored, sent: trimmed }) ? omitted : [];
  const opened = row === undefined || withheld.length > 0 ? {} : await openSecrets(sealing, row, omitted);
  const kept: Values = { ...stored, ...opened };
  const values: Record<string, string> = {};
  const faults = unknown.map((name) => fieldFault(name, `is not a setting of ${title}`));
  for (const field of fields) {
    const value = trimmed.get(field.name) ?? kept[field.name] ?? '';
    const isWithheld = withheld.includes(field.name);
    const problem = isWithheld ? 'must be given again for another server' : settingProblem(field, value);
    if (problem !== null) faults.push(fieldFault(field.name, problem));
    else if (value !== '') values[field.name] = value;
  }
  if (faults.length === 0) return values;
  throw new Problem('invalid_request', `The settings of ${title} are not complete or not valid.`, faults, {
    ...(unknown.length > 0 && { choices: fields.map(({ name }) => name) }),
  });
}

/** What is wrong with the value of a setting; null if it is valid. */
function settingProblem({ is_optional, choices }: SettingField, value: string): string | null {
  if (value === '') return is_optional ? null : 'is required';
  return choices?.includes(value) === false ? `must be one of ${choices.join(', ')}` : null;
}

/** Whether the sent settings name another server than the stored ones: another host, port or protocol. */
function isServerChanged(
  fields: readonly SettingField[],
  { stored, sent }: { stored: Values; sent: ReadonlyMap<string, string> },
): boolean {
  return fields.some(({ name, is_server }) => {
    const url = sent.get(name);
    const before = stored[name];
    if (is_server !== true || url === undefined || before === undefined || url === before) return false;
    return URL.parse(url)?.origin !== URL.parse(before)?.origin;
  });
}

function fieldFault(name: string, message: string): Fault {
  return { path: `settings.${name}`, message };
}
