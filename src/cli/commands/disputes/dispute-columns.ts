import type { Dispute } from '../../../contract/disputes.ts';
import type { Column } from '../../kit/result/result.ts';

export const disputeColumns: readonly Column<Dispute>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id', value: ({ delivery_id }) => delivery_id },
  { field: 'status', header: 'Status', kind: 'text', value: ({ status }) => status },
  { field: 'outcome', header: 'Outcome', kind: 'text', value: ({ outcome }) => outcome },
  { field: 'amount', header: 'Refund', kind: 'money', value: ({ amount, outcome }) => outcome && amount },
  { field: 'reason', header: 'Reason', kind: 'text', prose: true, value: ({ reason }) => reason },
  { field: 'note', header: 'Note', kind: 'text', wide: true, value: ({ note }) => note },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1, value: ({ created_at }) => created_at },
  {
    field: 'resolved_at',
    header: 'Resolved',
    kind: 'time',
    wide: true,
    value: ({ resolved_at }) => resolved_at,
  },
];
