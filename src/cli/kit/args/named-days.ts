/** Days with a time of day as people name them: `Friday 6pm`, `6pm tomorrow`, `Dec 2 at noon`, `tonight 8`. */
import { instantIn, wallClock, type Zone } from '../output/times.ts';

/** A day of the week, from 0 for Sunday, or of the year, whose month counts from 0. */
export type NamedDay = { weekday: number } | { month: number; date: number };

/** Days from today, or a day whose next or latest one is meant. */
export type NearDay = number | NamedDay;

const nearDays: Readonly<Record<string, number>> = {
  yesterday: -1,
  today: 0,
  tonight: 0,
  tomorrow: 1,
  tmrw: 1,
};
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const weekdayName = `(?:${weekdays.map(beginningsOf).join('|')})`;
const monthName = `(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?`;
const dayNumber = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
const dayForms = [
  `(?<near>${Object.keys(nearDays).join('|')})`,
  `(?:this |on )?(?<weekday>${weekdayName})\\.?`,
  `(?:on )?(?<month>${monthName}) (?<date>${dayNumber})`,
  `(?:on )?(?<date>${dayNumber}) (?<month>${monthName})`,
  String.raw`(?:on )?(?<number>\d{1,2})/(?<date>\d{1,2})`,
];
const wholeWeekday = new RegExp(`^${weekdayName}$`, 'i');
const monthDay = /^(\d{1,2})\/(\d{1,2})$/;
const textForms = dayForms.flatMap((day) => [
  new RegExp(`^${day}(?: at| @)? (?<time>\\S.*)$`, 'i'),
  new RegExp(`^(?<time>\\S.*?) (?:on )?${day}$`, 'i'),
]);
const datedForms = [
  `(?<month>${monthName}) (?<date>${dayNumber}) (?<year>\\d{4})`,
  `(?<date>${dayNumber}) (?<month>${monthName}) (?<year>\\d{4})`,
].map((form) => new RegExp(`^${form}(?: at| @)?(?<rest>$| .+)`, 'i'));

/** The day and what stands before or behind it as its time; null without a day. */
export function splitNearDay(typed: string): { day: NearDay; time: string } | null {
  const text = typed.replace(/,? +/g, ' ');
  for (const form of textForms) {
    const groups = form.exec(text)?.groups;
    const day = groups === undefined ? null : dayOf(groups);
    if (groups !== undefined && day !== null) return { day, time: timeIn(groups) };
  }
  return null;
}

/** `Dec 2, 2026 6pm` as `12/2/2026 6pm`; any other text as it is. */
export function withNumericMonth(typed: string): string {
  const text = typed.replace(/,? +/g, ' ');
  for (const form of datedForms) {
    const { month = '', date = '', year, rest } = form.exec(text)?.groups ?? {};
    if (year !== undefined) return `${monthOf(month) + 1}/${Number.parseInt(date, 10)}/${year}${rest}`;
  }
  return typed;
}

/** A bare hour tonight is one of the evening. */
function timeIn({ near, time = '' }: Record<string, string | undefined>): string {
  return near?.toLowerCase() === 'tonight' && /^(?:[5-9]|1[01])$/.test(time) ? `${time}pm` : time;
}

function dayOf({
  near,
  weekday,
  month,
  number,
  date = '',
}: Record<string, string | undefined>): NearDay | null {
  if (near !== undefined) return nearDays[near.toLowerCase()] ?? null;
  if (weekday !== undefined) return { weekday: weekdayNamed(weekday) };
  return dayOfYear(
    number === undefined ? monthOf(month ?? '') : Number(number) - 1,
    Number.parseInt(date, 10),
  );
}

/** `monday` or `12/02` without a time; null for any other text. */
export function namedDay(typed: string): NamedDay | null {
  const [, number, date] = monthDay.exec(typed) ?? [];
  if (number !== undefined) return dayOfYear(Number(number) - 1, Number(date));
  return wholeWeekday.test(typed) ? { weekday: weekdayNamed(typed) } : null;
}

function dayOfYear(month: number, date: number): NamedDay | null {
  // A leap year has every day.
  const isDay = new Date(Date.UTC(2024, month, date)).getUTCMonth() === month && date > 0;
  return isDay ? { month, date } : null;
}

const weekdayNamed = (name: string) =>
  weekdays.findIndex((each) => each.startsWith(name.slice(0, 3).toLowerCase()));

/** `sun(?:d(?:a(?:y)?)?)?`: a name, or its beginning of three letters or more. */
function beginningsOf(name: string): string {
  const rest = [...name.slice(3)];
  return name.slice(0, 3) + rest.map((letter) => `(?:${letter}`).join('') + ')?'.repeat(rest.length);
}

/** The day of the week of a date, from 0 for Sunday. */
export function weekdayOf({ year, month, day }: { year: number; month: number; day: number }): number {
  return new Date(Date.UTC(year, month, day)).getUTCDay();
}

const monthOf = (name: string) => months.indexOf(name.slice(0, 3).toLowerCase());

/** The next such time after `now`, or the latest one before it, in a zone. */
export function instantOnDay(
  now: number,
  { day, minutes }: { day: NamedDay; minutes: number },
  { direction, zone }: { direction: 'ago' | 'ahead'; zone: Zone },
): number {
  const today = wallClock(now, zone);
  const dates =
    'weekday' in day
      ? daysOfWeek(today, day.weekday)
      : yearsAround(today.year, day).map((year) => ({ year, month: day.month, day: day.date }));
  const instants = dates.map((date) => instantIn({ ...date, minutes }, zone));
  const found =
    direction === 'ahead' ? instants.find((at) => at > now) : instants.findLast((at) => at <= now);
  return found ?? now;
}

/** The years before and after one that have the day, in order: February 29 is missing in up to eight. */
export function yearsAround(year: number, { month, date }: { month: number; date: number }): number[] {
  const years = Array.from({ length: 17 }, (_, index) => year - 8 + index);
  return years.filter((each) => new Date(Date.UTC(each, month, date)).getUTCMonth() === month);
}

function daysOfWeek(today: { year: number; month: number; day: number }, weekday: number) {
  const ahead = (weekday - weekdayOf(today) + 7) % 7;
  const { year, month } = today;
  return [-7, 0, 7].map((offset) => ({ year, month, day: today.day + ahead + offset }));
}
