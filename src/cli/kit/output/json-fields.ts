/** The fields that `--json=a,b.c` selects, and the refusal of unknown ones with those that were probably meant. */
import { isFields } from '../../../domain/fields.ts';
import { nearNames } from '../../../domain/near-names.ts';
import { type FailureDetails, UsageError } from '../errors/failure.ts';
import type { ColumnHead, Row, StreamLine, StreamResult } from '../result/result.ts';
import type { OutputSettings, RenderContext } from './output-settings.ts';

/** The fields to pick, as dotted paths; null for all. */
export type SelectedFields = readonly string[] | null;

/** What unknown fields may mean, or the existing ones if nothing is near. */
interface FieldSuggestions {
  choices: string[];
  hint?: string;
}

/** The depth of the search for a field in nested objects. */
const max_depth = 4;

/** The fields of different records with the courier company; an order has only its delivery, which has one. */
const courierFields = ['service', 'provider', 'courier', 'delivery_id'];

/** The fields of records by other words for them, the best one first. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  outcome: ['status'],
  state: ['status'],
  price: ['total_cost', 'fee'],
  cost: ['total_cost', 'fee'],
  total: ['total_cost', 'fee'],
  total_cost: ['fee'],
  fee: ['total_cost'],
  provider: courierFields,
  service: courierFields,
  courier: courierFields,
  driver: ['driver_name', 'courier_name'],
  recipient: ['dropoff_name'],
  customer: ['dropoff_name'],
  store: ['store_id', 'pickup_store_id'],
  ref: ['external_order_ref'],
  reference: ['external_order_ref'],
  problems: ['items'],
  status: ['outcome', 'cancelable', 'retryable'],
  delivery: ['delivery_id'],
  deliveries: ['delivery_id'],
};

/** Checks the requested fields against the first page. */
export function checkFieldsOfPage(rows: readonly Row[], context: RenderContext): void {
  checkFields(
    rows.map(({ data }) => data),
    context,
  );
}

/** Selects fields of data and keeps their nesting. */
export function selectFields(data: unknown, fields: SelectedFields): unknown {
  return fields === null ? data : selectPaths(data, fields);
}

function selectPaths(data: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(data)) return data.map((entry) => selectPaths(entry, fields));
  return fields.map((field) => selectPath(data, field.split('.'))).reduce(merged, {});
}

/** Selects the data at a path and keeps its nesting; null if it is missing. */
function selectPath(data: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return data ?? null;
  if (Array.isArray(data)) return data.map((entry) => selectPath(entry, [name, ...rest]));
  const value = isFields(data) && Object.hasOwn(data, name) ? data[name] : undefined;
  return { [name]: rest.length > 0 && value == null ? null : selectPath(value, rest) };
}

function merged(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right))
    return left.map((entry, index) => merged(entry, right[index]));
  if (!isFields(left) || !isFields(right)) return right;
  const joined = Object.entries(right).map(([name, value]) => [
    name,
    name in left ? merged(left[name], value) : value,
  ]);
  return { ...left, ...Object.fromEntries(joined) };
}

/** Lists the requested fields that no record has; one that cannot be checked, as in an empty array, is present. */
function unknownFields(records: readonly unknown[], fields: readonly string[]): string[] {
  return fields.filter((field) => !records.some((data) => hasPath(data, field.split('.'))));
}

function hasPath(data: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || data === null) return true;
  if (Array.isArray(data)) return data.length === 0 || data.some((entry) => hasPath(entry, [name, ...rest]));
  return isFields(data) && hasField(data, name) && hasPath(data[name], rest);
}

/** A field missing in the response is read as empty from the record's prototype. */
function hasField(data: object, name: string): boolean {
  return Object.hasOwn(data, name) || (name in data && !(name in {}));
}

/**
 * Refuses fields of `--json=a,b` that no record has and lists the existing ones. For a command that has already changed
 * something, the error names the created record, so that it is not lost.
 */
export function checkFields(
  records: readonly unknown[],
  { settings, isWrite, areFieldsKnown }: RenderContext,
): void {
  if (settings.fields === null || records.length === 0 || areFieldsKnown === true) return;
  throwUnknownFields(records, unknownFields(records, settings.fields), isWrite ?? false);
}

/** The lines of a stream. Fields are refused at its end: events differ, so that a missing one is only certain then. */
export async function* checkedLines(
  { lines, areFieldsKnown }: StreamResult,
  { settings: { fields }, isWrite }: RenderContext,
): AsyncIterable<StreamLine> {
  let unknown = areFieldsKnown ? [] : (fields ?? []);
  let last: StreamLine | null = null;
  for await (const line of lines) {
    unknown = unknownFields([line.data], unknown);
    last = line;
    yield line;
  }
  if (last !== null) throwUnknownFields([last.data], unknown, isWrite ?? false);
}

/** The requested fields of a line, which always has its type; null for all. */
export function lineFields({ settings: { fields } }: RenderContext): readonly string[] | null {
  return fields === null ? null : ['type', ...fields];
}

/** Refuses a format that the result does not support; also names what the command has already done. */
export function formatError(
  message: string,
  records: readonly unknown[],
  { isWrite }: RenderContext,
  details: FailureDetails = {},
): UsageError {
  return new UsageError(`${message}${isWrite === true ? changedText(records) : ''}`, details);
}

/**
 * Refuses a format or a selection of fields without the field that is shown only once, before anything is sent; with
 * `columns`, also fields that the answer does not have. Throws UsageError.
 */
export function requireFieldShown(
  { output: { format, fields } }: { output: Pick<OutputSettings, 'format' | 'fields'> },
  field: string,
  columns?: readonly ColumnHead[],
): void {
  const isLeftOut = fields === null ? format === 'id' : !fields.includes(field);
  if (isLeftOut) {
    const cause = fields === null ? 'The format id' : `--json=${fields.join(',')}`;
    throw new UsageError(`${cause} leaves out the field ${field}, which is shown only once.`, {
      hint: `Use --json=${[...(fields ?? []), field].join(',')} instead.`,
    });
  }
  const choices = columns?.map((column) => column.field) ?? fields ?? [];
  const unknown = fields?.find((each) => !choices.includes(each));
  if (unknown !== undefined) {
    throw new UsageError(`The answer has no field "${unknown}".`, { code: 'unknown_field', choices });
  }
}

function throwUnknownFields(records: readonly unknown[], unknown: readonly string[], isWrite: boolean): void {
  if (unknown.length === 0) return;
  const names = unknown.map((name) => `"${name}"`).join(', ');
  throw new UsageError(`The answer has no field ${names}.${isWrite ? changedText(records) : ''}`, {
    code: 'unknown_field',
    ...fieldSuggestions(pathsIn(objectsIn(records)), unknown),
  });
}

function changedText(records: readonly unknown[]): string {
  const ids = records.flatMap(idIn);
  return ` What was asked for is done all the same${ids.length === 0 ? '' : `: ${ids.join(', ')}`}.`;
}

/** The ID of a record, which in a batch is its `batch_id`; empty without one. */
function idIn(record: unknown): string[] {
  if (typeof record !== 'object' || record === null) return [];
  if ('id' in record) return [String(record.id)];
  return 'batch_id' in record ? [String(record.batch_id)] : [];
}

/**
 * Suggests replacements for unknown fields. If one of them is similar to none, it lists the fields at the place where the
 * path of the first one ends. `paths` are those of all fields of an answer: `dropoffs`, `dropoffs.dropoff_unit`.
 */
export function fieldSuggestions(paths: readonly string[], unknown: readonly string[]): FieldSuggestions {
  const nearByField = unknown.map((field) => nearPaths(field, paths));
  const meant = [...new Set(nearByField.flat())];
  const hint = meant.length === 0 ? {} : { hint: `Did you mean ${meant.join(' or ')}?` };
  if (nearByField.every((near) => near.length > 0)) return { choices: meant, ...hint };
  const parent = parentOf(unknown[0] ?? '', paths);
  const names = namesBelow(paths, parent);
  const choices = [...new Set([...meant, ...names.map((name) => parent + name)])];
  if (names.length <= max_choices) return { choices, ...hint };
  const lookup = `--help lists all ${names.length} fields.`;
  return {
    choices: choices.slice(0, max_named),
    hint: meant.length === 0 ? lookup : `${hint.hint} ${lookup}`,
  };
}

/** The paths that an unknown field may mean: the same name deeper, a similar one, its end, or another word for it. */
function nearPaths(field: string, paths: readonly string[]): string[] {
  const parent = parentOf(field, paths);
  const word = field.slice(parent.length).split('.')[0] ?? '';
  const last = field.split('.').at(-1) ?? '';
  const deeper = paths.filter((path) => path.startsWith(parent));
  const named = (name: string) => deeper.filter((path) => `.${path}`.endsWith(`.${name}`)).slice(0, 3);
  const near = nearNames(word, namesBelow(paths, parent)).map((name) => parent + name);
  const ending = word === last ? deeper.filter((path) => path.endsWith(`_${last}`)).slice(0, 3) : [];
  const depth = (path: string) => path.split('.').length;
  const meant = (meanings[last] ?? []).flatMap(named).toSorted((a, b) => depth(a) - depth(b));
  const byName = parent === '' || word === last ? named(last) : [];
  return [byName, meant.slice(0, 1), near, ending].find((found) => found.length > 0) ?? [];
}

/** The paths of nested fields that were named without their parents: `charges.total_cost` for `total_cost`. */
export function deeperPaths(documents: readonly unknown[], names: readonly string[]): string[] {
  const paths = pathsIn(objectsIn(documents));
  const lacking = names.filter((name) => !paths.includes(name));
  return lacking.flatMap((name) => paths.find((path) => path.endsWith(`.${name}`)) ?? []);
}

/** If no field is similar, up to `max_choices` fields are all named; of more, the first `max_named`. */
const max_choices = 20;
const max_named = 8;

/** The longest beginning of a path below which there are fields, with its dot: `dropoffs.` of `dropoffs.phone`. */
function parentOf(field: string, paths: readonly string[]): string {
  const dots = [...field.matchAll(/\./g)].map(({ index }) => field.slice(0, index + 1));
  return dots.findLast((start) => paths.some((path) => path.startsWith(start))) ?? '';
}

/** The names right below a parent. */
function namesBelow(paths: readonly string[], parent: string): string[] {
  return paths
    .filter((path) => path.startsWith(parent) && !path.slice(parent.length).includes('.'))
    .map((path) => path.slice(parent.length));
}

/** The objects among the values, including those in arrays. */
function objectsIn(values: readonly unknown[]): Record<string, unknown>[] {
  return values.flat(2).filter(isFields);
}

/** The paths of all fields of records: `dropoffs`, `dropoffs.dropoff_unit`. */
function pathsIn(records: readonly Record<string, unknown>[], depth = 1): string[] {
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  return names.flatMap((name) => {
    const nested = depth < max_depth ? objectsIn(records.map((record) => record[name])) : [];
    return [name, ...pathsIn(nested, depth + 1).map((path) => `${name}.${path}`)];
  });
}
