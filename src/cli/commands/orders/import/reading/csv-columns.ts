/** The header of a CSV file: which field of an order each column is, and which columns are missing. */
import { UsageError } from '../../../../kit/errors/failure.ts';
import { didYouMean } from '../../../../kit/result/message.ts';
import type { ColumnMap, Layout } from '../source.ts';
import { missingHint, toFieldName, unreadColumns } from './missing-columns.ts';
import { type Column, fieldNames, findOrderColumn } from './order-fields.ts';
import type { Sample, UsualColumn } from './usual-headers.ts';

export type OwnFile = 'failed rows' | 'export' | null;

/** The columns that this program adds to a file of failed rows. */
export const ownColumns: readonly string[] = ['line', 'error'];

/** Columns that an export of orders has and no order to create. */
const orderExportColumns = ['id', 'status', 'created_at', 'updated_at'];
const deliveryExportColumns = ['id', 'status', 'dropoff_eta', 'tracking_url'];

const dropoffColumns = ['dropoff_address', 'dropoff_name', 'dropoff_phone_number'];
const pickupColumns = ['pickup_address', 'pickup_name', 'pickup_phone_number'];

/** The columns of a pickup, which a store replaces. */
export const storeColumns = [
  ...pickupColumns,
  'pickup_unit',
  'pickup_notes',
  'pickup_latitude',
  'pickup_longitude',
];

const itemColumns = ['items', 'items_description', 'item_name'];

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

/** Columns that are read even if they are not mapped: those named after the dropoff, and a country, to refuse others. */
const unmappedHeader = /^drop[ _-]?off[ _-]|country/i;

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
  const fields = orderFields(mappedFields({ name, headers, rows }, map));
  refuseUnknownFields(map);
  const samplesOf = (isTaken: (place: number) => boolean) =>
    headers.flatMap((header, place) =>
      isTaken(place) ? [{ header, values: rows.map((cells) => cells[place] ?? '') }] : [],
    );
  const unnamed = samplesOf((place) => findOrderColumn(fields[place] ?? '') === null);
  const taken = takeDropoffs(unnamed, headers, fields);
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
    isOwn: map.length === 0 && known.some((field) => dropoffColumns.includes(field)),
  });
  return {
    columns,
    ignored: samples.map(({ header }) => header),
    fields,
    unread: unreadColumns(known, samples),
    order: readingOrder(headers, map),
    ownFile: ownFileWith(fields),
  };
}

function refuseUnknownFields(map: ColumnMap): void {
  const unknown = map.find(([, field]) => findOrderColumn(field) === null);
  if (unknown === undefined) return;
  const [header, field] = unknown;
  const hint = didYouMean(field, fieldNames);
  throw new UsageError(`--map "${header}=${field}": an order has no field ${field}.`, hint ? { hint } : {});
}

/**
 * The fields of the headers of a file, in their order; those that the map does not name keep their own. Throws UsageError
 * for a header that the file does not have, and for one of several addresses.
 */
function mappedFields({ name, headers, rows }: Head, map: ColumnMap): string[] {
  const fields = headers.map(toFieldName);
  for (const [index, [header, field]] of map.entries()) {
    if (map.slice(0, index).some(([other]) => other.toLowerCase() === header.toLowerCase()))
      throw new UsageError(`--map names the column "${header}" twice: one column is one field.`);
    const isNamed = (each: string) => each.trim().toLowerCase() === header.toLowerCase();
    const place = headers.findIndex(isNamed);
    if (place < 0) {
      const hint = didYouMean(header, headers);
      throw new UsageError(`${name} has no column "${header}", which --map names.`, hint ? { hint } : {});
    }
    const others = headers.flatMap((each, other) => (isNamed(each) ? other : []));
    const valuesIn = (cells: readonly string[]) =>
      new Set(others.map((other) => cells[other]).filter(Boolean));
    // Wix calls the columns of the billing address like those of the delivery, behind them.
    const isUnclear = /_(?:street|address)$/.test(field) && !/deliver|ship/i.test(header);
    if (isUnclear && rows.some((cells) => valuesIn(cells).size > 1))
      throw new UsageError(`${name} has several columns "${header}" with different values.`, {
        hint: 'Give the one to read a name of its own in the first line of the file.',
      });
    fields[place] = field;
  }
  return fields;
}

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

/** Sets the fields of such columns in `fields`, and returns them. */
function takeDropoffs(samples: readonly Sample[], headers: readonly string[], fields: string[]): string[] {
  const found = unreadColumns(
    fields,
    samples.filter(({ header }) => unmappedHeader.test(header.trim())),
  );
  for (const [header, field] of found) fields[headers.indexOf(header)] = field;
  return found.map(([, field]) => field);
}

interface Header extends Pick<Layout, 'map' | 'store'> {
  samples: readonly Sample[];
  name: string;
  otherExport: string | null;
  /** The fields of columns that are read without being mapped. */
  taken: readonly string[];
  /** Whether the columns have the names of fields. */
  isOwn: boolean;
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
  const hint = header.otherExport ?? missingHint(missing, { ...header, known });
  throw new UsageError(`${name} has no column ${missing.join(', ')}.`, { hint, missing });
}

/** Whether an address has columns for its parts: the street, and the city or ZIP code. */
function isInParts(field: string, known: readonly string[]): boolean {
  const end = field.replace(/_address$/, '');
  return known.includes(`${end}_street`) && (known.includes(`${end}_zip`) || known.includes(`${end}_city`));
}

/** Which of our own files has these fields. */
export function ownFileWith(fields: readonly string[]): OwnFile {
  const hasAll = (names: readonly string[]) => names.every((each) => fields.includes(each));
  if (hasAll(ownColumns)) return 'failed rows';
  return hasAll(orderExportColumns) || hasAll(deliveryExportColumns) ? 'export' : null;
}
