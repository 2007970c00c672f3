import { unlessMissing } from '../../../client/errors.ts';
import type { Event } from '../../../contract/events.ts';
import type { Context } from '../../session/context.ts';

/**
 * The ids of events, oldest first, as an endpoint is to get them. An id says the millisecond; of one delivery those
 * of the same millisecond are asked for, as their sequence decides. What is no id comes first: it is refused.
 */
export async function oldestFirst(
  context: Pick<Context, 'client'>,
  ids: readonly string[],
): Promise<string[]> {
  const groups = Map.groupBy(ids, momentOf);
  const sorted: string[] = [];
  for (const moment of [...groups.keys()].sort()) {
    const group = groups.get(moment) ?? [];
    sorted.push(...(moment === '' || group.length === 1 ? group : await bySequence(context, group)));
  }
  return sorted;
}

/** The time in an id, a text that sorts as it does (a ULID: https://github.com/ulid/spec). */
function momentOf(id: string): string {
  return /^evt_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/.exec(id)?.[1] ?? '';
}

/** Those that are numbered, by their numbers; every other keeps its place. */
async function bySequence(context: Pick<Context, 'client'>, ids: readonly string[]): Promise<string[]> {
  const sequences = new Map<string, number>();
  for (const id of ids) {
    const sequence = (await eventOf(context, id))?.sequence ?? null;
    if (sequence !== null) sequences.set(id, sequence);
  }
  const numbered = [...sequences].sort(([, left], [, right]) => left - right).map(([id]) => id);
  return ids.map((id) => (sequences.has(id) ? (numbered.shift() ?? id) : id));
}

/** Null if it does not exist: it is refused when it is sent. */
async function eventOf(context: Pick<Context, 'client'>, event_id: string): Promise<Event | null> {
  const client = await context.client();
  return (await unlessMissing(client.events.get({ params: { event_id } })))?.data ?? null;
}
