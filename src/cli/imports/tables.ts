import { csvTable } from './csv-rows.ts';
import { ndjsonTable } from './ndjson-rows.ts';
import type { Table } from './rows.ts';
import { type Source, type Tally, textsOf } from './source.ts';

/** Opens a file as rows; what was read of it is added up in `tally`. Throws UsageError. */
export async function openTable(source: Source, tally: Tally): Promise<Table> {
  const texts = textsOf(source, tally);
  return source.format === 'csv' ? csvTable(texts, source.name) : ndjsonTable(texts, source.name);
}
