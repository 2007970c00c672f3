/** Which of several deliveries that match is meant: the one under way, the one that the user chooses, or an error. */
import type { DetailedDelivery } from '../../contract/deliveries.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { shownStatus, statusWord } from '../../domain/status-words.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { alignedRows } from '../kit/output/aligned-rows.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { localTime, styledTime } from '../kit/output/times.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { storeZone } from './order.ts';

/** The part of the context that a search uses. */
export interface SearchContext
  extends Pick<Context, 'client' | 'has' | 'serviceNow' | 'interactive' | 'prompts' | 'note'> {
  output: Pick<Context['output'], 'times' | 'json'>;
}

export interface Choosing {
  /** Whether the command only shows the delivery: of several, the only one under way is taken. */
  prefersActive?: boolean;
}

const max_choices = 10;
/** The most names of other recipients that a note has. */
const max_names = 3;

/** Takes the only delivery under way where the command allows it, if it is the first; else asks which is meant. */
export async function chooseDelivery(
  context: SearchContext,
  text: string,
  found: readonly DetailedDelivery[],
  { hasMore, prefersActive = false }: Choosing & { hasMore: boolean },
): Promise<DetailedDelivery> {
  const active = prefersActive && !hasMore ? onlyActive(context, text, found) : null;
  if (active !== null) return active;
  const count = countText(found.length, hasMore);
  if (!context.interactive) throw severalMatch(context, text, found, count);
  const prompts = await context.prompts();
  const offered = found.slice(0, max_choices);
  const lines = describedLines(context, offered, { isWhole: false });
  const more =
    count === null ? '' : ` The first ${offered.length} of ${count}: ask with more words for others`;
  return prompts.select(
    `Which delivery?${more}`,
    offered.map((delivery, index) => ({ name: lines[index] ?? delivery.id, value: delivery })),
  );
}

/** The only delivery under way, with a note of the others; null if there is none, or if another one matches better. */
function onlyActive(
  { output, note }: SearchContext,
  text: string,
  found: readonly DetailedDelivery[],
): DetailedDelivery | null {
  const [active, ...others] = found.filter(({ status }) => !isEnded(status));
  if (active === undefined || active !== found[0] || others.length > 0) return null;
  const ended = found.length - 1;
  const all = invocation('deliveries list', [], { search: text });
  const { matched } = active.details;
  const by = matched === '' ? '' : ` (${matched})`;
  const names = new Set(found.map(recipientName));
  names.delete(recipientName(active));
  const also = names.size === 0 ? '' : `, also of ${[...names].slice(0, max_names).join(', ')}`;
  if (!output.json)
    note(
      phrase`Using ${active.id}${by}, which is under way; ${ended} other${ended === 1 ? ' has' : 's have'} ended${also}: ${all}`,
    );
  return active;
}

export function recipientName({ dropoffs }: DetailedDelivery): string {
  return oneLine(dropoffs[0]?.dropoff_name ?? '');
}

/** How many were found, if not all of them are named; `hasMore` if not all were read. */
function countText(found: number, hasMore: boolean): string | null {
  if (hasMore) return `at least ${found}`;
  return found > max_choices ? String(found) : null;
}

function severalMatch(
  context: SearchContext,
  text: string,
  found: readonly DetailedDelivery[],
  count: string | null,
): UsageError {
  const isOne = found.length === 1;
  const named = found.slice(0, max_choices);
  const message = isOne
    ? `"${text}" is not an ID or reference. A search finds one delivery: use its ID to change it.`
    : `Several deliveries match "${text}"${count === null ? '' : `: ${count}, of which ${named.length} are named`}.`;
  const all = { ...invocation('deliveries list', [], { search: text }), when: 'see all of them' };
  const one = named.map(({ id }) => ({
    ...invocation('deliveries explain', [id]),
    when: 'see whether it is the one, then use its ID',
  }));
  return new UsageError(message, {
    why: describedLines(context, named, { isWhole: true }).join('\n'),
    choices: named.map(({ id }) => id),
    matches: named.map(matchObject),
    next: isOne ? one : [all],
  });
}

/** What tells a match apart, for programs. */
function matchObject({ id, external_order_ref, dropoffs, status, created_at, details }: DetailedDelivery) {
  const [dropoff] = dropoffs ?? [];
  const { dropoff_name = '', dropoff_address = '' } = dropoff ?? {};
  return {
    id,
    external_order_ref,
    dropoff_name,
    dropoff_address,
    status,
    created_at,
    matched: details.matched,
  };
}

/** Describes the matches so that people can tell them apart; in a list to choose from the end of the ID is enough. */
function describedLines(
  { serviceNow, output }: SearchContext,
  found: readonly DetailedDelivery[],
  { isWhole }: { isWhole: boolean },
): string[] {
  const rows = found.map((delivery) => {
    const { id, external_order_ref, dropoffs, created_at, details } = delivery;
    const about = [external_order_ref, dropoffs[0]?.dropoff_name, streetOf(dropoffs[0]?.dropoff_address)];
    return [
      ...(isWhole ? [id] : []),
      ...about.map((text) => oneLine(text ?? '')),
      ...[statusWord(shownStatus(delivery)), ...(isWhole ? [] : [`…${id.slice(-4)}`])],
      styledTime(created_at, serviceNow(), output.times, localTime, storeZone(delivery)),
      ...(details.matched === '' ? [] : [details.matched]),
    ].map((text) => ({ text }));
  });
  return alignedRows(rows, { room: null, indent: 0 });
}

/** The first part of an address: the number and the street. */
function streetOf(address = ''): string {
  return address.split(',')[0] ?? '';
}
