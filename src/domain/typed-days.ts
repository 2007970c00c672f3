/** Days as people and shop systems write them: `Friday`, `tomorrow`, `12/5`, `Sat, Dec 5, 2026`, `2026-12-05`. */

/** A date, whose day or month may be beyond the end of its month or year. */
export interface CalendarDay {
  year: number;
  /** From 0 for January. */
  month: number;
  day: number;
}

/** The weekday that was typed with a date, from 0 for Sunday. */
interface Called {
  called?: number;
}

/** Days from today, a day of the week or of the year, whose next or latest one is meant, or a date. */
export type TypedDay =
  | number
  | { weekday: number; isLast?: true; called?: undefined }
  | ({ month: number; date: number; year?: number; isDayFirst?: true } & Called);

const nearDays: Readonly<Record<string, number>> = {
  yesterday: -1,
  today: 0,
  tonight: 0,
  tomorrow: 1,
  tmrw: 1,
};
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const weekdayName = `(?:${weekdays.map(beginningsOf).join('|')})\\.?`;
const monthName = `(?<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?`;
const dayNumber = String.raw`(?<date>\d{1,2})(?:st|nd|rd|th)?`;
const twoOrFour = String.raw`(?<year>\d{4}|\d{2})`;
const called = `(?:(?<called>${weekdayName}) )?`;
const dayForms = [
  `(?<near>${Object.keys(nearDays).join('|')})`,
  String.raw`${called}(?<year>\d{4})(?<mark>[-/])(?<month>\d{1,2})\k<mark>(?<date>\d{1,2})`,
  String.raw`${called}(?<month>\d{1,2})/(?<date>\d{1,2})/${twoOrFour}`,
  String.raw`${called}(?<first>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})`,
  String.raw`${called}(?:the )?${monthName} ${dayNumber} (?<year>\d{4})`,
  String.raw`${called}(?:the )?${dayNumber}[- ](?:of )?${monthName}[- ](?<year>\d{4})`,
  `${called}${monthName} ${dayNumber}`,
  `${called}(?:the )?${dayNumber} (?:of )?${monthName}`,
  String.raw`${called}(?<month>\d{1,2})/(?<date>\d{1,2})`,
  `(?:(?<last>last )|this )?(?<weekday>${weekdayName})`,
];
/** A day with its time behind it, `Friday at 6pm`, or before it, `6pm on Friday`. */
const textForms = dayForms.flatMap((day) => [
  new RegExp(String.raw`^(?:on )?${day}(?:$|(?:T(?=\d)| (?:at |@ ?|- )?)(?<time>.+)$)`, 'i'),
  new RegExp(`^(?<time>.+?) (?:on )?${day}$`, 'i'),
]);

/** One blank between words, none of the commas, and hours in digits. */
export function plainTime(typed: string): string {
  return withHoursInDigits(typed.trim().replace(/,?\s+/g, ' '));
}

const hourNames = ['one', 'two', 'three', 'four', 'five', 'six'];
hourNames.push('seven', 'eight', 'nine', 'ten', 'eleven', 'twelve');
/** `half past two`, `quarter to 9`, `two`. */
const spokenPattern = new RegExp(
  `\\b(?:(half past|(?:a )?quarter (?:past|after|to)) )?(\\d{1,2}|${hourNames.join('|')})(?=\\b|[ap]m)(?![:.]\\d)`,
  'gi',
);
const lengthPattern = new RegExp(`\\b(?:${hourNames.join('|')})(?= (?:day|hour|minute|hr|min)s?\\b)`, 'gi');

/** `two hours` as `2 hours`. */
export function withLengthsInDigits(text: string): string {
  return text.replace(lengthPattern, (name) => String(hourNames.indexOf(name.toLowerCase()) + 1));
}

/** `quarter to nine tonight` as `8:45 tonight`; as it is unless it says which half of the day is meant. */
function withHoursInDigits(text: string): string {
  if (!/[a-z]{3}.*(?:[ap]\.?m\b|morning|afternoon|evening|night)/i.test(text)) return text;
  return text.replace(spokenPattern, (whole, part: string | undefined, name: string) => {
    // `nine` is the ninth name; `9` is none, and is read as a number.
    const hour = hourNames.indexOf(name.toLowerCase()) + 1 || Number(name);
    if (part === undefined) return Number.isNaN(Number(name)) ? String(hour) : whole;
    // `quarter to one` is 12:45, in the hour before.
    if (/to$/i.test(part)) return `${((hour + 10) % 12) + 1}:45`;
    return `${hour}:${/half/i.test(part) ? 30 : 15}`;
  });
}

/**
 * The day in a text of `plainTime`, and what stands before or behind it as its time, which is empty for a day alone; null
 * without a day.
 */
export function splitDay(text: string): { day: TypedDay; time: string } | null {
  for (const form of textForms) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    const day = dayOf(groups);
    if (day !== null) return { day, time: timeIn(groups) };
  }
  return null;
}

/** A bare hour of `tonight` is in the evening. */
function timeIn({ near, time = '' }: Record<string, string | undefined>): string {
  const isEvening = near?.toLowerCase() === 'tonight' && /^(?:.*\D)?(?:[5-9]|1[01])(?::\d\d)?$/.test(time);
  return isEvening ? `${time}pm` : time;
}

function dayOf(groups: Record<string, string | undefined>): TypedDay | null {
  const { near, weekday, last, year, name, first, month = '', date = first ?? '' } = groups;
  if (near !== undefined) return nearDays[near.toLowerCase()] ?? null;
  if (weekday !== undefined)
    return { weekday: weekdayNamed(weekday), ...(last === undefined ? {} : { isLast: true }) };
  // Of `5.12.2026` the day is `first`; a year of two digits is one of this century.
  const day = {
    month: name === undefined ? Number(month) - 1 : months.indexOf(name.slice(0, 3).toLowerCase()),
    date: Number(date),
    ...(year === undefined ? {} : { year: Number(year.padStart(4, '20')) }),
    ...(first === undefined || first === month ? {} : { isDayFirst: true as const }),
    ...(groups.called === undefined ? {} : { called: weekdayNamed(groups.called) }),
  };
  // A leap year has every day.
  return hasDay(day.year ?? 2024, day) ? day : null;
}

function hasDay(year: number, { month, date }: { month: number; date: number }): boolean {
  return new Date(Date.UTC(year, month, date)).getUTCMonth() === month;
}

const weekdayNamed = (name: string) =>
  weekdays.findIndex((each) => each.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase());

/** `sun(?:d(?:a(?:y)?)?)?`: a name, or its beginning of three letters or more. */
function beginningsOf(name: string): string {
  const rest = [...name.slice(3)];
  return name.slice(0, 3) + rest.map((letter) => `(?:${letter}`).join('') + ')?'.repeat(rest.length);
}

/** The day of the week of a date, from 0 for Sunday. */
export function weekdayOf({ year, month, day }: CalendarDay): number {
  return new Date(Date.UTC(year, month, day)).getUTCDay();
}

/** The dates that a day may mean, in order. */
export function datesOf(day: TypedDay, today: CalendarDay): CalendarDay[] {
  const fromToday = (offset: number) => ({ ...today, day: today.day + offset });
  if (typeof day === 'number') return [fromToday(day)];
  if ('weekday' in day) {
    const ahead = (day.weekday - weekdayOf(today) + 7) % 7;
    return (day.isLast ? [ahead - 7] : [ahead - 7, ahead, ahead + 7]).map(fromToday);
  }
  const { month, date, year } = day;
  return (year === undefined ? yearsWith(day, today.year) : [year]).map((each) => ({
    year: each,
    month,
    day: date,
  }));
}

/** The years around one that have the day: February 29 is missing in up to eight. */
function yearsWith(day: { month: number; date: number }, year: number): number[] {
  return Array.from({ length: 17 }, (_, index) => year - 8 + index).filter((each) => hasDay(each, day));
}

/** The error if a date is not on the weekday that was typed with it; null otherwise. */
export function calledFault(day: TypedDay, date: CalendarDay): string | null {
  if (typeof day === 'number' || day.called === undefined) return null;
  const weekday = weekdayOf(date);
  if (weekday === day.called) return null;
  return `must not be called a ${weekdays[day.called]}: that day is a ${weekdays[weekday]}`;
}

/** The date with its month first, if it is typed with its day first and cannot be read otherwise. */
export function monthFirst(typed: string): string | null {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b/.exec(typed) ?? [];
  return Number(day) > 12 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12
    ? `${month}/${day}/${year}`
    : null;
}
