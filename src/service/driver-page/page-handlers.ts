/**
 * The handlers of the driver's page: they show it (`page.ts`), take what the driver taps (`fleet/take-taps.ts`), and serve the
 * files that the page loads. The token of its link stands for the driver.
 */
import { invalidRequest, Problem } from '../../contract/errors.ts';
import type {
  sendTaps,
  showDriverManifest,
  showDriverPage,
  showDriverWorker,
  showProofPicture,
  subscribeDriver,
} from '../../contract/pages.ts';
import { findZone } from '../../domain/addresses.ts';
import { groupBuildings } from '../../domain/driver-plans.ts';
import { day_ms } from '../../domain/durations.ts';
import { isHouse, positionOfPlace, readPrecision } from '../../domain/geography.ts';
import { isPinLocked } from '../../domain/order-rules.ts';
import type { Connection, DeliveryRow, DriverRow, OrderRow } from '../../storage/database.ts';
import { findPicture } from '../../storage/deliveries.ts';
import { deliveredSince, driverByLink, writeDriverContact } from '../../storage/drivers.ts';
import { findOrders } from '../../storage/orders.ts';
import { listStores } from '../../storage/places.ts';
import { loadRoute } from '../../storage/routes.ts';
import { deliveryRecord, findEtaPrecision } from '../deliveries/delivery-view.ts';
import { contactAt, tappedAt } from '../fleet/driver-contact.ts';
import {
  type DriverLoad,
  learnWays,
  loadDriverLoad,
  offeredStops,
  offerTerms,
} from '../fleet/driver-load.ts';
import { pickupOf } from '../fleet/offers.ts';
import { offerId, type TapResult, takePosition, takeTap } from '../fleet/take-taps.ts';
import { PageRefusal } from '../http/answers.ts';
import { createAuditTrail } from '../http/audit.ts';
import { hashKey } from '../http/authentication.ts';
import type { Handler } from '../http/handler.ts';
import { chooseLanguage } from '../http/page-language.ts';
import { pageRequest } from '../http/paging.ts';
import { orderRecord } from '../orders/order.ts';
import { routeOrderIds, routeStops } from '../routes/route.ts';
import { publicUrlOfAccount } from '../runtime/account-settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { parseInstant } from '../runtime/time.ts';
import { storeRecord } from '../stores/store-record.ts';
import { runDueTasks } from '../tasks/background-loop.ts';
import type { OfferView, StopDelivery, StopView } from './page.ts';
import worker from './worker/worker.js?raw';

/** The driver of a link. Throws a page for people; the error does not repeat the token, which grants access. */
export async function driverOfLink(
  { storage }: ServiceContext,
  token: string,
  accept_language: string | null = null,
): Promise<DriverRow> {
  const driver = await storage.first(driverByLink, hashKey(token));
  if (driver?.suspended_at === null) return driver;
  const { missingDriverPage, suspendedDriverPage } = await import('./page.ts');
  const language = chooseLanguage(undefined, accept_language);
  if (driver !== undefined)
    throw new PageRefusal(
      'account_suspended',
      "This shop's account is suspended.",
      suspendedDriverPage(language),
    );
  throw new PageRefusal('record_not_found', "This driver's link isn't valid.", missingDriverPage(language));
}

/** The driver's page, by the clock of the driver's mode. */
export const driverPage: Handler<typeof showDriverPage> = async ({
  service,
  params,
  accept_language,
  actIn,
}) => {
  const { test_mode } = await driverOfLink(service, params.token, accept_language);
  const owner = actIn(test_mode);
  await runDueTasks(owner);
  const driver = await driverOfLink(service, params.token);
  await keepContact(owner, driver, owner.clock.now());
  const { renderDriverPage } = await import('./page.ts');
  return owner.storage.read(async (db) => {
    const base = await publicUrlOfAccount(owner, db, driver);
    const load = await loadDriverLoad(db, driver);
    const stops = await stopViews(db, load, base);
    const now = owner.clock.now();
    const zone = await zoneOfShop(db, load);
    return renderDriverPage({
      token: params.token,
      driver_id: driver.id,
      name: driver.name,
      is_on_duty: driver.on_duty === 1,
      is_test: test_mode === 1,
      now,
      zone,
      stops,
      offers: await offerViews(db, load, { now, times: owner.router?.known }),
      delivered_today: stops.length === 0 ? await countOfToday(db, driver, { now, zone }) : 0,
      language: chooseLanguage(undefined, accept_language),
    });
  });
};

async function keepContact({ storage }: ServiceContext, driver: DriverRow, now: number): Promise<void> {
  const contact = contactAt(driver, now);
  if (contact !== null) await storage.write((db) => writeDriverContact(db, driver.id, contact));
}

/** The time zone of the next stop, or without one of an offered pickup or of a store. */
async function zoneOfShop(db: Connection, load: DriverLoad): Promise<string | null> {
  const [stop] = [...load.stops, ...offeredStops(load)];
  if (stop !== undefined) return findZone(stop.address);
  const { account_id, test_mode } = load.driver;
  const { rows } = await listStores(db, { account_id, test_mode, ...pageRequest({ limit: 1 }, 'str') });
  return findZone(rows[0] === undefined ? '' : storeRecord(rows[0]).address);
}

/** How many deliveries a driver has handed over today, by the shop's calendar. */
async function countOfToday(
  db: Connection,
  { id }: DriverRow,
  { now, zone }: { now: number; zone: string | null },
): Promise<number> {
  const days = new Intl.DateTimeFormat('en-US', { timeZone: zone ?? 'UTC', dateStyle: 'short' });
  const times = await deliveredSince(db, id, now - day_ms);
  return times.filter((at) => days.format(at) === days.format(now)).length;
}

/** The offered routes that are picked up together are one offer. */
async function offerViews(
  db: Connection,
  load: DriverLoad,
  drive: Parameters<typeof offerTerms>[2],
): Promise<OfferView[]> {
  const offers = new Map<string, Omit<OfferView, 'terms'> & { route_ids: string[] }>();
  for (const assignment of load.offered) {
    const route = await loadRoute(db, assignment.route_id);
    if (route === undefined) continue;
    const key = `${await pickupOf(db, assignment)} ${assignment.answer_by}`;
    const joined = offers.get(key);
    offers.set(key, {
      ids: [...(joined?.ids ?? []), offerId(assignment)],
      answer_by: assignment.answer_by ?? 0,
      stops: [...(joined?.stops ?? []), ...routeStops(route)],
      order_count: (joined?.order_count ?? 0) + routeOrderIds(route).length,
      route_ids: [...(joined?.route_ids ?? []), assignment.route_id],
    });
  }
  return [...offers.values()].map(({ route_ids, ...offer }) => {
    const rows = load.deliveries.filter(({ route_id }) => route_ids.includes(route_id));
    return { ...offer, terms: offerTerms(load, { stops: offer.stops, rows }, drive) };
  });
}

/** `base` is where the tracking pages are. */
async function stopViews(
  db: Connection,
  { driver, stops, deliveries }: DriverLoad,
  base: string,
): Promise<StopView[]> {
  const order_ids = deliveries.map(({ order_id }) => order_id);
  const orders = order_ids.length === 0 ? [] : await findOrders(db, driver, order_ids);
  return groupBuildings(stops).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { kind, address } = first;
    const rows = group.flatMap(({ order_ids: ids }) =>
      ids.flatMap((id) => deliveries.filter(({ order_id }) => order_id === id)),
    );
    const [end] = rows.map((row) => deliveryRecord(row)[kind === 'dropoff' ? 'dropoff' : 'pickup']);
    const house = end !== undefined && isHouse(readPrecision(end)) ? positionOfPlace(end) : null;
    return [
      { kind, address, house, deliveries: rows.map((row) => stopDelivery(row, { kind, orders, base })) },
    ];
  });
}

function stopDelivery(
  row: DeliveryRow,
  { kind, orders, base }: { kind: StopView['kind']; orders: readonly OrderRow[]; base: string },
): StopDelivery {
  const record = deliveryRecord(row);
  const { name, phone, unit, notes, eta, at } = kind === 'dropoff' ? record.dropoff : record.pickup;
  const order = orders.find(({ id }) => id === row.order_id);
  const wanted = order === undefined ? undefined : orderRecord(order);
  const wants = {
    photo: wanted?.request_contactless === true || wanted?.photo_wanted === true,
    signature: wanted?.request_signature === true,
    pin: record.pin !== undefined,
  };
  return {
    id: row.id,
    status: row.status,
    reported_at: record.reported_at,
    reference: row.external_order_ref,
    tracking_url: `${base}/track/${row.tracking_token}`,
    name,
    phone,
    unit,
    notes,
    recipient: record.dropoff.name,
    items: record.items,
    items_description: record.items_description,
    eta,
    eta_precision: findEtaPrecision(row, record),
    agreed_at: at,
    wants,
    is_locked: isPinLocked(record),
    shop: { name: record.pickup.name, phone: record.pickup.phone, address: record.pickup.address },
    may_leave: wanted?.undeliverable_action === 'leave_at_door' && !wants.signature && !wants.pin,
  };
}

/** A truck, as the icon of the installed page. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 96 96'%3E%3Crect width='96' height='96' fill='%230b6b4f'/%3E%3Cpath d='M20 34h38v28H20zM58 44h12l8 10v8H58zM32 70a6 6 0 1 0 0-1M66 70a6 6 0 1 0 0-1' fill='%23fff'/%3E%3C/svg%3E";

/** Makes the page installable. */
export const driverManifest: Handler<typeof showDriverManifest> = async ({ service, params }) => {
  await driverOfLink(service, params.token);
  return JSON.stringify({
    name: 'Stops',
    short_name: 'Stops',
    display: 'standalone',
    start_url: `../${encodeURIComponent(params.token)}`,
    scope: '../',
    icons: [{ src: icon, sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
  });
};

/** Gives the key of the service, and stores the subscription that a phone made with it. */
export const subscribePhone: Handler<typeof subscribeDriver> = async ({
  service,
  params,
  body,
  accept_language,
}) => {
  const driver = await driverOfLink(service, params.token);
  const { subscription } = body;
  const { publicPushKey, subscribe } = await import('../fleet/driver-push.ts');
  if (subscription !== undefined) {
    const { urlFault } = await import('../webhooks/endpoints/endpoint.ts');
    const fault = await urlFault(service, subscription.endpoint);
    if (fault !== null) {
      throw invalidRequest([{ ...fault, path: 'subscription.endpoint' }]);
    }
    const language = chooseLanguage(undefined, accept_language);
    await subscribe(service.inMode(driver.test_mode), driver, { subscription, language });
  }
  return { object: 'push' as const, public_key: await publicPushKey(service) };
};

export const driverWorker: Handler<typeof showDriverWorker> = async () => worker;

export const proofPicture: Handler<typeof showProofPicture> = async ({ service, params }) => {
  const picture = await service.storage.read((db) => findPicture(db, params.token));
  if (picture === undefined) throw new Problem('record_not_found', 'There is no such picture.');
  return picture.data;
};

/**
 * Applies the taps of a phone in their order, each in a transaction of its own. The phone's clock may be wrong: the
 * time of a tap is how long before it was sent.
 */
export const receiveTaps: Handler<typeof sendTaps> = async ({
  service,
  params,
  body,
  client_address,
  accept_language,
  actIn,
}) => {
  const driver = await driverOfLink(service, params.token);
  const { id, account_id, test_mode } = driver;
  const owner = actIn(test_mode);
  await runDueTasks(owner);
  const chance = await owner.chance();
  const now = owner.clock.now();
  const sent_at = parseInstant(body.sent_at) ?? now;
  const timeOf = (at: string) => Math.min(now, now - (sent_at - (parseInstant(at) ?? sent_at)));
  const { providers, router } = owner;
  const contextOf = (db: Connection) => ({ db, chance, now, providers, times: router?.known });
  const base = await owner.storage.read((db) => publicUrlOfAccount(owner, db, { account_id, test_mode }));
  await keepContact(owner, driver, now);
  const { position } = body;
  const waypoint = position && { lat: position.lat, lng: position.lng, at: timeOf(position.at) };
  await learnWays(owner, {
    scope: { account_id, test_mode },
    driver_id: id,
    stops: waypoint ? [waypoint] : [],
  });
  if (waypoint) await owner.storage.transaction((db) => takePosition(contextOf(db), id, waypoint));
  const author = { actor: 'driver', driver_id: id, operation: 'SendTaps', address: client_address } as const;
  const recordChange = createAuditTrail(service.wall, author);
  const language = chooseLanguage(undefined, accept_language);
  const taps: { id: string; outcome: TapResult['outcome']; message: string }[] = [];
  for (const [index, tap] of body.taps.entries()) {
    const [photo, signature] = [await owner.secrets.base62(22), await owner.secrets.base62(22)];
    const received = {
      tap,
      ...tappedAt(driver, timeOf(tap.at), now),
      is_superseded: body.taps.slice(index + 1).some(({ kind }) => kind === tap.kind),
      picture_ids: { photo, signature },
      urlOf: (picture: string) => `${base}/proofs/${picture}`,
    };
    const take = (db: Connection) => takeTap({ ...contextOf(db), recordChange }, id, received);
    const result = await owner.storage.transaction(take);
    taps.push({ ...result, message: result.message[language] });
  }
  owner.wakeup.notify();
  return { object: 'taps' as const, taps };
};
