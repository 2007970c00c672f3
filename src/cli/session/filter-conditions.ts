/** The conditions of `--filter`: turns one such as `tip > 5` into the test of a record, by the type of the column. */
import { activeStatuses, beforePickupStatuses, expandStatusNames } from '../../contract/vocabulary.ts';
import { minute_ms, second_ms } from '../../domain/durations.ts';
import { parseDollars } from '../../domain/money.ts';
import { foldedText } from '../../domain/search-text.ts';
import { statusNamed } from '../../domain/status-words.ts';
import { BadValue, unlessBadValue } from '../kit/args/flags.ts';
import type { Zone } from '../kit/output/zoned-clock.ts';
import { columnsNamed } from '../kit/result/column-names.ts';
import type { CellValue, ColumnHead } from '../kit/result/result.ts';
import {
  comparedAs,
  compareValues,
  type FoundColumn,
  type Group,
  hasValue,
  isEmpty,
  nameIn,
  orderedValue,
} from './compared-values.ts';
import { instantAt, readMoment } from './time-arguments.ts';
import { type Direction, readLength } from './typed-lengths.ts';
import { periodAt, readPeriod, typedPeriod } from './typed-periods.ts';

/** The time and the zone in which the times of a filter are read. */
export interface FilterClock {
  now: number;
  zone: Zone;
}

/** Reads the values of a column for programs and for people; with `isExact` without rounding. */
export type Cells = (name: string, isExact?: boolean) => readonly CellValue[];

export type Test = (cells: Cells) => boolean;

/** The bounds of a period: from a time until before another one. */
type Bounds = (clock: FilterClock) => readonly [from: number, to: number];

/** A time or period as typed, and its bounds. */
export interface FilterTime {
  typed: string;
  bounds: Bounds;
}

/** One comparison of a filter: `tip > 5`. */
export interface Condition {
  /** The names of its columns. */
  names: readonly string[];
  /** The text that a column must be equal to. */
  equal: string | null;
  /** The time that it names. */
  time?: FilterTime;
  test(clock: FilterClock): Test;
}

export type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=' | '~' | '!~';

/** A comparison of a column with a text, as typed. */
interface Operand {
  column: FoundColumn;
  operator: Operator;
  text: string;
  isQuoted: boolean;
}

/** What a column can be compared with, by its kind. */
const valueExamples = {
  money: 'an amount in dollars such as 12.50',
  number: 'a number such as 10',
  length: 'a length such as 15m, or a number',
  time: 'a time or period such as "8pm", "yesterday 18:00", 2026-03-02 or yesterday',
};

/** Matches columns with times that may be to come, such as `dropoff_eta`, for which `monday` is the next one. */
const aheadPattern = /eta$|due|promised|expires|until|next|^(?:pickup|dropoff)_at$/;

/** Matches columns of texts that are mostly numbers, and may be compared with a number. */
const numberedPattern = /(?:^|_)(?:ref|zip|unit)$/;

/** A condition that does not depend on the time. */
export function timeless(names: readonly string[], test: Test, equal: string | null = null): Condition {
  return { names, equal, test: () => test };
}

/**
 * The condition of `COLUMN OPERATOR TEXT`. The first of these cases applies:
 * - `tip = none`, `tip != ""`: whether the column has a value.
 * - `dropoff_eta > promised_at + 10m`: the column against another one, or the sum of others.
 * - `status = active`, `dropoff_name ~ maria`: a column of text.
 * - `created_at > yesterday`: a column of times.
 * - `tip > 5`, `minutes > 15m`: a column of amounts, numbers or lengths.
 */
export function comparison(operand: Operand, columns: readonly ColumnHead[]): Condition {
  const { column, operator, text, isQuoted } = operand;
  const { name, head } = column;
  const group = comparedAs(head);
  if (isEquality(operator) && (text === '' ? isQuoted : /^(?:none|null|empty)$/i.test(text))) {
    const isWanted = operator === '!=';
    return timeless([name], (cells) => hasValue(cells(name), head) === isWanted);
  }
  if (text === '') throw new BadValue(`must have a value after "${name} ${operator}"`);
  const sum = isQuoted || operator.endsWith('~') ? null : readSum(operand, group, columns);
  if (sum !== null) {
    const test: Test = (cells) => {
      const exact: Cells = (each) => cells(each, !isEquality(operator));
      const [left, right] = [orderedValue(exact(name), head), sum.value(exact)];
      return left === null || right === null
        ? operator === '!=' && left !== right
        : holds(operator, compareValues(left, right));
    };
    return timeless([name, ...sum.names], test);
  }
  if (group === 'text') return textCondition(operand);
  if (operator.endsWith('~'))
    throw new BadValue(`cannot use ~ with ${name}, which is ${valueExamples[group]}: ~ is for texts`);
  return group === 'time' ? timeCondition(operand) : numberCondition(operand);
}

/** The other column that a text names, if the two can be compared. */
function columnOf(text: string, group: Group, columns: readonly ColumnHead[]): FoundColumn | null {
  const name = group === 'text' ? text : nameIn(text, columns);
  const [head] = columnsNamed(name, columns);
  if (head === undefined || comparedAs(head) !== group) return null;
  // The word of a heading or an alias is more often a value of text.
  return group === 'text' && head.field !== text ? null : { name, head };
}

/** Reads a column, or a part of it: `order_value`, `0.3 * order_value`, `order_value * 0.3`, `30% of order_value`. */
function partOf(text: string, group: Group, columns: readonly ColumnHead[]) {
  const [, before, percent, after, times] =
    /^(?:(\d+(?:\.\d+)?)\s*(?:(%)\s*of\s|\*))?\s*(.+?)(?:\s*\*\s*(\d+(?:\.\d+)?))?$/is.exec(text) ?? [];
  const isPart = group !== 'text' && group !== 'time' && (before ?? times) !== undefined;
  const column = columnOf(isPart ? (after ?? '') : text, group, columns);
  const part = isPart ? (Number(before ?? 1) * Number(times ?? 1)) / (percent === undefined ? 1 : 100) : 1;
  return column && { ...column, part };
}

/** Reads a sum such as `payment_amount + tip` or `promised_at + 10m`; null if it does not begin with a column. */
function readSum({ column, text }: Operand, group: Group, columns: readonly ColumnHead[]) {
  const [first = '', ...rest] = group === 'text' ? [text] : text.split(/\s+([+-])\s+/);
  const start = partOf(first, group, columns);
  if (start === null) return null;
  if (start.name === column.name && rest.length === 0 && start.part === 1)
    throw new BadValue(`must not compare ${column.name} with itself: "${text}" is the same column`);
  const names = [start.name];
  const terms = rest.flatMap((sign, index) => {
    const term = rest[index + 1] ?? '';
    if (index % 2 === 1) return [];
    const other = partOf(term, group, columns);
    if (other !== null) names.push(other.name);
    const amount = other ?? (group === 'time' ? readLength(term) : readAmount(term, column.head));
    if (amount === null)
      throw new BadValue(
        `must add a column or ${valueExamples[group === 'money' ? 'money' : 'length']}, not "${term}"`,
      );
    return [{ factor: sign === '-' ? -1 : 1, amount }];
  });
  const partValue = ({ name, head, part }: typeof start, cells: Cells) => {
    const value = orderedValue(cells(name), head);
    return typeof value === 'number' ? part * value : value;
  };
  const value = (cells: Cells) => {
    let sum = partValue(start, cells);
    for (const { factor, amount } of terms) {
      const added = typeof amount === 'number' ? amount : partValue(amount, cells);
      sum = typeof sum === 'number' && typeof added === 'number' ? sum + factor * added : null;
    }
    return sum;
  };
  return { names, value };
}

/** Whether values are compared as they are shown, which may be rounded. Other operators compare the exact values. */
function isEquality(operator: Operator): boolean {
  return operator === '=' || operator === '!=';
}

/** Whether an operator holds for a difference, which is below zero if the left value is less. */
function holds(operator: Operator, difference: number): boolean {
  switch (operator) {
    case '>':
      return difference > 0;
    case '>=':
      return difference >= 0;
    case '<':
      return difference < 0;
    case '<=':
      return difference <= 0;
    case '!=':
      return difference !== 0;
    default:
      return difference === 0;
  }
}

/** The unit of a column of minutes or seconds, in milliseconds; null for any other. */
function unitOf({ field }: ColumnHead): number | null {
  return /(?:^|_)minutes$/.test(field) ? minute_ms : field.endsWith('_seconds') ? second_ms : null;
}

/** Dollars as cents, a length in the unit of the column, or a number; null for any other text. */
function readAmount(text: string, head: ColumnHead): number | null {
  const [, minus, amount = ''] = /^([-\u2212])?\s*(.*)$/s.exec(text) ?? [];
  const unit_ms = unitOf(head);
  const length = unit_ms === null ? null : readLength(amount);
  const read =
    head.kind === 'money'
      ? parseDollars(amount)
      : /^\d{1,15}(?:\.\d+)?$/.test(amount)
        ? Number(amount)
        : length && length / (unit_ms ?? 1);
  return read === null || minus === undefined ? read : -read;
}

function numberCondition({ column: { name, head }, operator, text }: Operand): Condition {
  const wanted = readAmount(text, head);
  if (wanted === null) {
    const kind = head.kind === 'money' ? 'money' : unitOf(head) === null ? 'number' : 'length';
    const others = kind === 'length' ? '' : ', or with columns of its kind as in "0.3 * COLUMN + COLUMN"';
    throw new BadValue(`must compare ${name} with ${valueExamples[kind]}${others}, not "${text}"`);
  }
  const isExact = !isEquality(operator);
  const test: Test = (cells) => {
    const value = orderedValue(cells(name, isExact), head);
    return value === null ? operator === '!=' : holds(operator, compareValues(value, wanted));
  };
  return timeless([name], test);
}

/** Compares a time with a period: it is equal to all times within the period, and after it is after its end. */
function timeCondition({ column: { name, head }, operator, text }: Operand): Condition {
  const isEqual = isEquality(operator);
  const bounds = readTime(text, aheadPattern.test(head.field) ? 'ahead' : 'ago', isEqual);
  if (bounds === null) throw new BadValue(`must compare ${name} with ${valueExamples.time}, not "${text}"`);
  return {
    names: [name],
    equal: null,
    time: { typed: text, bounds },
    test: (clock) => {
      const [from, to] = bounds(clock);
      return (cells) => {
        const at = orderedValue(cells(name), head);
        if (typeof at !== 'number') return operator === '!=';
        if (isEqual) return (at >= from && at < to) === (operator === '=');
        if (operator === '>' || operator === '<=') return at >= to === (operator === '>');
        return at < from === (operator === '<');
      };
    },
  };
}

/** Reads a whole period, a length such as `15m` if it is compared for equality, or an instant; null otherwise. */
function readTime(text: string, direction: Direction, isEquality: boolean): Bounds | null {
  const other = direction === 'ago' ? 'ahead' : 'ago';
  const period =
    readPeriod(text, direction) ?? (isEquality ? unlessBadValue(() => typedPeriod(text, direction)) : null);
  if (period !== null) return ({ now, zone }) => periodAt(period, now, zone);
  const moment =
    unlessBadValue(() => readMoment(text, direction)) ?? unlessBadValue(() => readMoment(text, other));
  if (moment === null && !/^now$/i.test(text)) return null;
  return ({ now, zone }) => {
    const at = moment === null ? now : instantAt(moment, now, direction, zone);
    return [at, at + (isEquality ? minute_ms : 1)];
  };
}

/** Compares texts, of which commas separate alternatives. An ID or a phone number is found by its end. */
function textCondition({ column: { name, head }, operator, text, isQuoted }: Operand): Condition {
  const wanted = foldedText(text);
  if (!['=', '!=', '~', '!~'].includes(operator)) {
    if (!isQuoted && /^[-\u2212$]*\d+(?:\.\d+)?$/.test(text) && !numberedPattern.test(head.field))
      throw new BadValue(
        `cannot compare ${name} with a number by ${operator}: ${name} is text; ~ finds a part`,
      );
    const test: Test = (cells) => {
      const value = orderedValue(cells(name), head);
      return value !== null && holds(operator, compareValues(value, wanted));
    };
    return timeless([name], test);
  }
  const alternatives = [...new Set([text, ...text.split(',')])].map((each) => each.trim());
  const statuses = head.kind === 'status' ? alternatives.flatMap(statusesMeant) : [];
  const texts = [...alternatives, ...statuses].map(foldedText);
  const digits = head.kind === 'phone' ? text.replace(/\D/g, '') : '';
  const isMatch = (value: string) => {
    if (digits.length > 3) return operator.endsWith('~') ? value.includes(digits) : value.endsWith(digits);
    if (operator.endsWith('~')) return value.includes(wanted);
    const isEnd = head.kind === 'id' && wanted.length > 4 && value.endsWith(wanted);
    return isEnd || texts.includes(value);
  };
  const isWanted = !operator.startsWith('!');
  const test: Test = (cells) => cells(name).flatMap(textsOf).some(isMatch) === isWanted;
  return timeless([name], test, operator === '=' ? text : null);
}

/** The folded texts by which a value is found. */
function textsOf(value: CellValue): string[] {
  if (isEmpty(value)) return [];
  if (typeof value === 'boolean') return value ? ['true', 'yes'] : ['false', 'no'];
  return [value].flat().map((each) => foldedText(String(each)));
}

/** The statuses that a word for a status or a group of them means. */
export function statusesMeant(name: string): readonly string[] {
  const status = statusNamed(name);
  if (status === 'active') return expandStatusNames(activeStatuses);
  if (status === 'not_picked_up') return beforePickupStatuses;
  return [status, ...expandStatusNames([status])];
}
