/**
 * The one or two periods of a report, from their words to their rows. `readPeriods` reads them, `untilSameTime` ends two
 * of them at the same time of day (`--same-time`), and `rowsOfPeriod` and `rowsByGroup` order what was counted. The notes
 * about them are in `report-notes.ts`.
 */
import type { ReportRow } from '../../contract/accounting.ts';
import { day_ms, minute_ms } from '../../domain/durations.ts';
import { withCounterpart } from '../../domain/report-words.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { shortTime } from '../kit/output/times.ts';
import { instantIn, zonedClock } from '../kit/output/zoned-clock.ts';
import { invocation } from '../kit/result/message.ts';
import { readPeriod, type TypedPeriod } from '../session/typed-periods.ts';
import type { ShownRow } from './report-row.ts';

/** A period in which orders were created. */
export interface Span {
  label: string;
  created: { created_after: string; created_before: string | undefined };
  /** The time at which they are counted as they stood then, if that is not now. */
  as_of?: string | undefined;
}

/** One period or two: `last week`, `yesterday today`, `last week vs this week`; empty for any other text. */
export function readPeriods(typed: string): TypedPeriod[] {
  const whole = typed === '' ? null : readPeriod(typed);
  if (whole !== null) return [whole];
  const words = typed.split(' ').filter((word) => !/^(?:vs\.?|versus|and|with|against)$/i.test(word));
  for (let end = 1; end < words.length; end += 1) {
    const parts = [words.slice(0, end), words.slice(end)].map((part) => readPeriod(part.join(' ')));
    if (parts.every((part) => part !== null)) return parts;
  }
  return [];
}

/** Throws UsageError for a period that is compared with itself. */
export function requireDifferent(first: Span, second: Span): void {
  if (startOfSpan(first) !== startOfSpan(second) || endOfSpan(first) !== endOfSpan(second)) return;
  const named = withCounterpart(first.label);
  const words = named === first.label ? ['yesterday', 'today'] : named.split(' ');
  const next = [{ ...invocation('report', words), when: 'for example' }];
  throw new UsageError(`${first.label} is compared with itself: name two periods.`, { next });
}

/** `yesterday today` at 14:03 is both until 14:03: as many days after their starts as the one under way is now. */
export function untilSameTime(first: Span, second: Span | undefined, now: number, zone: string | null) {
  const current = [first, second].find((span) => span !== undefined && isUnderWay(span, now));
  if (current === undefined || second === undefined) {
    const example = invocation('report', ['yesterday', 'today'], { sameTime: true });
    const next = [{ ...example, when: 'for example' }];
    throw new UsageError('--same-time compares a period with one that is under way.', { next });
  }
  const [start, clock] = [zonedClock(startOfSpan(current), zone), zonedClock(now, zone)];
  const dayOf = ({ year, month, day }: typeof clock) => Date.UTC(year, month, day);
  const days = Math.round((dayOf(clock) - dayOf(start)) / day_ms);
  const minutes = clock.hours * 60 + clock.minutes;
  const cut = (span: Span): Span => {
    const { year, month, day } = zonedClock(startOfSpan(span), zone);
    // What happens now is counted: the end is exclusive.
    const at = instantIn({ year, month, day: day + days, minutes }, zone) + (now % minute_ms) + 1;
    const as_of = new Date(Math.min(at, endOfSpan(span))).toISOString();
    return { ...span, label: `${span.label} until ${shortTime(as_of, now, zone)}`, as_of };
  };
  return { first: cut(first), second: cut(second) };
}

export function startOfSpan({ created }: Span): number {
  return Date.parse(created.created_after);
}

function endOfSpan({ created }: Span): number {
  return created.created_before === undefined ? Number.POSITIVE_INFINITY : Date.parse(created.created_before);
}

export function isUnderWay(span: Span, now: number): boolean {
  return endOfSpan(span) > now;
}

export interface PeriodReport extends Span {
  rows: readonly ShownRow[];
}

/** The rows of a report with its period. */
export function rowsOfPeriod(
  span: Span,
  { rows, created_before }: { rows: readonly ReportRow[]; created_before: string },
  zone: string | null,
): ShownRow[] {
  const to = span.as_of ?? span.created.created_before ?? created_before;
  const period = { from: new Date(startOfSpan(span)).toISOString(), to, time_zone: zone };
  return rows.map((row) => ({ ...period, ...row }));
}

/** A row that is not divided. */
export const noGroup = {
  courier: null,
  status: null,
  store_id: null,
  store_name: null,
  driver_id: null,
  driver_name: null,
  customer_name: null,
  customer_contact: null,
  address: null,
  zip: null,
  reason: null,
  reason_messages: [],
  day: null,
  weekday: null,
  hour: null,
};

/** The rows of two periods, those of a group below each other. */
export function rowsByGroup(periods: readonly PeriodReport[]): ShownRow[] {
  const rows = periods.flatMap((each) => each.rows.map((row): ShownRow => ({ period: each.label, ...row })));
  const keyOf = (row: ReportRow) => {
    // An e-mail address is one customer, whatever the name, an ID one store or driver, and a reason one, whatever was reported.
    const { customer_contact, customer_name, driver_id, driver_name } = row;
    const names = {
      customer_name: customer_contact?.includes('@') ? null : customer_name?.toLowerCase(),
      driver_name: driver_id === null ? driver_name : null,
    };
    const ofGroup = { ...row, ...names, store_name: null, reason_messages: [] };
    return Object.keys(noGroup)
      .map((field) => Reflect.get(ofGroup, field))
      .join('|');
  };
  return [...Map.groupBy(rows, keyOf).values()].flat();
}
