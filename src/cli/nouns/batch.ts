import type { AcceptedBatch, Batch, BatchCounts, BatchOrder, BatchSummary } from '../../contract/batches.ts';
import { type Outcome, outcomes } from '../../contract/vocabulary.ts';
import { secondsText } from '../kit/args/time-arguments.ts';
import { type Column, wide } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';

export async function getBatch(context: Pick<Context, 'client'>, batch_id: string): Promise<Batch> {
  const client = await context.client();
  return (await client.batches.get({ params: { batch_id } })).data;
}

/** Fields of the response that accepts a batch. */
export const acceptedFields: readonly Column<AcceptedBatch>[] = [
  { field: 'batch_id', header: 'ID', kind: 'id' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'order_count', header: 'Orders', kind: 'count' },
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
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1 },
  ...wide([
    { field: 'completed_at', header: 'Complete', kind: 'time' },
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
    { field: 'test_mode', header: 'Test mode', kind: 'text' },
  ]),
];

/** A duration: `30m` for people, 1800 for programs. */
function inSeconds(name: 'retry_window' | 'retry_interval', header: string): Column<BatchSummary>[] {
  const head = { field: `settings.${name}`, header };
  return [
    { ...head, kind: 'text', only: 'people', value: ({ settings }) => secondsText(settings[name]) },
    { ...head, kind: 'count', only: 'programs', value: ({ settings }) => settings[name] },
  ];
}

type Counted = Pick<Batch, 'order_count' | 'counts'>;

/** The progress of a batch: `214 of 300: 208 dispatched, 4 unfulfilled, 2 failed, 86 pending`. */
export function countsText({ order_count, counts }: Counted, signOf?: (name: Outcome) => string): string {
  return `${order_count - counts.pending} of ${order_count}: ${partsText(counts, signOf)}`;
}

/** The counts that are not zero, pending last; `signOf` returns the prefix of each. */
export function partsText(counts: BatchCounts, signOf = (_: Outcome) => ''): string {
  return countedParts(counts)
    .map(({ name, count }) => `${signOf(name)}${count} ${name}`)
    .join(', ');
}

/** Counts the orders by outcome; leaves out zeros and puts pending last. */
export function countedParts(counts: BatchCounts): { name: Outcome; count: number }[] {
  const [first, ...ends] = outcomes;
  return [...ends, first].flatMap((name) => (counts[name] > 0 ? [{ name, count: counts[name] }] : []));
}

/** True if the order has ended without a dispatch. */
export function isLost({ status }: Pick<BatchOrder, 'status'>): boolean {
  return status !== 'pending' && status !== 'dispatched';
}
