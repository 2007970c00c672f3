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
  {
    ...{ field: 'support_phone_number', header: 'Support phone', kind: 'phone', wide: true },
    value: ({ support_phone_number }) => support_phone_number,
  },
  { field: 'logo', header: 'Logo', kind: 'text', wide: true, value: ({ logo }) => logoText(logo) },
  { field: 'test_mode', header: 'Test mode', kind: 'text', wide: true, value: ({ test_mode }) => test_mode },
  { field: 'created_at', header: 'Created', kind: 'time', wide: true, value: (store) => store.created_at },
  { field: 'updated_at', header: 'Updated', kind: 'time', wide: true, value: (store) => store.updated_at },
];

/** A data image by its type and size: its text says nothing to people. */
function logoText(logo: string): string {
  const [, type, image = ''] = /^data:image\/([a-z+]+);base64,(.*)$/.exec(logo) ?? [];
  return type === undefined ? logo : `${type} image, ${Math.ceil((image.length * 3) / 4 / 1024)} kB`;
}
