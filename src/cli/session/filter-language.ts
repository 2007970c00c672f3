/** The language of `--filter`: reads `tip > 5 and !dropoff_unit or status = failed` as alternatives of conditions. */
import { BadValue } from '../kit/args/flags.ts';
import { columnsNamed } from '../kit/result/column-names.ts';
import type { ColumnHead } from '../kit/result/result.ts';
import { findHead, hasValue, nameIn } from './compared-values.ts';
import {
  type Cells,
  type Condition,
  comparison,
  type Operator,
  type Test,
  timeless,
} from './filter-conditions.ts';

/** The operators by their aliases. */
const operatorsByAlias: Readonly<Record<string, Operator>> = {
  '<>': '!=',
  '=>': '>=',
  '=<': '<=',
  '==': '=',
  '=~': '~',
  is: '=',
  'is not': '!=',
  contains: '~',
  like: '~',
};
const allOperators: readonly Operator[] = ['=', '!=', '>', '>=', '<', '<=', '~', '!~'];
const wordOperators = /\s+(is not|is|contains|like)\s+/i;
const symbolOperators = /\s*(!=|<>|>=|=>|<=|=<|==|!~|=~|=|>|<|~)\s*/;
/** Matches `!paid`, `not paid` or `status is not failed`: the negation, column, operator and value. */
const conditionPattern = new RegExp(
  `^(?:(!)|(not)\\s)?\\s*([^=<>~!]+?)(?:(?:${wordOperators.source}|${symbolOperators.source})(.*))?$`,
  'is',
);
/** Matches a whole value in quotes, straight or curly: `= "Salt and Pepper"`. */
const quotedPattern =
  /(?<=(?:[=<>~]|\sis|\snot|\scontains|\slike)\s*)(?:"([^"]*)"|'([^']*)'|“([^”]*)”|‘([^’]*)’)(?=\s|$)/gi;

/** Reads `a and b or c` as alternatives. Quoted values become `\0INDEX\0`, so that no word in them is an operator. */
export function readAlternatives(text: string, columns: readonly ColumnHead[]): Condition[][] {
  const quoted: string[] = [];
  const plain = text.trim().replace(quotedPattern, (_, ...parts: unknown[]) => {
    quoted.push(String(parts.slice(0, 4).find((part) => part !== undefined) ?? ''));
    return `\0${quoted.length - 1}\0`;
  });
  const isCondition = (part: string) =>
    hasOperator(part) || columnsNamed(nameIn(part, columns), columns).length > 0;
  const alternatives: string[][] = [[]];
  const [first = '', ...rest] = plain.split(/\s+(and|or|&&|\|\|)\s+/i);
  let condition = first;
  for (let index = 0; index < rest.length; index += 2) {
    const [joint = '', part = ''] = [rest[index], rest[index + 1]];
    if (!isCondition(part) && hasOperator(condition)) {
      // The word and the part belong to the value: `Salt and Pepper`.
      condition = `${condition} ${joint} ${part}`;
      continue;
    }
    alternatives.at(-1)?.push(condition);
    if (/or|\|/i.test(joint)) alternatives.push([]);
    condition = part;
  }
  alternatives.at(-1)?.push(condition);
  return alternatives.map((parts) => parts.map((part) => readCondition(part, quoted, columns)));
}

function hasOperator(part: string): boolean {
  return symbolOperators.test(part) || wordOperators.test(part);
}

function readCondition(text: string, quoted: readonly string[], columns: readonly ColumnHead[]): Condition {
  const [, mark, not, typedName = '', word, symbol, typedRight = ''] = conditionPattern.exec(text) ?? [];
  const [name, right] = withoutMinus(typedName, typedRight, columns);
  if (name.trim() === '')
    throw new BadValue(`must be COLUMN, COLUMN = VALUE or COLUMN > COLUMN, not "${text}"`);
  if (/^\(|^[^=<>~]*[^\w\s]\(/.test(text.trim()))
    throw new BadValue(
      'must have no brackets: ! and not apply to one condition, and !~ means "does not contain"',
    );
  const column = findHead(name, columns);
  const isNot = mark !== undefined || not !== undefined;
  const typed = word?.toLowerCase().replace(/\s+/g, ' ') ?? symbol;
  if (typed === undefined) {
    const test = (cells: Cells) => hasValue(cells(column.name), column.head) !== isNot;
    return timeless([column.name], test);
  }
  const operator = operatorNamed(typed);
  const quotedText = quoted[Number(/^\0(\d+)\0$/.exec(right)?.[1] ?? Number.NaN)];
  const value = quotedText ?? right.replace(/\0(\d+)\0/g, (_, index) => `"${quoted[Number(index)]}"`).trim();
  // `like Joe%` has the wildcard of SQL.
  const plain = typed === 'like' ? value.replace(/^%|%$/g, '') : value;
  const operand = { column, operator, text: plain, isQuoted: quotedText !== undefined };
  const condition = comparison(operand, columns);
  return isNot ? { ...condition, equal: null, test: (clock) => negated(condition.test(clock)) } : condition;
}

/** Rewrites a difference of columns as a sum: `delivered_at - created_at > 45m` is `delivered_at > created_at + 45m`. */
function withoutMinus(name: string, right: string, columns: readonly ColumnHead[]): [string, string] {
  const [, left = '', less = ''] = /^(.+?)\s*[-\u2212]\s*(.+)$/.exec(name) ?? [];
  const [whole, ...parts] = [name, left, less].map((each) => columnsNamed(nameIn(each, columns), columns));
  const isDifference = whole?.length === 0 && parts.every((found) => found.length > 0);
  return isDifference ? [left, `${less.trim()} + ${right.trim()}`] : [name, right];
}

function negated(test: Test): Test {
  return (cells) => !test(cells);
}

function operatorNamed(typed: string): Operator {
  return operatorsByAlias[typed] ?? allOperators.find((each) => each === typed) ?? '=';
}
