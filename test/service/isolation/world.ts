import type { Delivery } from '../../../src/contract/deliveries.ts';
import { everyOperation } from '../../../src/contract/openapi.ts';
import type { WireResponse } from '../../../src/contract/operation.ts';
import type { Permission } from '../../../src/contract/vocabulary.ts';
import { max_wrong_pins } from '../../../src/domain/order-rules.ts';
import { deliveryRecord } from '../../../src/service/deliveries/delivery-view.ts';
import { firstAccount } from '../../../src/storage/accounts.ts';
import { insertPicture, lockDelivery, updateDelivery } from '../../../src/storage/deliveries.ts';
import { insertAssignment } from '../../../src/storage/drivers.ts';
import { insertFailedTask } from '../../../src/storage/failed-tasks.ts';
import { acceptingCouriers, doorDashSettings, unusedConnections } from '../../fakes/courier-check.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { fakeWeb, publicAddress } from '../webhooks/fake-web.ts';
import { type Ids, noIds, type Parts, requestOf, validParts } from './requests.ts';

export type Mode = 'test' | 'live';

/** One mode of an account: a key of each permission, and records in every state. */
export interface World {
  mode: Mode;
  keys: Record<Permission, string>;
  ids: Ids;
}

export interface Worlds {
  fixture: Fixture;
  test: World;
  live: World;
}

const minute_ms = 60_000;

/** A sandbox service with records of both modes; each call creates the same ones with the same ids. */
export async function makeWorlds(): Promise<Worlds> {
  let secrets = 0;
  const fixture = await startFixture({
    parts: {
      courier_http: () => acceptingCouriers,
      connections: unusedConnections,
      web: fakeWeb({ 'hooks.example': () => [publicAddress] }),
      secrets: { base62: async (length) => String(++secrets).padStart(length, '0') },
    },
  });
  const makers = [createMaker(fixture, 'test'), createMaker(fixture, 'live')] as const;
  for (const maker of makers) await maker.makeEnded();
  await pass(fixture, 120 * minute_ms);
  for (const maker of makers) await maker.makeCurrent();
  await pass(fixture, 5_000);
  for (const maker of makers) await maker.makeUnderWay();
  await pass(fixture, 3 * minute_ms);
  const [test, live] = [await makers[0].world(), await makers[1].world()];
  return { fixture, test, live };
}

/** Advances the service's base clock, and runs what became due. */
export async function pass(fixture: Fixture, ms: number): Promise<void> {
  await fixture.pass(ms);
  await fixture.service.send();
}

/** Creates the records of a mode, with fixed idempotency keys so that their ids repeat. */
function createMaker(fixture: Fixture, mode: Mode) {
  const ids: Partial<Ids> = {};
  let calls = 0;
  const send = async (method: string, path: string, body?: unknown): Promise<string> => {
    const headers = { 'x-api-key': fixture.keys[mode], 'idempotency-key': `${mode} ${++calls}` };
    const answer = await fixture.send(method, path, { body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.body}`);
    return answer.body;
  };
  const make = async (method: string, path: string, body?: unknown): Promise<Made> =>
    JSON.parse(await send(method, path, body));
  const makeOrder = async () => (await make('POST', '/v2/orders/create', { orders: [orderRequest()] })).id;
  const makeRoute = async () => (await make('POST', '/v2/routes', { order_ids: [await makeOrder()] })).id;
  const makeDelivery = async (initiate: boolean): Promise<Delivery> =>
    JSON.parse(await send('POST', '/v1/delivery_information', { ...orderRequest(), initiate }));
  const scope = async () => {
    const account = await fixture.storage.run((db) => firstAccount(db));
    return { account_id: account?.id ?? '', test_mode: mode === 'test' ? 1 : 0 } as const;
  };
  const makeFailedTask = async (name: string) => {
    const row = {
      ...(await scope()),
      ...{ id: `ftk_${name}_${mode}`, task_id: `tsk_${name}_${mode}` },
      ...{ kind: 'batch.close', subject: ids.batch_id ?? '', payload: '{}' },
      ...({ due_at: 0, attempts: 4, error: 'it failed', is_concluded: 0, failed_at: 0 } as const),
    };
    await fixture.storage.run((db) => insertFailedTask(db, row));
    return row.id;
  };
  let carrier_id = '';
  /** Gives a route to a driver of the own fleet. */
  const carryByFleet = async (route_id: string) => {
    const assignment = {
      ...(await scope()),
      ...{ dispatch_id: `dsp_${mode}`, route_id, driver_id: carrier_id, state: 'accepted' as const },
      ...{ offer: 0, answer_by: null, passed: '[]', created_at: 0, updated_at: 0 },
    };
    await fixture.storage.run((db) => insertAssignment(db, assignment));
  };
  const lockHandover = async (delivery_id: string) =>
    fixture.storage.transaction(async (db) => {
      const row = await lockDelivery(db, delivery_id);
      if (row === undefined) throw new Error(`there is no delivery ${delivery_id}`);
      const record = JSON.stringify({ ...deliveryRecord(row), wrong_pins: max_wrong_pins });
      await updateDelivery(db, { id: row.id, from: row.status, change: { record }, now: row.updated_at });
    });
  return {
    makeEnded: async () => {
      const endpoint = { url: `https://hooks.example/${mode}` };
      ids.webhook_endpoint_id = (await make('POST', '/v2/webhook_endpoints', endpoint)).id;
      ids.ended_delivery_id = (await makeDelivery(true)).id;
      ids.disputed_delivery_id = (await makeDelivery(true)).id;
    },
    makeCurrent: async () => {
      if (mode === 'test')
        await make('POST', `/v1/delivery/${ids.disputed_delivery_id}/dispute`, { reason: 'It never came' });
      const store = { name: 'Shop', address: orderRequest().pickup_address, phone_number: '+13125550100' };
      ids.store_id = (await make('POST', '/v2/stores', store)).id;
      const environment = mode === 'test' ? 'sandbox' : 'production';
      await make('PUT', '/v2/couriers/doordash-drive', { settings: doorDashSettings(environment) });
      const driver = { name: 'Sam Lee', phone_number: '+13125550133' };
      ids.driver_id = (await make('POST', '/v2/drivers', driver)).id;
      const { id: own_id, link } = await make('POST', '/v2/drivers', driver);
      carrier_id = own_id;
      ids.driver_token = link?.split('/').at(-1) ?? '';
      ids.picture_token = `picture-${mode}`;
      const id = ids.picture_token;
      const picture = { ...(await scope()), id, delivery_id: '', data: '/9j/', bytes: 4, created_at: 0 };
      await fixture.storage.run((db) => insertPicture(db, picture));
      ids.other_driver_id = (await make('POST', '/v2/drivers', driver)).id;
      ids.key_id = (await make('POST', '/v2/api_keys', { permission: 'read' })).id;
      ids.open_order_id = await makeOrder();
      ids.spare_order_id = await makeOrder();
      const batch = { orders: [orderRequest(), orderRequest()], settings: { mechanism: 'auto' } };
      ids.batch_id = (await make('POST', '/v2/orders/create', batch)).batch_id ?? '';
      const { orders } = await make('GET', `/v2/batches/${ids.batch_id}`);
      ids.batch_order_id = orders?.[0]?.order_id ?? '';
      ids.failed_task_id = await makeFailedTask('first');
      ids.other_failed_task_id = await makeFailedTask('second');
      ids.requested_delivery_id = (await makeDelivery(false)).id;
      // A live delivery fails without a courier.
      if (mode === 'test') await make('PATCH', '/v2/account', { payment_method: { status: 'declining' } });
      ids.failed_delivery_id = (await makeDelivery(true)).id;
      await make('PATCH', '/v2/account', { payment_method: null });
      ids.draft_route_id = await makeRoute();
      ids.quoted_route_id = await makeRoute();
      await make('POST', `/v2/routes/${ids.quoted_route_id}/quotes`);
    },
    makeUnderWay: async () => {
      const delivery = await makeDelivery(true);
      ids.delivery_id = delivery.id;
      ids.token = delivery.tracking_url.split('/').at(-1) ?? '';
      // Without a live courier a live delivery has no route.
      await carryByFleet(delivery.route_id ?? ids.draft_route_id ?? '');
      await lockHandover(delivery.id);
      const quotes = await make('GET', `/v2/routes/${ids.quoted_route_id}/quotes`);
      // A live route has no quotes: there is no live courier.
      ids.quote_id = quotes.data?.[0]?.id ?? 'rq_none';
      await make('PATCH', '/v2/account', { upsell: { kind: 'fixed', value: 100 } });
    },
    world: async (): Promise<World> => {
      const [event] = (await make('GET', '/v2/events')).data ?? [];
      const key = async (permission: Permission) =>
        (await make('POST', '/v2/api_keys', { permission })).key ?? '';
      const keys = { read: await key('read'), write: await key('write'), admin: await key('admin') };
      return { mode, keys, ids: { ...noIds, ...ids, event_id: event?.id ?? '' } };
    },
  };
}

interface Made {
  id: string;
  key?: string;
  link?: string;
  batch_id?: string;
  orders?: { order_id: string }[];
  data?: { id: string }[];
}

/** One request of an operation with a key; an opened stream is closed. */
export async function call(
  { fixture }: Pick<Worlds, 'fixture'>,
  key: string,
  { id, parts, name }: { id: string; parts: Parts; name: string },
): Promise<WireResponse> {
  const operation = everyOperation.find((each) => each.id === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    ...(operation.method === 'POST' ? { 'idempotency-key': name } : {}),
    ...parts.headers,
  };
  const answer = await fixture.service.fetch({ ...requestOf(operation, parts), headers });
  answer.stream?.close();
  return answer;
}

/** Everything that the keys of a world can see: the response of each read, with its service time. */
export async function viewOf(worlds: Worlds, mode: Mode): Promise<Record<string, unknown>> {
  const { ids, keys } = worlds[mode];
  const view: Record<string, unknown> = {};
  for (const { id, method, media } of everyOperation) {
    if (method !== 'GET' || media === 'text/event-stream' || id === 'GetDescription') continue;
    const wide = { ...validParts[id]?.(ids), query: id.startsWith('List') ? pageOf(id) : {} };
    for (const parts of [wide, ...lookups(id, ids)]) {
      const { status, headers, body } = await call(worlds, keys.admin, { id, parts, name: '' });
      const seen = [status, headers['x-service-time'], readable(body)];
      view[`${id} ${JSON.stringify(parts.params ?? {})}`] = seen;
    }
  }
  return view;
}

const unpaged: readonly string[] = ['ListScenarios', 'ListRouteQuotes', 'ListSteps'];

/** A limit that returns all records of a paginated list. */
function pageOf(id: string): Record<string, string> {
  return unpaged.includes(id) ? {} : { limit: '100' };
}

/** The records that are read individually, besides those in lists. */
function lookups(id: string, ids: Ids): Parts[] {
  if (id !== 'GetDelivery' && id !== 'GetCancellation') return [];
  const { delivery_id, ended_delivery_id, requested_delivery_id, failed_delivery_id } = ids;
  return [delivery_id, ended_delivery_id, requested_delivery_id, failed_delivery_id].map((deliveryid) => ({
    params: { deliveryid },
  }));
}

/** A response without the ids of requests, which are random as those of their audit entries are. */
function readable(body: string): unknown {
  const text = body.replace(/(req|aud)_[0-9A-Z]{26}/g, '$1_');
  return text.startsWith('{') ? JSON.parse(text) : text;
}
