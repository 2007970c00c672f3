import type { Compilable } from 'kysely';
import type { Connection } from './database.ts';

export type QueryValue = string | number;

/**
 * A query with a constant text. The build prepares these texts, so that a command that only reads a record or a first
 * page does not load the query builder, which costs more than everything else.
 */
export interface PreparedQuery<Row, Parameters extends readonly QueryValue[]> {
  /** The name of the prepared text: noun and key. */
  name: string;
  /** Sample parameters of the right types, for building the text. */
  sample: Parameters;
  /** The parameters must occur in the text in their order. */
  query: (
    db: Connection,
    ...parameters: Parameters
  ) => Compilable<Row> & { execute(): Promise<Row[]>; executeTakeFirst(): Promise<Row | undefined> };
}

/** Set by the build: the text of each prepared query in SQLite's dialect. */
declare const WAYBILL_LOOKUPS: Readonly<Record<string, string>> | undefined;

/** The prepared text of a query; undefined outside of a build. */
export function preparedText(name: string): string | undefined {
  return typeof WAYBILL_LOOKUPS === 'undefined' ? undefined : WAYBILL_LOOKUPS[name];
}

/** Builds the text of a prepared query. Throws if its parameters occur in a different order. */
export function buildQueryText<Row, Parameters extends readonly QueryValue[]>(
  db: Connection,
  { name, sample, query }: PreparedQuery<Row, Parameters>,
): string {
  const { sql, parameters } = query(db, ...sample).compile();
  const isInOrder =
    parameters.length === sample.length && parameters.every((value, at) => value === sample[at]);
  if (!isInOrder) throw new Error(`the parameters of the query ${name} do not stand in its order`);
  return sql;
}
