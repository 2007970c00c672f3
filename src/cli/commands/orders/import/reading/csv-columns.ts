import type { Fault } from '../../../../../contract/errors.ts';
import { orderRequestFields } from '../../../../../contract/orders.ts';
import { normalizeAddress, zoneOf } from '../../../../../domain/addresses.ts';
import { readOrderPhones } from '../../../../../domain/contact-phones.ts';
import type { Fields } from '../../../../../domain/fields.ts';
import { parseDollars } from '../../../../../domain/money.ts';
import { exclusive } from '../../../../../domain/order-rules.ts';
import { BadValue } from '../../../../kit/args/flags.ts';
import { instantAt, readMoment } from '../../../../kit/args/time-arguments.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { withFormulaUnescaped } from '../../../../kit/output/safe-text.ts';
import { didYouMean, invocation, phrase, type Text } from '../../../../kit/result/message.ts';
import { unescaped } from '../result-files.ts';
import type { ColumnMap, Layout } from '../source.ts';

/** CSV columns as fields of an order: the header, and how the cells are read. */

interface Columns {
  /** One for each cell of a row; null for a column that is not an order field. */
  columns: (Column | null)[];
  ignored: string[];
  /** The field of each column, known or not. */
  fields: readonly string[];
  /** Which file of ours it is, in which formulas are escaped: one of failed rows, or an export of orders. */
  ownFile: OwnFile;
}

export type OwnFile = 'failed rows' | 'export' | null;

/**
 * Reads the header of a file. Throws UsageError if a required column is missing; `otherExport` then says which export of
 * a shop system the file seems to be, or is null.
 */
export function columnsIn(
  headers: readonly string[],
  name: string,
  { map, store }: Layout,
  otherExport: string | null,
): Columns {
  const fields = mappedFields(headers, map, name);
  const unknown = map.find(([, field]) => columnOf(field) === null);
  if (unknown !== undefined) {
    const [header, field] = unknown;
    const parts = ['dropoff_street', 'dropoff_city', 'dropoff_zip'];
    const hint = didYouMean(field, [...Object.keys(orderRequestFields), ...parts]);
    throw new UsageError(`--map "${header}=${field}": an order has no field ${field}.`, hint ? { hint } : {});
  }
  const columns = fields.map(columnOf);
  const known = columns.flatMap((column) => (column === null ? [] : [column.field]));
  const ignored = headers.filter(
    (_, index) => columns[index] === null && !ownColumns.includes(fields[index] ?? ''),
  );
  checkColumns(known, { ignored, name, map, store, otherExport });
  const hasAll = (names: readonly string[]) => names.every((each) => fields.includes(each));
  const ownFile = hasAll(ownColumns) ? 'failed rows' : hasAll(exportColumns) ? 'export' : null;
  return { columns, ignored, fields, ownFile };
}

/**
 * The fields of the headers of a file, in their order; those that the map does not name keep their own. Throws UsageError
 * for a header that the file does not have.
 */
function mappedFields(headers: readonly string[], map: ColumnMap, name: string): string[] {
  const fields = headers.map(fieldOf);
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

type Kind = 'part' | 'text' | 'phone' | 'dollars' | 'cents' | 'count' | 'degrees' | 'flag' | 'json';

/** The field of a column, and how its cells are read. */
export interface Column {
  field: string;
  kind: Kind;
}

/** The three columns of an order with one item. */
const itemKinds: Record<string, Kind> = { item_name: 'text', item_quantity: 'count', item_size: 'text' };

/** The columns that this program adds to a file of failed rows. */
export const ownColumns: readonly string[] = ['line', 'error'];

/** The parts of an address that have a column each: `dropoff_street`. */
const partNames = /^(pickup|dropoff)_(street|city|state|zip)$/;

/** The order field of a column; null if orders have no such field. `tip_cents` is `tip` in cents, as exports write it. */
function columnOf(name: string): Column | null {
  const amount = /^(.+)_cents$/.exec(name)?.[1];
  if (amount !== undefined && kindOf(amount) === 'dollars') return { field: amount, kind: 'cents' };
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

/** `Pickup Phone-Number` is `pickup_phone_number`, and so is `pickup_phone`, as the flag is called. */
export function fieldOf(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^(pickup|dropoff)_phone$/, '$1_phone_number');
}

/** Columns that an export of orders has and no order to create. */
const exportColumns = ['id', 'status', 'created_at', 'updated_at'];

const dropoffColumns = ['dropoff_address', 'dropoff_name', 'dropoff_phone_number'];
const pickupColumns = ['pickup_address', 'pickup_name', 'pickup_phone_number'];

/** The columns of a pickup, which a store replaces. */
const storeColumns = [...pickupColumns, 'pickup_unit', 'pickup_notes', 'pickup_latitude', 'pickup_longitude'];

const itemColumns = ['items', 'items_description', 'item_name'];

interface Header extends Pick<Layout, 'map' | 'store'> {
  ignored: readonly string[];
  name: string;
  otherExport: string | null;
}

function checkColumns(known: readonly string[], header: Header): void {
  const { name, map, store } = header;
  // Several columns that are mapped to one text are joined.
  const joined = map.flatMap(([, field]) => (columnOf(field)?.kind === 'text' ? [field] : []));
  const twice = known.find((field, index) => known.indexOf(field) !== index && !joined.includes(field));
  if (twice !== undefined) throw new UsageError(`${name} has the column ${twice} twice.`);
  const hasStore = store !== null || known.includes('pickup_store_id');
  const required = hasStore ? dropoffColumns : [...pickupColumns, ...dropoffColumns];
  const missing = required.filter((field) => !known.includes(field) && !isInParts(field, known));
  if (!itemColumns.some((field) => known.includes(field))) missing.push(itemColumns.join(' or '));
  if (missing.length === 0) return;
  const hint = missingHint(missing, header);
  throw new UsageError(`${name} has no column ${missing.join(', ')}.`, { hint, missing });
}

/** The likeliest reason why columns are missing. */
function missingHint(missing: readonly string[], { otherExport, ignored }: Header): Text {
  if (otherExport !== null) return otherExport;
  for (const header of ignored) {
    const question = didYouMean(fieldOf(header), missing);
    if (question !== undefined) return phrase`The column ${header} is not known. ${question}`;
  }
  if (missing.every((field) => pickupColumns.includes(field)))
    return 'Pass the store from which all are picked up: --store STORE.';
  return phrase`The first line names the fields: \`${invocation('orders import', [], { help: true })}\`.`;
}

/** Whether an address has columns for its parts: the street, and the city or ZIP code. */
function isInParts(field: string, known: readonly string[]): boolean {
  const end = field.replace(/_address$/, '');
  return known.includes(`${end}_street`) && (known.includes(`${end}_zip`) || known.includes(`${end}_city`));
}

/** A cell that cannot be read. `why` continues a sentence that begins with the name of the field. */
class Unreadable {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Reads the order of a row, with its faults. An empty cell is a missing field. */
export function fieldsIn(
  cells: readonly string[],
  columns: readonly (Column | null)[],
  ownFile: OwnFile,
): { fields: Fields; faults: Fault[] } {
  const fields: Fields = {};
  const faults: Fault[] = [];
  const item: Fields = {};
  const parts: Record<string, string> = {};
  for (const [index, column] of columns.entries()) {
    const text = (cells[index] ?? '').trim();
    if (column === null || text === '') continue;
    const { field, kind } = column;
    const value = kind === 'part' ? text.replace(/^'/, '') : readCell(asWritten(text, ownFile), kind);
    if (value instanceof Unreadable) faults.push({ path: field, message: value.why });
    else if (typeof value === 'string' && kind === 'part') parts[field] = value;
    else if (itemKinds[field] !== undefined) item[field.slice('item_'.length)] = value;
    else fields[field] = fields[field] === undefined ? value : `${fields[field]} ${value}`;
  }
  // An export has the place of the store, too.
  if (ownFile === 'export' && fields.pickup_store_id !== undefined)
    for (const name of storeColumns) delete fields[name];
  for (const end of ['pickup', 'dropoff']) {
    joinAddress(fields, parts, end);
    readLocalTime(fields, faults, end);
  }
  if (Object.keys(item).length > 0) {
    if (fields.items !== undefined) faults.push(exclusive('item_name', 'items'));
    fields.items = [{ quantity: 1, ...item }];
  }
  return withPhonesRead({ fields, faults });
}

/** The order of a row with its phone numbers read: what stands beside a number is in the notes. */
export function withPhonesRead<R extends { fields: Fields }>(row: R): R {
  return { ...row, fields: readOrderPhones(row.fields).fields };
}

/** The text before this program escaped it for a spreadsheet or a terminal. */
function asWritten(text: string, ownFile: OwnFile): string {
  if (ownFile === null) return text;
  return ownFile === 'export' ? withFormulaUnescaped(text) : unescaped(withFormulaUnescaped(text)).trim();
}

/** Makes one line of the parts of an address, unless a column has the whole. */
function joinAddress(fields: Fields, parts: Readonly<Record<string, string>>, end: string): void {
  const part = (name: string) => parts[`${end}_${name}`] ?? '';
  const [street, city, state, zip] = [part('street'), part('city'), part('state'), part('zip')];
  const line = addressLineOf({ street, city, state, zip });
  if (line !== '' && fields[`${end}_address`] === undefined) fields[`${end}_address`] = line;
}

/** Reads a time without an offset as the time at the address. With an offset it is what the interface takes, or refuses. */
function readLocalTime(fields: Fields, faults: Fault[], end: string): void {
  const { [`${end}_address`]: address, [`${end}_at`]: at } = fields;
  if (typeof at !== 'string' || /(Z|[+-]\d\d:?\d\d)$/i.test(at)) return;
  const time = localTime(at, String(address ?? ''));
  if (!(time instanceof Unreadable)) {
    fields[`${end}_at`] = time;
    return;
  }
  delete fields[`${end}_at`];
  faults.push({ path: `${end}_at`, message: time.why });
}

/** The ISO time of a date and time at an address, which is empty if a store stands for it. */
function localTime(text: string, address: string): string | Unreadable {
  const [, date = '', time = ''] = /^([\d/-]+)[ T](\d[\d:]*(?: ?[ap]m)?)$/i.exec(text) ?? [];
  if (timeAt(anywhere, date, time) === null)
    return new Unreadable('must be a date and time such as 2026-01-31 15:00 or 01/31/2026 3:00 PM');
  const place = address === '' ? 'store' : 'address';
  const why = `needs its offset, such as 2026-01-31T15:00:00-06:00: the file does not say the zone of its ${place}`;
  return timeAt(address, date, time) ?? new Unreadable(why);
}

/** An address with a time zone, to see whether a time can be read at all. */
const anywhere = 'Chicago, IL 60606';

function readCell(text: string, kind: Kind): unknown {
  switch (kind) {
    case 'dollars':
      return centsOf(text);
    case 'cents':
    case 'count':
      return /^\d{1,15}$/.test(text) ? Number(text) : new Unreadable(`must be a whole number, not "${text}"`);
    case 'degrees':
      return /^[-+]?\d{1,3}(\.\d{1,15})?$/.test(text)
        ? Number(text)
        : new Unreadable(`must be degrees such as 41.8788, not "${text}"`);
    case 'flag':
      return flagOf(text.toLowerCase()) ?? new Unreadable(`must be true or false, not "${text}"`);
    case 'json':
      return jsonOf(text);
    default:
      return text;
  }
}

function flagOf(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

/** Reads dollars. A whole number without a dollar sign is refused, as it is cents in other formats and in the interface. */
function centsOf(text: string): number | Unreadable {
  const cents = /^\$|\.\d{1,2}$|,\d{2}$/.test(text) ? centsIn(text) : null;
  if (cents !== null) return cents;
  if (/^0+$/.test(text)) return 0;
  const whole = /^(\d{1,10})$/.exec(text)?.[1];
  if (whole === undefined) return new Unreadable(`must be dollars such as 4.50, not "${text}"`);
  return new Unreadable(
    `must be dollars with two decimals: write ${whole}.00, or read the column as ..._cents if "${text}" is cents`,
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return new Unreadable(
      'must be JSON such as [{"name":"Soup","quantity":2}]; for words, call the column items_description',
    );
  }
}

/** The parts of an address that may have a column each. */
export interface AddressParts {
  street: string;
  city: string;
  state: string;
  zip: string;
}

/** One line: street, city, state, ZIP. Excel drops the zeros with which a ZIP code begins. */
export function addressLineOf({ street, city, state, zip }: AddressParts): string {
  const code = /^\d{3,4}$/.test(zip) ? zip.padStart(5, '0') : zip;
  return [street, city, `${state} ${code}`.trim()].filter((part) => part !== '').join(', ');
}

/** The cents of `$1,234.50`, `37.9`, `12`, or `4,50` as Excel writes it in other countries; null for any other text. */
export function centsIn(text: string): number | null {
  return parseDollars(text.replace(/^(\d{1,10}),(\d{1,2})$/, '$1.$2'));
}

/** A whole number, also as `2.0`; null for any other text. */
export function countIn(text: string): number | null {
  return /^\d{1,6}(\.0+)?$/.test(text) ? Number(text) : null;
}

/** The ISO time of a day and a time at an address; null if they cannot be read, or the zone is unknown. */
export function timeAt(address: string, date: string, time: string): string | null {
  const [day, clock] = [dayIn(date), clockIn(time)];
  const zone = zoneOf(normalizeAddress(address)?.address ?? '');
  const at = day === null || clock === null || zone === null ? null : instantOf(`${day} ${clock}`, zone);
  return at === null ? null : new Date(at).toISOString();
}

/** The time in a zone, in milliseconds since the epoch; null if there is no such day or time. */
function instantOf(text: string, zone: string): number | null {
  try {
    return instantAt(readMoment(text), 0, 'ahead', zone);
  } catch (error) {
    if (error instanceof BadValue) return null;
    throw error;
  }
}

/** `2026-03-05` of that, `2026/03/05` or `03/05/2026`; null for any other text. */
function dayIn(text: string): string | null {
  const iso = /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})$/;
  const american = /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/;
  const { year, month = '', day = '' } = (iso.exec(text) ?? american.exec(text))?.groups ?? {};
  return year === undefined ? null : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** `13:00` at the beginning of `1:00 PM - 2:00 PM`, `13:00 - 14:00` or `1pm`; null for any other text. */
function clockIn(text: string): string | null {
  const [, hours, minutes = '00', half = ''] = /^(\d{1,2})(?::(\d{2}))?\s*([ap])?/i.exec(text.trim()) ?? [];
  if (hours === undefined || (half === '' && !text.includes(':'))) return null;
  const hour = half === '' ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${minutes}`;
}
