/** Says why a typed time is not read, and what was probably meant. */
import { nearNames } from '../../domain/near-names.ts';
import { foreignZone } from '../../domain/typed-clocks.ts';
import { monthFirst, type splitDay } from '../../domain/typed-days.ts';
import { type Direction, spanInWords } from './typed-lengths.ts';

/** What a time is for: past records, what is to come, a visit, which needs a time of day, or one in a file of any day. */
export type Use = Direction | 'visit' | 'dated visit';

export const examples: Readonly<Record<Use, string>> = {
  ago: 'must be a time such as "yesterday 6pm", "2 hours ago", 2026-03-02T18:00Z or 08:00 or a duration such as 2h',
  ahead:
    'must be a time such as "tomorrow 6pm", "Friday noon", "in 2 hours", 2026-03-02T18:00Z or 08:00 or a duration such as 2h',
  visit:
    'must be a time such as "tomorrow 6pm", "Friday 5-6pm", "in 2 hours", 2026-03-02T18:00Z or 08:00 or a duration such as 2h',
  'dated visit': 'must be a date and time such as 2026-01-31 15:00 or 01/31/2026 3:00 PM',
};

const dayWords = [
  ...['today', 'yesterday', 'tomorrow'],
  ...['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
  ...['week', 'month'],
];

/** What a misspelled day or a time with a point was probably meant to be; empty if it looks like neither. */
export function meantDay(typed: string): string {
  const [, hours, minutes] = /^(\d{1,2})\.([0-5]\d)$/.exec(typed.trim()) ?? [];
  const [near] = nearNames(typed.trim().toLowerCase(), dayWords);
  const meant = hours === undefined ? near : `${hours}:${minutes}`;
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

export type FoundDay = ReturnType<typeof splitDay>;

/** A text that is no time, and its part that should be a time of day. */
interface Unread {
  text: string;
  time: string;
  use: Use;
}

/** Why a text is not read as a time; null if nothing is known of such a text. */
export function whyUnread(text: string, found: FoundDay, use: Use): string | null {
  const unread = { text, time: found?.time ?? text, use };
  for (const explain of explanations) {
    const why = explain(unread);
    if (why !== null) return why;
  }
  return null;
}

/** The explanations in their order, as the later ones are given for more texts. */
const explanations: readonly ((unread: Unread) => string | null)[] = [
  whyDayFirst,
  whyDayAlone,
  whyNow,
  whyLater,
  whyBeyondMidnight,
  whyHalfPast,
  whyWithoutColon,
  whyForeignZone,
  whyHourAlone,
];

/** Explains `31/01/2026 3pm`. */
function whyDayFirst({ text }: Unread): string | null {
  const american = monthFirst(text);
  return american && `must have the month before the day, such as ${american}, not "${text}"`;
}

/** Explains `tomorrow` for a visit, which needs a time of day. */
function whyDayAlone({ text, time }: Unread): string | null {
  if (time !== '') return null;
  const example = /^tonight$/i.test(text) ? 'tonight 8' : `${text} 6pm`;
  return `must have a time of day, such as "${example}", not "${text}" alone`;
}

/** Explains `asap` for a visit. */
function whyNow({ text, use }: Unread): string | null {
  const isNow = /^(?:now|asap|as soon as possible|right away|immediately)$/i.test(text);
  return use === 'visit' && isNow
    ? `must be a time to come, not "${text}": what has no time is sent as soon as possible`
    : null;
}

/** Explains `2h later`. */
function whyLater({ text }: Unread): string | null {
  const [, later] = /^(.+) later$/i.exec(text) ?? [];
  return later !== undefined && spanInWords(later, 'ahead') !== null
    ? `must be a time, such as 7pm, or counted from now, as in "in ${later}", not "${text}"`
    : null;
}

/** Explains `24:30` and `18:75`. */
function whyBeyondMidnight({ text, time }: Unread): string | null {
  return /^(?:2[4-9]|[3-9]\d):\d\d$|^\d{1,2}:[6-9]\d$/.test(time)
    ? `must be a time from 0:00 to 23:59, not "${text}"`
    : null;
}

/** Explains `half past six`. */
function whyHalfPast({ text, time }: Unread): string | null {
  return /^(?:at )?(?:half|(?:a )?quarter) (?:past|after|to) /i.test(time)
    ? `must say whether ${time} is in the morning or the afternoon, not "${text}"`
    : null;
}

/** Explains `1830`. */
function whyWithoutColon({ text, time }: Unread): string | null {
  const [, hours, minutes] = /^([01]\d|2[0-3])([0-5]\d)$/.exec(time) ?? [];
  return hours === undefined
    ? null
    : `must have a colon in the time, as in ${hours}:${minutes}, not "${text}"`;
}

/** Explains `18:00 CET`. */
function whyForeignZone({ time }: Unread): string | null {
  const zone = foreignZone(time);
  const needed =
    'must be in a time zone of the USA such as ET, or have an offset as in 2026-03-02T18:00-06:00';
  return zone && `${needed}, not "${zone}"`;
}

/** Explains `6` and `5-6`. */
function whyHourAlone({ text, time, use }: Unread): string | null {
  const isHour = /^(?:at )?(?:0?[1-9]|1[0-2])$/i.test(time) && use !== 'ago';
  const hour = time.replace(/^at /i, '');
  if (isHour && use !== 'dated visit')
    return `must say whether ${hour} is ${hour}am or ${hour}pm, not "${text}"`;
  const isWindow = /^(?:from |between )?\d{1,2} ?(?:-|\u2013|to|until|till|and) ?\d{1,2}$/i.test(time);
  return isWindow || isHour
    ? `must say whether ${hour} is in the morning or the afternoon, not "${text}"`
    : null;
}
