import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type SearchWord, trigramsOf } from '../domain/search-text.ts';
import type { Connection, Scope } from './database.ts';
import { appendTo } from './transaction-rows.ts';

// The texts by which orders are searched, indexed by their trigrams: in SQLite by a full-text table that triggers
// maintain, in PostgreSQL by an index on a function. An index finds candidates; the text decides.

export interface NewSearchDocument extends Scope {
  order_id: string;
  /** See `searchTextOf`. */
  text: string;
}

export const insertSearchDocuments = appendTo<NewSearchDocument>('search_documents', (db, rows) =>
  db.insertInto('search_documents').values(rows),
);

export async function updateSearchDocument(
  db: Connection,
  { order_id, text }: Pick<NewSearchDocument, 'order_id' | 'text'>,
): Promise<void> {
  await db.updateTable('search_documents').set({ text }).where('order_id', '=', order_id).execute();
}

type Condition = RawBuilder<SqlBool>;

/** Whether the text of the document `search_documents` contains every word. */
export function containsWords(words: readonly SearchWord[]): Condition {
  // Folded text has no character with a meaning in patterns.
  const patternsOf = ({ patterns }: SearchWord) =>
    patterns.map((pattern) => sql<SqlBool>`search_documents.text like ${`%${pattern}%`}`);
  return sql`(${sql.join(
    words.map((word) => either(patternsOf(word))),
    sql` and `,
  )})`;
}

/**
 * A condition on `search_documents` for rows that may contain every word, by the index; null if none is long enough.
 */
export function mayContainWords(db: Connection, words: readonly SearchWord[]): Condition | null {
  const alternatives = words.reduce<string[][]>(withWord, [[]]);
  if (alternatives.some((trigrams) => trigrams.length === 0)) return null;
  if (!isSqlite(db))
    return either(alternatives.map((each) => sql`search_trigrams(search_documents.text) @> ${each}::text[]`));
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

/** Whether the engine is SQLite: its full-text table returns rows newest first. */
export function isSqlite(db: Connection): boolean {
  return db.getExecutor().adapter.supportsMultipleConnections !== true;
}

function either(conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, sql` or `)})`;
}
