import type { Column } from '../result/result.ts';

interface Deleted {
  id: string;
  deleted: boolean;
}

/** Fields of a deleted record. */
export const deletedFields: Column<Deleted>[] = [
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
  { field: 'deleted', header: 'Deleted', kind: 'text', value: ({ deleted }) => deleted },
];
