import type { OrderRequest } from '../contract/orders.ts';
import { type ItemSize, itemSizes, vehicleTypes } from '../contract/vocabulary.ts';
import type { Context, Input } from './command.ts';
import { BadValue, choice, type Flag, flag, type Given, list, money, text } from './flags.ts';
import { instantOf, moment } from './moments.ts';

const pickup = 'Pickup';
const dropoff = 'Dropoff';
const parcel = 'Parcel';
const line = 'One line: street, city, state, ZIP';
const phone = 'With a leading plus: +13125550142';
const when = 'Schedules it: an instant, or 2h from now';

/** Fields that an order needs come from flags, unless a file or another order brings them. */
function unlessBrought(given: Given): boolean {
  return !given.has('file') && !given.has('like') && !given.has('stdin');
}

const needed = { required: unlessBrought };

/** A flag for each field of an order; its name is the field's, with dashes. */
export const orderFlags = {
  pickupAddress: text({ summary: line, group: pickup, placeholder: 'ADDRESS', ...needed }),
  pickupName: text({ summary: 'Who hands it over', group: pickup, placeholder: 'NAME', ...needed }),
  pickupPhoneNumber: phoneFlag(pickup, 'pickup-phone'),
  pickupUnit: text({ summary: 'Unit, floor, door', group: pickup }),
  pickupNotes: text({ summary: 'For the courier', group: pickup }),
  pickupAt: moment({ summary: when, group: pickup }),
  dropoffAddress: text({ summary: line, group: dropoff, placeholder: 'ADDRESS', ...needed }),
  dropoffName: text({ summary: 'Who takes it', group: dropoff, placeholder: 'NAME', ...needed }),
  dropoffPhoneNumber: phoneFlag(dropoff, 'dropoff-phone'),
  dropoffUnit: text({ summary: 'Unit, floor, door', group: dropoff }),
  dropoffNotes: text({ summary: 'For the courier', group: dropoff }),
  dropoffAt: moment({ summary: `${when}; not with --pickup-at`, group: dropoff }),
  item: itemFlag(),
  itemsDescription: text({ summary: 'What it is, instead of items', group: parcel }),
  externalOrderRef: text({
    summary: 'Your own reference',
    group: parcel,
    aliases: ['ref'],
    placeholder: 'REF',
  }),
  orderValue: money({ summary: 'Value of the order in dollars: 42.50', group: parcel }),
  tip: money({ summary: 'For the driver, in dollars: 3.00', group: parcel }),
  vehicle: choice({ summary: 'Only couriers with one of these', choices: vehicleTypes, group: parcel }),
  requestSignature: flag({ summary: 'The receiver signs', group: parcel, negatable: true }),
  requestContactless: flag({
    summary: 'Left at the door; not with a signature',
    group: parcel,
    negatable: true,
  }),
};

type OrderValues = Input<typeof orderFlags, Record<never, never>>['flags'];

function phoneFlag(group: string, alias: string): Flag<string | undefined> {
  return text({ summary: phone, group, placeholder: 'PHONE', aliases: [alias], ...needed });
}

function itemFlag(): Flag<string[]> {
  const options = { summary: "'NAME[:QUANTITY[:SIZE]]', again for each item", group: parcel };
  const base = list(options);
  const read = (texts: readonly string[]) => {
    for (const each of texts) readItem(each);
    return [...texts];
  };
  return { ...base, placeholder: 'ITEM', read };
}

/** The fields that were given by flags, as the interface takes them. */
export async function orderFieldsOf(
  context: Context,
  flags: OrderValues,
  given: Given,
): Promise<Partial<OrderRequest>> {
  const { item, pickupAt, dropoffAt, requestSignature, requestContactless } = flags;
  return defined({
    pickup_address: flags.pickupAddress,
    pickup_name: flags.pickupName,
    pickup_phone_number: flags.pickupPhoneNumber,
    pickup_unit: flags.pickupUnit,
    pickup_notes: flags.pickupNotes,
    pickup_at: pickupAt && (await instantOf(context, pickupAt, 'ahead')),
    dropoff_address: flags.dropoffAddress,
    dropoff_name: flags.dropoffName,
    dropoff_phone_number: flags.dropoffPhoneNumber,
    dropoff_unit: flags.dropoffUnit,
    dropoff_notes: flags.dropoffNotes,
    dropoff_at: dropoffAt && (await instantOf(context, dropoffAt, 'ahead')),
    items: item.length === 0 ? undefined : item.map(readItem),
    items_description: flags.itemsDescription,
    external_order_ref: flags.externalOrderRef,
    order_value: flags.orderValue,
    tip: flags.tip,
    vehicle: flags.vehicle,
    request_signature: given.has('requestSignature') ? requestSignature : undefined,
    request_contactless: given.has('requestContactless') ? requestContactless : undefined,
  });
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T>;
function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const ITEM = /^(?<name>.*?)(?::(?<quantity>\d{1,3})(?::(?<size>[a-z_]+))?)?$/s;

/**
 * Reads `Brisket Classic:4:small`: the quantity and the size are the last parts, both may be missing, and the
 * name may have colons of its own. Throws BadValue.
 */
export function readItem(given: string): { name: string; quantity: number; size?: ItemSize } {
  const { name = '', quantity = '1', size } = ITEM.exec(given)?.groups ?? {};
  const known = itemSizes.find((each) => each === size);
  if (name.trim() === '' || Number(quantity) < 1) throw badItem(given);
  if (size !== undefined && known === undefined) throw badItem(given);
  return { name: name.trim(), quantity: Number(quantity), ...(known === undefined ? {} : { size: known }) };
}

function badItem(given: string): BadValue {
  const sizes = itemSizes.join(', ');
  return new BadValue(
    `takes NAME, NAME:QUANTITY or NAME:QUANTITY:SIZE (${sizes}), not "${given}"`,
    itemSizes,
  );
}
