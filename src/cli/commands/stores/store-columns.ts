import type { Store } from '../../../contract/stores.ts';
import type { Column } from '../../kit/result/result.ts';

/** Columns of stores. */
export const storeColumns: readonly Column<Store>[] = [
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
  { field: 'name', header: 'Name', kind: 'text', value: ({ name }) => name },
  { field: 'address', header: 'Address', kind: 'text', prose: true, value: ({ address }) => address },
  { field: 'unit', header: 'Unit', kind: 'text', spare: 1, value: ({ unit }) => unit },
  { field: 'phone_number', header: 'Phone', kind: 'phone', spare: 2, value: (store) => store.phone_number },
  { field: 'notes', header: 'Notes', kind: 'text', wide: true, value: ({ notes }) => notes },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true, value: ({ test_mode }) => test_mode },
  { field: 'created_at', header: 'Created', kind: 'time', wide: true, value: (store) => store.created_at },
  { field: 'updated_at', header: 'Updated', kind: 'time', wide: true, value: (store) => store.updated_at },
];
