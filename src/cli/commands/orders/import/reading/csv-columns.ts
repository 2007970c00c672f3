/** CSV columns as fields of an order: the header, and how the cells are read. */
import type { Fault } from '../../../../../contract/errors.ts';
import { orderRequestFields } from '../../../../../contract/orders.ts';
import type { Fields } from '../../../../../domain/fields.ts';
import { parseDollars } from '../../../../../domain/money.ts';
import { exclusive } from '../../../../../domain/order-rules.ts';
import { withoutMarkup } from '../../../../../domain/plain-text.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { withCellUnescaped } from '../../../../kit/output/safe-text.ts';
import { didYouMean } from '../../../../kit/result/message.ts';
import { unescaped } from '../result-files.ts';
import type { ColumnMap, Layout } from '../source.ts';
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
  itemsCell,
  referenceCell,
  Unreadable,
  withPhonesRead,
  zipCell,
} from './cell-values.ts';
import { timeAtAddress } from './delivery-dates.ts';
import { missingHint, toFieldName, unreadColumns } from './missing-columns.ts';
import type { Sample, UsualColumn } from './usual-headers.ts';

export interface Columns {
  /** One for each cell of a row; null for a column that is not an order field. */
  columns: (Column | null)[];
  ignored: string[];
  /** The places of the columns in the order in which they are read: that of `--map`, then of the file. */
  order: readonly number[];
  /** The field of each column, known or not. */
  fields: readonly string[];
  /** Columns that are not read although they seem to be fields. */
  unread: readonly UsualColumn[];
  /** Which file of ours it is, in which formulas are escaped: one of failed rows, or an export of orders. */
  ownFile: OwnFile;
}

export type OwnFile = 'failed rows' | 'export' | null;

/** A header, and the first rows below it. */
export interface Head {
  name: string;
  headers: readonly string[];
  rows: readonly (readonly string[])[];
}

/**
 * Reads the header of a file. Throws UsageError if a required column is missing; `otherExport` then says which export of
 * a shop system the file seems to be, or is null.
 */
export function columnsIn(
  { name, headers, rows }: Head,
  { map, store, set }: Pick<Layout, 'map' | 'store' | 'set'>,
  otherExport: string | null,
): Columns {
  const fields = orderFields(mappedFields(headers, map, name));
  const samplesOf = (isTaken: (place: number) => boolean) =>
    headers.flatMap((header, place) =>
      isTaken(place) ? [{ header, values: rows.map((cells) => cells[place] ?? '') }] : [],
    );
  const unnamed = samplesOf((place) => findOrderColumn(fields[place] ?? '') === null);
  const taken = takeDropoffs(unnamed, headers, fields);
  const unknown = map.find(([, field]) => findOrderColumn(field) === null);
  if (unknown !== undefined) {
    const [header, field] = unknown;
    const hint = didYouMean(field, fieldNames);
    throw new UsageError(`--map "${header}=${field}": an order has no field ${field}.`, hint ? { hint } : {});
  }
  const columns = fields.map(findOrderColumn);
  const known = columns.flatMap((column) => (column === null ? [] : [column.field]));
  const samples = samplesOf((place) => columns[place] === null && !ownColumns.includes(fields[place] ?? ''));
  const given = set.flatMap(([field]) => findOrderColumn(field)?.field ?? field);
  checkColumns([...known, ...given.filter((field) => !known.includes(field))], {
    samples,
    name,
    map,
    store,
    otherExport,
    taken,
  });
  const ignored = samples.map(({ header }) => header);
  const ownFile = ownFileWith(fields);
  const [unread, order] = [unreadColumns(known, samples), readingOrder(headers, map)];
  return { columns, ignored, fields, unread, order, ownFile };
}

/**
 * The fields of the headers of a file, in their order; those that the map does not name keep their own. Throws UsageError
 * for a header that the file does not have.
 */
function mappedFields(headers: readonly string[], map: ColumnMap, name: string): string[] {
  const fields = headers.map(toFieldName);
  for (const [index, [header, field]] of map.entries()) {
    if (map.slice(0, index).some(([other]) => other.toLowerCase() === header.toLowerCase()))
      throw new UsageError(`--map names the column "${header}" twice: one column is one field.`);
    const place = headers.findIndex((each) => each.trim().toLowerCase() === header.toLowerCase());
    if (place < 0) {
      const hint = didYouMean(header, headers);
      throw new UsageError(`${name} has no column "${header}", which --map names.`, hint ? { hint } : {});
    }
    fields[place] = field;
  }
  return fields;
}

/** Which of our own files has these fields. */
export function ownFileWith(fields: readonly string[]): OwnFile {
  const hasAll = (names: readonly string[]) => names.every((each) => fields.includes(each));
  if (hasAll(ownColumns)) return 'failed rows';
  return hasAll(orderExportColumns) || hasAll(deliveryExportColumns) ? 'export' : null;
}

/** The fields of an export of deliveries that orders have under another name or in another form. */
const deliveryFields: Readonly<Record<string, string>> = {
  store_id: 'pickup_store_id',
  tip: 'tip_cents',
  agreed_tip_cents: 'tip_cents',
  order_value: 'order_value_cents',
  vehicle: 'courier_vehicle',
};

/** The short names that `--columns` takes, and writes into an export. */
const shortNames: Readonly<Record<string, string>> = { ref: 'external_order_ref', value: 'order_value' };

function orderFields(fields: readonly string[]): string[] {
  if (deliveryExportColumns.every((each) => fields.includes(each)))
    return fields.map((field) => deliveryFields[field] ?? field);
  const isOwn = dropoffColumns.every((each) => fields.includes(each));
  return fields.map((field) => (isOwn ? (shortNames[field] ?? field) : field));
}

function readingOrder(headers: readonly string[], map: ColumnMap): number[] {
  const folded = (header: string) => header.trim().toLowerCase();
  const mapped = map.map(([header]) => headers.findIndex((each) => folded(each) === folded(header)));
  return [...new Set([...mapped, ...headers.keys()])];
}

/** Columns that are read even if they are not mapped: those named after the dropoff, and a country, to refuse others. */
const ownHeader = /^drop[ _-]?off[ _-]|country/i;

function takeDropoffs(samples: readonly Sample[], headers: readonly string[], fields: string[]): string[] {
  const own = samples.filter(({ header }) => ownHeader.test(header.trim()));
  const found = unreadColumns(fields, own);
  for (const [header, field] of found) fields[headers.indexOf(header)] = field;
  return found.map(([, field]) => field);
}

type Kind = 'part' | 'text' | 'phone' | 'dollars' | 'whole dollars' | 'cents' | 'degrees' | 'flag' | 'json';

/** The field of a column, and how its cells are read. */
export interface Column {
  field: string;
  kind: Kind;
}

/** The three columns of an order with one item. */
const itemKinds: Record<string, Kind> = { item_name: 'text', item_quantity: 'text', item_size: 'text' };

/** The columns that this program adds to a file of failed rows. */
export const ownColumns: readonly string[] = ['line', 'error'];

/** The parts of an address that have a column each: `dropoff_street`. */
const partNames = /^(pickup|dropoff)_(street|city|state|zip|country)$/;

/** Whether a field is a part of an address, which is no field of an order by itself. */
export function isAddressPart(field: string): boolean {
  return partNames.test(field);
}

/** The names that columns may have, for suggestions. */
export const fieldNames: readonly string[] = [
  ...Object.keys(orderRequestFields),
  ...['item_name', 'item_quantity', 'item_size'],
  ...['dropoff_street', 'dropoff_city', 'dropoff_state', 'dropoff_zip', 'dropoff_country'],
];

/**
 * The order field of a column; null if orders have no such field. `tip_cents` is `tip` in cents, as exports write it, and
 * `tip_dollars` in dollars, also in whole ones.
 */
export function findOrderColumn(name: string): Column | null {
  const [, amount = '', unit = ''] = /^(.+)_(cents|dollars)$/.exec(name) ?? [];
  if (kindOf(amount) === 'dollars')
    return { field: amount, kind: unit === 'cents' ? 'cents' : 'whole dollars' };
  const kind = kindOf(name);
  return kind === undefined ? null : { field: name, kind };
}

function kindOf(name: string): Kind | undefined {
  if (partNames.test(name)) return 'part';
  if (name === 'items') return 'json';
  if (name === 'pickup_phone_number' || name === 'dropoff_phone_number') return 'phone';
  const schema = Object.entries(orderRequestFields).find(([field]) => field === name)?.[1];
  if (schema === undefined) return itemKinds[name];
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'integer') return 'dollars';
  if (type === 'number') return 'degrees';
  return type === 'boolean' ? 'flag' : 'text';
}

/** Columns that an export of orders has and no order to create. */
const orderExportColumns = ['id', 'status', 'created_at', 'updated_at'];
const deliveryExportColumns = ['id', 'status', 'dropoff_eta', 'tracking_url'];

const dropoffColumns = ['dropoff_address', 'dropoff_name', 'dropoff_phone_number'];
const pickupColumns = ['pickup_address', 'pickup_name', 'pickup_phone_number'];

/** The columns of a pickup, which a store replaces. */
const storeColumns = [...pickupColumns, 'pickup_unit', 'pickup_notes', 'pickup_latitude', 'pickup_longitude'];

const itemColumns = ['items', 'items_description', 'item_name'];

interface Header extends Pick<Layout, 'map' | 'store'> {
  samples: readonly Sample[];
  name: string;
  otherExport: string | null;
  /** The fields of columns that are read without being mapped. */
  taken: readonly string[];
}

function checkColumns(known: readonly string[], header: Header): void {
  const { name, map, store } = header;
  // Several columns that are mapped to one text are joined.
  const isJoined = (field: string) => findOrderColumn(field)?.kind === 'text' || field.endsWith('_street');
  const joined = [...map.map(([, field]) => field), ...header.taken].filter(isJoined);
  const twice = known.find((field, index) => known.indexOf(field) !== index && !joined.includes(field));
  if (twice !== undefined) throw new UsageError(`${name} has the column ${twice} twice.`);
  const hasStore = store !== null || known.includes('pickup_store_id');
  const required = hasStore ? dropoffColumns : [...pickupColumns, ...dropoffColumns];
  const missing = required.filter((field) => !known.includes(field) && !isInParts(field, known));
  if (!itemColumns.some((field) => known.includes(field))) missing.push(itemColumns.join(' or '));
  if (missing.length === 0) return;
  const isOwn = known.some((field) => dropoffColumns.includes(field)) && map.length === 0;
  const hint = header.otherExport ?? missingHint(missing, { known, samples: header.samples, isOwn });
  throw new UsageError(`${name} has no column ${missing.join(', ')}.`, { hint, missing });
}

/** Whether an address has columns for its parts: the street, and the city or ZIP code. */
function isInParts(field: string, known: readonly string[]): boolean {
  const end = field.replace(/_address$/, '');
  return known.includes(`${end}_street`) && (known.includes(`${end}_zip`) || known.includes(`${end}_city`));
}

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
    if (column === null || text === '') continue;
    const { field, kind } = column;
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
    takeNameOff(fields, end);
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
  else if (line !== '' && fields[`${end}_address`] === undefined) fields[`${end}_address`] = line;
}

/** A label has the name in front of the street: `Ann Roe`, line end, `600 E Grand Ave`. */
function takeNameOff(fields: Fields, end: string): void {
  const { [`${end}_address`]: address, [`${end}_name`]: name } = fields;
  if (typeof address !== 'string' || typeof name !== 'string') return;
  const [first = '', ...lines] = address.split(/[\n,]/);
  if (lines.length > 0 && first.trim().toLowerCase() === name.trim().toLowerCase())
    fields[`${end}_address`] = address.slice(first.length + 1).trim();
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
