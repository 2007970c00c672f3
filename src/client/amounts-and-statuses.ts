import type { Operation } from '../contract/operation.ts';
import type { TSchema } from '../contract/schema.ts';
import { batchStatuses, deliveryStatuses, orderStatuses, routeStatuses } from '../contract/vocabulary.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { ApiError } from './errors.ts';
import { alternativesOf, itemsOf, propertiesOf, typeOf } from './incomplete-responses.ts';
import type { CallInput } from './retries.ts';

/** How a service writes values, as far as its responses have shown. */
export interface Notation {
  /** Whether it spells statuses differently from the contract. */
  hasOtherStatuses: boolean;
  /** Whether its amounts are in the main unit of the currency. Once true, this holds for all amounts. */
  hasMainUnits: boolean;
  /** Whether the user said which unit it has: responses then show nothing about it. */
  isUnitGiven: boolean;
  /** Whether amounts were read in cents, because no response had decimals yet. */
  hasReadCents: boolean;
  /** Whether amounts of a response without decimals were read in the main unit. */
  hasAssumedUnits: boolean;
  /** The currency of the latest amount. */
  currency: string;
}

/** The unit in which a service has amounts. */
export type AmountUnit = 'dollars' | 'cents';

export function createNotation(given: AmountUnit | undefined, isInMainUnits: boolean): Notation {
  const unknown = { hasOtherStatuses: false, hasReadCents: false, hasAssumedUnits: false };
  const unit =
    given === undefined
      ? { hasMainUnits: isInMainUnits, isUnitGiven: false }
      : { hasMainUnits: given === 'dollars', isUnitGiven: true };
  return { ...unknown, ...unit, currency: 'USD' };
}

/**
 * Rewrites values of a response that mean the same as in the contract but are written differently, and records in
 * `notation` how the service writes them. Everything else is kept.
 *
 * A response has one unit: if any of its amounts has decimals, all are in the main unit of their currency, because
 * JSON writes 12.0 as 12. Otherwise amounts are in cents, unless an earlier response had decimals. A unit that the user
 * gave holds for all.
 */
export function inContractNotation(schema: TSchema, value: unknown, notation: Notation): unknown {
  const isShown = notation.isUnitGiven ? notation.hasMainUnits : hasMainUnits(schema, value);
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
    return typeof value === 'string' ? value.replace(/\.0+$/, '') : value;
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
export function onlySchema(schema: TSchema): TSchema | null {
  const alternatives = (alternativesOf(schema) ?? [schema]).filter((each) => typeOf(each) !== 'null');
  const [only, ...others] = alternatives;
  return only === undefined || others.length > 0 ? null : only;
}

/** The statuses of each kind of record, by the title of its schema. */
const statusesOf: Readonly<Record<string, readonly string[]>> = {
  Delivery: deliveryStatuses,
  Order: orderStatuses,
  Route: routeStatuses,
  DispatchedRoute: routeStatuses,
  Batch: batchStatuses,
  BatchSummary: batchStatuses,
};

/**
 * Spells a status as the contract does: `DELIVERED` and `Enroute-Dropoff` are known statuses. An unknown
 * one is written in lower case with underscores.
 */
export function statusAsInContract(title: string, text: string): string {
  const known = statusesOf[title];
  if (known === undefined || known.includes(text)) return text;
  const letters = lettersOf(text);
  const found = known.find((each) => lettersOf(each) === letters);
  if (found !== undefined) return found;
  return text
    .trim()
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

/** `provider_cancelled`, `Provider Canceled` and `providerCanceled` are the same. */
function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
    .replace('cancelled', 'canceled');
}

/** The fields that hold amounts, which the contract has in the smallest unit of the currency. */
export const amountFields: ReadonlySet<string> = new Set([
  ...[
    'cost_of_delivery',
    'service_fee',
    'payment_amount',
    'total_amount_due',
    'fee',
    'tip',
    'upsell',
    'subsidized',
  ],
  ...['refunded_amount', 'order_value', 'amount', 'paid', 'cost', 'refund', 'max_cost'],
  ...['tip_limit', 'per_delivery', 'per_mile', 'total_cost', 'average_cost'],
]);

/** True if an amount has decimals, and so must be in the main unit of its currency: `"12.00"` or 12.34. */
function hasDecimals(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Number.isInteger(value);
  return typeof value === 'string' && /^-?\d+\.\d+$/.test(value.trim());
}

/**
 * Converts an amount from the main unit of a currency to its smallest unit, digit by digit. Undefined if it is not an
 * amount, or has more decimals than the currency.
 */
export function toSmallestUnit(value: unknown, currency: string): number | undefined {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digitsOf(value)) ?? [];
  if (sign === undefined) return undefined;
  const decimals = decimalsOf(currency);
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const amount = Number(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  if (!Number.isSafeInteger(amount)) return undefined;
  return sign === '' || amount === 0 ? amount : -amount;
}

/** Rounds to the 15 digits that are exact: a sum of binary fractions may be 6.470000000000001. */
function digitsOf(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(15)));
  return typeof value === 'string' ? value.trim() : '';
}

/** The number of decimals of a currency by ISO 4217: 2 for USD, 0 for JPY. */
function decimalsOf(currency: string): number {
  // Loading the currencies takes milliseconds.
  if (currency.toUpperCase() === 'USD') return 2;
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** Converts the amounts of a request body to the main unit of a currency. */
export function withMainUnits(body: unknown, currency: string): unknown {
  const divisor = 10 ** decimalsOf(currency);
  return mapAmounts(body, (amount) => amount / divisor);
}

/** The names of the amounts in a request body that are not 0. */
function amountsIn(body: unknown): string[] {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    if (!isFields(value)) return;
    for (const [name, each] of Object.entries(value)) {
      if (typeof each !== 'number') collect(each);
      else if (each !== 0 && amountFields.has(name)) names.add(name);
    }
  };
  collect(body);
  return [...names];
}

function mapAmounts(value: unknown, change: (amount: number) => number): unknown {
  if (Array.isArray(value)) return value.map((each) => mapAmounts(each, change));
  if (!isFields(value)) return value;
  const entries: [string, unknown][] = Object.entries(value).map(([name, each]) => {
    const isNumber = typeof each === 'number' && amountFields.has(name);
    return [name, isNumber ? change(each) : mapAmounts(each, change)];
  });
  const changed: Fields = Object.fromEntries(entries);
  return changed;
}

/** Notices to the user about the amounts of a service. */
export type UnitNotice =
  /**
   * Amounts have decimals. `hasReadCents`: earlier ones were read in cents. `sent`: the names of those that were sent
   * in cents.
   */
  | { kind: 'main_units'; hasReadCents: boolean; sent: readonly string[] }
  /** These amounts are sent in cents, although no response has shown any amount. */
  | { kind: 'unknown_units'; sent: readonly string[] }
  /** Amounts without decimals were read in the main unit, because of earlier ones. */
  | { kind: 'assumed_units' }
  /** Amounts are in another currency than US dollars. */
  | { kind: 'currency'; currency: string };

/** Where the unit of a service shows. */
interface UnitSource {
  /** Whether it is waybill's own, which has cents. */
  isOwn(): boolean;
  /** Reads records with amounts. */
  look(): Promise<unknown>;
}

interface AmountUnits {
  /** The input of a call with its amounts in the unit of the service. Looks for that before the first amount. */
  inputFor(input: CallInput): Promise<CallInput>;
  /**
   * Reports what a response has shown about the unit. Throws for a look-up that shows that earlier amounts were sent in
   * the wrong unit, as they may already be charged.
   */
  report(operation: Operation): void;
}

/**
 * Sends amounts in the unit of the service once that is known, and reports what responses show about it.
 */
export function createAmountUnits(
  notation: Notation,
  onNotice: ((notice: UnitNotice) => void) | undefined,
  { isOwn, look }: UnitSource,
): AmountUnits {
  const sent = new Set<string>();
  let looked: Promise<boolean> | null = null;
  /** Whether the service is another one, whose unit was looked for. */
  const lookForUnit = async (): Promise<boolean> => {
    if (notation.isUnitGiven || notation.hasMainUnits || isOwn()) return false;
    // The call itself meets the same fault.
    await look().catch(() => null);
    return !isOwn();
  };
  const reported = { hasMainUnits: notation.hasMainUnits, hasAssumedUnits: false, currency: 'USD' };
  return {
    inputFor: async (input) => {
      const names = amountsIn(input.body);
      if (names.length === 0) return input;
      const isFirst = looked === null;
      looked ??= lookForUnit();
      const isUnknown = (await looked) && !notation.hasMainUnits && !notation.hasReadCents;
      if (notation.hasMainUnits) return { ...input, body: withMainUnits(input.body, notation.currency) };
      if (isFirst && isUnknown) onNotice?.({ kind: 'unknown_units', sent: names });
      for (const name of names) sent.add(name);
      return input;
    },
    report: ({ method }) => {
      const { hasReadCents, hasAssumedUnits, currency } = notation;
      const isNew = notation.hasMainUnits && !reported.hasMainUnits;
      if (isNew) onNotice?.({ kind: 'main_units', hasReadCents, sent: [...sent] });
      else if (hasAssumedUnits && !reported.hasAssumedUnits) onNotice?.({ kind: 'assumed_units' });
      if (currency.toUpperCase() !== reported.currency) onNotice?.({ kind: 'currency', currency });
      reported.hasMainUnits = notation.hasMainUnits;
      reported.hasAssumedUnits = hasAssumedUnits;
      reported.currency = currency.toUpperCase();
      const charged = [...sent].filter((name) => name !== 'order_value');
      if (isNew && charged.length > 0 && method === 'GET') throw sentInCents(charged);
    },
  };
}

function sentInCents(names: readonly string[]): ApiError {
  return new ApiError(
    `The service has amounts with decimals, but was sent ${names.join(', ')} in cents, and may have read 100 times as much. Create the order again: from now on amounts are sent with decimals.`,
    { code: 'unexpected_answer', status: 200 },
  );
}
