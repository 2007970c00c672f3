import { records } from '../../../client/pages.ts';
import type { DeliveryStatus, StatusGroup } from '../../../contract/vocabulary.ts';
import { choices, type Flag, text } from '../../kit/args/flags.ts';
import { readMoment } from '../../kit/args/time-arguments.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { deliveryWord } from '../../nouns/find-delivery.ts';
import { type Context, positional } from '../../session/command.ts';
import { instantOf } from '../../session/service-times.ts';

/** The deliveries of a bulk command: a file with their ids, or those that match. */
export interface Selection {
  from: string | undefined;
  where: readonly Matching[] | undefined;
}

/** The selection of `--where`: late or stuck deliveries, or those with a status. */
type Matching = 'late' | 'stuck' | 'initial' | 'in_transit' | DeliveryStatus | StatusGroup;

/** One delivery, unless several are selected by a flag. */
export const oneOrSelection = positional('delivery', {
  summary: deliveryWord,
  optional: (given) => given.has('from') || given.has('where'),
});

/** The flags that select several deliveries. */
export function selectionFlags<const C extends Matching>(
  where: readonly C[],
): { from: Flag<string | undefined>; where: Flag<C[] | undefined> } {
  const group = 'Several deliveries';
  return {
    from: text({
      summary: 'File with an ID or reference on each line; - reads stdin',
      placeholder: 'FILE',
      group,
    }),
    where: choices({ summary: 'All deliveries that match (comma-separated)', choices: where, group }),
  };
}

/** Added to the description of commands that take several deliveries. */
export const bulkText = [
  'With --from or --where several deliveries are done in sequence, after the total price is confirmed; --max-fee and',
  '--max-cost limit the total. The exit code is 10 if some are refused. After an interruption run the same command',
  'again: what was done before is refused, nothing is done twice.',
].join('\n');

/** True if the deliveries are selected by a flag. */
export function isBulk({ from, where }: Selection): boolean {
  return from !== undefined || where !== undefined;
}

/** Exit 2 if the deliveries are given in two ways, or with flags for one delivery only. */
export function checkSelection({ from, where }: Selection, others: Readonly<Record<string, boolean>>): void {
  if (from !== undefined && where !== undefined) throw new UsageError('Use only one of --from and --where.');
  const [name] = Object.entries(others).find(([, isGiven]) => isGiven) ?? [];
  if (name !== undefined)
    throw new UsageError(`${name} cannot be combined with ${from === undefined ? '--where' : '--from'}.`);
}

/** The IDs or references of the selected deliveries. */
export async function selectedWords(context: Context, { from, where = [] }: Selection): Promise<string[]> {
  return from === undefined ? matchingIds(context, where) : readIds(context, from);
}

/** Reads the ids or references of a file or of stdin, one on each line. */
async function readIds(context: Context, path: string): Promise<string[]> {
  const lines = (await context.readFile(path)).split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** A delivery without a change for this long is stuck. */
const stuck_after = '20m';

/** Lists the ids of the deliveries that match at least one of the names, oldest first. */
async function matchingIds(context: Context, where: readonly Matching[]): Promise<string[]> {
  const client = await context.client();
  const unchanged_since = await instantOf(context, readMoment(stuck_after), 'ago');
  const found = new Set<string>();
  for (const name of where) {
    const query =
      name === 'late' ? { late: true } : name === 'stuck' ? { unchanged_since } : { status: [name] };
    for await (const { id } of records(client.deliveries.list, { ...query, limit: 100 })) found.add(id);
  }
  return [...found].sort();
}
