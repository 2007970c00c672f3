/**
 * The texts by which orders are searched, indexed by their trigrams: in SQLite by a full-text table that triggers
 * maintain, in PostgreSQL by an index on a function. An index finds candidates; the text decides.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { OrderStatus } from '../contract/vocabulary.ts';
import { type SearchWord, trigramsOf } from '../domain/search-text.ts';
import type { Connection, OrderRow, Scope } from './database.ts';
import { type Page, type PageQuery, pageBounds } from './paging.ts';
import { type OrderTests, orderTests } from './periods.ts';
import { isPostgres, type OneOrMore, statuses } from './rows.ts';
import { appendTo } from './transactions.ts';

/** The number of documents that PostgreSQL tests one by one, newest first, before it uses the index. */
const tested_first = 2_000;

type Sql = RawBuilder<unknown>;

interface MatchQuery {
  page: PageQuery;
  words: readonly SearchWord[];
  /** The table of the records, with the column that names the order of each. */
  table: 'orders' | 'deliveries';
  /** On the table, for example by its other filters. */
  conditions: readonly RawBuilder<SqlBool>[];
}

/**
 * One page of the records whose order contains every word, in the sequence of their orders, newest first. A word that
 * most records contain is found among the newest; one that few contain is found by the index. SQLite's index returns its
 * rows newest first and serves both. PostgreSQL's does not, so that the newest are tested before it is used.
 */
export async function pageByWords<Row>(db: Connection, query: MatchQuery): Promise<Page<Row>> {
  const rows = await rowsByWords<Row>(db, query);
  const { limit } = query.page;
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

const allDocuments: Source = { from: sql`search_documents`, sort: sql`search_documents.number` };

async function rowsByWords<Row>(db: Connection, query: MatchQuery): Promise<Row[]> {
  const candidates = mayContainWords(db, query.words);
  if (candidates === null) return selectRows(db, query, allDocuments);
  if (!isPostgres(db)) return selectRows(db, query, newestOfIndex(query, candidates));
  return newestOrIndexed(db, query, candidates);
}

/** The filters of orders that go with words. Filters by a route, delivery or id have an index of their own. */
interface OrderSearch extends PageQuery, OrderTests {
  words: readonly SearchWord[];
  status?: OneOrMore<OrderStatus> | undefined;
  external_order_ref?: string | undefined;
  batch_id?: string | undefined;
}

/** One page of the orders that contain every word, newest first. */
export async function ordersByWords(db: Connection, query: OrderSearch): Promise<Page<OrderRow>> {
  const { status, external_order_ref, batch_id, words } = query;
  // Calculated columns, so that no index of these filters leads, but that of the words.
  const calculated = { id: sql`(id || '')`, account: sql`(account_id || '')` };
  const conditions = [pageBounds({ ...query, after_id: undefined }, 'ord_', calculated)];
  if (status !== undefined) conditions.push(sql`(status || '') in (${sql.join(statuses(status))})`);
  if (external_order_ref !== undefined)
    conditions.push(sql`(external_order_ref || '') = ${external_order_ref}`);
  if (batch_id !== undefined) conditions.push(sql`(batch_id || '') = ${batch_id}`);
  conditions.push(orderTests(db, query));
  return pageByWords(db, { page: query, words, table: 'orders', conditions });
}

/** Where the documents come from, and their sort. */
interface Source {
  from: Sql;
  sort: Sql;
}

/** PostgreSQL's candidates: without an index for the sort, so that it takes that of the words. */
function candidatesOfIndex(candidates: RawBuilder<SqlBool>): Source {
  const from = sql`(select * from search_documents where ${candidates} offset 0) as search_documents`;
  return { from, sort: sql`(search_documents.number + 0)` };
}

/**
 * The newest documents of SQLite's index that have a record, as many as a page needs. The index returns its rows newest
 * first, so that only those are read. Sorting the records in the same query would read all that the index finds. A cross
 * join keeps the sequence of the tables.
 */
function newestOfIndex(query: MatchQuery, candidates: RawBuilder<SqlBool>): Source {
  const { page, words } = query;
  const isOfFirst = isOfDocument(query, sql`search_documents.number`);
  const from = sql`(select search_documents.* from search_index cross join search_documents
    on search_documents.number = search_index.rowid and ${candidates}
    where ${isInScope(page)} and ${containsWords(words)}
    and exists (select 1 from ${recordsOf(query)} where ${isOfFirst})
    order by search_index.rowid desc limit ${page.limit + 1}) as search_documents`;
  return { from, sort: sql`search_documents.number` };
}

async function newestOrIndexed<Row>(
  db: Connection,
  query: MatchQuery,
  candidates: RawBuilder<SqlBool>,
): Promise<Row[]> {
  const { account_id, test_mode, after_id } = query.page;
  const before = after_id === undefined ? sql`true` : sql`number <= ${documentNumberOf(query, after_id)}`;
  const newest = sql`(select * from search_documents
    where account_id = ${account_id} and test_mode = ${test_mode} and ${before}
    order by number desc limit ${tested_first}) as search_documents`;
  const found = await selectRows<Row>(db, query, { from: newest, sort: sql`search_documents.number` });
  return found.length > query.page.limit ? found : selectRows<Row>(db, query, candidatesOfIndex(candidates));
}

async function selectRows<Row>(db: Connection, query: MatchQuery, { from, sort }: Source): Promise<Row[]> {
  const { page, table, words } = query;
  const records = sql.table(table);
  const { rows } = await sql<Row>`select ${records}.* from ${from}
    ${isPostgres(db) ? sql`join` : sql`cross join`} ${recordsOf(query)} on ${isOfDocument(query, sort)}
    where ${isInScope(page)} and ${containsWords(words)}
    order by ${sort} desc, ${records}.id desc limit ${page.limit + 1}`.execute(db);
  return rows;
}

/** The records that match the other conditions, under the name of their table. */
function recordsOf({ table, conditions }: MatchQuery): Sql {
  const records = sql.table(table);
  return sql`(select * from ${records} where ${sql.join(conditions, sql` and `)}) as ${records}`;
}

/** Whether a record belongs to the document, and follows the record after which the page begins. */
function isOfDocument({ table, page: { after_id } }: MatchQuery, sort: Sql): Sql {
  const orderColumn = table === 'orders' ? sql`orders.id` : sql`deliveries.order_id`;
  const isNext = after_id === undefined ? sql`` : sql` and ${isAfter(table, sort, after_id)}`;
  return sql`${orderColumn} = search_documents.order_id${isNext}`;
}

function isInScope({ account_id, test_mode }: PageQuery): Sql {
  return sql`search_documents.account_id = ${account_id} and search_documents.test_mode = ${test_mode}`;
}

function isAfter(table: MatchQuery['table'], sort: Sql, after_id: string): Sql {
  const last = documentNumberOf({ table }, after_id);
  return sql`(${sort} <= ${last} and (${sort} < ${last} or ${sql.table(table)}.id < ${after_id}))`;
}

function documentNumberOf({ table }: Pick<MatchQuery, 'table'>, id: string): Sql {
  const order_id = table === 'orders' ? sql`${id}` : sql`(select order_id from deliveries where id = ${id})`;
  return sql`(select number from search_documents where order_id = ${order_id})`;
}

type Condition = RawBuilder<SqlBool>;

/** Whether the text of the document `search_documents` contains every word. */
export function containsWords(words: readonly SearchWord[]): Condition {
  // Folded text has no character with a meaning in patterns.
  const patternsOf = ({ patterns }: SearchWord) =>
    patterns.map((pattern) => sql<SqlBool>`search_documents.text like ${`%${pattern}%`}`);
  return sql`(${sql.join(
    words.map((word) => anyOf(patternsOf(word))),
    sql` and `,
  )})`;
}

/**
 * A condition on `search_documents` for rows that may contain every word, by the index; null if none is long enough.
 */
function mayContainWords(db: Connection, words: readonly SearchWord[]): Condition | null {
  const alternatives = words.reduce<string[][]>(withWord, [[]]);
  if (alternatives.some((trigrams) => trigrams.length === 0)) return null;
  if (isPostgres(db))
    return anyOf(alternatives.map((each) => sql`search_trigrams(search_documents.text) @> ${each}::text[]`));
  const conjunctions = alternatives.map((trigrams) => trigrams.map((each) => `"${each}"`).join(' AND '));
  return sql`search_index match ${conjunctions.map((each) => `(${each})`).join(' OR ')}`;
}

/** More alternatives take longer to look up than their candidates take to test. */
const max_alternatives = 4;

/**
 * Adds a word to the alternatives. Each is a list of trigrams; a text with all words has every trigram of at least one
 * list. A list covers all words, so that each alternative is one look-up in the index: PostgreSQL would test other
 * conditions row by row, and compute the trigrams of each row.
 */
function withWord(alternatives: string[][], { patterns }: SearchWord): string[][] {
  const isFew = alternatives.length * patterns.length <= max_alternatives;
  const own = isFew ? patterns.map(indexedTrigrams) : [sharedTrigrams(patterns)];
  return alternatives.flatMap((trigrams) => own.map((more) => [...new Set([...trigrams, ...more])]));
}

function sharedTrigrams([first = '', ...others]: readonly string[]): string[] {
  return indexedTrigrams(first).filter((each) => others.every((other) => trigramsOf(other).includes(each)));
}

/** How many trigrams of a number are looked up. */
const number_trigrams = 4;

/**
 * The trigrams by which a pattern is looked up. Of a long number these are the last ones: most phone numbers begin with
 * one of few area codes, and the index would read all of them.
 */
function indexedTrigrams(pattern: string): string[] {
  const trigrams = trigramsOf(pattern);
  return /^ ?\d+ ?$/.test(pattern) ? trigrams.slice(-number_trigrams) : trigrams;
}

function anyOf(conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, sql` or `)})`;
}

interface NewSearchDocument extends Scope {
  order_id: string;
  /** See `createSearchText`. */
  text: string;
}

export const insertSearchDocuments = appendTo<NewSearchDocument>('search_documents', (db, rows) =>
  db.insertInto('search_documents').values(rows),
);

/** The phone numbers of the current and former drivers of an order, as words of its search document. */
export async function driverNumbers(db: Connection, order_id: string): Promise<string[]> {
  const found = await db
    .selectFrom('search_documents')
    .select('text')
    .where('order_id', '=', order_id)
    .execute();
  return found.flatMap(({ text }) => text.match(/(?<= )d\d{7,}(?= )/g) ?? []);
}

export async function updateSearchDocument(
  db: Connection,
  { order_id, text }: Pick<NewSearchDocument, 'order_id' | 'text'>,
): Promise<void> {
  await db.updateTable('search_documents').set({ text }).where('order_id', '=', order_id).execute();
}
