import type { Context } from '../context.ts';
import { Failure } from '../failures/failure.ts';
import { type Column, document, type Result, record } from '../result.ts';
import type { Journal } from './journal.ts';
import { totalsOf } from './journal-state.ts';
import { importLine, type Places } from './places.ts';
import { counted } from './progress-text.ts';
import type { Source } from './source.ts';

/** What became of an import. */
export interface Summary {
  object: 'import';
  file: string;
  rows: number;
  made: number;
  failed: number;
  mode: 'test' | 'live';
  batch_ids: string[];
  ok_file: string;
  /** Null where none failed. */
  failed_file: string | null;
  journal_file: string;
}

const summaryColumns: readonly Column<Summary>[] = [
  { field: 'file', header: 'File', kind: 'text', value: ({ file }) => file },
  { field: 'rows', header: 'Rows', kind: 'count', value: ({ rows }) => rows },
  { field: 'made', header: 'Made', kind: 'count', value: ({ made }) => made },
  { field: 'failed', header: 'Failed', kind: 'count', value: ({ failed }) => failed },
  {
    field: 'batches',
    header: 'Batches',
    kind: 'count',
    value: ({ batch_ids }) => (batch_ids.length === 0 ? null : batch_ids.length),
  },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode },
  { field: 'ok_file', header: 'Made orders', kind: 'text', value: ({ ok_file }) => ok_file },
  { field: 'failed_file', header: 'Failed rows', kind: 'text', value: ({ failed_file }) => failed_file },
  { field: 'journal_file', header: 'Journal', kind: 'text', value: ({ journal_file }) => journal_file },
];

function summaryOf({ state }: Journal, source: Source, places: Places): Summary {
  const { made, failed } = totalsOf(state);
  const ids = [...state.settled].sort(([a], [b]) => a - b).flatMap(([, { batch_id }]) => batch_id ?? []);
  return {
    object: 'import',
    file: source.name,
    rows: state.header.file.rows,
    made,
    failed,
    mode: state.header.place.mode,
    batch_ids: ids,
    ok_file: places.ok,
    failed_file: failed === 0 ? null : places.failed,
    journal_file: places.journal,
  };
}

/** The answer of an import that came to its end; Failure with exit 10 where some rows failed. */
export function ended(context: Context, journal: Journal, source: Source, places: Places): Result {
  const summary = summaryOf(journal, source, places);
  const { settings } = journal.state.header;
  const list = settings === null ? 'waybill orders list --status open' : 'waybill batches list';
  const next = { command: list, when: 'see what was made' };
  const shown = context.output.json ? document(summary) : record(summary, summaryColumns);
  if (summary.failed === 0) return { ...shown, notes: [`Next: ${list}`] };
  const what =
    summary.failed === 1
      ? 'One order was'
      : `${counted(summary.failed)} of ${counted(summary.rows)} orders were`;
  throw new Failure(10, 'rows_failed', `${what} not made.`, {
    answer: shown,
    hint: `Why is in ${places.failed}: correct it and import that file.`,
    next: [{ command: failedLine(source), when: 'once it is corrected' }, next],
  });
}

/** The file of what failed is CSV, whatever it was made from. */
function failedLine({ name, typed }: Source): string {
  const { format: _, ...others } = typed;
  return importLine({ name: `${name}.failed.csv`, typed: others });
}

/** The answer where a file was only looked at. */
export function validated(source: Source, rows: number): Result {
  const found = { object: 'import_check', file: source.name, rows } as const;
  const columns: readonly Column<typeof found>[] = [
    { field: 'file', header: 'File', kind: 'text', value: ({ file }) => file },
    { field: 'rows', header: 'Rows', kind: 'count', value: (each) => each.rows },
  ];
  const left = 'The service still looks at ZIP codes, saved places and times.';
  return record(found, columns, { notes: [`Every row can be sent. ${left}`, `Next: ${importLine(source)}`] });
}
