import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type SearchWord, trigramsOf } from '../domain/search-text.ts';
import type { Connection, Scope } from './database.ts';
import { chunks } from './rows.ts';

// The texts by which orders are searched, indexed by their trigrams: in SQLite by a full-text table that triggers
// maintain, in PostgreSQL by an index on a function. An index finds candidates; the text decides.

export interface NewSearchDocument extends Scope {
  order_id: string;
  /** See `searchTextOf`. */
  text: string;
}

export async function insertSearchDocuments(
  db: Connection,
  documents: readonly NewSearchDocument[],
): Promise<void> {
  for (const batch of chunks(documents)) await db.insertInto('search_documents').values(batch).execute();
}

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
  // Of alternatives only what they share, so that one condition on the index finds all candidates: PostgreSQL computes
  // the trigrams of every row for a condition that it tests without the index.
  const required = [...new Set(words.flatMap(({ patterns }) => sharedTrigrams(patterns)))];
  if (required.length === 0) return null;
  if (!isSqlite(db)) return sql`search_trigrams(search_documents.text) @> ${required}::text[]`;
  return sql`search_index match ${required.map((each) => `"${each}"`).join(' AND ')}`;
}

function sharedTrigrams([first = '', ...others]: readonly string[]): string[] {
  return trigramsOf(first).filter((each) => others.every((other) => trigramsOf(other).includes(each)));
}

/** SQLite has one connection, and a full-text table that returns its rows newest first. */
export function isSqlite(db: Connection): boolean {
  return db.getExecutor().adapter.supportsMultipleConnections !== true;
}

function either(conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, sql` or `)})`;
}
