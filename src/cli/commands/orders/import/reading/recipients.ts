import { addressKey } from '../../../../../domain/addresses.ts';
import type { Fields } from '../../../../../domain/fields.ts';
import { foldedWords } from '../../../../../domain/search-text.ts';
import { readLoadedAddress } from '../../../../session/gazetteer.ts';

/** Comparison of the recipients of orders, as two rows or systems may write the same one differently. */

/** The parts of a recipient, in the form in which they are compared; empty for one that is not given. */
type Recipient = Readonly<Record<'dropoff_name' | 'dropoff_phone_number' | 'dropoff_address', string>>;

export function toRecipient(fields: Fields): Recipient {
  const address = textIn(fields.dropoff_address);
  return {
    dropoff_name: foldedWords(textIn(fields.dropoff_name)).join(' '),
    dropoff_phone_number: textIn(fields.dropoff_phone_number).replace(/\D/g, ''),
    dropoff_address: address === '' ? '' : addressKey(asStored(address)),
  };
}

/** Empty for any other value. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An address as records have it; one that cannot be read as it is. */
function asStored(address: string): string {
  const read = readLoadedAddress(address);
  return 'fault' in read ? address : read.address;
}

/** The parts in which two recipients differ; one that is not given differs from none. */
export function recipientDifferences(left: Recipient, right: Recipient): (keyof Recipient)[] {
  const parts = ['dropoff_name', 'dropoff_phone_number', 'dropoff_address'] as const;
  return parts.filter((part) => left[part] !== '' && right[part] !== '' && left[part] !== right[part]);
}
