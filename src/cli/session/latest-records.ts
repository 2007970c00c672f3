import { Unsupported } from '../../client/errors.ts';
import type { Choice } from '../kit/host/host.ts';
import { alignedRows } from '../kit/output/rows.ts';
import { oneLine } from '../kit/output/sanitize.ts';
import { ageOf, styledTime } from '../kit/output/times.ts';
import { recordKind } from '../records.ts';
import type { Context } from './command.ts';

/** The part of the context that is used. */
interface Asking extends Pick<Context, 'client' | 'serviceNow'> {
  output: Pick<Context['output'], 'times'>;
}

/** Typing filters the choices; older records need their full ID. */
const most = 50;

/**
 * Lists the latest records of a kind, newest first, each with its reference or ID, recipient or size, status and age;
 * empty for kinds that are not picked from a list. With `onlyOpen`, only what can still be dispatched.
 */
export async function latestRecords(
  context: Asking,
  name: string,
  onlyOpen = false,
): Promise<Choice<string>[]> {
  const kind = recordKind(name);
  if (kind?.isPicked !== true) return [];
  const briefs = await kind.latest(await context.client(), most, onlyOpen).catch(noneIfUnsupported);
  const rows = briefs.map(({ id, reference, about = '', status, created_at }) => {
    const made = styledTime(created_at, context.serviceNow(), context.output.times, ageOf);
    return [reference || id, about, status, made].map((text) => ({ text: oneLine(text) }));
  });
  const names = alignedRows(rows, { room: null, indent: 0 });
  return briefs.map(({ id, reference }, index) => ({
    name: names[index] ?? id,
    value: id,
    ...(reference === '' ? {} : { description: id }),
  }));
}

/** Without a list the user types the ID. */
function noneIfUnsupported(error: unknown): [] {
  if (error instanceof Unsupported) return [];
  throw error;
}
