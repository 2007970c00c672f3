import { ifSupported } from '../../../client/errors.ts';
import type { DeliveryNote } from '../../../contract/delivery-details.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import type { Column, Show } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';

export const noteColumns: readonly Column<DeliveryNote>[] = [
  { field: 'created_at', header: 'Created', kind: 'time', value: ({ created_at }) => created_at },
  { field: 'text', header: 'Note', kind: 'text', prose: true, value: ({ text }) => text },
  { field: 'tags', header: 'Tags', kind: 'text', unlessEmpty: true, value: ({ tags }) => tags },
  {
    field: 'delivery_id',
    header: 'Delivery',
    kind: 'id',
    wide: true,
    value: ({ delivery_id }) => delivery_id,
  },
  { field: 'id', header: 'ID', kind: 'id', wide: true, value: ({ id }) => id },
];

/** The newest notes of a delivery; null if the service keeps none. */
export async function fetchNotes(context: Context, deliveryid: string): Promise<DeliveryNote[] | null> {
  const client = await context.client();
  const call = client.deliveries.notes({ params: { deliveryid } });
  return ifSupported(
    call.then(({ data }) => data.data),
    null,
  );
}

/** `Called the recipient [callback], 3 min ago` */
export function noteText({ text, tags, created_at }: DeliveryNote, show: Pick<Show, 'time'>): string {
  const tagged = tags.length === 0 ? '' : ` [${tags.join(', ')}]`;
  return oneLine(`${text}${tagged}, ${show.time(created_at)}`);
}
