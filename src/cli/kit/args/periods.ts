/** Whole days, weeks and months as people name them: `yesterday`, `last week`, `monday`, `month`, `11/28`. */
import { namedDay, weekdayOf, yearsAround } from './named-days.ts';

/** A date, whose day or month may be beyond the end of its month or year. */
interface CalendarDay {
  year: number;
  /** From 0 for January. */
  month: number;
  day: number;
}

/** The first day of a period, and the first one after it. */
export type Period = (today: CalendarDay) => readonly [from: CalendarDay, to: CalendarDay];

const namedPattern = /^(?:(this|last) )?(week|month)$/i;
/** The past period of a name; null for any other text. */
export function namedPeriod(typed: string): Period | null {
  if (/^today$/i.test(typed)) return days(0);
  if (/^yesterday$/i.test(typed)) return days(-1);
  const [, which, unit] = namedPattern.exec(typed) ?? [];
  const back = which?.toLowerCase() === 'last' ? -1 : 0;
  if (unit?.toLowerCase() === 'week') return weeks(back);
  if (unit?.toLowerCase() === 'month') return months(back);
  return namedDayPeriod(typed);
}

/** The period of one day. */
export function dayPeriod(date: CalendarDay): Period {
  return () => [date, { ...date, day: date.day + 1 }];
}

function days(offset: number): Period {
  return ({ day, ...month }) => [
    { ...month, day: day + offset },
    { ...month, day: day + offset + 1 },
  ];
}

/** Weeks begin on Monday. */
function weeks(offset: number): Period {
  return ({ day, ...month }) => {
    const monday = day - ((weekdayOf({ ...month, day }) + 6) % 7) + 7 * offset;
    return [
      { ...month, day: monday },
      { ...month, day: monday + 7 },
    ];
  };
}

function months(offset: number): Period {
  return ({ year, month }) => [
    { year, month: month + offset, day: 1 },
    { year, month: month + offset + 1, day: 1 },
  ];
}

/** The latest such day; of a weekday `last` keeps it from being today. */
function namedDayPeriod(typed: string): Period | null {
  const name = typed.replace(/^last /i, '');
  const named = namedDay(name);
  if (named === null) return null;
  if ('weekday' in named)
    return (today) => {
      const ago = (weekdayOf(today) - named.weekday + 7) % 7;
      return days(ago === 0 && name !== typed ? -7 : -ago)(today);
    };
  if (name !== typed) return null;
  const { month, date: day } = named;
  return (today) => {
    const isAhead = month * 31 + day > today.month * 31 + today.day;
    const latest = today.year - (isAhead ? 1 : 0);
    const year = yearsAround(latest, { month, date: day }).findLast((each) => each <= latest) ?? latest;
    return dayPeriod({ month, day, year })(today);
  };
}
