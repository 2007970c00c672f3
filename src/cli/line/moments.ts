import type { Context } from '../context.ts';
import { UsageError } from '../failures/failure.ts';
import { BadValue, type Flag, type FlagOptions, readDuration, text } from './flags.ts';

/** A point in time as people give it: an instant, or so many milliseconds before or after now. */
export type Moment =
  | { at: number; span?: never; typed: string }
  | { at?: never; span: number; typed: string };

/** `--since 2h`, `--since 2026-03-02`, `--pickup-at 2026-03-02T18:00-06:00`; local time without an offset. */
export function moment(options: FlagOptions): Flag<Moment | undefined> {
  const base = text({ placeholder: 'WHEN', ...options });
  return { ...base, read: (texts) => readMoment(texts.at(-1) ?? ''), absent: () => undefined };
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/** Reads an instant or a length of time; throws BadValue. A day alone is its midnight, local time. */
export function readMoment(typed: string): Moment {
  const iso = DATE.test(typed) ? `${typed}T00:00` : INSTANT.test(typed) ? typed.replace(' ', 'T') : null;
  const at = iso === null ? Number.NaN : Date.parse(iso);
  if (!Number.isNaN(at)) return { at, typed };
  const span = spanOf(typed);
  if (span !== null) return { span, typed };
  throw new BadValue(
    `takes an instant such as 2026-03-02T18:00Z, or a length of time such as 2h, not "${typed}"`,
  );
}

function spanOf(typed: string): number | null {
  try {
    return readDuration(typed);
  } catch (error) {
    if (error instanceof BadValue) return null;
    throw error;
  }
}

/** The moment as the interface takes it. A length of time is counted from the service's own clock. */
export async function instantOf(
  context: Context,
  moment: Moment,
  direction: 'ago' | 'ahead',
): Promise<string> {
  if (moment.at !== undefined) return new Date(moment.at).toISOString();
  const now = await serviceTime(context);
  return new Date(direction === 'ago' ? now - moment.span : now + moment.span).toISOString();
}

/** The same for what begins with the past; UsageError for a moment that is still to come at the service. */
export async function pastInstantOf(context: Context, moment: Moment): Promise<string> {
  if (moment.at !== undefined) {
    const now = await serviceTime(context);
    const at = new Date(now).toISOString();
    if (moment.at > now)
      throw new UsageError(`--since ${moment.typed} is still to come: it is ${at} at the service.`, {
        code: 'bad_value',
      });
  }
  return instantOf(context, moment, 'ago');
}

async function serviceTime(context: Context): Promise<number> {
  const client = await context.client();
  const answer = await client.service.health();
  return answer.service_time ?? context.now();
}
