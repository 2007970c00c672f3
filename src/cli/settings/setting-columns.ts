import type { Column } from '../kit/result/result.ts';
import type { Entry } from './entries.ts';

/** Columns of settings, with the source of each value on request. */
export function entryColumns(showOrigin: boolean): Column<Entry>[] {
  const columns: Column<Entry>[] = [
    { field: 'key', header: 'Key', kind: 'id', value: ({ key }) => key },
    { field: 'value', header: 'Value', kind: 'text', value: ({ value }) => value },
  ];
  if (!showOrigin) return columns;
  return [
    ...columns,
    { field: 'origin', header: 'Origin', kind: 'text', value: ({ origin }) => origin },
    { field: 'source', header: 'Source', kind: 'text', value: ({ source }) => source },
  ];
}
