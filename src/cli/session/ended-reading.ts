/** The two readings of a period in a list of ended deliveries or orders. */
import type { Answer } from '../../client/answers.ts';
import type { Page } from '../../contract/schema.ts';
import { expandStatusNames } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { flagArgs, type Invocation, type InvocationFlags, phrase, withArgs } from '../kit/result/message.ts';
import type { Context } from './command.ts';

interface EndedReading<T, Q> {
  list: (input: { query: Q }) => Promise<Answer<Page<T>>>;
  query: Q;
  keep(record: T): boolean;
  command: Invocation;
  filters: InvocationFlags;
}

export type EndedQuery = Partial<
  Record<'created_after' | 'created_before' | 'ended_after' | 'ended_before', string | undefined>
>;

/** The most ended records that are counted. */
const max_ended = 100;

/**
 * Says that the period of a list of ended records is that of their creation, and how many ended in it: who asks what came
 * back yesterday may mean either.
 */
export async function noteEnded<T, Q extends EndedQuery>(
  context: Context,
  statuses: readonly string[] | undefined,
  { list, query, keep, command, filters }: EndedReading<T, Q>,
): Promise<void> {
  const { created_after: after, created_before: before } = query;
  const isOfEnded = statuses?.every((name) => expandStatusNames([name]).some(isEnded)) === true;
  if (!isOfEnded || (after ?? before) === undefined || query.ended_after !== undefined) return;
  if (context.output.json || context.output.quiet) return;
  const ended = {
    ended_after: after,
    ended_before: before,
    created_after: undefined,
    created_before: undefined,
  };
  const { data } = await list({ query: { ...query, ...ended, limit: max_ended } });
  const count = data.data.filter(keep).length;
  const { period, ...others } = filters;
  const flags = period === undefined ? { ...others, ended: true } : { ...others, ended: period };
  const some = phrase`${data.has_more ? 'More than ' : ''}${count} ended in it: ${withArgs(command, flagArgs(flags))}`;
  const found = count === 0 && !data.has_more ? 'None ended in it.' : some;
  context.note(phrase`The period is when they were created. ${found}`);
}
