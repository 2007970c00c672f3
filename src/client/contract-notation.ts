import type { TSchema } from '../contract/schema.ts';
import { amountFields, hasDecimals, toSmallestUnit } from './amounts.ts';
import { alternativesOf, type Fields, isFields, itemsOf, propertiesOf } from './lenient.ts';
import { typeOf } from './shape.ts';
import { statusAsInContract } from './status-spellings.ts';

/** How a service writes values, as far as its responses have shown. */
export interface Notation {
  /** Whether it spells statuses differently from the contract. */
  hasOtherStatuses: boolean;
  /** Whether its amounts are in the main unit of the currency. Once true, this holds for all amounts. */
  hasMainUnits: boolean;
  /** Whether amounts were read in cents, because no response had decimals yet. */
  hasReadCents: boolean;
  /** Whether amounts of a response without decimals were read in the main unit. */
  hasAssumedUnits: boolean;
  /** The currency of the latest amount. */
  currency: string;
}

export function createNotation(hasMainUnits = false): Notation {
  const unknown = { hasOtherStatuses: false, hasReadCents: false, hasAssumedUnits: false };
  return { ...unknown, hasMainUnits, currency: 'USD' };
}

/**
 * Rewrites values of a response that mean the same as in the contract but are written differently, and records in
 * `notation` how the service writes them. Everything else is kept.
 *
 * A response has one unit: if any of its amounts has decimals, all are in the main unit of their currency, because
 * JSON writes 12.0 as 12. Otherwise amounts are in cents, unless an earlier response had decimals.
 */
export function inContractNotation(schema: TSchema, value: unknown, notation: Notation): unknown {
  const isShown = hasMainUnits(schema, value);
  notation.hasMainUnits ||= isShown;
  return mapFields(schema, value, (field) => {
    if (field.name === 'status' && typeof field.value === 'string') return statusIn(field, notation);
    return isAmount(field) ? amountIn(field, notation, isShown) : field.value;
  });
}

/** True if an amount in a response has decimals. */
export function hasMainUnits(schema: TSchema, value: unknown): boolean {
  let isShown = false;
  mapFields(schema, value, (field) => {
    isShown ||= isAmount(field) && hasDecimals(field.value);
    return field.value;
  });
  return isShown;
}

function isAmount({ name, value }: Field): boolean {
  return amountFields.has(name) && (typeof value === 'number' || typeof value === 'string');
}

function statusIn({ value, title }: Field, notation: Notation): string {
  const text = String(value);
  const status = statusAsInContract(title, text);
  notation.hasOtherStatuses ||= status !== text;
  return status;
}

/** An amount that cannot be converted is undefined, and so counts as missing. */
function amountIn({ value, currency }: Field, notation: Notation, isShown: boolean): unknown {
  notation.currency = currency;
  const isZero = Number(value) === 0;
  if (!notation.hasMainUnits) {
    notation.hasReadCents ||= !isZero;
    return value;
  }
  notation.hasAssumedUnits ||= !isShown && !isZero;
  return toSmallestUnit(value, currency);
}

/** A field whose value is not an object or an array. */
interface Field extends Place {
  name: string;
  value: unknown;
}

interface Place {
  /** The title and the currency of the closest record with one. */
  title: string;
  currency: string;
}

type Change = (field: Field) => unknown;

/** Changes the fields that a schema describes. */
function mapFields(schema: TSchema, value: unknown, change: Change): unknown {
  return mapped(schema, value, { title: '', currency: 'USD' }, change);
}

function mapped(schema: TSchema, value: unknown, place: Place, change: Change): unknown {
  const only = onlySchema(schema);
  if (only === null) return value;
  if (isFields(value)) return recordMapped(only, value, place, change);
  const items = itemsOf(only);
  return Array.isArray(value) && items !== null
    ? value.map((item) => mapped(items, item, place, change))
    : value;
}

function recordMapped(schema: TSchema, record: Fields, outer: Place, change: Change): Fields {
  const properties = propertiesOf(schema);
  const title = 'title' in schema && typeof schema.title === 'string' ? schema.title : outer.title;
  const currency = typeof record.currency === 'string' ? record.currency : outer.currency;
  const place = { title, currency };
  const entries = Object.entries(record).map(([name, value]) => {
    const field = properties[name];
    if (field === undefined) return [name, value] as const;
    const isInner = isFields(value) || Array.isArray(value);
    return [name, isInner ? mapped(field, value, place, change) : change({ ...place, name, value })] as const;
  });
  return Object.fromEntries(entries);
}

/** The schema itself, or its only alternative to null. */
function onlySchema(schema: TSchema): TSchema | null {
  const alternatives = (alternativesOf(schema) ?? [schema]).filter((each) => typeOf(each) !== 'null');
  const [only, ...others] = alternatives;
  return only === undefined || others.length > 0 ? null : only;
}
