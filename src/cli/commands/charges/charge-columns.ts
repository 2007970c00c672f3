import type { Charge } from '../../../contract/charges.ts';
import type { Column } from '../../kit/result/result.ts';

/** How movements of money are shown. */
export const chargeColumns: readonly Column<Charge>[] = [
  { field: 'kind', header: 'Kind', kind: 'text', value: ({ kind }) => kind },
  { field: 'amount', header: 'Amount', kind: 'money', value: ({ amount }) => amount },
  { field: 'delivery_id', header: 'Delivery', kind: 'text', value: ({ delivery_id }) => delivery_id },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1, value: ({ created_at }) => created_at },
  { field: 'id', header: 'ID', kind: 'id', wide: true, value: ({ id }) => id },
];
