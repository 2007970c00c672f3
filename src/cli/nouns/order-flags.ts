/** The flags of an order, one for each of its fields, and how their values are read. */
import type { OrderRequest } from '../../contract/orders.ts';
import { type ItemSize, itemSizes, undeliverableActions, vehicleTypes } from '../../contract/vocabulary.ts';
import { formFault, hasZipOrState } from '../../domain/address-text.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { itemSize } from '../../domain/order-rules.ts';
import type { Parcel } from '../../domain/parcel.ts';
import { readPhoneText } from '../../domain/phone-text.ts';
import {
  BadValue,
  choiceFlag,
  type Flag,
  type GivenInput,
  listFlag,
  moneyFlag,
  readChoice,
  switchFlag,
  textFlag,
} from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Input } from '../session/command.ts';
import { momentFlag } from '../session/time-arguments.ts';

const pickupGroup = 'Pickup';
const dropoffGroup = 'Dropoff';
const itemsGroup = 'Items';
const addressSummary = 'Address on one line: street, city, state, ZIP (ZIP optional)';
const timeSummary = 'Schedule for a time, such as 2h from now or "tomorrow 6pm" at the address';

/** The fault of a phone number as an answer, in a sentence. The service is stricter: it knows which numbers exist. */
export function phoneFault(text: string): string | null {
  const phone = readPhoneText(text);
  return 'fault' in phone ? `It ${phone.fault}${phone.fault.endsWith('?') ? '' : '.'}` : null;
}

/** A number in international format; a text that is none, or has more than a number, is left to the service. */
export function withCountry(text: string): string {
  const phone = readPhoneText(text);
  return 'fault' in phone || phone.extra !== '' ? text : phone.number;
}

/** The fault of an address as an answer, in a sentence; the service, which has the tables of ZIP codes, is stricter. */
export function addressFault(text: string): string | null {
  const fault = formFault(text);
  if (fault !== null) return `It ${fault}.`;
  return hasZipOrState(text)
    ? null
    : 'Add the ZIP code, or give street, city and state separated by commas, e.g. 233 S Wacker Dr, Chicago, IL 60606.';
}

/** The phone number of a store or a driver. */
export const phoneOptions = {
  summary: 'US phone number, or international with a plus: +13125550142',
  placeholder: 'PHONE',
  question: 'Phone (US, or international with a plus: +13125550142)',
  aliases: ['phone'],
  check: phoneFault,
};

/** `--undeliverable-action`: what a courier does with a parcel that cannot be handed over. */
export function undeliverableFlag(group?: string) {
  return choiceFlag({
    summary: 'What a courier does with what cannot be handed over (default: return, which may cost)',
    choices: undeliverableActions,
    ...(group === undefined ? {} : { group }),
  });
}

/** `--dropoff-latitude 41.8788`; the service checks whether it may be right. */
export function coordinateFlag(
  kind: 'latitude' | 'longitude',
  options: { group?: string } = {},
): Flag<number | undefined> {
  const limit = kind === 'latitude' ? 90 : 180;
  const given = kind === 'latitude' ? ', given together with the longitude' : '';
  const base = textFlag({ summary: `Exact ${kind} in degrees${given}`, placeholder: 'DEGREES', ...options });
  const read = (texts: readonly string[]) => {
    const typed = (texts.at(-1) ?? '').trim();
    const degrees = /^[-+]?\d{1,3}(\.\d+)?$/.test(typed) ? Number(typed) : Number.NaN;
    if (Math.abs(degrees) <= limit) return degrees;
    throw new BadValue(`must be degrees from -${limit} to ${limit}, such as 41.8788, not "${typed}"`);
  };
  return { ...base, read, absent: () => undefined };
}

/** A measure of a parcel: `--length 12.5`. */
function measureFlag(summary: string): Flag<number | undefined> {
  const base = textFlag({ summary, placeholder: 'NUMBER', group: itemsGroup });
  const read = (texts: readonly string[]) => {
    const typed = (texts.at(-1) ?? '').trim();
    if (/^\d{1,5}(\.\d{1,3})?$/.test(typed)) return Number(typed);
    throw new BadValue(`must be a number such as 12.5, not "${typed}"`);
  };
  return { ...base, read, absent: () => undefined };
}

/** Required fields come from flags unless a file or another order provides them, or the order exists. */
function unlessFromFileOrCopy(given: GivenInput): boolean {
  return !['file', 'like', 'stdin', 'order'].some((name) => given.has(name));
}

/** Fields of a saved store are not required. */
function unlessFromStore(given: GivenInput): boolean {
  return unlessFromFileOrCopy(given) && !given.has('store');
}

/** One flag for each field of an order, named after it with dashes. */
export const orderFlags = {
  store: textFlag({
    summary: 'Saved pickup location, by ID or name, instead of the pickup fields',
    group: pickupGroup,
    aliases: ['pickup-store-id'],
    placeholder: 'STORE',
  }),
  pickupAddress: addressFlag(pickupGroup, unlessFromStore),
  pickupLatitude: coordinateFlag('latitude', { group: pickupGroup }),
  pickupLongitude: coordinateFlag('longitude', { group: pickupGroup }),
  pickupName: nameFlag(pickupGroup, 'Who hands over the items', unlessFromStore),
  pickupPhoneNumber: phoneFlag(pickupGroup, 'pickup-phone', unlessFromStore),
  pickupUnit: textFlag({ summary: 'Unit or floor', group: pickupGroup }),
  pickupNotes: textFlag({ summary: 'Notes for the courier', group: pickupGroup }),
  pickupAt: momentFlag({ isVisit: true, summary: timeSummary, group: pickupGroup }),
  dropoffAddress: addressFlag(dropoffGroup, unlessFromFileOrCopy),
  dropoffLatitude: coordinateFlag('latitude', { group: dropoffGroup }),
  dropoffLongitude: coordinateFlag('longitude', { group: dropoffGroup }),
  dropoffName: nameFlag(dropoffGroup, 'Who receives the items', unlessFromFileOrCopy),
  dropoffPhoneNumber: phoneFlag(dropoffGroup, 'dropoff-phone', unlessFromFileOrCopy),
  dropoffEmail: emailFlag(),
  dropoffUnit: textFlag({ summary: 'Unit or floor', group: dropoffGroup }),
  dropoffNotes: textFlag({ summary: 'Notes for the courier', group: dropoffGroup }),
  dropoffAt: momentFlag({
    isVisit: true,
    summary: `${timeSummary} (not with --pickup-at)`,
    group: dropoffGroup,
  }),
  item: itemFlag(),
  itemsDescription: textFlag({ summary: 'Description, instead of items', group: itemsGroup }),
  externalOrderRef: textFlag({
    summary: 'Your own reference',
    group: itemsGroup,
    aliases: ['ref'],
    placeholder: 'REF',
  }),
  orderValue: moneyFlag({
    summary: 'Order value in dollars, such as 42.50',
    group: itemsGroup,
    aliases: ['value', 'goods'],
  }),
  tip: moneyFlag({ summary: 'Driver tip in dollars, such as 3.00', group: itemsGroup }),
  length: measureFlag('Length of the parcel in inches, with --width and --height'),
  width: measureFlag('Width of the parcel in inches'),
  height: measureFlag('Height of the parcel in inches'),
  weight: measureFlag('Weight of the parcel in pounds, which gives the size of its items'),
  vehicle: choiceFlag({ summary: 'Only use these vehicle types', choices: vehicleTypes, group: itemsGroup }),
  undeliverableAction: undeliverableFlag(itemsGroup),
  requestSignature: switchFlag({
    summary: 'Require a signature from the recipient',
    group: itemsGroup,
    negatable: true,
  }),
  requestContactless: switchFlag({
    summary: 'Leave at the door (not with a signature)',
    group: itemsGroup,
    negatable: true,
  }),
};

export type OrderValues = Input<typeof orderFlags, Record<never, never>>['flags'];

type Condition = (given: GivenInput) => boolean;

function addressFlag(group: string, required: Condition): Flag<string | undefined> {
  const question = `${group} address (street, city, state, ZIP)`;
  return textFlag({
    summary: addressSummary,
    group,
    placeholder: 'ADDRESS',
    question,
    check: addressFault,
    required,
  });
}

function nameFlag(group: string, summary: string, required: Condition): Flag<string | undefined> {
  const question = `${group} name (${summary.replace('Who', 'who')})`;
  return textFlag({ summary, group, placeholder: 'NAME', question, required });
}

function phoneFlag(group: string, alias: string, required: Condition): Flag<string | undefined> {
  const question = `${group} phone (US, or international with a plus: +13125550142)`;
  const base = textFlag({ ...phoneOptions, group, aliases: [alias], question, required });
  return { ...base, read: (texts) => withCountry(texts.at(-1) ?? '') };
}

/** An address that the service would refuse is refused before anything is sent. */
function emailFlag(): Flag<string | undefined> {
  const base = textFlag({ summary: 'E-mail address for notices', group: dropoffGroup, placeholder: 'EMAIL' });
  const read = (texts: readonly string[]) => {
    const address = (texts.at(-1) ?? '').trim();
    if (/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/.test(address)) return address;
    throw new BadValue(`must be an e-mail address such as joe@diner.example, not "${address}"`);
  };
  return { ...base, read };
}

function itemFlag(): Flag<string[]> {
  const base = listFlag({
    summary: 'Item as NAME[:QUANTITY[:SIZE]]',
    aliases: ['items'],
    group: itemsGroup,
    question: 'What is it? (name, name:quantity, or name:quantity:size)',
    required: (given) => unlessFromFileOrCopy(given) && !given.has('itemsDescription'),
  });
  const read = (texts: readonly string[]) => {
    for (const each of texts) readItem(each);
    return [...texts];
  };
  return { ...base, placeholder: 'ITEM', read };
}

/** Returns the fields given by flags, in the form of the contract, without the times: they depend on the addresses. */
export function readOrderFields(flags: OrderValues, given: GivenInput): Partial<OrderRequest> {
  const { item, requestSignature, requestContactless } = flags;
  return withoutAbsent({
    pickup_store_id: flags.store,
    pickup_address: flags.pickupAddress,
    pickup_latitude: flags.pickupLatitude,
    pickup_longitude: flags.pickupLongitude,
    pickup_name: flags.pickupName,
    pickup_phone_number: flags.pickupPhoneNumber,
    pickup_unit: flags.pickupUnit,
    pickup_notes: flags.pickupNotes,
    dropoff_address: flags.dropoffAddress,
    dropoff_latitude: flags.dropoffLatitude,
    dropoff_longitude: flags.dropoffLongitude,
    dropoff_name: flags.dropoffName,
    dropoff_phone_number: flags.dropoffPhoneNumber,
    dropoff_email: flags.dropoffEmail,
    dropoff_unit: flags.dropoffUnit,
    dropoff_notes: flags.dropoffNotes,
    items: item.length === 0 ? undefined : item.map(readItem),
    items_description: flags.itemsDescription,
    external_order_ref: flags.externalOrderRef,
    order_value: flags.orderValue,
    tip: flags.tip,
    ...parcelOf(flags),
    vehicle: flags.vehicle,
    undeliverable_action: flags.undeliverableAction,
    request_signature: given.has('requestSignature') ? requestSignature : undefined,
    request_contactless: given.has('requestContactless') ? requestContactless : undefined,
  });
}

/** The sizes with their units. */
function parcelOf({
  length,
  width,
  height,
  weight,
}: Pick<OrderValues, 'length' | 'width' | 'height' | 'weight'>): Parcel {
  const edges = { length, width, height };
  const missing = Object.entries(edges).flatMap(([name, edge]) => (edge === undefined ? [`--${name}`] : []));
  const isSized = missing.length < 3;
  if (isSized && missing.length > 0)
    throw new UsageError(`--length, --width and --height go together; missing: ${missing.join(', ')}.`, {
      code: 'missing_input',
      missing,
    });
  return {
    ...(isSized && { ...withoutAbsent(edges), dimension_unit: 'in' }),
    ...(weight !== undefined && { weight, weight_unit: 'lb' }),
  };
}

const max_quantity = 999;

/** A number, or text meant as one: `1000`, `-3`, `2.5`. */
const numberText = /^\s*-?\d[\d.,]*\s*$/;

/**
 * Reads `Brisket Classic:4:small`: quantity and size are the last parts, both optional, and the name may contain
 * colons. Throws BadValue, which names the wrong part.
 */
export function readItem(given: string): { name: string; quantity: number; size?: ItemSize } {
  const parts = given.split(':');
  const [last = '', beforeLast = ''] = [parts.at(-1), parts.at(-2)];
  if (parts.length > 1 && numberText.test(last)) return readCounted(given, parts.slice(0, -1), last);
  if (parts.length > 2 && numberText.test(beforeLast)) {
    const size = itemSize(last.trim());
    if (size === null) throw badItem(given, `"${last}" is not a size (${itemSizes.join(', ')})`);
    return { ...readCounted(given, parts.slice(0, -2), beforeLast), size };
  }
  if (parts.length > 1 && itemSizes.some((size) => size === last.trim()))
    throw badItem(given, 'a size comes after the quantity');
  // A name has a blank after its colon.
  if (/^[^:]+:\S+:\S+$/.test(given)) throw badItem(given, `"${beforeLast}" is not a quantity`);
  if (/^\s*[[{]/.test(given)) throw badItem(given, 'items as JSON are those of an order in a --file');
  const [, count, counted] = /^\s*(\d{1,3}) ?[x×] (?=\p{L})(.+)$/su.exec(given) ?? [];
  if (count !== undefined && counted !== undefined) return readCounted(given, [counted], count);
  return { name: nameOf(given, parts), quantity: 1 };
}

function readCounted(given: string, parts: readonly string[], text: string) {
  const quantity = Number(text);
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > max_quantity)
    throw badItem(given, `the quantity is a whole number from 1 to ${max_quantity}, not ${text.trim()}`);
  return { name: nameOf(given, parts), quantity };
}

function nameOf(given: string, parts: readonly string[]): string {
  const name = parts.join(':').trim();
  if (name === '') throw badItem(given, 'the name is missing');
  return name;
}

function badItem(given: string, why: string): BadValue {
  return new BadValue(`must be NAME, NAME:QUANTITY or NAME:QUANTITY:SIZE, not "${given}": ${why}`, itemSizes);
}

/** `--clear notes`: `--notes ''` is refused, as it usually results from an unset variable. */
export function clearFlag<const C extends string>(fields: readonly C[]): Flag<C[]> {
  const base = listFlag({ summary: 'Clear a field', placeholder: 'FIELD' });
  // JSON has some in the plural: `providers`.
  const nameOf = (text: string) => fields.find((field) => text === `${field}s`) ?? text;
  const read = (texts: readonly string[]) => texts.map((text) => readChoice(nameOf(text), fields));
  return { ...base, choices: fields, read, absent: () => [] };
}

/** The changes, with an empty text for each cleared field; UsageError for a field both set and cleared. */
export function withCleared<T extends object>(changes: T, clear: readonly string[]): T {
  const fieldOf = (name: string) => name.replaceAll('-', '_');
  const given = new Map(Object.entries(changes));
  const both = clear.find((name) => given.get(fieldOf(name)) !== undefined);
  if (both !== undefined) throw new UsageError(`--clear ${both} and --${both} cannot be used together.`);
  return { ...changes, ...Object.fromEntries(clear.map((name) => [fieldOf(name), ''])) };
}
