/** Removes personal data from stored records, and metadata from pictures. */
import { failureMessages } from './delivery-states.ts';

/** The end of an order at which a person is: the sender at the pickup, the recipient at the dropoff. */
export type PersonalEnd = 'pickup' | 'dropoff';

/** Whose data is erased from an order. */
export interface ErasedPeople {
  ends: readonly PersonalEnd[];
  /** Whether the names, phone numbers, pictures and license plates of the drivers are erased too. */
  drivers: boolean;
}

/** The people and orders that an erasure is about. */
export interface Erasure extends ErasedPeople {
  /** The ids of the orders and of their deliveries. */
  ids: ReadonlySet<string>;
  /**
   * The name, address, notes, phone number and e-mail address of the person at an end, which are also erased where
   * another text has them as whole words.
   */
  texts: readonly string[];
}

/** The text in the place of a name or an address. */
export const erased = 'erased';

type Ends = Readonly<Record<PersonalEnd, { address: string }>>;

export function isErasedAt(order: Ends, end: PersonalEnd): boolean {
  return order[end].address === erased;
}

/** Whether an order has lost an address, so that it cannot be delivered anymore. */
export function hasErasedEnd(order: Ends): boolean {
  return isErasedAt(order, 'pickup') || isErasedAt(order, 'dropoff');
}

interface Addresses {
  pickup_address?: string;
  dropoffs?: readonly { dropoff_address: string }[];
}

/** Whether the delivery in an event has lost an address. */
export function isErasedDelivery({ pickup_address, dropoffs = [] }: Addresses): boolean {
  return pickup_address === erased || dropoffs.some(({ dropoff_address }) => dropoff_address === erased);
}

/** A shorter text may be part of others by chance. */
const min_text_length = 4;

/** Rounds to a tenth of a degree, about 11 km: the city stays known, but not the house. */
function roundPosition(degrees: number): number {
  return Math.round(degrees * 10) / 10;
}

/**
 * Removes people from a stored record: names, addresses, notes, phone numbers, e-mail addresses, proofs, signatures,
 * exact positions, and the pictures and license plates of drivers. Amounts, times, statuses and references stay.
 * Records of other orders within it stay as they are, unless `isOwn` says that the whole record belongs to the orders.
 */
export function erasePerson(record: unknown, erasure: Erasure, isOwn: boolean): unknown {
  const texts = erasure.texts.filter(({ length }) => length >= min_text_length);
  return erase(record, { ...erasure, texts }, isOwn);
}

/** Fields of IDs, references, times, statuses and types: they stay, even if they contain a word of the person. */
const keptFields = /^(id|ref|object|status|kind|type|service)$|_(id|ids|ref|at|status|type)$/;

function erase(value: unknown, erasure: Erasure, isOwn: boolean): unknown {
  if (typeof value === 'string') return isOwn ? withoutTexts(value, erasure) : value;
  if (Array.isArray(value)) return value.map((each) => erase(each, erasure, isOwn));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const isOwnHere = isOwn || belongsTo(value, erasure);
  const entries = fields.map(([name, field]): [string, unknown] => {
    if (!isOwnHere) return [name, erase(field, erasure, false)];
    if (keptFields.test(name)) return [name, field];
    const replaced = usualMessage(name, value, erasure) ?? replacement(name, field, erasure);
    return [name, replaced === undefined ? erase(field, erasure, true) : replaced.value];
  });
  return Object.fromEntries(entries);
}

const idFields = ['id', 'order_id', 'delivery_id'];

/** Whether an object is an order, a delivery of one, or a stop for these orders only. */
function belongsTo(value: object, { ids, ends }: Erasure): boolean {
  const fields = Object.entries(value);
  const { kind, order_ids } = Object.fromEntries(fields);
  if (Array.isArray(order_ids)) return ends.includes(kind) && order_ids.every((id) => ids.has(id));
  return fields.some(([name, id]) => idFields.includes(name) && ids.has(id));
}

const positions = /^(lat|lng|courier_location_(lat|lng)|(pickup|dropoff)_(latitude|longitude))$/;

type Replacements = Readonly<Record<string, string | null | readonly []>>;

/** Fields of the person at an end, whose names begin with that of the end. */
const ofPerson: Replacements = {
  name: erased,
  address: erased,
  phone_number: '',
  email: '',
  unit: '',
  notes: '',
};

/** Texts about a driver. */
const ofDriver: Replacements = {
  courier_name: erased,
  courier_img: null,
  courier_phone_number: null,
  courier_image: '',
  license_plate: '',
};

/** Fields of the handover to the recipient. */
const ofHandover: Replacements = {
  signature: null,
  pin: null,
  handover_pin: null,
  proof: [],
  proof_of_delivery: [],
  way: [],
};

/** Texts of internal notes, of notices to recipients, and of a dispute. */
const writtenTexts = ['subject', 'text', 'note', 'reason'];

/** Texts about the recipient of a delivery. */
const recipientTexts = ['dispute_reason', 'cancellation_reason', 'no_photo_reason'];

interface Replaced {
  value: unknown;
}

/** The message of a failure's code, in the place of what a driver or a dispatcher has written about the recipient. */
function usualMessage(name: string, record: object, { ends }: Erasure): Replaced | undefined {
  if (name !== 'failure_message' || !ends.includes('dropoff')) return undefined;
  const { failure_reason } = Object.fromEntries(Object.entries(record));
  const messages: Readonly<Record<string, string>> = failureMessages;
  return failure_reason in messages ? { value: messages[failure_reason] } : undefined;
}

/** The value that replaces a field; undefined if the field has no fixed one. */
function replacement(name: string, field: unknown, { ends, drivers }: Erasure): Replaced | undefined {
  for (const end of ends) {
    if (name === end && typeof field === 'object' && field !== null) return { value: eraseEnd(field) };
    const replaced = name.startsWith(`${end}_`) ? valueIn(ofPerson, name.slice(end.length + 1)) : undefined;
    if (replaced !== undefined) return replaced;
  }
  if (drivers && name === 'driver' && typeof field === 'object' && field !== null)
    return { value: eraseDriver(field) };
  if (drivers && typeof field === 'string' && Object.hasOwn(ofDriver, name)) return valueIn(ofDriver, name);
  // Of a driver alone, the rest of the record is about others.
  if (ends.length === 0) return name === 'way' ? { value: [] } : undefined;
  if (typeof field === 'string' && field !== '' && writtenTexts.includes(name)) return { value: erased };
  if (name === 'tags') return { value: [] };
  if (typeof field === 'number' && positions.test(name)) return { value: roundPosition(field) };
  if (/^((pickup|dropoff)_)?precision$/.test(name)) return { value: 'zip' };
  if (!ends.includes('dropoff')) return undefined;
  if (typeof field === 'string' && recipientTexts.includes(name)) return { value: erased };
  return valueIn(ofHandover, name);
}

function valueIn(replacements: Replacements, name: string): Replaced | undefined {
  return Object.hasOwn(replacements, name) ? { value: replacements[name] } : undefined;
}

/** The driver of a stored delivery or report. */
function eraseDriver(driver: object): object {
  const fields = Object.entries(driver).map(([name, field]): [string, unknown] => {
    if (name === 'name' && field !== null) return [name, erased];
    if (name === 'image' || name === 'phone') return [name, null];
    if (name === 'vehicle' && field !== null) return [name, { ...field, license_plate: '' }];
    return [name, field];
  });
  return Object.fromEntries(fields);
}

/** Removes the name, phone number and link from the records of drivers with a phone number. */
export function eraseDriverRecords(value: unknown, phone_number: string): unknown {
  if (Array.isArray(value)) return value.map((each) => eraseDriverRecords(each, phone_number));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const { object, phone_number: phone } = Object.fromEntries(fields);
  if (object === 'driver' && phone === phone_number)
    return { ...value, name: erased, phone_number: '', ...('link' in value && { link: '' }) };
  return Object.fromEntries(fields.map(([name, field]) => [name, eraseDriverRecords(field, phone_number)]));
}

/** The pickup or dropoff of a stored order. */
function eraseEnd(end: object): object {
  const kept = Object.entries(end).filter(([name]) => name !== 'coordinates');
  const fields = kept.map(([name, field]): [string, unknown] => {
    if (name === 'name' || name === 'address') return [name, erased];
    if (name === 'phone' || name === 'email' || name === 'unit' || name === 'notes') return [name, ''];
    return [name, name === 'point' ? erasePoint(field) : field];
  });
  return Object.fromEntries(fields);
}

function erasePoint(point: unknown): unknown {
  if (typeof point !== 'object' || point === null) return point;
  const rounded = Object.entries(point).map(([name, degrees]) => [
    name,
    typeof degrees === 'number' ? roundPosition(degrees) : degrees,
  ]);
  return Object.fromEntries(rounded);
}

function withoutTexts(value: string, { texts }: Erasure): string {
  return texts.reduce((text, personal) => {
    const literal = personal.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    return text.replace(new RegExp(String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])`, 'gu'), erased);
  }, value);
}
