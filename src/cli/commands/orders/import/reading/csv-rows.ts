/** The rows of a CSV file: the order in the cells of each. */
import type { Fault } from '../../../../../contract/errors.ts';
import { addressRule } from '../../../../../domain/address-text.ts';
import type { Fields } from '../../../../../domain/fields.ts';
import { parseDollars } from '../../../../../domain/money.ts';
import { exclusive } from '../../../../../domain/order-rules.ts';
import { withoutMarkup } from '../../../../../domain/plain-text.ts';
import { withCellUnescaped } from '../../../../kit/output/safe-text.ts';
import { readLoadedAddress } from '../../../../session/gazetteer.ts';
import { unescaped } from '../result-files.ts';
import type { Layout } from '../source.ts';
import {
  abroad,
  type Change,
  cellText,
  centCell,
  countedItem,
  countryCell,
  degreeCell,
  dollarCell,
  flagCell,
  formulaError,
  isPlaceholder,
  itemsCell,
  referenceCell,
  Unreadable,
  withPhonesRead,
  zipCell,
} from './cell-values.ts';
import { type Columns, type OwnFile, storeColumns } from './csv-columns.ts';
import { timeAtAddress } from './delivery-dates.ts';
import { type Column, itemKinds, partNames } from './order-fields.ts';

/** The values read from a row. */
export interface ReadRow {
  fields: Fields;
  faults: Fault[];
  changes: Change[];
}

/** Reads the order of a row, with its faults. An empty cell is a missing field. */
export function fieldsIn(
  cells: readonly string[],
  { columns, order, ownFile, set }: Pick<Columns, 'columns' | 'order' | 'ownFile'> & Pick<Layout, 'set'>,
): ReadRow {
  const row: ReadRow = { fields: {}, faults: [], changes: [] };
  const { fields, faults } = row;
  const item: Record<string, string> = {};
  const parts: Record<string, string> = {};
  for (const index of order) {
    const column = columns[index] ?? null;
    const text = cellText(asWritten((cells[index] ?? '').trim(), ownFile));
    if (column === null || text === '' || isPlaceholder(text, column)) continue;
    const { field, kind } = column;
    const failed = formulaError(text);
    if (failed !== null) {
      faults.push({ path: field, message: failed.why });
      continue;
    }
    if (itemKinds[field] !== undefined) {
      item[field] = text;
      continue;
    }
    const value = ownFile === 'export' && kind === 'phone' ? withPlus(text) : readCell(text, column);
    if (value instanceof Unreadable) faults.push({ path: field, message: value.why });
    else if (kind === 'part') parts[field] = [parts[field], String(value)].filter(Boolean).join(', ');
    else fields[field] = fields[field] === undefined ? value : `${fields[field]} ${value}`;
    if (typeof value === 'string' && isShownAsChanged(column) && value !== text)
      row.changes.push({ field, from: text, to: value });
  }
  // An export has the place of the store, too.
  if (ownFile === 'export' && fields.pickup_store_id !== undefined)
    for (const name of storeColumns) delete fields[name];
  addItem(row, item);
  for (const end of ['pickup', 'dropoff']) {
    joinAddress(row, withSetParts(parts, set, end), end);
    takeNameOff(row, end);
    readLocalTime(row, end);
  }
  return withPhonesRead(row);
}

/** The text before this program escaped it for a spreadsheet or a terminal. */
export function asWritten(text: string, ownFile: OwnFile): string {
  if (ownFile === null) return text;
  return ownFile === 'export' ? withCellUnescaped(text) : unescaped(withCellUnescaped(text)).trim();
}

/** Records have phone numbers without the plus of their country. */
function withPlus(phone: string): string {
  return /^\d{8,15}$/.test(phone) ? `+${phone}` : phone;
}

/** The new format of a phone number is not worth reporting. */
function isShownAsChanged({ field, kind }: Column): boolean {
  return kind === 'text' || field.endsWith('_zip');
}

/** Adds the item that has columns of its own. */
function addItem({ fields, faults, changes }: ReadRow, item: Readonly<Record<string, string>>): void {
  if (Object.keys(item).length === 0) return;
  if (fields.items !== undefined) faults.push(exclusive('item_name', 'items'));
  const { item_name, item_quantity = '1', item_size } = item;
  const name = item_name === undefined ? undefined : withoutMarkup(item_name);
  const counted = countedItem(name ?? '', item_quantity);
  if (counted === null)
    faults.push({ path: 'item_quantity', message: `must be a whole number, not "${item_quantity}"` });
  if (counted !== null && counted.name !== item_name && name !== undefined)
    changes.push({ field: 'item_name', from: `${item_name} (${item_quantity})`, to: counted.name });
  const shown = name === undefined ? {} : { name: counted?.name ?? name };
  const size = item_size === undefined ? {} : { size: item_size };
  fields.items = [{ ...shown, ...size, quantity: counted?.quantity ?? 1 }];
}

/** The parts of an address, with those that `--set` gives where the row has others. */
function withSetParts(
  parts: Readonly<Record<string, string>>,
  set: Layout['set'],
  end: string,
): Readonly<Record<string, string>> {
  if (!Object.keys(parts).some((name) => name.startsWith(`${end}_`))) return parts;
  const given = set.filter(([field]) => partNames.test(field) && parts[field] === undefined);
  return { ...parts, ...Object.fromEntries(given) };
}

/** Makes one line of the parts of an address, unless a column has the whole. */
function joinAddress(
  { fields, faults }: ReadRow,
  parts: Readonly<Record<string, string>>,
  end: string,
): void {
  const part = (name: string) => parts[`${end}_${name}`] ?? '';
  const line = addressLineOf({
    street: part('street'),
    city: part('city'),
    state: part('state'),
    zip: part('zip'),
    country: part('country'),
  });
  if (line instanceof Unreadable) faults.push({ path: `${end}_address`, message: line.why });
  else if (line === '' || fields[`${end}_address`] !== undefined) return;
  else if (part('city') !== '' && part('state') + part('zip') === '' && lacksState(line))
    faults.push({
      path: `${end}_address`,
      message: `has no state and no ZIP code: --set ${end}_state=IL gives one to all`,
    });
  else fields[`${end}_address`] = line;
}

function lacksState(line: string): boolean {
  const read = readLoadedAddress(line);
  return 'fault' in read && read.fault === addressRule;
}

/** A label has the name in front of the street: `Ann Roe`, line end, `600 E Grand Ave`. */
function takeNameOff({ fields, changes }: ReadRow, end: string): void {
  const { [`${end}_address`]: address, [`${end}_name`]: name } = fields;
  if (typeof address !== 'string') return;
  const [first = '', next = ''] = address.split(/[\n,]/);
  const to = first.trim();
  const isAlone =
    name === undefined && /^[\p{L}.'’-]+(?: [\p{L}.'’-]+){1,3}$/u.test(to) && /^\s*\d/.test(next);
  if (next === '' || (!isAlone && to.toLowerCase() !== String(name).trim().toLowerCase())) return;
  fields[`${end}_address`] = address.slice(first.length + 1).trim();
  if (!isAlone) return;
  fields[`${end}_name`] = to;
  changes.push({ field: `${end}_name`, from: address, to, isGuess: true });
}

/** Reads a time without an offset as the time at the address. */
export function readLocalTime({ fields, faults, changes }: ReadRow, end: string): void {
  const { [`${end}_address`]: address, [`${end}_at`]: at } = fields;
  if (typeof at !== 'string') return;
  const field = `${end}_at`;
  const time = timeAtAddress(at, String(address ?? ''));
  if (time instanceof Unreadable) {
    delete fields[field];
    faults.push({ path: field, message: time.why });
    return;
  }
  fields[field] = time.at;
  if (time.guess !== null) changes.push({ ...time.guess, field });
}

/** Reads the text of a cell, or one that `--set` gives. */
export function readCell(text: string, { field, kind }: Column): unknown {
  switch (kind) {
    case 'dollars':
      return dollarCell(text, field);
    case 'whole dollars':
      return parseDollars(text) ?? new Unreadable(`must be dollars such as 4.50 or 20, not "${text}"`);
    case 'cents':
      return centCell(text);
    case 'degrees':
      return degreeCell(text);
    case 'flag':
      return flagCell(text);
    case 'json':
      return itemsCell(text);
    case 'part':
      return field.endsWith('_zip')
        ? zipCell(text)
        : withoutMarkup(text)
            .replace(field.endsWith('_state') ? /^(?:US-)?(?=[A-Z]{2}$)/ : '', '')
            .replace(/\s*\n\s*/g, ', ');
    case 'phone':
      return text;
    default:
      return field === 'external_order_ref' ? referenceCell(text) : withoutMarkup(text).trim();
  }
}

/** The parts of an address that may have a column each. */
export interface AddressParts {
  street: string;
  city: string;
  state: string;
  zip: string;
  country?: string;
}

/** One line: street, city, state, ZIP. */
export function addressLineOf({ street, city, state, zip, country = '' }: AddressParts): string | Unreadable {
  const territory = countryCell(country);
  if (territory === null) return new Unreadable(abroad(country));
  const code = zipCell(zip);
  const area = `${state === '' && street !== '' ? territory : state} ${code}`.trim();
  // Some systems write the whole address into the field of the street, and the state into that of the city.
  const isWhole = code !== '' && street.endsWith(code) && city !== '' && street.includes(city);
  if (isWhole) return street;
  const end = ` ${state}`.toLowerCase();
  const hasState = state !== '' && city.toLowerCase().endsWith(end);
  const town = hasState ? city.slice(0, -end.length).replace(/,$/, '') : city;
  return [street, town, area].filter((part) => part !== '').join(', ');
}
