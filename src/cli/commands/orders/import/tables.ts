import { csvTable } from './csv-rows.ts';
import { jsonTable } from './json-rows.ts';
import { ndjsonTable } from './ndjson-rows.ts';
import type { Table } from './rows.ts';
import { type Source, type Tally, textsOf } from './source.ts';

/** Opens a file as rows and adds up its contents in `tally`. Throws UsageError. */
export async function openTable(source: Source, tally: Tally): Promise<Table> {
  const { format, name } = source;
  const texts = textsOf(source, tally);
  switch (format) {
    case 'csv':
      return csvTable(texts, name);
    case 'json':
      return jsonTable(texts, name);
    default:
      return ndjsonTable(texts, name);
  }
}
