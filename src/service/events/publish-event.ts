/** Publishes ready data as an event: in the log, to the subscribed webhook endpoints, and cut to less than 20 kB. */
import { type EventType, namedEventTypes } from '../../contract/vocabulary.ts';
import { max_retry_period_ms } from '../../domain/retries.ts';
import { insertEvent, type NewEvent } from '../../storage/events.ts';
import { enqueueEvent } from '../../storage/webhook-messages.ts';
import type { WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';

/** An event to publish. A field that is not given is null in the log. */
interface Publication
  extends Pick<NewEvent, 'account_id' | 'test_mode' | 'type'>,
    Partial<Pick<NewEvent, 'delivery_id' | 'batch_id' | 'order_id' | 'sequence'>> {
  /** Identifies the event among those of the same time: the same parts give the same id. */
  id_parts: readonly string[];
  data: object;
}

/** Writes an event to the log and queues it for the subscribed webhook endpoints, in the caller's transaction. */
export async function publishEvent(
  { db, chance, now }: WriteContext,
  {
    id_parts,
    data,
    delivery_id = null,
    batch_id = null,
    order_id = null,
    sequence = null,
    ...rest
  }: Publication,
): Promise<void> {
  const { account_id, test_mode, type } = rest;
  const event: NewEvent = {
    id: newId(chance, 'evt', now, ...id_parts),
    account_id,
    test_mode,
    type,
    delivery_id,
    batch_id,
    order_id,
    sequence,
    data: eventData(data),
    created_at: now,
  };
  await insertEvent(db, event);
  await enqueueEvent(db, event, { asked: subscriptionsTo(event.type), kept_ms: max_retry_period_ms });
}

/** Whether a type is only sent to subscribers that name it. */
export function isSubscribedByNameOnly(type: EventType): boolean {
  return namedEventTypes.some((each) => each === type);
}

/** The subscription values of a webhook endpoint that include a type. */
export function subscriptionsTo(type: EventType): readonly string[] {
  return isSubscribedByNameOnly(type) ? [type] : [type, '*'];
}

/** The rest of 20 kB is reserved for the event's own fields and the tracking link with the account's URL. */
const max_data_bytes = 18_000;
/** Lists are shortened before any text gets shorter than this, in characters. */
const min_text_length = 40;
/** Longer than any text in a request. */
const max_text_length = 1_000;

/** The fields with free text, such as `dropoff_notes`: only these are shortened. */
const freeText = /^(.+_)?(name|notes|unit|address|description|reason|subject|text)$/;
/** The lists that may be shortened, with the more important end of each. */
const lists = {
  items: 'beginning',
  data: 'beginning',
  reasons: 'beginning',
  proof_of_delivery: 'beginning',
  status_history: 'end',
} as const;

/** What is left of a record: so many characters of each free text, and rows of each list. */
interface Limits {
  characters: number;
  rows: number;
}

/**
 * The data of an event as JSON within the size limit. Ordinary records are far smaller and unchanged. In a larger one the
 * longest free texts are shortened, and if that is not enough the longest lists, and `truncated` is true; ids, statuses,
 * amounts, times and references are kept.
 */
export function eventData(data: object): string {
  const whole = JSON.stringify(data);
  if (isSmall(whole)) return whole;
  const fits = (limits: Limits) => isSmall(cut(data, limits));
  const rows = largestFitting(whole.length, (some) => fits({ rows: some, characters: min_text_length }));
  const characters = largestFitting(max_text_length, (some) => fits({ rows, characters: some }));
  return cut(data, { rows, characters: Math.max(characters, min_text_length) });
}

function isSmall(text: string): boolean {
  // A UTF-16 code unit takes at most three bytes.
  return text.length * 3 <= max_data_bytes || Buffer.byteLength(text) <= max_data_bytes;
}

/** The largest number up to a limit that fits; 0 if none does. */
function largestFitting(limit: number, fits: (number: number) => boolean): number {
  if (fits(limit)) return limit;
  let least = 0;
  let most = limit - 1;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (fits(middle)) least = middle;
    else most = middle - 1;
  }
  return least;
}

function cut(data: object, { rows, characters }: Limits): string {
  return JSON.stringify({ ...data, truncated: true }, (name, value: unknown) => {
    if (typeof value === 'string') return freeText.test(name) ? shortened(value, characters) : value;
    return Array.isArray(value) && isList(name) ? someOf(value, name, rows) : value;
  });
}

function isList(name: string): name is keyof typeof lists {
  return Object.hasOwn(lists, name);
}

function someOf(list: readonly unknown[], name: keyof typeof lists, rows: number): readonly unknown[] {
  if (list.length <= rows) return list;
  return lists[name] === 'beginning' ? list.slice(0, rows) : list.slice(list.length - rows);
}

/** Shortens a text to a number of characters, with an ellipsis; never within a surrogate pair. */
function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // A character has one or two code units.
  const first = [...text.slice(0, characters * 2)];
  const isWhole = first.length <= characters && text.length <= characters * 2;
  return isWhole ? text : `${first.slice(0, characters - 1).join('')}…`;
}
