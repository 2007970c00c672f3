/** The notes below a report: which time is counted, by which rules, and where two periods are not compared evenly. */
import { late_tolerance_ms } from '../../domain/lateness.ts';
import { lengthText } from '../kit/output/times.ts';
import { type InvocationFlags, invocation, phrase, type Text, timePart } from '../kit/result/message.ts';
import { isUnderWay, type PeriodReport, type Span, startOfSpan } from './report-periods.ts';

/** When the deliveries of one or two periods were dispatched, and which of two no row is of. */
export function periodNotes(reports: readonly PeriodReport[], zone: string | null): Text[] {
  const [counted, ...others] = reports.filter(({ rows }) => rows.length > 0);
  const empty = reports.find(({ rows }) => rows.length === 0);
  const isHalf = counted !== undefined && others.length === 0 && empty !== undefined;
  const texts = reports.map((report) =>
    reports.length === 1 ? periodText(report, zone) : phrase`${report.label}: ${periodText(report, zone)}`,
  );
  const days = zone === null ? '' : ` Days are those of ${zone}.`;
  const rules = `On time and late are of what was promised for it, whenever it was ordered: late is more than ${lengthText(late_tolerance_ms)} after the promise. Averages are of delivered ones.${days}`;
  return [
    ...(isHalf ? [`No deliveries in ${empty.label}: every row is of ${counted.label}.`] : []),
    [...texts, rules].reduce((left, right) => phrase`${left} ${right}`),
  ];
}

function periodText(span: Span, zone: string | null): Text {
  const created_before = span.as_of ?? span.created.created_before;
  const from = timePart(new Date(startOfSpan(span)).toISOString(), 'aged', zone);
  if (created_before === undefined) return phrase`Dispatched since ${from}.`;
  return phrase`Dispatched since ${from}, and before ${timePart(created_before, 'aged', zone)}.`;
}

/**
 * Which of two periods is counted to its end while the other one is under way, and how to compare them evenly; `flags` are
 * the others of the report.
 */
export function unevenNotes(
  reports: readonly Span[],
  { now, zone, flags }: { now: number; zone: string | null; flags: InvocationFlags },
): Text[] {
  const part = reports.find((report) => isUnderWay(report, now));
  const whole = reports.find((report) => !isUnderWay(report, now));
  if (part === undefined || whole === undefined) return [];
  const line = invocation('report', [whole.label, part.label], { ...flags, sameTime: true });
  const until = timePart(new Date(now).toISOString(), 'until', zone);
  return [phrase`${whole.label} is counted to its end, ${part.label} ${until}. Both until then: ${line}`];
}
