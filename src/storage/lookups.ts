import type { Compilable } from 'kysely';
import type { Connection } from './database.ts';

export type LookupValue = string | number;

/**
 * A query for one row whose text never changes, only its parameters. The build prepares these texts, so that a
 * command that only looks something up does not load the query builder, which costs more than all the rest.
 */
export interface Lookup<Row, Parameters extends readonly LookupValue[]> {
  /** Names the prepared text: noun and key. */
  name: string;
  /** Parameters of the right kinds, to make the text with. */
  sample: Parameters;
  /** The parameters must stand in the text in their order. */
  query: (
    db: Connection,
    ...parameters: Parameters
  ) => Compilable<Row> & { executeTakeFirst(): Promise<Row | undefined> };
}

/** Put in by the build: the text of each lookup in SQLite's dialect. */
declare const WAYBILL_LOOKUPS: Readonly<Record<string, string>> | undefined;

/** The prepared text of a lookup; undefined where nothing was prepared. */
export function preparedText(name: string): string | undefined {
  return typeof WAYBILL_LOOKUPS === 'undefined' ? undefined : WAYBILL_LOOKUPS[name];
}

/** The text of a lookup, made by the query builder. Throws where its parameters stand in another order. */
export function lookupText<Row, Parameters extends readonly LookupValue[]>(
  db: Connection,
  { name, sample, query }: Lookup<Row, Parameters>,
): string {
  const { sql, parameters } = query(db, ...sample).compile();
  const isInOrder =
    parameters.length === sample.length && parameters.every((value, at) => value === sample[at]);
  if (!isInOrder) throw new Error(`the parameters of the lookup ${name} do not stand in its order`);
  return sql;
}
