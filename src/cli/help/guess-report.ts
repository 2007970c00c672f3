/** The report that a question about numbers asks for. */
import { reportGroups } from '../../contract/vocabulary.ts';
import { groupNames, reportViews, sortNames, sorts, viewNames } from '../../domain/report-words.ts';
import { findChoice } from '../kit/args/flags.ts';

/** Words of a question that say nothing of what it is about. */
export const questionWords =
  /^(?:who|what|which|when|how|why|is|are|was|were|got|has|have|the|of|did|does|do|a|an|many|much|most|it|i|we|my|our)$/;
/** Periods in a question; `may` is a verb unless a preposition is before it. */
const period =
  '(?:this|last) (?:week|month)|today|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\\d{4}-\\d\\d-\\d\\d|(?:january|february|march|april|(?<=\\b(?:in|of|for) )may|june|july|august|september|october|november|december)(?: 20\\d\\d)?';
export const periodsIn = new RegExp(
  `\\b(?:${period}|(?:last|past) hour|(?:last|past) \\d+ (?:hours?|days?|weeks?))\\b`,
  'gi',
);
export const periodWords = new RegExp(`^(?:${period}|week|month)$`, 'i');

/** A street name, without its house number: `Clark Street`. */
const streetName =
  '(?:(?!(?:to|from|at|on|in|is|was|for|and|the) )\\S+ ){1,3}?(?:street|st|avenue|ave|boulevard|blvd|road|rd|lane|ln|dr)\\b';
/** A house number and the words of its street. */
export const streetAddress = `\\b(\\d+ ${streetName})`;

/** Numbers that are no references: amounts, measures, counts, ZIP codes, years and house numbers. */
const measures = new RegExp(
  [
    '\\$\\d\\S*|\\d[\\d,]*\\.\\d\\d(?= |$)|\\d\\S*%',
    '(?<=\\b(?:over|than|under|above|below|at least|at most|within|house number|zip|zip code|zipcode|postcode|postal code) )\\d\\S*',
    '(?<=\\b(?:orders|deliveries|everything|all|lives?|going|headed|way) (?:to|in|at) )\\d{5}(?= |$)',
    '(?<=\\b(?:orders|deliveries|charges|refunds|happened|all) (?:of|in|from|since) |\\bsince )20[0-4]\\d(?= |$)',
    '\\d\\S* (?=(?:minutes?|mins?|hours?|days?|weeks?|months?|years?|dollars?|bucks|cents|percent|miles?|meters?|times|orders|deliveries|parcels|drivers|couriers|riders|stores|customers|people)(?: |$))',
    `\\d+(?= ${streetName}(?: |$))`,
  ]
    .map((each) => `(?<=^| )(?:${each})`)
    .join('|'),
  'gi',
);

/** The words without numbers that count or measure something. */
export function withoutMeasures(words: readonly string[]): string[] {
  return words
    .join(' ')
    .replace(measures, ' ')
    .split(' ')
    .filter((word) => word !== '');
}

/** Whether an argument begins as a question does and no name: `the unit of an order`. */
export function isQuestion(arg: string): boolean {
  return /^(?:for|to|with) /.test(arg) || (arg.includes(' ') && questionWords.test(arg.split(' ', 1).join()));
}

/** Words that ask for a report, with the group or sort column that each implies. */
const reportWords: Readonly<Record<string, { by?: string; sort?: string }>> = {
  average: { sort: 'minutes' },
  averages: { sort: 'minutes' },
  best: {},
  biggest: { sort: 'value' },
  busiest: { by: 'hour', sort: 'orders' },
  busy: { by: 'hour', sort: 'orders' },
  by: {},
  compare: {},
  compared: {},
  customers: { by: 'customer' },
  fastest: { by: 'courier', sort: 'minutes:asc' },
  fewest: { sort: 'orders' },
  goods: { sort: 'value' },
  least: {},
  lowest: {},
  many: {},
  most: {},
  peak: { by: 'hour', sort: 'orders' },
  per: {},
  regulars: { by: 'customer' },
  repeat: { by: 'customer' },
  revenue: { sort: 'value' },
  sales: { sort: 'value' },
  slowest: { by: 'courier', sort: 'minutes' },
  top: {},
  trend: { by: 'day' },
  value: { sort: 'value' },
  versus: {},
  vs: {},
  worst: { sort: 'failed' },
};

const fillWords =
  /^(?:for|in|on|from|with|and|to|at|times?|all|each|orders?|delivery|deliveries|number|did|me|show|pay|paid|service)$/;

const numbers = 'three four five six seven eight nine ten'.split(' ');
/** `five drivers`: so many rows. Days and hours with a number are a period. */
const countedGroups = new RegExp(
  `\\b(\\d{1,2}|${numbers.join('|')}) (?=(?:driver|courier|store|customer|address|reason)s?\\b)`,
);

/** Words that ask for a report without any other. */
const reportNames = new Set(['fees', 'refusals', 'median', 'percentages']);

/** Phrases that mean a single word of `report`. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [countedGroups, ''],
  [/^who (?:ordered|orders|bought|buys)\b/, 'customer'],
  [/^who (?:delivered|carried|drove)\b/, 'driver delivered'],
  [/\b(?:carried|delivered|drove|brought) (?=(?:the )?most\b)/, 'delivered '],
  [/\bfrom (?:the )?pickup to (?:the )?(?:door|arrival|dropoff|customer|recipient)\b/, 'driving'],
  [/\b(?:minutes|mins?) (?:too )?late\b/, 'delay'],
  [/\b(?:share )?on time\b(?=.*\b(?:worst|best|least|most)\b)/, 'punctual'],
  [/\b(?:value of (?:the )?delivered(?: goods| orders)?|delivered (?:value|goods))\b/, 'delivered_value'],
  [/\b(?:costs?|price) (?:per|of each) (?:delivery|order)\b/, 'average_price'],
  [/\b(this|last) (week|month)\b/g, '$1_$2'],
];

/** `average wait by store yesterday`, `who ordered most`, `busiest day`: a report, if every word says something of it. */
export function guessReport(words: readonly string[]): string[][] {
  const typed = words.join(' ');
  const told = phrases
    .reduce((text, [phrase, word]) => text.replace(phrase, word), typed)
    .split(' ')
    .filter(
      (word) => Object.hasOwn(reportWords, word) || !(questionWords.test(word) || fillWords.test(word)),
    );

  const periods = told.map((word) => word.replace('_', ' ')).filter((word) => periodWords.test(word));
  const others = told.filter((word) => !periodWords.test(word.replace('_', ' ')));
  const asked = others.filter((word) => Object.hasOwn(reportWords, word));
  const rest = others.filter((word) => !asked.includes(word));
  // The counts have minutes too.
  const viewOf = (word: string) =>
    word === 'minutes' ? undefined : findChoice(word, reportViews, viewNames);
  const views = [...new Set(rest.flatMap((word) => viewOf(word) ?? []))];
  const left = rest.filter((word) => viewOf(word) === undefined);
  const groups = left.flatMap((word) => findChoice(word, reportGroups, groupNames) ?? []);
  const sorted = left.flatMap((word) => findChoice(word, sorts, sortNames) ?? []);
  const isUnderstood = groups.length + sorted.length === left.length;
  // `how many orders did each store send`: the other words of a whole question do not matter.
  const grouped = groupsAfter(words, /^(?:each|every|per|by|which)$/);
  const isEach = groupsAfter(words, /^(?:each|every)$/).length > 0;
  const isReport = asked.length > 0 || isEach || rest.some((word) => reportNames.has(word));
  if (!isReport || !(isUnderstood || grouped.length > 0)) return [];
  const own = asked.map((word) => reportWords[word]);
  const named = isUnderstood ? groups : grouped;
  const by = named.length > 0 ? named : own.flatMap((each) => each?.by ?? []);
  // `total tips`: of several columns that of the total says least.
  const [column] = [
    ...sorted.toSorted((left, right) => Number(left === 'total') - Number(right === 'total')),
    ...(views.length > 0 ? [] : own.flatMap((each) => each?.sort ?? [])),
  ];
  const isLeast = words.some(
    (word) =>
      /^(?:cheapest|fastest|fewest|least|lowest|quickest|shortest)$/.test(word) ||
      (column === 'on_time' && word === 'worst'),
  );
  const sort = isLeast && column !== undefined && !column.includes(':') ? `${column}:asc` : column;
  // `how many failed`: a total has no order of rows, and why is the next question.
  if (views.length === 0 && by.length === 0 && asked.every((word) => word === 'many')) {
    const why = sort === 'failed' || sort === 'canceled' ? ['--by', 'reason'] : [];
    return [['report', ...periods.flatMap((each) => each.split(' ')), ...why]];
  }
  // `best` and `top` compare groups: without one there is nothing to compare.
  const isCompared = asked.every((word) => /^(?:best|top|most|biggest)$/.test(word));
  if (views.length === 0 && by.length === 0 && isCompared) return [];
  const shown = views.map((view) => `--${view}`);
  const flags = [
    ...shown,
    ...by.flatMap((each) => ['--by', each]),
    ...orderFlags(sort, by),
    ...limitFlags(typed),
  ];
  return [['report', ...periods.flatMap((each) => each.split(' ')), ...flags]];
}

/** The value of all orders would stand beside that of the delivered ones. */
function orderFlags(sort: string | undefined, by: readonly string[]): string[] {
  if (sort === undefined) return [];
  // The canceled orders of a courier are also those that the merchant canceled.
  if (sort === 'canceled' && by.join() === 'courier') return ['--sort', 'lost_tries'];
  const isAlone = sort === 'delivered_value' && by.length > 0;
  return isAlone ? ['--columns', [...by, 'delivered', sort].join(',')] : ['--sort', sort];
}

function limitFlags(typed: string): string[] {
  const [, many] = countedGroups.exec(typed) ?? [];
  if (many === undefined) return [];
  return ['--limit', numbers.includes(many) ? `${numbers.indexOf(many) + 3}` : many];
}

/** The groups that are named after a word. */
function groupsAfter(words: readonly string[], before: RegExp): string[] {
  return words.flatMap((word, at) => {
    const isNamed = before.test(words[at - 1] ?? '');
    return (isNamed && findChoice(word, reportGroups, groupNames)) || [];
  });
}
