import { createReadStream, existsSync } from 'node:fs';
import type { BatchCounts } from '../../../../contract/batches.ts';
import { BadOutcome, Failure } from '../../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase } from '../../../kit/result/message.ts';
import { type Column, document, type Result, record } from '../../../kit/result/result.ts';
import { partsText } from '../../../nouns/batch.ts';
import type { Context } from '../../../session/command.ts';
import type { CheckedFile } from './check-file.ts';
import { type JournalState, settledChunks, totalsOf } from './journal-state.ts';
import { counted } from './progress-text.ts';
import { recordsIn } from './reading/csv-records.ts';
import { importLine, type Source } from './source.ts';

/** The result of an import. */
export interface Summary {
  object: 'import';
  file: string;
  rows: number;
  made: number;
  failed: number;
  mode: 'test' | 'live';
  batch_ids: string[];
  /** The outcomes in the batches, if they were waited for. */
  counts?: BatchCounts;
  ok_file: string;
  /** Null if no row failed. */
  failed_file: string | null;
  journal_file: string;
}

const summaryColumns: readonly Column<Summary>[] = [
  { field: 'file', header: 'File', kind: 'text' },
  { field: 'rows', header: 'Rows', kind: 'count' },
  { field: 'made', header: 'Created', kind: 'count' },
  { field: 'failed', header: 'Failed', kind: 'count' },
  {
    field: 'batches',
    header: 'Batches',
    kind: 'count',
    value: ({ batch_ids }) => (batch_ids.length === 0 ? null : batch_ids.length),
  },
  {
    field: 'counts',
    header: 'Result',
    kind: 'text',
    value: ({ counts }) => (counts === undefined ? null : partsText(counts)),
  },
  { field: 'mode', header: 'Mode', kind: 'text' },
  { field: 'ok_file', header: 'Created orders', kind: 'text' },
  { field: 'failed_file', header: 'Failed rows', kind: 'text' },
  { field: 'journal_file', header: 'Journal', kind: 'text' },
];

/** The result of an import, and its source. */
export interface Imported {
  summary: Summary;
  source: Source;
  isAuto: boolean;
}

export function importedOf(state: JournalState, source: Source): Imported {
  return { summary: summaryOf(state, source), source, isAuto: state.header.settings !== null };
}

function summaryOf(state: JournalState, { name, files }: Source): Summary {
  const { made, failed } = totalsOf(state);
  return {
    object: 'import',
    file: name,
    rows: state.header.file.rows,
    made,
    failed,
    mode: state.header.place.mode,
    batch_ids: settledChunks(state).flatMap(({ batch_id }) => batch_id ?? []),
    ok_file: files.ok,
    failed_file: failed === 0 ? null : files.failed,
    journal_file: files.journal,
  };
}

/** Shows the summary. */
export function summaryShown({ output }: Pick<Context, 'output'>, summary: Summary): Result {
  return output.json ? document(summary) : record(summary, summaryColumns);
}

/**
 * The result of a finished import; Failure with exit 10 if some rows failed or some orders were not dispatched, and
 * with exit 9 if none was.
 */
export async function importResult(context: Context, { summary, source, isAuto }: Imported): Promise<Result> {
  const list = isAuto ? invocation('batches list') : invocation('orders list', [], { status: 'open' });
  const next = { ...list, when: 'see the created orders' };
  const shown = summaryShown(context, summary);
  if (summary.failed === 0) {
    const undispatched = undispatchedOf(summary, shown);
    if (undispatched !== null) throw undispatched;
    return { ...shown, notes: [phrase`Next: ${list}`] };
  }
  const what =
    summary.failed === 1
      ? 'One order was'
      : `${counted(summary.failed)} of ${counted(summary.rows)} orders were`;
  throw new Failure(10, 'rows_failed', `${what} not created.`, {
    answer: shown,
    why: (await firstReasons(summary.failed_file ?? '')).join('\n'),
    hint: `Correct ${summary.failed_file}, which has the reason of each row, and import that file.`,
    next: [{ ...failedLine(source), when: 'once it is corrected' }, next],
  });
}

/** After a wait for the batches: null if all orders were dispatched. */
function undispatchedOf({ counts, batch_ids }: Summary, answer: Result): Failure | null {
  const lost = counts === undefined ? '' : partsText({ ...counts, dispatched: 0, pending: 0 });
  if (counts === undefined || lost === '') return null;
  const [batch = ''] = batch_ids;
  const line = batch_ids.length === 1 ? invocation('batches get', [batch]) : invocation('batches list');
  const details = { answer, next: [{ ...line, when: 'see their outcome' }] };
  if (counts.dispatched > 0)
    return new Failure(10, 'batch_partly_dispatched', `Some orders were not dispatched: ${lost}.`, details);
  return new BadOutcome(`None of the orders was dispatched: ${lost}.`, {
    code: 'batch_not_dispatched',
    ...details,
  });
}

/** The command that imports the failed rows. Their file is CSV for every source format. */
function failedLine({ name, typed }: Source): Invocation {
  const { format: _, ...others } = typed;
  return importLine({ name: `${name}.failed.csv`, typed: others });
}

/** The result of --validate-only. A file whose import was started before has no next command: that may be over. */
export function validationResult(source: Source, { rows, sums, left_out, repeated }: CheckedFile): Result {
  const reasons = [...left_out].map(([reason, orders]) => ({ reason, orders }));
  const lines = repeated.map(({ what, first, again }) => ({ line: again, same_as: first, what }));
  const found = {
    ...({ object: 'import_check', file: source.name, rows } as const),
    ...sums,
    left_out: reasons,
    repeated: lines,
  };
  const columns: readonly Column<typeof found>[] = [
    { field: 'file', header: 'File', kind: 'text' },
    { field: 'rows', header: 'Rows', kind: 'count' },
    { field: 'tip', header: 'Tips in all', kind: 'money' },
    { field: 'order_value', header: 'Value in all', kind: 'money' },
  ];
  const isStarted = existsSync(source.files.journal);
  return record(found, columns, {
    notes: [
      'Every row can be sent. The service still looks at saved places and times.',
      ...(isStarted ? [] : [phrase`Next: ${importLine(source)}`]),
    ],
  });
}

const max_shown = 3;

/** The reasons of the first failed rows, with their lines: `line 2, dropoff_address: ...`. Empty if they are unreadable. */
async function firstReasons(failed_file: string): Promise<string[]> {
  const found: string[] = [];
  try {
    let names: readonly string[] | null = null;
    for await (const { cells } of recordsIn(createReadStream(failed_file, 'utf8'), failed_file)) {
      if (names === null) names = cells;
      else found.push(`line ${cells[names.indexOf('line')]}, ${cells[names.indexOf('error')]}`);
      if (found.length === max_shown) break;
    }
  } catch {
    // The hint names the file.
  }
  return found;
}
