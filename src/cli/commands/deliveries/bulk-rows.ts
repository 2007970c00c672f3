/**
 * The rows that a bulk command prints, one for each delivery: their shape, their columns, and the result of a dry run.
 */
import type { Failure } from '../../kit/errors/failure.ts';
import { type Column, exitUnless, type ListResult, listResult } from '../../kit/result/result.ts';
import type { AnswerBuilder, Shape } from '../../kit/result/shape.ts';
import type { BulkAction, BulkOutcome, Checked, Named, Refused } from './bulk-action.ts';

/** A row of the list: the outcome, and how people know the delivery. */
export type BulkRow = BulkOutcome & Named;

export function bulkShape({ object, orNull }: AnswerBuilder): Shape {
  return object({
    object: '"bulk_result"',
    delivery_id: 'string',
    external_order_ref: orNull('string'),
    store: orNull('string'),
    result: 'canceled | retried | refused | failed | not_sent (with --dry-run)',
    new_delivery_id: orNull('string'),
    cost: orNull('integer'),
    refund: orNull('integer'),
    code: orNull('string'),
    reason: orNull('string'),
  });
}

export const bulkColumns: readonly Column<BulkRow>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id' },
  { field: 'external_order_ref', header: 'Ref', kind: 'text', unlessEmpty: true },
  { field: 'store', header: 'Store', kind: 'text', unlessEmpty: true },
  { field: 'result', header: 'Result', kind: 'text' },
  { field: 'new_delivery_id', header: 'New delivery', kind: 'id', unlessEmpty: true },
  { field: 'cost', header: 'Cost', kind: 'money' },
  { field: 'refund', header: 'Refunded', kind: 'money', unlessEmpty: true },
  { field: 'reason', header: 'Reason', kind: 'text', unlessEmpty: true, prose: true },
  { field: 'code', header: 'Code', kind: 'text', only: 'programs' },
];

/** The result of a dry run: a row with its price for each delivery, also if they cost more than the limit. */
export function previewResult(
  checked: readonly Checked[],
  action: BulkAction,
  refusal: Failure | null,
): ListResult {
  const rows = checked.map((each): BulkRow => {
    const { delivery_id, external_order_ref, store } = each;
    if (each.kind === 'refused') return { ...refusedRow(each), external_order_ref, store };
    if (each.kind === 'done') return { ...each.outcome, external_order_ref, store };
    const { cost, refund } = each;
    const row = {
      object: 'bulk_result',
      delivery_id,
      external_order_ref,
      store,
      result: 'not_sent',
    } as const;
    return { ...row, new_delivery_id: null, cost, refund: refund || null, code: null, reason: null };
  });
  const ready = rows.filter(({ result }) => result === 'not_sent');
  return listResult({
    data: rows,
    columns: bulkColumns,
    empty: 'No deliveries found.',
    notes: () =>
      refusal === null ? [`Nothing was changed: ${deliveriesText(ready)} would be ${action.done}.`] : [],
    exit: exitUnless(() => refusal),
  });
}

/** The row of a delivery that is not changed. */
export function refusedRow({ delivery_id, code, reason }: Refused): BulkOutcome {
  const nothing = { new_delivery_id: null, cost: null, refund: null };
  return { object: 'bulk_result', delivery_id, result: 'refused', ...nothing, code, reason };
}

/** `12 deliveries` */
export function deliveriesText({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'delivery' : 'deliveries'}`;
}
