/** Which deliveries a command is for: one, those of a file, or all that match --where. */
import { records } from '../../../client/pages.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { beforePickupStatuses, type DeliveryStatus, type StatusGroup } from '../../../contract/vocabulary.ts';
import { stuck_after_ms } from '../../../domain/lateness.ts';
import { isReportedAs } from '../../errors/error-report.ts';
import { choicesFlag, type Flag, textFlag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { type Invocation, invocation } from '../../kit/result/message.ts';
import { findStoreId } from '../../nouns/find-by-name.ts';
import { changedWord, findDeliveryId } from '../../nouns/find-delivery.ts';
import { type Context, positional } from '../../session/command.ts';
import { createdFlags, createdQuery } from '../../session/created-periods.ts';
import type { Moment } from '../../session/time-arguments.ts';
import { readPeriod, type TypedPeriod } from '../../session/typed-periods.ts';

/** The deliveries of a bulk command: a file with their ids, or those that match. */
export interface Selection {
  from: string | undefined;
  where: readonly DeliveryFilter[] | undefined;
  /** The store and the period narrow what `where` finds. */
  store: string | undefined;
  since: Moment | undefined;
  until: Moment | undefined;
  period: TypedPeriod | undefined;
}

/** A selected delivery: what was typed for it or its id, and its record if a list had it. */
export interface Selected {
  typed: string;
  delivery: Delivery | null;
}

/** A name for `--where`: late or stuck deliveries, those before the pickup, or those with a status. */
type DeliveryFilter = 'late' | 'stuck' | 'not_picked_up' | DeliveryStatus | StatusGroup;

/** The argument for one delivery, which is left out if a flag selects several. */
export function oneOrSelection(statuses: readonly string[]) {
  return positional('delivery', {
    summary: changedWord,
    statuses,
    optional: (given) => given.has('from') || given.has('where'),
  });
}

/** The flags that select several deliveries. */
export function selectionFlags<const C extends DeliveryFilter>(
  where: readonly C[],
): {
  from: Flag<string | undefined>;
  where: Flag<C[] | undefined>;
  store: Flag<string | undefined>;
} & typeof createdFlags {
  const group = 'Several deliveries';
  return {
    ...createdFlags,
    from: textFlag({
      summary: 'File with an ID or reference on each line; - reads stdin',
      placeholder: 'FILE',
      group,
    }),
    where: choicesFlag({ summary: 'All deliveries that match (comma-separated)', choices: where, group }),
    store: textFlag({
      summary: 'With --where: only of this store, by ID or name',
      placeholder: 'STORE',
      group,
    }),
  };
}

/** Added to the description of commands that take several deliveries. */
export const bulkText = [
  'With --from or --where several deliveries are done in sequence, after they are listed and the total price is',
  'confirmed; --max-fee and --max-cost limit the total. --store, --period, --since and --until narrow --where. --dry-run',
  'lists them with their prices and changes nothing. The exit code is 10 if some are refused. After an interruption run',
  'the same command again: what was done before is refused, nothing is done twice.',
].join('\n');

/** True if the deliveries are selected by a flag. */
export function isBulk({ from, where }: Selection): boolean {
  return from !== undefined || where !== undefined;
}

/** Finds the one delivery of a command. If `all` or a name of --where finds nothing, the error says how to select several. */
export async function findOne(
  context: Context,
  typed: string,
  command: Invocation,
  filter_names: readonly string[],
): Promise<string> {
  try {
    return await findDeliveryId(context, typed, { changes: true });
  } catch (error) {
    const word = typed.trim().toLowerCase();
    const where = /^(?:all|everything)$/.test(word)
      ? filter_names.join(',')
      : filter_names.find((each) => each === word);
    if (where === undefined || !isReportedAs(error, 'record_not_found')) throw error;
    const selected = invocation(command.command, [], { where, dryRun: true });
    throw new UsageError(`"${typed}" is no delivery. Several are selected with --where.`, {
      next: [{ ...selected, when: 'list them with their prices; without --dry-run it is done' }],
      cause: error,
    });
  }
}

/** Exit 2 if the deliveries are given in two ways, or with flags for one delivery only. */
export function checkSelection(
  { from, where, ...narrowed }: Selection,
  single_delivery_flags: Readonly<Record<string, boolean>>,
): void {
  if (from !== undefined && where !== undefined) throw new UsageError('Use only one of --from and --where.');
  checkNarrowing({ where, ...narrowed });
  const [name] = Object.entries(single_delivery_flags).find(([, isGiven]) => isGiven) ?? [];
  if (name === undefined) return;
  const hint =
    name === '--price' ? '--dry-run lists them with their prices, and changes nothing.' : undefined;
  throw new UsageError(`${name} cannot be combined with ${from === undefined ? '--where' : '--from'}.`, {
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Exit 2 for a flag that narrows --where without it. */
export function checkNarrowing({ where, store, since, until, period }: Omit<Selection, 'from'>): void {
  const [name] =
    Object.entries({ store, since, until, period }).find(([, value]) => value !== undefined) ?? [];
  if (where === undefined && name !== undefined)
    throw new UsageError(`--${name} belongs to --where: it narrows the deliveries that match.`);
}

/**
 * Reads or lists the deliveries of a bulk command. `default_period` narrows --where if no period is given: commands whose
 * --where names ended deliveries, such as `failed`, have one.
 */
export async function selectDeliveries(
  context: Context,
  selection: Selection,
  default_period: string | undefined,
): Promise<Selected[]> {
  if (selection.from === undefined) return listMatching(context, selection, default_period);
  return (await readIds(context, selection.from)).map((typed) => ({ typed, delivery: null }));
}

/** Reads the ids or references of a file or of stdin, one on each line. */
async function readIds(context: Context, path: string): Promise<string[]> {
  const lines = (await context.readFile(path)).split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Lists the deliveries that match at least one of the names, oldest first: ids sort by the time of their creation. */
async function listMatching(
  context: Context,
  { where = [], store, since, until, period }: Selection,
  default_period: string | undefined,
): Promise<Selected[]> {
  const store_id = store && (await findStoreId(context, store));
  const isOpen = since !== undefined || until !== undefined || default_period === undefined;
  const within = period ?? (isOpen ? undefined : (readPeriod(default_period) ?? undefined));
  const created = await createdQuery(context, { since, until, period: within, store: store_id });
  if (period === undefined && within !== undefined && !context.output.json)
    context.note(`Of those created ${within.typed}. For others: --period yesterday, or --since 7d.`);
  const client = await context.client();
  const matches = new Map<string, Delivery>();
  for (const name of where) {
    const query = { ...queryOf(name), ...created, store_id, limit: 100 };
    for await (const delivery of records(client.deliveries.list, query)) matches.set(delivery.id, delivery);
  }
  return [...matches.values()]
    .map((delivery) => ({ typed: delivery.id, delivery }))
    .sort((left, right) => (left.typed < right.typed ? -1 : 1));
}

/** The query for a name of `--where`. */
function queryOf(name: DeliveryFilter) {
  if (name === 'late') return { late: true };
  if (name === 'stuck') return { overdue: stuck_after_ms / 1000 };
  return { status: name === 'not_picked_up' ? [...beforePickupStatuses] : [name] };
}
