import type { AcceptedBatch, BatchSummary } from '../../../contract/batches.ts';
import { outcomes } from '../../../contract/vocabulary.ts';
import { secondsText } from '../../kit/args/time-arguments.ts';
import type { Column } from '../../kit/result/result.ts';
import { partsText } from './counts.ts';

/** Fields of the response that accepts a batch. */
export const acceptedFields: readonly Column<AcceptedBatch>[] = [
  { field: 'batch_id', header: 'ID', kind: 'id', value: (batch) => batch.batch_id },
  { field: 'status', header: 'Status', kind: 'status', value: (batch) => batch.status },
  { field: 'order_count', header: 'Orders', kind: 'count', value: (batch) => batch.order_count },
];

/** Columns of batches. People see the outcome of the orders as text, programs see each count. */
export const batchColumns: readonly Column<BatchSummary>[] = [
  ...acceptedFields,
  {
    field: 'counts',
    header: 'Result',
    kind: 'text',
    prose: true,
    only: 'people',
    value: ({ counts }) => partsText(counts),
  },
  ...outcomes.map(
    (name): Column<BatchSummary> => ({
      field: `counts.${name}`,
      header: name,
      kind: 'count',
      only: 'programs',
      value: ({ counts }) => counts[name],
    }),
  ),
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1, value: ({ created_at }) => created_at },
  ...wide([
    { field: 'completed_at', header: 'Complete', kind: 'time', value: ({ completed_at }) => completed_at },
    {
      field: 'settings.quote_preference',
      header: 'Chooses',
      kind: 'text',
      value: ({ settings }) => settings.quote_preference,
    },
    {
      field: 'settings.max_cost',
      header: 'At most',
      kind: 'money',
      value: ({ settings }) => settings.max_cost,
    },
    {
      field: 'settings.providers',
      header: 'Providers',
      kind: 'text',
      value: ({ settings }) => settings.providers,
    },
    ...inSeconds('retry_window', 'Tries for'),
    ...inSeconds('retry_interval', 'Tries every'),
    { field: 'test_mode', header: 'Test mode', kind: 'text', value: ({ test_mode }) => test_mode },
  ]),
];

function wide(columns: readonly Column<BatchSummary>[]): Column<BatchSummary>[] {
  return columns.map((column) => ({ ...column, wide: true }));
}

/** A duration: `30m` for people, 1800 for programs. */
function inSeconds(name: 'retry_window' | 'retry_interval', header: string): Column<BatchSummary>[] {
  const head = { field: `settings.${name}`, header };
  return [
    { ...head, kind: 'text', only: 'people', value: ({ settings }) => secondsText(settings[name]) },
    { ...head, kind: 'count', only: 'programs', value: ({ settings }) => settings[name] },
  ];
}
