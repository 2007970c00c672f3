import { deliveryStatusesOf, statusGroups } from '../contract/vocabulary.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { isLate, lateBy } from '../domain/lateness.ts';
import { foldedWords } from '../domain/search-text.ts';

/** The filters of a list call that can be applied to records. */
export interface Filters {
  /** True if a record matches all filters. */
  matches(record: unknown): boolean;
  names: readonly string[];
}

/** True if a record matches a filter value. A missing time always matches. */
type Test = (record: Fields, value: string) => boolean;

const same =
  (name: string): Test =>
  (record, value) =>
    String(record[name] ?? '') === value;

const after =
  (name: string): Test =>
  (record, value) =>
    !(Date.parse(String(record[name])) < Date.parse(value));

const before =
  (name: string): Test =>
  (record, value) =>
    !(Date.parse(String(record[name])) > Date.parse(value));

const tests: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  ListDeliveries: {
    status: hasStatus,
    external_order_ref: same('external_order_ref'),
    service: same('service'),
    store_id: same('store_id'),
    phone: (record, value) => texts(record, 'phone_number').some((phone) => digits(phone) === digits(value)),
    q: hasWords,
    unchanged_since: (record, value) =>
      isUnderWay(record) && record.status !== 'scheduled' && before('updated_at')(record, value),
    created_after: after('created_at'),
    created_before: before('created_at'),
  },
  ListOrders: {
    status: ({ status }, value) => value.split(',').some((each) => each === status),
    external_order_ref: same('external_order_ref'),
    batch_id: same('batch_id'),
    q: hasWords,
    created_after: after('created_at'),
    created_before: before('created_at'),
  },
  ListRoutes: { status: same('status') },
  ListBatches: { status: same('status') },
  ListCharges: { delivery_id: same('delivery_id') },
};

/** Reads the filters of a query; null without any. `late` is computed at `now`, in milliseconds since the epoch. */
export function filtersOf(operation: string, query: Fields, now: number): Filters | null {
  const known: Readonly<Record<string, Test>> = {
    ...tests[operation],
    ...(operation === 'ListDeliveries' ? { late: latenessTest(now) } : {}),
  };
  const applied = Object.entries(query).flatMap(([name, value]) => {
    const test = known[name];
    return test === undefined || value === undefined || value === null ? [] : [{ name, test, value }];
  });
  if (applied.length === 0) return null;
  return {
    names: applied.map(({ name }) => name),
    matches: (record) => isFields(record) && applied.every(({ test, value }) => test(record, String(value))),
  };
}

/**
 * True if a delivery has one of the statuses or groups that commas separate. Another service may report a group as the
 * status.
 */
function hasStatus({ status }: Fields, value: string): boolean {
  const names = value.split(',');
  return [...deliveryStatusesOf(names), ...names].some((each) => each === status);
}

/** A service without promises is held to the agreed time, or else to the ETA. */
function latenessTest(now: number): Test {
  return (record, value) => {
    const [eta = ''] = texts(record, 'eta', 'dropoff');
    const [promised = eta] = texts(record, 'at', 'dropoff');
    const times = { promised_at: Date.parse(promised), dropoff_eta: Date.parse(eta) };
    return value !== 'true' || (isUnderWay(record) && isLate(lateBy(times, now)));
  };
}

function isUnderWay({ status }: Fields): boolean {
  const ended: readonly unknown[] = [
    ...['request', 'returned'],
    ...[...statusGroups.fulfilled, ...statusGroups.canceled],
    'failed',
  ];
  return !ended.includes(status);
}

/** The texts of pickup and dropoff with names such as `pickup_name` and `dropoff_name`. */
function texts(record: Fields, field: string, end: 'both' | 'dropoff' = 'both'): string[] {
  const dropoffs = Array.isArray(record.dropoffs) ? record.dropoffs.filter(isFields) : [record];
  const values = [
    ...(end === 'both' ? [record[`pickup_${field}`]] : []),
    ...dropoffs.map((dropoff) => dropoff[`dropoff_${field}`]),
  ];
  return values.filter((value) => typeof value === 'string');
}

/** Whether each word of a search is part of a text of the record, such as the end of a phone number. */
function hasWords(record: Fields, value: string): boolean {
  const names = ['name', 'address', 'unit', 'notes', 'phone_number'];
  const items = Array.isArray(record.items) ? record.items.filter(isFields).map(({ name }) => name) : [];
  const own = [record.id, record.order_id, record.external_order_ref, record.tracking_url, ...items];
  const fields = [...names.flatMap((field) => texts(record, field)), ...own, record.items_description];
  const parts = foldedWords(fields.filter((text) => typeof text === 'string').join(' '));
  const isPhone = /^\+?[\d\s().-]{7,}$/.test(value.trim());
  const words = isPhone ? [digits(value)] : foldedWords(value);
  return words.every((word) => parts.some((part) => hasWord(part, word)));
}

const min_end_length = 4;

/** Digits match the beginning or the end of a number; a single character matches a whole word. */
function hasWord(part: string, word: string): boolean {
  if (word.length < 2) return part === word && word !== '';
  if (!/^\d+$/.test(word)) return part.includes(word);
  return part.startsWith(word) || (word.length >= min_end_length && part.endsWith(word));
}

function digits(text: string): string {
  return text.replace(/\D/g, '');
}
