import { readOrderPhones } from '../../../../../domain/contact-phones.ts';
import type { Fields } from '../../../../../domain/fields.ts';
import type { Change } from './cell-values.ts';

/** The order of a row with its phone numbers read: what stands beside a number is in the notes, which is noted. */
export function withPhonesRead<R extends { fields: Fields; changes?: readonly Change[] }>(row: R): R {
  const { fields } = readOrderPhones(row.fields);
  const changes = ['pickup', 'dropoff'].flatMap((end): Change[] => {
    const { [`${end}_notes`]: notes, [`${end}_phone_number`]: number } = fields;
    const { [`${end}_notes`]: before, [`${end}_phone_number`]: text } = row.fields;
    if (notes === before) return [];
    return [{ field: `${end}_phone_number`, from: String(text), to: `${number}, the rest in the notes` }];
  });
  return {
    ...row,
    fields,
    ...(changes.length === 0 ? {} : { changes: [...(row.changes ?? []), ...changes] }),
  };
}
