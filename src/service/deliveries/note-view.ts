import type { DeliveryNote } from '../../contract/delivery-details.ts';
import type { DeliveryNoteRow } from '../../storage/database.ts';
import { instant } from '../runtime/timestamps.ts';

/** A note as returned by the API. */
export function noteView(row: DeliveryNoteRow): DeliveryNote {
  const { id, delivery_id, note: text, test_mode, created_at } = row;
  return {
    ...{ id, object: 'delivery_note', delivery_id, text, tags: tagsOf(row) },
    ...{ test_mode: test_mode === 1, created_at: instant(created_at) },
  };
}

function tagsOf({ tags }: DeliveryNoteRow): string[] {
  const found: unknown = JSON.parse(tags);
  return Array.isArray(found) ? found.map(String) : [];
}
