/** Puts what was written beside a phone number, such as an extension, into the notes for the courier. */
import type { max_notes } from '../contract/vocabulary.ts';
import type { Fields } from './fields.ts';
import { type PhoneReading, readPhoneText } from './phone-text.ts';

/** The longest notes that the contract allows; the domain imports only types of the contract. */
const notes_limit: typeof max_notes = 500;

/** A phone number of an order and the notes of its end; the notes take what was written beside the number. */
export interface Contact {
  /** In international format with a plus. */
  number: string;
  notes: string;
}

/** Reads the phone number of a contact; `fault` is the end of a sentence that begins with the field. */
export function readContact(reading: PhoneReading, notes: string): Contact | { fault: string } {
  if ('fault' in reading) return reading;
  const { number, extra } = reading;
  const text = notesWithExtra(notes, extra);
  if (text === notes || text.length <= notes_limit) return { number, notes: text };
  return { fault: noRoomFault(extra) };
}

/** The fault if the notes have no room for what was written beside a number. */
export function noRoomFault(extra: string): string {
  return `has "${extra}" beside the number, which no longer fits into the notes: shorten them`;
}

/** Notes with what was written beside a phone number: `Ring twice. Phone ext. 12`. */
function notesWithExtra(notes: string, extra: string): string {
  const text = `Phone ${extra}`;
  const before = notes.trim();
  // Another extension may begin with the same digits.
  const [, ...rests] = before.split(text);
  const isThere = rests.some((rest) => !/^\w/.test(rest));
  if (extra === '' || isThere) return notes;
  return `${before}${/[.!?]$|^$/.test(before) ? '' : '.'} ${text}`.trim();
}

interface ReadPhones<T> {
  fields: T;
  /** What was put into notes, in sentences. */
  moved: string[];
}

/**
 * The fields of an order with both phone numbers in international format. A number stays unchanged if it cannot be read,
 * or if the notes have no room for what is beside it: the check of the order says why.
 */
export function readOrderPhones<T extends Fields>(fields: T): ReadPhones<T> {
  const read: ReadPhones<T> = { fields, moved: [] };
  for (const end of ['pickup', 'dropoff']) {
    const { [`${end}_phone_number`]: text, [`${end}_notes`]: notes = '' } = read.fields;
    if (typeof text !== 'string' || typeof notes !== 'string') continue;
    const reading = readPhoneText(text);
    if ('fault' in reading) continue;
    const contact = readContact(reading, notes);
    if ('fault' in contact) continue;
    read.fields = { ...read.fields, [`${end}_phone_number`]: contact.number };
    if (contact.notes !== notes) {
      read.fields = { ...read.fields, [`${end}_notes`]: contact.notes };
      read.moved.push(`"${reading.extra}" beside the phone number is in the ${end} notes.`);
    }
  }
  return read;
}
