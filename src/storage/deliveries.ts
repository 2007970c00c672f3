/** Deliveries, and the charges, notes, disputes, pictures and reports that belong to them. */
import type { Insertable } from 'kysely';
import type { ChargeKind, DeliveryStatus, DisputeStatus } from '../contract/vocabulary.ts';
import type {
  ChargeRow,
  Connection,
  DeliveryNoteRow,
  DeliveryRow,
  DisputeRow,
  Flag,
  ProofPictureRow,
  ReportRow,
  ReportTable,
  Scope,
} from './database.ts';
import type { DeliveryQuery } from './delivery-queries.ts';
import { keptRows } from './kept-rows.ts';
import type { Page, PageQuery } from './paging.ts';
import { isRouteLocked, lockRoutes } from './routes.ts';
import { canLockRows, inScope, type OneOrMore, statuses, withLock } from './rows.ts';
import type { NewestRows, PreparedQuery } from './storage.ts';
import { appendTo } from './transactions.ts';

/** The columns that a change of a delivery may set. */
type DeliveryChange = Partial<Omit<DeliveryRow, 'id' | keyof Scope | 'created_at' | 'updated_at'>>;

const rows = keptRows<DeliveryRow>('deliveries', ({ id }) => id);

const byId = rows.byKey((db, ids, locking) =>
  withLock(
    db.selectFrom('deliveries').selectAll().where('id', 'in', ids).orderBy('id'),
    db,
    locking,
  ).execute(),
);

const byRoute = rows.by(
  ({ route_id }) => route_id,
  (db, route_ids, locking) => {
    const query = db.selectFrom('deliveries').selectAll().where('route_id', 'in', route_ids).orderBy('id');
    return withLock(query, db, locking).execute();
  },
);

export const insertDeliveries = rows.appendBy((db, deliveries) =>
  db.insertInto('deliveries').values(deliveries),
);

/** A delivery of an account and mode. */
export const deliveryById: PreparedQuery<DeliveryRow, [id: string, account_id: string, test_mode: Flag]> = {
  name: 'delivery by id',
  sample: ['id', 'account', 1],
  query: (db, id, account_id, test_mode) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode),
};

/** The delivery of a tracking link, without a scope. */
export const deliveryByToken: PreparedQuery<DeliveryRow, [tracking_token: string]> = {
  name: 'delivery by token',
  sample: ['token'],
  query: (db, tracking_token) =>
    db.selectFrom('deliveries').selectAll().where('tracking_token', '=', tracking_token),
};

/** For background tasks, which know the id from their own record. */
export const loadDelivery = byId.readOne;

/**
 * Deliveries of any account, unordered, locked until the transaction ends: nobody else changes them meanwhile, or
 * inserts what is decided by them, such as charges, reports and numbered events.
 */
export const lockDeliveries = byId.lock;

export const loadDeliveries = byId.read;

/** Locks deliveries without waiting; returns the ids of those that another transaction has locked. */
export const lockFreeDeliveries = byId.lockFree;

export async function lockDelivery(db: Connection, id: string): Promise<DeliveryRow | undefined> {
  return (await byId.lock(db, [id]))[0];
}

/** The delivery that a dispatch made of an order, locked until the transaction ends. */
export async function lockDeliveryOf(
  db: Connection,
  { dispatch_id, order_id }: { dispatch_id: string; order_id: string },
): Promise<DeliveryRow | undefined> {
  const route = db.selectFrom('dispatches').select('route_id').where('id', '=', dispatch_id);
  const deliveries = db.selectFrom('deliveries').selectAll().where('route_id', '=', route);
  const query = deliveries.where('order_id', '=', order_id);
  const row = await withLock(query, db, 'all').executeTakeFirst();
  if (row !== undefined) rows.keepLocked(db, [row]);
  return row;
}

/** The deliveries of several routes, oldest first. */
export const deliveriesOfRoutes = byRoute.read;

/** The deliveries of several routes, locked until the transaction ends. */
export const lockDeliveriesOfRoutes = byRoute.lock;

/** The deliveries of a route, oldest first. */
export async function deliveriesOfRoute(db: Connection, route_id: string): Promise<DeliveryRow[]> {
  return byRoute.read(db, [route_id]);
}

/**
 * The deliveries of routes, oldest first, to see whether all have ended. Of two transactions that end deliveries of one
 * route the second waits for the first, and sees what it has written.
 */
export async function lockEndsOfRoutes(db: Connection, route_ids: readonly string[]): Promise<DeliveryRow[]> {
  if (!canLockRows(db) || route_ids.every((id) => isRouteLocked(db, id))) return byRoute.read(db, route_ids);
  await lockRoutes(db, route_ids);
  return byRoute.readAgain(db, route_ids);
}

/** Every delivery of several orders, at least one, oldest first. */
export async function deliveriesOfOrders(
  db: Connection,
  order_ids: readonly string[],
): Promise<DeliveryRow[]> {
  return db.selectFrom('deliveries').selectAll().where('order_id', 'in', order_ids).orderBy('id').execute();
}

/** Every delivery of an order, oldest first. */
export async function deliveriesOfOrder(db: Connection, order_id: string): Promise<DeliveryRow[]> {
  return db.selectFrom('deliveries').selectAll().where('order_id', '=', order_id).orderBy('id').execute();
}

/** The deliveries of an account and mode, newest first. */
export const newestDeliveries: NewestRows<DeliveryRow> = {
  name: 'newest deliveries',
  sample: ['account', 1, 2],
  query: (db, account_id, test_mode, count) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode)
      .orderBy('id', 'desc')
      .limit(count),
};

/** One page of an account's deliveries, newest first. */
export async function listDeliveries(db: Connection, query: DeliveryQuery): Promise<Page<DeliveryRow>> {
  const { readDeliveryPage } = await import('./delivery-queries.ts');
  return readDeliveryPage(db, query);
}

/**
 * Changes a delivery in one of the statuses `from`; false, without a change, if it is in another. A transaction must have
 * locked it before it read what the change is made of.
 */
export async function updateDelivery(
  db: Connection,
  update: { id: string; from: OneOrMore<DeliveryStatus>; change: DeliveryChange; now: number },
): Promise<boolean> {
  const { id } = update;
  if (db.isTransaction && !rows.isLocked(db, id)) throw new Error(`delivery ${id} is changed without a lock`);
  const changed = await rows.change(
    db,
    db
      .updateTable('deliveries')
      .set({ ...update.change, updated_at: update.now })
      .where('id', '=', id)
      .where('status', 'in', statuses(update.from)),
  );
  return changed.length > 0;
}

interface ChargeQuery extends PageQuery {
  delivery_id?: string | undefined;
  order_id?: string | undefined;
  store_id?: string | undefined;
  kind?: OneOrMore<ChargeKind> | undefined;
}

export const insertCharges = appendTo<ChargeRow>('charges', (db, charges) =>
  db.insertInto('charges').values(charges),
);

export async function listCharges(db: Connection, query: ChargeQuery): Promise<Page<ChargeRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const { sql } = await import('kysely');
  const { delivery_id, order_id, store_id, kind } = query;
  // A delivery or an order has few charges: the index of deliveries is used instead of the account's.
  const isOfFew = delivery_id !== undefined || order_id !== undefined;
  const bounds = pageBounds(query, 'chg_', isOfFew ? { account: sql`coalesce(account_id, '')` } : {});
  let found = db.selectFrom('charges').selectAll().where(bounds);
  if (delivery_id !== undefined) found = found.where('delivery_id', '=', delivery_id);
  if (order_id !== undefined) {
    const own = db.selectFrom('deliveries').select('id').where('order_id', '=', order_id);
    found = found.where('delivery_id', 'in', own);
  }
  if (store_id !== undefined) found = found.where('delivery_id', 'in', ofStore(db, store_id));
  if (kind === undefined) return readPage(db, query.limit, [found]);
  const ofKinds = statuses(kind).map((each) => {
    const ofKind = found.where('kind', '=', each);
    // Text, as the index of kinds has it, which leaves out the kind that every delivery has.
    return each === 'delivery' ? ofKind : ofKind.where(sql<boolean>`kind <> 'delivery'`);
  });
  return readPage(db, query.limit, ofKinds);
}

function ofStore(db: Connection, store_id: string) {
  return db.selectFrom('deliveries').select('id').where('store_id', '=', store_id);
}

/** A delivery of an order with one of its charges, if it has any. */
export interface ChargedTry extends Pick<DeliveryRow, 'id' | 'order_id' | 'status'> {
  amount: number | null;
}

/** The deliveries of the orders of an account and mode between two IDs, both included, with a row for each charge. */
export const triesOfOrderRange: PreparedQuery<
  ChargedTry,
  [account_id: string, test_mode: Flag, first: string, last: string]
> = {
  name: 'deliveries of a range of orders',
  sample: ['account', 1, 'ord_1', 'ord_2'],
  query: (db, account_id, test_mode, first, last) =>
    chargedTries(db)
      .where('deliveries.account_id', '=', account_id)
      .where('deliveries.test_mode', '=', test_mode)
      .where('deliveries.order_id', '>=', first)
      .where('deliveries.order_id', '<=', last),
};

/** The deliveries of orders, with a row for each charge. */
export async function triesOfOrders(
  db: Connection,
  order_ids: readonly string[],
): Promise<readonly ChargedTry[]> {
  if (order_ids.length === 0) return [];
  return chargedTries(db).where('deliveries.order_id', 'in', order_ids).execute();
}

function chargedTries(db: Connection) {
  return db
    .selectFrom('deliveries')
    .leftJoin('charges', 'charges.delivery_id', 'deliveries.id')
    .select(['deliveries.id', 'deliveries.order_id', 'deliveries.status', 'charges.amount']);
}

/** The latest delivery of each of these orders. */
export async function latestOfOrders(
  db: Connection,
  order_ids: readonly string[],
): Promise<readonly Pick<DeliveryRow, 'id' | 'order_id' | 'status'>[]> {
  return db
    .selectFrom('orders')
    .innerJoin('deliveries', 'deliveries.id', 'orders.delivery_id')
    .select(['deliveries.id', 'deliveries.order_id', 'deliveries.status'])
    .where('orders.id', 'in', order_ids)
    .execute();
}

/** What a charge shows of its delivery. */
export type ChargedDelivery = Pick<
  DeliveryRow,
  'id' | 'order_id' | 'external_order_ref' | 'store_id' | 'service' | 'status' | 'record'
> & { has_refund: boolean };

/** The deliveries of charges by their IDs. */
export async function chargedDeliveries(
  db: Connection,
  charges: readonly ChargeRow[],
): Promise<Map<string, ChargedDelivery>> {
  const ids = [...new Set(charges.map(({ delivery_id }) => delivery_id))];
  if (ids.length === 0) return new Map();
  const columns = [
    'id',
    'order_id',
    'external_order_ref',
    'store_id',
    'service',
    'status',
    'record',
  ] as const;
  const rows = await db.selectFrom('deliveries').select(columns).where('id', 'in', ids).execute();
  const refunded = new Set(
    (await chargesOfSeveral(db, ids)).filter(({ kind }) => kind === 'refund').map((each) => each.delivery_id),
  );
  return new Map(rows.map((row) => [row.id, { ...row, has_refund: refunded.has(row.id) }]));
}

/** All charges and refunds of a delivery, oldest first. */
export async function chargesOfDelivery(db: Connection, delivery_id: string): Promise<ChargeRow[]> {
  return db.selectFrom('charges').selectAll().where('delivery_id', '=', delivery_id).orderBy('id').execute();
}

export async function insertDeliveryNote(db: Connection, note: DeliveryNoteRow): Promise<void> {
  await db.insertInto('delivery_notes').values(note).execute();
}

/** Adds words to the text by which an order is searched; each ends with a space. */
export async function addSearchWords(db: Connection, order_id: string, words: string): Promise<void> {
  await db
    .updateTable('search_documents')
    .set(({ eb, ref }) => ({ text: eb(ref('text'), '||', words) }))
    .where('order_id', '=', order_id)
    .execute();
}

export const chargesOfOne: PreparedQuery<ChargeRow, [delivery_id: string]> = {
  name: 'charges of delivery',
  sample: ['delivery'],
  query: (db, delivery_id) => db.selectFrom('charges').selectAll().where('delivery_id', '=', delivery_id),
};

/** The charges of several deliveries. */
export async function chargesOfSeveral(
  db: Connection,
  delivery_ids: readonly string[],
): Promise<ChargeRow[]> {
  return db.selectFrom('charges').selectAll().where('delivery_id', 'in', delivery_ids).execute();
}

/** The newest notes of one delivery, newest first. */
export const notesOfDelivery: PreparedQuery<DeliveryNoteRow, [delivery_id: string, count: number]> = {
  name: 'notes of delivery',
  sample: ['delivery', 20],
  query: (db, delivery_id, count) =>
    db
      .selectFrom('delivery_notes')
      .selectAll()
      .where('delivery_id', '=', delivery_id)
      .orderBy('id', 'desc')
      .limit(count),
};

/** The newest notes of each delivery, newest first. */
export async function newestNotes(
  db: Connection,
  delivery_ids: readonly string[],
  count: number,
): Promise<DeliveryNoteRow[]> {
  const ranked = db
    .selectFrom('delivery_notes')
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((window) => window.partitionBy('delivery_id').orderBy('id', 'desc'))
        .as('rank'),
    )
    .where('delivery_id', 'in', delivery_ids)
    .as('ranked');
  return db
    .selectFrom(ranked)
    .select(['id', 'account_id', 'test_mode', 'delivery_id', 'note', 'tags', 'created_at'])
    .where('rank', '<=', count)
    .orderBy('id', 'desc')
    .execute();
}

/** One page of the notes of a delivery, or of all, newest first; a tag is matched without case. */
export async function listDeliveryNotes(
  db: Connection,
  query: PageQuery & { delivery_id?: string; store_id?: string | undefined; tag?: string | undefined },
): Promise<Page<DeliveryNoteRow>> {
  const { pageBounds, pageOfKept, readPage } = await import('./paging.ts');
  const { sql } = await import('kysely');
  const { delivery_id, store_id, tag } = query;
  const pageAfter = (after_id: string | undefined) => {
    let notes = db
      .selectFrom('delivery_notes')
      .selectAll()
      .where(pageBounds({ ...query, after_id }, 'nte_'));
    if (delivery_id !== undefined) notes = notes.where('delivery_id', '=', delivery_id);
    if (store_id !== undefined) notes = notes.where('delivery_id', 'in', ofStore(db, store_id));
    if (tag !== undefined) {
      // The tags are a JSON array of texts. The engines know no case of other letters than those of ASCII, or another one.
      const text = JSON.stringify(tag).replace(/[\\%_]/g, '\\$&');
      const pattern = `%${text.replace(/[^ -~]/gu, '_').toLowerCase()}%`;
      notes = notes.where(sql<boolean>`lower(tags) like ${pattern} escape ${'\\'}`);
    }
    return readPage(db, query.limit, [notes]);
  };
  if (tag === undefined) return pageAfter(query.after_id);
  return pageOfKept(pageAfter, query, ({ tags }) => {
    const texts: string[] = JSON.parse(tags);
    return texts.some((text) => text.toLowerCase() === tag.toLowerCase());
  });
}

export async function insertDispute(db: Connection, dispute: DisputeRow): Promise<void> {
  await db.insertInto('disputes').values(dispute).execute();
}

export async function findDispute(db: Connection, scope: Scope, id: string): Promise<DisputeRow | undefined> {
  return db.selectFrom('disputes').selectAll().where('id', '=', id).where(inScope(scope)).executeTakeFirst();
}

/** Whether any of the deliveries has a dispute without an outcome; a dispute has the id of its delivery. */
export async function hasOpenDispute(
  db: Connection,
  deliveries: readonly Pick<DeliveryRow, 'id'>[],
): Promise<boolean> {
  if (deliveries.length === 0) return false;
  const ids = deliveries.map(({ id }) => id);
  const row = await db
    .selectFrom('disputes')
    .select('id')
    .where('id', 'in', ids)
    .where('outcome', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listDisputes(
  db: Connection,
  query: PageQuery & { status?: readonly DisputeStatus[] | undefined },
): Promise<Page<DisputeRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  let disputes = db.selectFrom('disputes').selectAll().where(pageBounds(query, 'dlv_'));
  const { status } = query;
  if (status !== undefined && new Set(status).size === 1)
    disputes = disputes.where('outcome', status[0] === 'open' ? 'is' : 'is not', null);
  return readPage(db, query.limit, [disputes]);
}

/** Writes the outcome of an open dispute; false if it is resolved already. */
export async function resolveDispute(
  db: Connection,
  update: Pick<DisputeRow, 'id' | 'outcome' | 'amount' | 'note' | 'resolved_at'>,
): Promise<boolean> {
  const { id, ...change } = update;
  const result = await db
    .updateTable('disputes')
    .set(change)
    .where('id', '=', id)
    .where('outcome', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function insertPicture(db: Connection, picture: ProofPictureRow): Promise<void> {
  await db.insertInto('proof_pictures').values(picture).execute();
}

/** The size of all pictures of an account in a mode, by an index. */
export async function pictureBytes(db: Connection, scope: Scope): Promise<number> {
  const { bytes } = await db
    .selectFrom('proof_pictures')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
    .where(inScope(scope))
    .executeTakeFirstOrThrow();
  return Number(bytes ?? 0);
}

export async function findPicture(db: Connection, id: string): Promise<ProofPictureRow | undefined> {
  return db.selectFrom('proof_pictures').selectAll().where('id', '=', id).executeTakeFirst();
}

export type NewReport = Omit<Insertable<ReportTable>, 'sequence'>;

/** What identifies a report: its id is unique for its provider. */
type ReportKey = Pick<ReportRow, 'delivery_id' | 'provider' | 'provider_report_id'>;

const reportKeyOf = ({ delivery_id, provider, provider_report_id }: ReportKey) =>
  JSON.stringify([delivery_id, provider, provider_report_id]);

const reportRows = keptRows<ReportKey>('reports', reportKeyOf);

const reportsByKey = reportRows.byKey(async (db, keys) => {
  const parts = keys.map((key) => JSON.parse(key));
  const deliveries = parts.map(([delivery_id]) => String(delivery_id));
  const ids = parts.map(([, , id]) => String(id));
  return db
    .selectFrom('reports')
    .select(['delivery_id', 'provider', 'provider_report_id'])
    .where('delivery_id', 'in', [...new Set(deliveries)])
    .where('provider_report_id', 'in', ids)
    .execute();
});

export const insertReport = reportRows.appendOneBy<NewReport>((db, reports) =>
  db.insertInto('reports').values(reports),
);

/** Those of the given reports that were already received, in any order. */
export async function knownReports(db: Connection, given: readonly ReportKey[]): Promise<ReportKey[]> {
  return reportsByKey.read(db, given.map(reportKeyOf));
}

/** Whether a provider's report about a delivery was already received. */
export async function isKnownReport(db: Connection, key: ReportKey): Promise<boolean> {
  return (await knownReports(db, [key])).length > 0;
}
