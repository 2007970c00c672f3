import { unlessMissing } from '../../../client/errors.ts';
import type { Event } from '../../../contract/events.ts';
import type { Context } from '../../session/command.ts';

/**
 * Sorts event IDs, oldest first, the order in which an endpoint should receive them. An ID contains its millisecond;
 * events of one delivery in the same millisecond are fetched and sorted by sequence. Malformed IDs come first, as they
 * are refused.
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

/** The time part of an ID, which sorts as text (a ULID: https://github.com/ulid/spec). */
function momentOf(id: string): string {
  return /^evt_([0-9A-HJKMNP-TV-Z]{10})[0-9A-HJKMNP-TV-Z]{16}$/.exec(id)?.[1] ?? '';
}

/** Sorts numbered events by sequence; all others keep their position. */
async function bySequence(context: Pick<Context, 'client'>, ids: readonly string[]): Promise<string[]> {
  const sequences = new Map<string, number>();
  for (const id of ids) {
    const sequence = (await eventOf(context, id))?.sequence ?? null;
    if (sequence !== null) sequences.set(id, sequence);
  }
  const numbered = [...sequences].sort(([, left], [, right]) => left - right).map(([id]) => id);
  return ids.map((id) => (sequences.has(id) ? (numbered.shift() ?? id) : id));
}

/** Null if the event does not exist: resending it will be refused. */
async function eventOf(context: Pick<Context, 'client'>, event_id: string): Promise<Event | null> {
  const client = await context.client();
  return (await unlessMissing(client.events.get({ params: { event_id } })))?.data ?? null;
}
