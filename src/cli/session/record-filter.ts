/** `--filter`: shows the records that meet conditions on any columns, and explains if it leaves out all of them. */
import { nearNames } from '../../domain/near-names.ts';
import { foldedText } from '../../domain/search-text.ts';
import { type Flag, listFlag } from '../kit/args/flags.ts';
import { columnsNamed } from '../kit/result/column-names.ts';
import { type Column, type ColumnHead, exactCell, toCell } from '../kit/result/result.ts';
import { isEmpty } from './compared-values.ts';
import {
  type Cells,
  type Condition,
  type FilterClock,
  type FilterTime,
  statusesMeant,
} from './filter-conditions.ts';
import { readAlternatives } from './filter-language.ts';

/** The parsed filter. Every part must hold; a part holds if all conditions of one of its alternatives do. */
export interface Filter {
  typed: readonly string[];
  parts: readonly (readonly (readonly Condition[])[])[];
}

/** Conditions that people want, each with the columns that a list needs for it. */
const usualConditions = [
  { condition: 'tip > 5', needs: ['tip'] },
  { condition: 'late_minutes > 15m and !dropoff_unit', needs: ['late_minutes', 'dropoff_unit'] },
  { condition: 'delivered_at = yesterday', needs: ['delivered_at'] },
] as const;

/** Conditions for other lists, each on the first of its columns that a list has. */
const otherConditions: readonly [names: readonly string[], rest: string][] = [
  [['amount', 'order_value', 'settings.max_cost'], '> 5'],
  [['dropoff_name', 'name', 'reason', 'operation', 'type'], '~ joe'],
  [['created_at', 'expires_at'], '= yesterday'],
];

/** The usual conditions on the columns of a list, or else others that it can answer. */
export function exampleConditions(columns: readonly ColumnHead[]): string[] {
  const has = (name: string) => columns.some(({ field }) => field === name);
  if (usualConditions.every(({ needs }) => needs.every(has)))
    return usualConditions.map(({ condition }) => condition);
  return otherConditions.flatMap(([names, rest]) => {
    const name = names.find(has);
    return name === undefined ? [] : `${name} ${rest}`;
  });
}

function filterFlagOf(columns: readonly ColumnHead[]): Flag<Filter | undefined> {
  const examples = exampleConditions(columns).map((each) => `"${each}"`);
  return {
    ...listFlag({
      summary: `Only what meets conditions on any columns${examples.length === 0 ? '' : `: ${examples.join(', ')}`}; = != > >= < <= ~ (contains) !~, and, or; no brackets`,
      placeholder: 'EXPRESSION',
      aliases: ['where'],
    }),
    read: (texts) => readFilter(texts, columns),
    absent: () => undefined,
  };
}

/** The flag that filters by any column. */
export const filterFlag: Flag<Filter | undefined> = { ...filterFlagOf([]), ofColumns: filterFlagOf };

function readFilter(texts: readonly string[], columns: readonly ColumnHead[]): Filter {
  return { typed: texts, parts: texts.map((text) => readAlternatives(text, columns)) };
}

/** Adds the conditions of other flags to a filter. */
export function withConditions(
  filter: Filter | undefined,
  conditions: readonly (string | false | undefined)[],
  columns: readonly ColumnHead[],
): Filter | undefined {
  const texts = conditions.filter((text) => typeof text === 'string');
  return texts.length === 0 ? filter : readFilter([...texts, ...(filter?.typed ?? [])], columns);
}

/** A filter of the records of a list, and why it finds none. */
export interface RecordFilter<T> {
  keep(record: T): boolean;
  /** Says that none of so many records meets it, with the values of a column that is never equal to the wanted text. */
  explain(refused: number): string;
}

/** The times that a filter names. */
export function filterTimes({ parts }: Filter): FilterTime[] {
  return parts.flat(2).flatMap(({ time }) => time ?? []);
}

/** The most values of a column that an explanation names. */
const max_named_values = 8;

export function createFilter<T>(
  filter: Filter,
  columns: readonly Column<T>[],
  clock: FilterClock,
): RecordFilter<T> {
  const cellsOf = cellReader(columns, filterColumns(filter));
  const bound = ({ names, test }: Condition) => ({ names, test: test(clock), isPossible: false });
  const parts = filter.parts.map((alternatives) => alternatives.map((all) => all.map(bound)));
  /** All conditions. One is possible once a record has met it, or has had a value in each of its columns. */
  const conditions = parts.flat(2);
  /** The columns that have a value in any record. */
  const filled = new Set<string>();
  /** The conditions of equality, with the values that their columns have. */
  const equalities = filter.parts
    .flat(2)
    .flatMap(({ names: [name = ''], equal: text }) =>
      text === null ? [] : [{ name, text, values: new Set<string>() }],
    );
  return {
    keep(record) {
      const cells = cellsOf(record);
      for (const { name, values } of equalities)
        for (const value of cells(name).flat()) if (!isEmpty(value)) values.add(String(value));
      for (const each of conditions) {
        if (each.isPossible) continue;
        const filledNames = each.names.filter((name) => cells(name).some((value) => !isEmpty(value)));
        for (const name of filledNames) filled.add(name);
        each.isPossible = filledNames.length === each.names.length || each.test(cells);
      }
      return parts.every((alternatives) => alternatives.some((all) => all.every(({ test }) => test(cells))));
    },
    explain(refused) {
      const subject =
        refused === 1 ? 'The only one found does not meet' : `None of the ${refused} found meets`;
      const impossible = conditions.find(({ isPossible }) => !isPossible)?.names ?? [];
      const why = valuesText(equalities) ?? emptyText(impossible, filled, refused);
      const typed = filter.typed.map((each) => `"${each}"`).join(' --filter ');
      return `${subject} --filter ${typed}${why === null ? '' : `: ${why}`}.`;
    },
  };
}

/** Says which column is empty in all records, or that no record has a value in each; null without columns. */
function emptyText(names: readonly string[], filled: ReadonlySet<string>, refused: number): string | null {
  const empty = names.find((name) => !filled.has(name));
  if (empty !== undefined) return `${empty} is empty${refused === 1 ? '' : ' in all of them'}`;
  return names.length === 0 ? null : `none of them has both ${[...new Set(names)].join(' and ')}`;
}

/** Names values of a column that never has the wanted text: similar ones, or all of a few; null if there are none. */
function valuesText(equalities: readonly { text: string; values: ReadonlySet<string> }[]): string | null {
  const unmet = equalities.find(({ text, values }) => values.size > 0 && !isAmong(text, values));
  const values = [...(unmet?.values ?? [])];
  const near = nearNames(unmet?.text.toLowerCase() ?? '', values);
  const named = near.length > 0 || values.length > max_named_values ? near : values;
  return named.length === 0 ? null : `there is ${named.map((each) => `"${each}"`).join(', ')}`;
}

/** Whether one of the values is the wanted text, one of its alternatives, or a status that it means. */
function isAmong(text: string, values: ReadonlySet<string>): boolean {
  const wanted = [text, ...text.split(',')].flatMap((each) => [each.trim(), ...statusesMeant(each)]);
  return [...values].some((value) => wanted.some((each) => foldedText(each) === foldedText(value)));
}

/** The columns that a filter names. */
export function filterColumns({ parts }: Filter): string[] {
  return parts.flat(2).flatMap(({ names }) => names);
}

/** Reads columns of a record by name. */
function cellReader<T>(columns: readonly Column<T>[], names: readonly string[]): (record: T) => Cells {
  const columnsByName = new Map(names.map((name) => [name, columnsNamed(name, columns)]));
  return (record) =>
    (name, isExact = false) =>
      (columnsByName.get(name) ?? []).map((column) => (isExact ? exactCell : toCell)(column, record));
}
