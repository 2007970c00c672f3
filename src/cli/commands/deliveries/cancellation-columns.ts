import type { Cancellation } from '../../../contract/delivery-changes.ts';
import type { Column } from '../../kit/result/result.ts';

/** What a cancellation would cost. */
export const cancellationFields: readonly Column<Cancellation>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id', value: ({ delivery_id }) => delivery_id },
  { field: 'cancelable', header: 'Can be canceled', kind: 'text', value: ({ cancelable }) => cancelable },
  { field: 'reason', header: 'Why not', kind: 'text', value: ({ reason }) => reason },
  { field: 'fee', header: 'Costs', kind: 'money', value: ({ fee }) => fee },
  { field: 'refund', header: 'Given back', kind: 'money', value: ({ refund }) => refund },
];
