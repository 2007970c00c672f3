/** Serves the tracking page, and takes the notes of the recipient. */
import { Problem } from '../../contract/errors.ts';
import type { showTracking, updateTracking } from '../../contract/pages.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { groupBuildings } from '../../domain/driver-plans.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Connection, DeliveryRow, Scope } from '../../storage/database.ts';
import { deliveryByToken, loadDelivery, lockDelivery } from '../../storage/deliveries.ts';
import { assignmentOfRoute, loadDriver } from '../../storage/drivers.ts';
import { loadOrder } from '../../storage/orders.ts';
import { findStore } from '../../storage/places.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { agreeChanges, editRow } from '../dispatch/edit-delivery.ts';
import { loadDriverLoad } from '../fleet/driver-load.ts';
import { PageRefusal } from '../http/answers.ts';
import { createAuditTrail } from '../http/audit.ts';
import type { Handler } from '../http/handler.ts';
import { chooseLanguage } from '../http/page-language.ts';
import { readAccountSettings } from '../runtime/account-settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { storeRecord } from '../stores/store-record.ts';
import { runDueTasks } from '../tasks/background-loop.ts';
import type { Shop } from './tracked-delivery.ts';

/**
 * The page for the recipient, by the clock of the delivery's mode. The token grants access, so the error does not
 * repeat it.
 */
export const trackingPage: Handler<typeof showTracking> = async ({
  service,
  params,
  query,
  accept_language,
  actIn,
}) => {
  const read = () => service.storage.read((db) => linkedDelivery(db, params.token));
  const found = await read();
  const { missingPage, renderPage } = await import('./page.ts');
  const language = chooseLanguage(query.lang, accept_language);
  if (found === null) {
    throw new PageRefusal('record_not_found', "This tracking link isn't valid.", missingPage(language));
  }
  const owner = actIn(found.row.test_mode);
  await runDueTasks(owner);
  const { row, is_retried } = (await read()) ?? found;
  const provider = owner.providers.find(({ name }) => name === row.service);
  return renderPage(row, {
    now: owner.clock.now(),
    language,
    shop: await shopOf(owner, row),
    is_retried,
    is_among_others: await isAmongOthers(owner, row),
    may_call: (provider?.takes_recipient_calls ?? false) && (await sharesPhone(owner, row)),
    tiles: owner.map_tiles ?? null,
  });
};

/** An own driver arrives at an address for all recipients there at once, and then goes from door to door. */
async function isAmongOthers({ storage }: ServiceContext, row: DeliveryRow): Promise<boolean> {
  if (row.service !== fleet_provider || row.status !== 'arrived_at_dropoff') return false;
  return storage.read(async (db) => {
    const { driver_id = null } = (await assignmentOfRoute(db, row.route_id)) ?? {};
    const driver = driver_id === null ? undefined : await loadDriver(db, driver_id);
    if (driver === undefined) return false;
    const { deliveries, stops } = await loadDriverLoad(db, driver);
    const ids = groupBuildings(stops)
      .map((group) => group.flatMap(({ order_ids }) => order_ids))
      .find((all) => all.includes(row.order_id));
    const isThere = ({ status, order_id }: DeliveryRow) =>
      status === 'arrived_at_dropoff' && ids?.includes(order_id);
    const people = deliveries.filter(isThere).map((each) => {
      const { name, phone, unit } = deliveryRecord(each).dropoff;
      return JSON.stringify([name, phone, unit]);
    });
    return new Set(people).size > 1;
  });
}

/** Own drivers use phones of their own: the shop decides, and only who is on the way to the recipient is called. */
async function sharesPhone({ storage }: ServiceContext, row: DeliveryRow): Promise<boolean> {
  if (row.service !== fleet_provider) return true;
  const account = await storage.run((db) => findAccount(db, row));
  const isShared = account !== undefined && readAccountSettings(account).fleet.share_phone;
  return isShared && (row.status === 'enroute_dropoff' || row.status === 'arrived_at_dropoff');
}

/** The current logo, phone number and kind of a delivery's store. */
async function shopOf({ storage }: ServiceContext, row: DeliveryRow): Promise<Shop> {
  const { store_id } = deliveryRecord(row);
  const store = store_id === null ? undefined : await storage.run((db) => findStore(db, row, store_id));
  if (store === undefined) return { phone: '', logo: '', kind: 'shop' };
  const { support_phone: phone, logo, kind } = storeRecord(store);
  return { phone, logo, kind };
}

/** The account and mode of a tracking link. The error does not repeat the token, which grants access. */
export async function ownerOfTrackingLink({ storage }: ServiceContext, token: string): Promise<Scope> {
  const linked = await storage.first(deliveryByToken, token);
  if (linked === undefined) throw notFound();
  return linked;
}

/** Changes the notes of the recipient by the clock of the delivery's mode. */
export const editNotes: Handler<typeof updateTracking> = async ({
  service,
  params,
  body,
  client_address,
  actIn,
}) => {
  const { test_mode } = await ownerOfTrackingLink(service, params.token);
  const owner = actIn(test_mode);
  // They may end a delivery, and send the order again.
  await runDueTasks(owner);
  const chance = await owner.chance();
  const { dropoff_notes: notes } = body;
  const changes = { pickup: {}, dropoff: { notes } };
  const author = { actor: 'recipient', operation: 'UpdateTracking', address: client_address } as const;
  const recordChange = createAuditTrail(service.wall, author);
  for (;;) {
    const found = await owner.storage.read((db) => linkedDelivery(db, params.token));
    if (found === null) throw notFound();
    const isTaken = await agreeChanges({ service: owner, now: owner.clock.now() }, found.row, changes);
    const saved = await owner.storage.transaction(async (db) => {
      const linked = await linkedDelivery(db, params.token);
      // Meanwhile the order got another delivery, whose courier is asked next.
      if (linked !== null && linked.row.id !== found.row.id) return null;
      const row = linked === null ? undefined : await lockDelivery(db, linked.row.id);
      if (row === undefined) throw notFound();
      const context = { db, chance, now: owner.clock.now(), providers: owner.providers };
      const edited = await editRow(context, row, changes, isTaken);
      await recordChange(db, { scope: edited, record_id: edited.id });
      return edited;
    }, 'read committed');
    if (saved !== null)
      return { object: 'tracking' as const, dropoff_notes: deliveryRecord(saved).dropoff.notes };
  }
};

function notFound(): Problem {
  return new Problem('record_not_found', "This tracking link isn't valid.");
}

interface LinkedDelivery {
  row: DeliveryRow;
  /** Whether it failed and auto dispatch tries its order again. */
  is_retried: boolean;
}

/**
 * The delivery that a tracking link leads to: the newest attempt of the order that the link was made for, so that a link
 * stays good when another courier carries the order. Null for an unknown link.
 */
async function linkedDelivery(db: Connection, token: string): Promise<LinkedDelivery | null> {
  const linked = await deliveryByToken.query(db, token).executeTakeFirst();
  if (linked === undefined) return null;
  // Only an ended delivery is followed by another one.
  const order = linked.ended_at === null ? undefined : await loadOrder(db, linked.order_id);
  if (order === undefined || order.delivery_id === null) return { row: linked, is_retried: false };
  const newest = order.delivery_id === linked.id ? linked : await loadDelivery(db, order.delivery_id);
  const row = newest ?? linked;
  const isPending = row.status === 'failed' && (await pendingOrder(db, order.id)) !== null;
  return { row, is_retried: isPending };
}
