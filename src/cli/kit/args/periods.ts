/** Whole days, weeks and months as people name them: `yesterday`, `last week`, `monday`, `month`, `11/28`. */

/** A date, whose day or month may be beyond the end of its month or year. */
interface CalendarDay {
  year: number;
  /** From 0 for January. */
  month: number;
  day: number;
}

/** The first day of a period, and the first one after it. */
export type Period = (today: CalendarDay) => readonly [from: CalendarDay, to: CalendarDay];

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

const namedPattern = /^(?:(this|last) )?(week|month)$/i;
const weekdayPattern = /^(?:(last) )?([a-z]{3,9})$/i;
/** A day without its year, as Americans write it. */
const monthDayPattern = /^(\d{1,2})\/(\d{1,2})$/;

/** The past period of a name; null for any other text. */
export function namedPeriod(typed: string): Period | null {
  if (/^today$/i.test(typed)) return days(0);
  if (/^yesterday$/i.test(typed)) return days(-1);
  const [, which, unit] = namedPattern.exec(typed) ?? [];
  const back = which?.toLowerCase() === 'last' ? -1 : 0;
  if (unit?.toLowerCase() === 'week') return weeks(back);
  if (unit?.toLowerCase() === 'month') return months(back);
  return weekdayPeriod(typed) ?? monthDayPeriod(typed);
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

/** The latest such day, which `last` keeps from being today. */
function weekdayPeriod(typed: string): Period | null {
  const [, last, name = ''] = weekdayPattern.exec(typed) ?? [];
  const found = weekdays.findIndex((each) => name !== '' && each.startsWith(name.toLowerCase()));
  if (found < 0) return null;
  return (today) => {
    const ago = (weekdayOf(today) - found + 7) % 7;
    return days(ago === 0 && last !== undefined ? -7 : -ago)(today);
  };
}

/** The latest such day. */
function monthDayPeriod(typed: string): Period | null {
  const [whole, month, day] = monthDayPattern.exec(typed) ?? [];
  const wanted = { month: Number(month) - 1, day: Number(day) };
  // A leap year has every day.
  const date = new Date(Date.UTC(2024, wanted.month, wanted.day));
  if (whole === undefined || date.getUTCMonth() !== wanted.month || wanted.day === 0) return null;
  return (today) => {
    const isAhead = wanted.month * 31 + wanted.day > today.month * 31 + today.day;
    return dayPeriod({ ...wanted, year: today.year - (isAhead ? 1 : 0) })(today);
  };
}

function weekdayOf({ year, month, day }: CalendarDay): number {
  return new Date(Date.UTC(year, month, day)).getUTCDay();
}
